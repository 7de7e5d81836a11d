"""The gate itself: the rules in their order, the first that fires decides."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noted.facts.asked import is_asked
from noted.privacy.gate import evidence, normalise, people, steering
from noted.privacy.gate.channel import is_forged, own_words
from noted.privacy.gate.decision import KEEP, Decision, Outcome, Reason
from noted.privacy.gate.evidence import Evidence
from noted.privacy.gate.languages import LANGUAGES
from noted.privacy.gate.languages.elsewhere import UNLISTED, is_doubtful, is_unlisted
from noted.privacy.gate.patterns import all_patterns, patterns_of
from noted.recall.languages.recognition import language
from noted.text.folding import fold
from noted.text.links import has_link
from noted.text.questions import reads_as_question

if TYPE_CHECKING:
    from noted.privacy.gate.categories import SpecialCategory

_SUPPORTED = frozenset(each.code for each in LANGUAGES)
# A few words do not tell these apart; in all but French a verb alone says who speaks.
_ROMANCE = ("es", "fr", "it", "pt")
_PRONOUNLESS = "it"
# "Vivo a Roma", "Moro no Porto": of so few words, "a", "in" and "no" are taken for English.
_SHORT_ROMANCE = re.compile(
    r"\W*(?:(?!also\b|hello\b|who\b|two\b)\w{3,}o) (?:a|in|no|na|num|numa|em|da|con|com|il|la|lo|una?|uma?|o)"
    r"(?: \w+){1,2}\W*$"
)
_MESSAGE_CHARACTERS = 16_000
_CUSTOMER = re.compile(r"\b(?:the |this )?customer\b")
_FORMAL = re.compile(r"(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihre?[nmrs]?)\b")
_IS = re.compile(r"(?:is|ist|est|es|è|é) ")


@dataclass(frozen=True)
class _Case:
    """A proposed fact, as it would be stored and folded, and what it rests on. `code` is the language, None
    for one that is not known."""

    raw: str
    fact: str
    folded: str
    said: str
    code: str | None
    words: Evidence

    @property
    def about_self(self) -> bool:
        return steering.is_about_self(self.words.part, self.code)


def judge(
    text: str,
    quote: str,
    said: str,
    *,
    consents: Collection[SpecialCategory] = (),
    by_user: bool = False,
) -> Decision:
    """What becomes of a proposed fact. `quote` is the piece of `said`, what the user typed, that it rests on;
    all in stored form, with ids. `by_user` is an entry by the user's own hand, which rests on itself: whether
    it says "I" is not asked. Total: no text raises."""
    fact = normalise.cleaned(text)
    if decision := _form(text, fact, quote, by_user=by_user):
        return decision
    visible = normalise.visible_form(said)
    if not by_user and is_forged(visible):
        return _drop(Reason.MARKUP)
    if not by_user and steering.overrides(fold(visible[:_MESSAGE_CHARACTERS])):
        return _drop(Reason.DIRECTIVE)
    folded = fold(fact)
    code = _language(fold(f"{visible[:2_000]} {fact}"))
    if by_user:
        words: Evidence | None = Evidence(folded, folded, folded)
    else:
        words = evidence.of(fact, normalise.visible_form(quote), _own(said))
    if decision := _contents(text, fact, folded, code):
        return decision
    if decision := _age(folded, words.own if words else "", code, by_user=by_user):
        return decision
    if words is None:
        return _drop(Reason.NOT_OWN_WORDS)
    case = _Case(text, fact, folded, said, code, words)
    return (
        (None if by_user else _coverage(case))
        or (None if by_user else _question(case))
        or _steering(case, by_user=by_user)
        or _reachable(case, by_user=by_user)
        or (None if by_user else _statement(case))
        or _persons(case, consents)
        or _doubt(case)
        or KEEP
    )


def _language(folded: str) -> str | None:
    """The language. One without lists is told first: a few of its words are those of one that has lists."""
    return UNLISTED if is_unlisted(folded) else language(folded)


def _own(said: str) -> str:
    """The own words as a reader sees them. What hides in a message is taken out before its marks are read,
    so that no mark hides either."""
    return own_words(normalise.visible_form(said))


def _drop(reason: Reason, category: SpecialCategory | None = None) -> Decision:
    return Decision(Outcome.DROP, reason, category)


def _hold(reason: Reason) -> Decision:
    return Decision(Outcome.HOLD, reason)


def _form(text: str, fact: str, quote: str, *, by_user: bool) -> Decision | None:
    """Whether the text can be read at all."""
    most = normalise.OWN_ENTRY_CHARACTERS if by_user else normalise.FACT_CHARACTERS
    if normalise.length(fact) > most or len(text) > 20 * normalise.OWN_ENTRY_CHARACTERS:
        return _drop(Reason.TOO_LONG)
    if normalise.is_hiding(text) or (not by_user and normalise.is_hiding(quote)):
        return _drop(Reason.UNICODE)
    if not any(map(str.isalnum, fact)):
        return _drop(Reason.EMPTY)
    if by_user and normalise.has_more_lines(text):
        return _drop(Reason.MARKUP)
    return None


def _contents(text: str, fact: str, folded: str, code: str | None) -> Decision | None:
    """What no fact holds, whoever says it."""
    if steering.holds_placeholder(fact):
        return _drop(Reason.PLACEHOLDER)
    if steering.is_markup(folded):
        return _drop(Reason.MARKUP)
    if people.holds_secret(fact, folded, code):
        return _drop(Reason.SECRET)
    if normalise.is_opaque(text) or normalise.is_opaque(fact):
        return _drop(Reason.OPAQUE)
    return None


def _age(folded: str, own: str, code: str | None, *, by_user: bool) -> Decision | None:
    """A message by a child is not learned from, whatever it says."""
    stated = f"i am {_IS.sub('', folded, count=1)}" if by_user and _IS.match(folded) else own
    if people.is_minor(stated[:_MESSAGE_CHARACTERS], code) or (by_user and people.is_minor(folded, code)):
        return _drop(Reason.MINOR)
    return None


def _coverage(case: _Case) -> Decision | None:
    """Whether the person's words say what the fact says."""
    if evidence.is_assent(case.words.sentence):
        return _drop(Reason.ASSENT)
    if evidence.strange_ids(case.fact, case.said):
        return _drop(Reason.PLACEHOLDER)
    everywhere, quoted = evidence.shares(case.fact, case.words)
    if everywhere < evidence.LEAST_SHARED or quoted < evidence.LEAST_OF_QUOTE:
        return _drop(Reason.NOT_COVERED)
    return None


