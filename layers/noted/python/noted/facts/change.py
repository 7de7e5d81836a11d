"""What new statements do to the facts that are stored, as values: nothing is written here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.facts.fact import Fact


@dataclass(frozen=True)
class Stored:
    """All facts of a user, newest first, as they were read together. `copies` are the rows that only stand in
    for one of `facts`. `revision` goes up whenever a fact is added: with it a writer tells whether what it
    has read is still all there is."""

    revision: int
    facts: tuple[Fact, ...] = ()
    copies: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Altered:
    """A stored fact as it was read, and as it is to be. Only times, state, provenance, the field of the
    profile that it fills and the ends of its history change, never what it says."""

    before: Fact
    after: Fact


@dataclass(frozen=True)
class Change:
    """Facts to add and facts to alter, all in one transaction, on the condition that the facts are still at
    `revision` (None: whatever they are at) and each altered one is as it was read. `kept` has, for each
    statement, the fact that holds it from then on, as it then is."""

    revision: int | None = None
    added: tuple[Fact, ...] = ()
    altered: tuple[Altered, ...] = ()
    kept: tuple[Fact, ...] = ()

    @property
    def kept_ids(self) -> tuple[str, ...]:
        """The ids of the facts that hold the statements, each once."""
        return tuple(dict.fromkeys(fact.fact_id for fact in self.kept))

    @property
    def size(self) -> int:
        """How many rows are written."""
        return len(self.added) + len(self.altered) + bool(self.added)


def adding(*facts: Fact) -> Change:
    """The change that adds facts and compares them with none."""
    return Change(added=facts, kept=facts)
