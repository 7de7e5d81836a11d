"""The guards over what a model decides in consolidation: code says which decisions count.

A decision that is refused is left out alone, and its new fact is added like one that nothing was decided
about. No decision can leave nothing: whatever ends a fact is stored itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from noted.facts import wording
from noted.facts.attributes import same_attribute
from noted.facts.consolidation import Action, Case, Decision
from noted.facts.words import words
from noted.recall.lexical import tokens
from noted.text.figures import claims
from noted.text.folding import fold

if TYPE_CHECKING:
    from noted.facts.fact import Fact


class Refusal(StrEnum):
    """Why a decision does not count, in the order in which the guards are asked."""

    UNREADABLE = "unreadable"
    FACT = "fact"
    ACTION = "action"
    DECIDED = "decided"
    TARGET = "target"
    TAKEN = "taken"
    KIND = "kind"
    NEWS = "news"
    EXCEPTION = "exception"
    ATTRIBUTE = "attribute"
    LATE = "late"


@dataclass(frozen=True)
class Ruling:
    """A decision that counts, with the facts that its numbers stood for."""

    new: Fact
    action: Action
    target: Fact


# An event that happened once; what was bought, sold, begun or given up is none of these.
_HAPPENED_ONCE = re.compile(
    r"(?:had|ate|drank|tried|tasted|ordered|went to|visited|saw|watched|met|attended|spent|stayed|slept"
    r"|dreamt|dreamed|thought|considered)\b"
    r"|.*\b(?:once|one time|einmal|une fois|una vez|uma vez|una volta|een keer|однажды)\b"
    # "Once a week" is how often, not when.
    r"(?! (?:a|an|per|every|each|pro|im|in|am|par|al|a la|por|alla|в)\b)"
)
_FROM_THEN_ON = re.compile(
    r"\b(?:again|now|any ?more|no longer|since|from now on|ever since|these days|nowadays|stopped|quit)\b"
)


def rulings(
    decisions: Sequence[Decision], cases: Sequence[Case], numbers: Mapping[int, Fact]
) -> tuple[list[Ruling], Counter[str]]:
    """The decisions that count, and how many of the others each guard refused. A new fact may end several
    stored ones; a stored one is ended or confirmed once."""
    accepted: list[Ruling] = []
    refused: Counter[str] = Counter()
    settled: dict[int, Action] = {}
    taken: set[str] = set()
    for decision in decisions:
        refusal = _refusal(decision, cases, numbers, settled, taken)
        if refusal is not None:
            refused[str(refusal)] += 1
            continue
        action = Action(decision.action)
        settled[decision.fact] = action
        if action is Action.ADD or decision.target is None:
            continue
        target = numbers[decision.target]
        taken.add(target.fact_id)
        accepted.append(Ruling(cases[decision.fact - 1].new, action, target))
    return accepted, refused


def _refusal(
    decision: Decision,
    cases: Sequence[Case],
    numbers: Mapping[int, Fact],
    settled: Mapping[int, Action],
    taken: set[str],
) -> Refusal | None:
    if not 1 <= decision.fact <= len(cases):
        return Refusal.FACT
    if decision.action not in Action.__members__:
        return Refusal.ACTION
    action, before = Action(decision.action), settled.get(decision.fact)
    ends = (Action.UPDATE, Action.DELETE)
    if before is not None and not (before in ends and action in ends):
        return Refusal.DECIDED
    if action is Action.ADD:
        return None
    case = cases[decision.fact - 1]
    target = numbers.get(decision.target or 0)
    if target is None or target not in case.similar:
        return Refusal.TARGET
    if target.fact_id in taken:
        return Refusal.TAKEN
    return _unfit(case.new, action, target)


def _unfit(new: Fact, action: Action, target: Fact) -> Refusal | None:
    if new.kind != target.kind:
        return Refusal.KIND
    if action is Action.NOOP:
        return Refusal.NEWS if says_more(new.text, target.text) else None
    if is_exception(new.text):
        return Refusal.EXCEPTION
    if new.profile_field and target.profile_field:
        return None if new.profile_field == target.profile_field else Refusal.ATTRIBUTE
    return None if same_attribute(new.text, target.text) else Refusal.ATTRIBUTE


def says_more(new: str, stored: str) -> bool:
    """Whether a text cannot be what another one says already: it states another number, or most of its words
    are others; or it denies, excepts or dates something that the other does not, or the other way round."""
    if not claims([new]) <= claims([stored]):
        return True
    told = set(tokens(new))
    if 2 * len(told & set(tokens(stored))) < len(told):
        return True
    return not wording.LOADED.isdisjoint(set(words(new)) ^ set(words(stored)))


def is_exception(text: str) -> bool:
    """Whether a text tells of something that happened once, which ends no state: "Had fish at a wedding"."""
    folded = fold(text)
    return bool(_HAPPENED_ONCE.match(folded)) and not _FROM_THEN_ON.search(folded)
