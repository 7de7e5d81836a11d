"""Repeats inside one extraction.

A fact goes when another of its kind holds all its words and more; of two with the same words the first stays.
Word order is not looked at, so "Prefers tea to coffee" and "Prefers coffee to tea" count as the same. Facts
that are already stored are consolidation's work: there, "Eats meat" beside "Never eats meat" is a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noted.facts.words import holds_all_and_more, same_words

if TYPE_CHECKING:
    from noted.facts.proposed import ProposedFact


def without_repeats(facts: Sequence[ProposedFact]) -> list[ProposedFact]:
    """The facts of one extraction without their repeats, in the order in which they were extracted."""
    return [fact for place, fact in enumerate(facts) if not _is_repeat(fact, place, facts)]


def _is_repeat(fact: ProposedFact, place: int, facts: Sequence[ProposedFact]) -> bool:
    return any(
        other.kind == fact.kind
        and (
            holds_all_and_more(other.text, fact.text)
            or (earlier < place and same_words(other.text, fact.text))
        )
        for earlier, other in enumerate(facts)
    )