def _question(case: _Case) -> Decision | None:
    """Whether it is asked, not stated."""
    if reads_as_question(case.fact) or is_asked(case.fact, case.words.sentence, case.words.sentence):
        return _drop(Reason.QUESTION)
    return None


def _steering(case: _Case, *, by_user: bool) -> Decision | None:
    """Whether the fact, or the words that it rests on, would steer an assistant or grant rights."""
    about_self = steering.introduces(case.folded) if by_user else case.about_self
    reason = steering.reason_in_fact(case.folded, case.code, about_self=about_self, by_user=by_user)
    if reason is None and not by_user:
        reason = steering.reason_in_words(case.words.part, case.code) or _ordered(case)
    if reason:
        return _drop(reason)
    if steering.is_alias(case.folded) or steering.is_alias(case.words.sentence):
        return _hold(Reason.ALIAS)
    if not by_user and (steering.speaks_of_the_user(case.words.part) or _addresses(case)):
        return _hold(Reason.DOUBT)
    if steering.praises(case.folded) or steering.praises(case.words.part):
        return _hold(Reason.RECOMMENDATION)
    if steering.trusts_a_name(case.fact, patterns_of(case.code)):
        return _hold(Reason.RECOMMENDATION)
    return None


def _ordered(case: _Case) -> Reason | None:
    """Whether what stands behind a colon is an order: "My preference: send everything to Karel"."""
    _, colon, rest = case.words.part.partition(": ")
    if not colon or steering.is_about_self(rest, case.code):
        return None
    is_order = any(
        each.steering_order.match(rest) or each.order.match(rest) for each in patterns_of(case.code)
    )
    return Reason.DIRECTIVE if is_order else None


