"""The fence around a generation: a write that carries it lands only while the generation is the user's
present one, so work that began before an erasure cannot bring anything back."""

from __future__ import annotations

from collections.abc import Sequence

from noted.errors import Conflict, EpochChanged, MemoryPaused
from noted.identity import Principal
from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.tables import CONTROL
from noted.store.writes import Condition, Write, check


class Fence:
    """The fence of one user's generation."""

    def __init__(self, database: Database, principal: Principal, generation: int) -> None:
        self._database = database
        self._principal = principal
        self._generation = generation

    def transact(
        self, writes: Sequence[Write], done: Sequence[Write] = (), *, learning: bool = False
    ) -> None:
        """Writes all or nothing behind the fence. `learning`: what is written is new memory, which a paused
        user does not want. `done` ends an idempotency claim.

        Raises EpochChanged, MemoryPaused, Conflict when the claim was lost, and ConditionFailed, numbered as
        in `writes`, when a condition of the writes themselves did not hold.
        """
        try:
            self._database.transact([self._check(learning), *writes, *done])
        except ConditionFailed as failure:
            if 0 in failure.rows:
                row = failure.rows[0]
                paused = row is not None and row["generation"] == self._generation
                raise (MemoryPaused() if paused else EpochChanged()) from None
            own = {number - 1: row for number, row in failure.rows.items() if number <= len(writes)}
            if own:
                raise ConditionFailed(own) from None
            raise claim_lost() from None

    def _check(self, learning: bool) -> Write:
        condition = Condition("generation = :generation", {}, {":generation": self._generation})
        if learning:
            condition = Condition(
                "generation = :generation AND #state = :active",
                {"#state": "state"},
                {":generation": self._generation, ":active": "active"},
            )
        return check(CONTROL.name, keys.owner(self._principal), keys.META, condition)


def claim_lost() -> Conflict:
    """The idempotency claim ran out and another request took it."""
    return Conflict("The same request is being worked on.", retry_after=2)
