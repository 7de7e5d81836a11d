"""Facts that were stored without a vector, found through the sparse index of work that is still to be
done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noted.store import keys, marks
from noted.store.database import ConditionFailed, Database
from noted.store.tables import MEMORY, OUTBOX

if TYPE_CHECKING:
    from noted.identity import Principal


@dataclass(frozen=True)
class Place:
    """Where a fact is: whose, in which generation, and its id."""

    principal: Principal
    generation: int
    fact_id: str


class Unembedded:
    """The marked facts of all users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def waiting(self, until: int, limit: int) -> list[Place]:
        """Up to `limit` facts, those kept longest ago first in each shard; `until` is the present, in seconds
        since 1970."""
        found = [
            key
            for shard in range(marks.SHARDS)
            for key in self._database.due(MEMORY.name, OUTBOX, marks.vector_shard(shard), until, limit)
        ]
        places = []
        for partition, sort_key in found[:limit]:
            principal, generation = keys.read_partition(partition)
            places.append(Place(principal, generation, sort_key.removeprefix(keys.FACTS)))
        return places

    def unmark(self, place: Place) -> None:
        """Takes the mark of a fact off that cannot be embedded, or has no reader any more."""
        partition = keys.partition(place.principal, place.generation)
        try:
            self._database.update(
                MEMORY.name, partition, keys.fact(place.fact_id), marks.UNMARK, condition=marks.MARKED
            )
        except ConditionFailed:
            return  # it is embedded, or gone
