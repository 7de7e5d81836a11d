"""The rows of one user. A repository is built from a `Principal`, and nothing in it takes another user's id:
whatever is asked for by id is looked for in this user's own partition and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from noted.clock import Clock, timestamp
from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import EpochChanged
from noted.identity import Principal, Secrets, subject_reference
from noted.preferences import Preferences
from noted.store import keys
from noted.store.caches import Caches
from noted.store.data_keys import KEYED, DataKey
from noted.store.database import ConditionFailed, Database
from noted.store.directory import listing
from noted.store.ledger import Ledger
from noted.store.memory import Memory
from noted.store.preferences import SETTINGS
from noted.store.replay_log import ReplayLog
from noted.store.tables import CONTROL
from noted.store.writes import ABSENT, Condition, Row, put

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.privacy.wrapping import KeyWrapper
    from noted.retention import Retention

_FIRST_GENERATION = 1


@dataclass(frozen=True)
class Standing:
    """Where a user stands. `generation` goes up with every erasure of everything and is what a client knows
    as the memory epoch; `sequence` is the user's write order; `paused`: nothing new is kept or recalled.
    `blocked`: an operator has shut the user out, until the operator lets them in again."""

    generation: int
    sequence: int
    paused: bool
    blocked: bool = False
    preferences: Preferences = field(default_factory=Preferences)


@dataclass(frozen=True)
class Deployment:
    """What the repositories of all users share. `prefix` begins the names of the tables; `wrapper` opens data
    keys; `caches` keep what was opened from one call to the next."""

    prefix: str
    secrets: Secrets
    retention: Retention
    clock: Clock
    wrapper: KeyWrapper
    caches: Caches = field(default_factory=Caches)


class Repository:
    """One user's rows, in all generations."""

    def __init__(
        self,
        client: DynamoDBClient,
        deployment: Deployment,
        principal: Principal,
        deadline: Deadline = NO_DEADLINE,
    ) -> None:
        """Nothing is read or written past `deadline`."""
        self.principal = principal
        self._deployment = deployment
        self._writing = False
        self._meta: Row | None = None
        self.database = Database(client, deployment.prefix, deployment.clock, deadline=deadline)

    @cached_property
    def ledger(self) -> Ledger:
        """The receipts of this user's erasures."""
        return Ledger(self.database, subject_reference(self.principal, self._deployment.secrets))

    @cached_property
    def replay_log(self) -> ReplayLog:
        """What would have to be erased again after a restore."""
        return ReplayLog(self.database, self._deployment.secrets)

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
        self._writing = True
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

    def pause(self, generation: int) -> None:
        """Turns the user's memory off, as they can themselves, unless everything was erased meanwhile."""
        try:
            self.database.update(
                CONTROL.name,
                keys.owner(self.principal),
                keys.META,
                "SET #state = :paused",
                names={"#state": "state"},
                values={":paused": "paused"},
                condition=Condition(
                    "generation = :generation AND #state = :active",
                    values={":generation": generation, ":active": "active"},
                ),
            )
        except ConditionFailed:
            return  # it is off, or there is nothing left of what was said

    def places(self, count: int, generation: int) -> int:
        """Gives so many places in the user's write order at once: the highest. Raises EpochChanged."""
        try:
            row = self.database.update(
                CONTROL.name,
                keys.owner(self.principal),
                keys.META,
                "ADD #sequence :count",
                names={"#sequence": "sequence"},
                values={":count": count, ":generation": generation},
                condition=Condition("generation = :generation"),
            )
        except ConditionFailed:
            raise EpochChanged from None
        return int(row["sequence"])

    def memory(self, generation: int) -> Memory:
        """Everything the user has in one generation."""
        meta = self._meta if self._meta is not None and self._meta["generation"] == generation else None
        return Memory(
            self.database,
            self.principal,
            generation,
            DataKey(
                self.database,
                self.principal,
                generation,
                self._deployment.wrapper,
                self._deployment.caches.keys,
                self._deployment.clock,
                keyed=meta is not None and meta.get(KEYED) == generation,
                writing=self._writing,
            ),
            self._deployment.retention,
            self._deployment.clock,
            self._deployment.caches.indexes,
            meta,
        )

    def is_known(self) -> bool:
        """Whether this user has ever written anything, or had anything erased."""
        owner = keys.owner(self.principal)
        return self.database.exists(CONTROL.name, owner, keys.META) or self.ledger.last_generation() > 0

    def _create(self) -> None:
        row = {
            "pk": keys.owner(self.principal),
            "sk": keys.META,
            "generation": self._first_generation(),
            "sequence": 0,
            "state": "active",
            "created_at": timestamp(self._deployment.clock.now()),
        }
        listed = listing(self.principal, self._deployment.clock.now())
        try:
            self.database.transact([put(CONTROL.name, row, ABSENT), listed])
        except ConditionFailed:
            return  # another request of this user came first

    def _first_generation(self) -> int:
        # The ledger outlives this row: after a restore, a generation that was erased must not come back.
        return max(self.ledger.last_generation() + 1, _FIRST_GENERATION)

    def _standing(self, row: Row) -> Standing:
        self._meta = row
        state = row["state"]
        return Standing(
            row["generation"],
            row["sequence"],
            paused=state != "active",
            blocked=state == "blocked",
            preferences=Preferences.of(row.get(SETTINGS), row["generation"]),
        )
