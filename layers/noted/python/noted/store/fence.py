"""The fence around a generation: a write that carries it lands only while the generation is the user's
present one, so work that began before an erasure cannot bring anything back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noted.errors import Conflict, EpochChanged, MemoryPaused, Unavailable
from noted.store.database import ConditionFailed, Database
from noted.store.writes import Condition, Write

if TYPE_CHECKING:
    from noted.store.index import FactIndex

# An index that is built or given up meanwhile makes a transaction fail that did not know; twice is rare.
_TRIES = 5


class Fence:
    """The fence of one user's generation. It tells the index of facts of every change of a fact that goes
    through it, in the same transaction."""

    def __init__(self, database: Database, generation: int, index: FactIndex) -> None:
        self._database = database
        self._generation = generation
        self._index = index

    def transact(
        self, writes: Sequence[Write], done: Sequence[Write] = (), *, learning: bool = False
    ) -> None:
        """Writes all or nothing behind the fence. `learning`: what is written is new memory, which a paused
        user does not want. `done` ends an idempotency claim.

        Raises EpochChanged, MemoryPaused, Conflict when the claim was lost, and ConditionFailed, numbered as
        in `writes`, when a condition of the writes themselves did not hold.
        """
        changes = self._index.changes(writes)
        for _ in range(_TRIES):
            fence, logged = self._index.joining(changes, self._condition(learning))
            try:
                self._database.transact([fence, *writes, *done, *([logged] if logged else [])])
            except ConditionFailed as failure:
                self._explain(failure, len(writes), len(done), learning=learning)
                continue
            if changes:
                self._index.changed(len(changes))
            return
        raise Unavailable("The memory is busy.", retry_after=1)

    def _explain(self, failure: ConditionFailed, writes: int, done: int, *, learning: bool) -> None:
        """Raises what a failed transaction means to the caller; returns when it is to be tried again, since
        only what was believed of the index was wrong."""
        if 0 in failure.rows:
            row = failure.rows[0]
            if row is None or row["generation"] != self._generation:
                raise EpochChanged from None
            if learning and row["state"] != "active":
                raise MemoryPaused from None
            self._index.corrected(row)
            return
        own = {number - 1: row for number, row in failure.rows.items() if number <= writes}
        if own:
            raise ConditionFailed(own) from None
        if any(number <= writes + done for number in failure.rows):
            raise claim_lost() from None
        self._index.abandon()

    def _condition(self, learning: bool) -> Condition:
        if not learning:
            return Condition("generation = :generation", {}, {":generation": self._generation})
        return Condition(
            "generation = :generation AND #state = :active",
            {"#state": "state"},
            {":generation": self._generation, ":active": "active"},
        )


def claim_lost() -> Conflict:
    """The idempotency claim ran out and another request took it."""
    return Conflict("The same request is being worked on.", retry_after=2)
