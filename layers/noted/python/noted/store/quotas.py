"""What may be done so many times a day: a counter a day, that is raised in the transaction of what it counts,
on the condition that it has not reached its limit. So two requests at once cannot both take the last place,
and what fails takes none. A day is a calendar day of UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from noted.store import keys
from noted.store.codec import expiry
from noted.store.database import ConditionFailed, Database
from noted.store.tables import CONTROL, EXPIRY
from noted.store.writes import ABSENT, Condition, Write, update

_DAY = timedelta(days=1)


class Daily:
    """One counter, on the day of `now`."""

    def __init__(self, database: Database, partition: str, now: datetime) -> None:
        self._database = database
        self._partition = partition
        begin = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self._key = begin.date().isoformat()
        # A day longer than it counts: what is written at midnight must not find it gone.
        self._kept_until = expiry(begin + 2 * _DAY)
        self.seconds_left = max(int((begin + _DAY - now).total_seconds()), 1)

    def taking(self, limit: int) -> Write:
        """The write that takes one place of `limit`; its condition fails when none is left."""
        return update(
            CONTROL.name,
            self._partition,
            self._key,
            "SET #expiry = :expiry ADD taken :one",
            names={"#expiry": EXPIRY},
            values={":one": 1, ":expiry": self._kept_until},
            condition=Condition("attribute_not_exists(taken) OR taken < :limit", values={":limit": limit}),
        )

    def taken(self) -> int:
        """How many places are taken."""
        row = self._database.get(CONTROL.name, self._partition, self._key)
        return int(row.get("taken", 0)) if row else 0

    def limit(self, reckon: Callable[[], int]) -> int:
        """The day's limit, reckoned once, at the first question of the day."""
        row = self._database.get(CONTROL.name, self._partition, self._key)
        if row is None:
            row = {
                "pk": self._partition,
                "sk": self._key,
                "allowed": reckon(),
                "taken": 0,
                EXPIRY: self._kept_until,
            }
            try:
                self._database.put(CONTROL.name, row, ABSENT)
            except ConditionFailed as failure:
                row = failure.rows[0] or row
        return int(row["allowed"])


def quota_of(database: Database, reference: str, now: datetime) -> Daily:
    """What one compliance system has asked for, by its reference."""
    return Daily(database, keys.quota(reference), now)


def breaker_of(database: Database, organisation: str, now: datetime) -> Daily:
    """What was erased in one organisation on behalf of compliance systems."""
    return Daily(database, keys.breaker(organisation), now)
