"""The write gate as facts pass it: what a model proposes, and what a user tells by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noted.privacy.gate import Outcome, Reason, SpecialCategory, cleaned, judge, own_words
from noted.privacy.gate.normalise import visible_form

if TYPE_CHECKING:
    from noted.facts.proposed import ProposedFact

# What the user is told who tells a fact by hand. What is not named fails one of the rules on how it is said.
_REFUSALS = {
    Reason.UNICODE: "it holds characters that hide what it says",
    Reason.TOO_LONG: "it is too long for one fact",
    Reason.MARKUP: "it holds markup",
    Reason.LINK: "it holds a link",
    Reason.OPAQUE: "it holds a code that nobody can read",
    Reason.SECRET: "passwords, keys and card numbers are never kept",
    Reason.CONTACT: "it tells how to reach somebody else",
    Reason.THIRD_PARTY: "it tells something delicate of somebody else",
    Reason.DIRECTIVE: "it tells the assistant what to do",
    Reason.TRIGGER: "it tells the assistant what to do",
    Reason.RECOMMENDATION: "it tells the assistant what to recommend",
    Reason.AUTHORITY: "it claims rights or a check that nothing here can grant",
    Reason.QUESTION: "it reads as a question",
    Reason.MINOR: "memory is not for children",
}
_REFUSED = "it is no fact about you"


@dataclass(frozen=True)
class Gated:
    """What came of proposed facts: those to store, of which some are to be held, how many each rule dropped,
    and the special categories that a fact would have needed consent for. `minor`: the user said to be a
    child, so that memory is to be paused."""

    kept: tuple[ProposedFact, ...] = ()
    dropped: Counter[str] = field(default_factory=Counter)
    asks: tuple[str, ...] = ()
    minor: bool = False


def typed(message: str) -> str:
    """What of a message its author typed in their own words, as a reader sees it: what facts may rest on."""
    return own_words(visible_form(message))


def as_read(fact: ProposedFact) -> ProposedFact:
    """A proposed fact as a reader sees it: what the guards look at."""
    return replace(fact, text=cleaned(fact.text), quote=visible_form(fact.quote))


def gated(facts: Sequence[ProposedFact], said: str, consents: Collection[SpecialCategory] = ()) -> Gated:
    """Judges facts that rest on what the user typed in a message, `said`, all with ids, and gives those that
    pass as they are stored. A message that says its writer is a child teaches nothing."""
    kept: list[ProposedFact] = []
    dropped: Counter[str] = Counter()
    asks: list[str] = []
    minor = False
    for fact in facts:
        decision = judge(fact.text, fact.quote, said, consents=consents)
        reason = str(decision.reason) if decision.reason else None
        minor = minor or decision.reason is Reason.MINOR
        match decision.outcome:
            case Outcome.KEEP:
                kept.append(_stored(fact, said, None, consents))
            case Outcome.HOLD:
                kept.append(_stored(fact, said, reason or "gate", consents))
            case Outcome.ASK:
                asks.append(str(decision.category))
                dropped[str(Reason.SPECIAL_CATEGORY)] += 1
            case Outcome.DROP:
                dropped[reason or "gate"] += 1
    if minor:
        dropped[str(Reason.MINOR)] += len(kept)
        return Gated(dropped=dropped, minor=True)
    return Gated(tuple(kept), dropped, tuple(dict.fromkeys(asks)))


@dataclass(frozen=True)
class OwnEntry:
    """What the gate says of a text that a user tells by hand: why it is refused, None if it is not, why it is
    to be held, and the special category that it gives away."""

    refusal: str | None = None
    held_because: str | None = None
    special_category: str | None = None


def own_entry(text: str, consents: Collection[SpecialCategory] = ()) -> OwnEntry:
    """Judges a text that a user tells by hand, masked. It rests on itself, in any person."""
    decision = judge(text, text, text, consents=consents, by_user=True)
    match decision.outcome:
        case Outcome.ASK:
            return OwnEntry(f"it is kept only with your consent to {decision.category}")
        case Outcome.DROP:
            return OwnEntry(_REFUSALS.get(decision.reason, _REFUSED) if decision.reason else _REFUSED)
    special = _special(text, text, text, by_user=True) if consents else None
    held = str(decision.reason or "gate") if decision.outcome is Outcome.HOLD else None
    return OwnEntry(held_because=held, special_category=special)


def _stored(
    fact: ProposedFact, said: str, held_because: str | None, consents: Collection[SpecialCategory]
) -> ProposedFact:
    return replace(
        fact,
        text=cleaned(fact.text),
        held_because=held_because,
        special_category=_special(fact.text, fact.quote, said) if consents else None,
    )


def _special(text: str, quote: str, said: str, *, by_user: bool = False) -> str | None:
    """The special category for which a fact that is stored needed one of the consents that there are."""
    decision = judge(text, quote, said, by_user=by_user)
    return str(decision.category) if decision.outcome is Outcome.ASK else None
