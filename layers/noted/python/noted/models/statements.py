"""First-person statements in English, found by rule: what the offline model can tell of a message.

It keeps little on purpose. A sentence that is not plainly a lasting statement about its writer gives nothing,
and so does every sentence of another language, unless the writer asked to have it remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noted.models.lexicon import (
    ADVERBS,
    ASKING,
    CATEGORY_MARKS,
    FAMILY,
    GOAL_VERBS,
    NO_NEWS_AM,
    NO_NEWS_HAVE,
    NO_NEWS_MY,
    NO_NEWS_VERBS,
    OPENERS,
    PAST_VERBS,
    PRESENT_VERBS,
    REMEMBER,
    REQUESTING,
    SUBORDINATORS,
)

if TYPE_CHECKING:
    from noted.facts.fact import Category, Kind

_SENTENCE_END = re.compile(r"[.!?…;\u037e]+[\"'”’)\]]*(?=\s|$)|[。！？؟]+|[\r\n]+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|vs|approx|e\.g|i\.e|a\.m|p\.m)|\b[A-Z])\.$", re.IGNORECASE
)
_QUESTION_MARK = re.compile(r"[?？؟\u037e]\W*$")
_NEXT_CLAUSE = re.compile(
    r"(?:,\s*|\s+)(?:(?:and|but|so)\s+)?(?:(?:now|also|then)\s+)?(?=(?:I|I['’](?:m|ve|ll|d)|my)\s)",
    re.IGNORECASE,
)
_LINKED = re.compile(r",|\b(?:and|but|so)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"I(?:['’](?P<short>m|ve|ll|d))?\s+(?P<rest>\S.*)", re.IGNORECASE | re.DOTALL)
_SHORT = {"m": "am", "ve": "have", "ll": "will", "d": "would"}
_MY = re.compile(
    r"my\s+(?P<first>[\w'’<>-]+)(?P<more>(?:\s+[\w'’<>.-]+){0,4}?)(?:\s+(?P<verb>is|are|was|were|has|have|had)\b|['’]s\s)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:says?|said|asks?|asked|told|thinks?|thought|wants? to know|wonders?)\b", re.IGNORECASE
)
_POINTS_ELSEWHERE = re.compile(r"(?:it|this|that|these|those|them|him|her|you|your|yours)\b", re.IGNORECASE)
_IRREGULAR = {"go": "goes", "do": "does", "don't": "doesn't", "have": "has", "haven't": "hasn't"}
_MODALS = frozenset(("can", "can't", "cannot", "will", "won't", "must", "mustn't", "should", "shouldn't"))


@dataclass(frozen=True)
class Statement:
    """`text` without its subject, verb first; `quote` is the exact slice of the words it comes from."""

    kind: Kind
    category: Category
    text: str
    quote: str


def statements(words: str, *, remember: bool = False) -> list[Statement]:
    """The statements of a message, in its order, each text once. `remember`: the writer asked to have these
    words remembered, so that a sentence which fits no rule is kept as it stands."""
    found: dict[str, Statement] = {}
    for sentence in _sentences(words):
        for statement in _of_sentence(sentence, remember):
            found.setdefault(statement.text, statement)
    return list(found.values())


def _sentences(words: str) -> Iterator[str]:
    start = 0
    for mark in _SENTENCE_END.finditer(words):
        if _ABBREVIATION.search(words[start : mark.end()]):
            continue
        yield words[start : mark.end()].strip()
        start = mark.end()
    yield words[start:].strip()


def _of_sentence(sentence: str, remember: bool) -> Iterator[Statement]:
    if not sentence or _QUESTION_MARK.search(sentence):
        return
    sentence = sentence.rstrip(" .!…。！;")
    sentence = sentence[OPENERS.match(sentence).end() :]  # type: ignore[union-attr] # it can match nothing
    command = REMEMBER.match(sentence)
    if command:
        sentence, remember = sentence[command.end() :], True
    if SUBORDINATORS.match(sentence):
        return
    told = [statement for clause in _clauses(sentence) if (statement := _of_clause(clause))]
    yield from told
    if remember and not told and len(sentence) > 1:
        yield _as_it_stands(sentence)


def _clauses(sentence: str) -> Iterator[str]:
    start = 0
    for link in _NEXT_CLAUSE.finditer(sentence):
        if _LINKED.search(link[0]):
            yield sentence[start : link.start()].strip()
            start = link.end()
    yield sentence[start:].strip()


def _as_it_stands(sentence: str) -> Statement:
    task = re.match(r"to\s+(?=[a-z])", sentence, re.IGNORECASE)
    if task:
        return Statement("goal", "other", _capitalised(sentence[task.end() :]), sentence)
    return Statement("fact", "other", sentence, sentence)


def _of_clause(clause: str) -> Statement | None:
    first = _FIRST_PERSON.fullmatch(clause)
    if first:
        told = _predicate(_SHORT[first["short"].lower()] if first["short"] else "", first["rest"])
    else:
        told = _about_mine(clause)
    if told is None:
        return None
    kind, text = told
    return Statement(kind, _category(kind, text), _capitalised(text), clause)


def _about_mine(clause: str) -> tuple[Kind, str] | None:
    if _REPORTED.search(clause):
        return None
    words = clause.lower().split()
    if words[:1] == ["my"] and any(len(words) > place + 1 and words[place] in FAMILY for place in (1, 2)):
        return "fact", clause[2:].lstrip()
    mine = _MY.match(clause)
    if mine is None or mine["first"].lower() in NO_NEWS_MY:
        return None
    return "fact", clause[2:].lstrip()


def _predicate(auxiliary: str, rest: str) -> tuple[Kind, str] | None:
    """The predicate of a sentence whose subject is "I", in the third person; None: nothing lasting in it."""
    words = rest.split()
    adverbs: list[str] = []
    if not auxiliary:
        while len(words) > 1 and words[0].lower() in ADVERBS:
            adverbs.append(words.pop(0))
        auxiliary = words.pop(0).lower().replace("’", "'")
    after = [word.lower().strip(",") for word in words]
    told = _conjugated(auxiliary, after)
    if told is None:
        return None
    kind, verb = told
    return kind, " ".join([*adverbs, verb, *words])


def _conjugated(verb: str, after: list[str]) -> tuple[Kind, str] | None:
    plain = [word for word in after if word not in ADVERBS and word != "not"]
    if verb in ("am", "was"):
        return _being(verb, plain)
    if verb == "would" or verb in GOAL_VERBS:
        return _aim(verb, plain)
    if _is_news(verb, after, plain):
        return "fact", _third_person(verb)
    return None


def _is_news(verb: str, after: list[str], plain: list[str]) -> bool:
    following = plain[0] if plain else ""
    if verb in ("have", "haven't", "had"):
        return following not in ("", "to") and NO_NEWS_HAVE.isdisjoint(plain[:3])
    if verb in _MODALS:
        return following != "" and following not in NO_NEWS_VERBS
    if verb in ("do", "don't", "didn't"):
        negated = verb != "do" or after[:1] == ["not"]
        return following != "" and not (negated and following in NO_NEWS_VERBS | {"want", "need"})
    if verb == "used":
        return following == "to"
    if verb == "got":
        return following in ("married", "divorced", "engaged", "promoted")
    if after and _POINTS_ELSEWHERE.match(after[0]):
        return False
    # "I keep getting errors" is news of the hour.
    return verb in PAST_VERBS or (
        verb in PRESENT_VERBS and not (verb == "keep" and following.endswith("ing"))
    )


def _being(verb: str, plain: list[str]) -> tuple[Kind, str] | None:
    if not plain or plain[0] in NO_NEWS_AM:
        return None
    written = {"am": "is"}.get(verb, verb)
    if plain[0] in ("going", "planning", "hoping", "aiming", "intending"):
        aimed = verb == "am" and len(plain) > 2 and plain[1] in ("to", "on", "for") and plain[2] not in ASKING
        return ("goal", written) if aimed else None
    if plain[:2] == ["writing", "to"] or (plain[:2] == ["interested", "in"] and set(plain[2:3]) & ASKING):
        return None
    return "fact", written


def _aim(verb: str, plain: list[str]) -> tuple[Kind, str] | None:
    """A goal is stated with what is to be done: "would like a table" asks for something, now."""
    if verb == "would":
        if plain[:1] not in (["like"], ["love"]):
            return None
        plain = plain[1:]
    if len(plain) < 2 or plain[0] not in ("to", "on", "of") or plain[1] in ASKING:
        return None
    if verb in ("would", "want") and plain[1] in REQUESTING:
        return None
    return "goal", verb if verb == "would" else _third_person(verb)


def _third_person(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in PAST_VERBS or verb in _MODALS or verb in ("didn't", "had", "used", "got"):
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _category(kind: Kind, text: str) -> Category:
    if kind == "goal":
        return "project"
    lowered = text.lower().replace("’", "'")
    for category, mark in CATEGORY_MARKS:
        if mark.search(lowered):
            return category
    return "other"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