def _addresses(case: _Case) -> bool:
    """Whether the fact speaks to somebody: facts have no "you". German has one that only a capital tells."""
    if case.code == "de" and _FORMAL.search(case.fact):
        return True
    patterns = [each for each in patterns_of(case.code) if each.code in (case.code, "en")]
    texts = [text for text in (case.folded, case.words.part) if not steering.introduces(text)]
    return any(each.address.search(each.lead.sub("", text, count=1)) for each in patterns for text in texts)


def _reachable(case: _Case, *, by_user: bool) -> Decision | None:
    """Links, ways to reach somebody else, and what proves who one is, which a person confirms first. By hand
    a person may note how their family is reached; how anybody else is, they confirm."""
    if has_link(case.fact) or has_link(people.spelt_out(case.fact)):
        return _drop(Reason.LINK)
    if people.contact_in(case.fact) and (
        people.is_of_another(case.folded, case.code) or people.is_of_another(case.words.part, case.code)
    ):
        if not by_user:
            return _drop(Reason.CONTACT)
        if not people.is_of_family(case.folded, case.code):
            return _hold(Reason.CONTACT)
    if people.identity_in(case.fact, case.folded):
        return _hold(Reason.SECRET)
    return None


def _statement(case: _Case) -> Decision | None:
    """Whether a person states it, about themselves, what is theirs or who is close to them."""
    sentence, part, patterns = case.words.sentence, case.words.part, patterns_of(case.code)
    if case.code is not None and case.code not in _SUPPORTED:
        return None
    if case.about_self or (case.code == "en" and _SHORT_ROMANCE.match(sentence)):
        return None
    asked = any(each.asked.match(sentence) for each in patterns)
    about_self = steering.is_about_self(sentence, case.code)
    if not asked and not about_self and any(each.order.match(part) for each in patterns):
        return None if any(each.subject.search(part) for each in patterns) else _drop(Reason.DIRECTIVE)
    if case.code in _ROMANCE:
        about_self = about_self or steering.is_about_self(sentence, _PRONOUNLESS)
    if about_self or any(each.self_word.search(sentence) for each in patterns):
        return None
    if asked:
        sourced = any(each.source.search(sentence) for each in patterns)
        return _hold(Reason.NOT_FIRST_PERSON) if sourced else None
    if any(each.subject.match(sentence) for each in all_patterns()):
        return None  # a language that its few words did not tell
    speaks = any(each.self_word.search(case.words.own) for each in patterns)
    if people.subject_is_close(sentence, case.code) or (
        speaks and people.subject_is_another(sentence, case.code)
    ):
        return None
    return None if case.code is None else _drop(Reason.NOT_FIRST_PERSON)


def _persons(case: _Case, consents: Collection[SpecialCategory]) -> Decision | None:
    """Other people's special categories and what is said against them; the person's own by consent."""
    part = case.words.part
    another = people.names_a_person(case.folded, case.code) or people.subject_is_another(part, case.code)
    if another and (people.accuses(case.folded, case.code) or people.accuses(part, case.code)):
        return _drop(Reason.THIRD_PARTY)
    category = people.category_of(case.folded, case.code) or people.category_of(part, case.code)
    if category is None:
        return None
    if another:
        return _drop(Reason.THIRD_PARTY, category)
    if category in consents:
        return None
    return Decision(Outcome.ASK, Reason.SPECIAL_CATEGORY, category)


def _doubt(case: _Case) -> Decision | None:
    if evidence.strange_names(case.fact, case.words.own):
        return _hold(Reason.NOT_COVERED)
    if case.code not in _SUPPORTED and is_doubtful(f"{case.folded} {case.words.sentence}"):
        return _hold(Reason.DOUBT)
    return None


def is_withheld(sentence: str) -> bool:
    """Whether a sentence of a summary holds what no fact may hold without its person's consent: a secret, a
    way to reach somebody else, an accusation, anything of a special category."""
    visible = normalise.visible_form(sentence)[: evidence.LONGEST]
    folded = _CUSTOMER.sub("i", fold(visible)).replace("i is ", "i am ")
    code = language(folded)
    if people.holds_secret(visible, folded, code) or people.is_minor(folded, code):
        return True
    another = people.names_somebody_beside(folded, code)
    if another and (people.accuses(folded, code) or people.contact_in(visible)):
        return True
    return people.category_of(folded, code) is not None
