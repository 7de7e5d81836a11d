"""What a conversation is told of its snapshot, turn by turn, through the index of facts.

The index holds every change of a fact whose writer was answered before the turn began, so it alone says which
facts of the snapshot stand. What they say is read from a copy of it, where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noted.facts.fact import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from noted.facts.fact import Fact
    from noted.recall.index import Edition, OpenIndex
    from noted.store.memory import Memory

# A copy of fewer facts is not worth its writing, which costs as much as about ten reads for each KB.
FEWEST = 8


@dataclass(frozen=True)
class Snapshot:
    """The facts that a conversation was told when it began, by id. `begun`: it has turns, so that there can
    be a copy."""

    conversation_id: str = ""
    fact_ids: tuple[str, ...] = ()
    begun: bool = False


NO_SNAPSHOT = Snapshot()


@dataclass(frozen=True)
class Uncopied:
    """Facts of a conversation's snapshot, as they were read by their rows, with an index."""

    conversation_id: str
    edition: Edition
    facts: tuple[Fact, ...]


class Telling:
    """Reads what stands of one snapshot. Before `read`, nothing is told."""

    def __init__(self, memory: Memory, index: OpenIndex, snapshot: Snapshot, now: datetime) -> None:
        self._memory = memory
        self._index = index
        self._snapshot = snapshot
        self._now = now
        self._standing = index.still_told(snapshot.fact_ids, now) if snapshot.fact_ids else []
        self._copied = self._in_copies()
        self.told: tuple[Fact, ...] = ()
        self.uncopied: Uncopied | None = None

    def read(self, fact_ids: Sequence[str] = ()) -> dict[str, Fact]:
        """Some facts by their rows, and in the same read what is told. Raises Unavailable."""
        apart = [*fact_ids, *(each for each in self._standing if each not in self._copied)]
        if self._copied and self._snapshot.begun:
            snapshots, edition = self._memory.snapshots, self._index.edition
            found, copies = snapshots.read(self._snapshot.conversation_id, edition, apart)
            # The row of a fact that was read has the last word on it, also where it is gone.
            others = [each for each in self._copied if each not in fact_ids]
            if copies.keys() >= set(self._copied):
                self._tell(found | snapshots.standing(copies, self._index.facts(others)))
                return found
            found |= self._memory.facts.some(others)
        else:
            found = self._memory.facts.some([*apart, *self._copied])
        self._tell(found)
        # A copy without one of them would be found wanting, and made again, by every turn.
        if self._copied and found.keys() >= set(self._copied):
            own = tuple(found[each] for each in self._copied)
            self.uncopied = Uncopied(self._snapshot.conversation_id, edition=self._index.edition, facts=own)
        return found

    def _in_copies(self) -> list[str]:
        """The facts that a copy has, if there is one."""
        if len(self._standing) < FEWEST:
            return []
        from noted.store.snapshots import KEPT

        # What was corrected since has its correction in its place, which no copy has.
        own = set(self._snapshot.fact_ids)
        copied = [each for each in self._index.lasting(self._standing, self._now + KEPT) if each in own]
        return copied if len(copied) >= FEWEST else []

    def _tell(self, facts: dict[str, Fact]) -> None:
        known = (facts[each] for each in self._standing if each in facts)
        self.told = tuple(fact for fact in known if fact.status(self._now) is Status.LIVE)
