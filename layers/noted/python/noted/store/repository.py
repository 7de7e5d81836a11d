"""The rows of one user. A repository is built from a `Principal`, and nothing in it takes another user's id:
whatever is asked for by id is looked for in this user's own partition and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from noted.clock import Clock, timestamp
from noted.errors import EpochChanged
from noted.identity import Principal, Secrets, subject_reference
from noted.retention import Retention
from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.index_cache import IndexCache
from noted.store.index_rows import Progress
from noted.store.ledger import Ledger
from noted.store.memory import Memory
from noted.store.tables import CONTROL
from noted.store.writes import ABSENT, Condition, Row

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_FIRST_GENERATION = 1


@dataclass(frozen=True)
class Standing:
    """Where a user stands. `generation` goes up with every erasure of everything and is what a client knows
    as the memory epoch; `sequence` is the user's write order; `paused`: nothing new is kept or recalled."""

    generation: int
    sequence: int
    paused: bool


class Repository:
    """One user's rows, in all generations."""

    def __init__(
        self,
        client: DynamoDBClient,
        prefix: str,
        principal: Principal,
        secrets: Secrets,
        retention: Retention,
        clock: Clock,
        cache: IndexCache | None = None,
    ) -> None:
        """`cache` keeps opened indexes from one call to the next."""
        self.principal = principal
        self._cache = cache or IndexCache()
        self._meta: Row | None = None
        self._clock = clock
        self._secrets = secrets
        self._retention = retention
        self.database = Database(client, prefix, clock)

    @cached_property
    def ledger(self) -> Ledger:
        """The receipts of this user's erasures."""
        return Ledger(self.database, subject_reference(self.principal, self._secrets))

    def standing(self) -> Standing:
        """Where the user stands, strongly consistent, written nowhere. One read unit."""
        row = self.database.get(CONTROL.name, keys.owner(self.principal), keys.META)
        if row is None:
            return Standing(self._first_generation(), 0, paused=False)
        return self._standing(row)

    def admit(self, epoch: int | None = None) -> Standing:
        """Gives the next place in the user's write order; of two admissions the later has the higher one.

        Raises EpochChanged if `epoch`, what the client believes to be the generation, is not. One write unit.
        """
        owner = keys.owner(self.principal)
        expected = " AND generation = :epoch" if epoch is not None else ""
        values = {":one": 1} | ({":epoch": epoch} if epoch is not None else {})
        while True:
            try:
                row = self.database.update(
                    CONTROL.name,
                    owner,
                    keys.META,
                    "ADD #sequence :one",
                    names={"#sequence": "sequence"},
                    values=values,
                    condition=Condition("attribute_exists(pk)" + expected),
                )
            except ConditionFailed as failure:
                if failure.rows[0] is not None:
                    raise EpochChanged from None
                self._create()
            else:
                return self._standing(row)

    def memory(self, generation: int) -> Memory:
        """Everything the user has in one generation."""
        known = self._meta is not None and self._meta["generation"] == generation
        return Memory(
            self.database,
            self.principal,
            generation,
            self._secrets,
            self._retention,
            self._clock,
            self._cache,
            Progress.of(self._meta, generation) if self._meta and known else None,
        )

    def _create(self) -> None:
        row = {
            "pk": keys.owner(self.principal),
            "sk": keys.META,
            "generation": self._first_generation(),
            "sequence": 0,
            "state": "active",
            "created_at": timestamp(self._clock.now()),
        }
        try:
            self.database.put(CONTROL.name, row, ABSENT)
        except ConditionFailed:
            return  # another request of this user came first

    def _first_generation(self) -> int:
        # The ledger outlives this row: after a restore, a generation that was erased must not come back.
        return max(self.ledger.last_generation() + 1, _FIRST_GENERATION)

    def _standing(self, row: Row) -> Standing:
        self._meta = row
        return Standing(row["generation"], row["sequence"], paused=row["state"] != "active")
