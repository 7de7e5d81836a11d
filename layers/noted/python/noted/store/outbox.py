"""The outbox: turns whose extraction has not been committed, found through a sparse index. Whatever happened
to the queue's message, the mark stands in the same row as the turn and outlives it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from noted.identity import Principal
from noted.store import keys
from noted.store.conversations import OUTBOX_SHARDS, outbox_shard
from noted.store.database import ConditionFailed, Database
from noted.store.queue import ExtractionJob
from noted.store.tables import MEMORY, OUTBOX
from noted.store.writes import Condition

_MARKED = Condition(f"attribute_exists({OUTBOX.partition})")


class Renewed(StrEnum):
    """What became of a mark that was found."""

    SEND = "send"
    GIVEN_UP = "given-up"
    DONE = "done"


class Outbox:
    """The marks of all users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def waiting(self, since: datetime, limit: int = 100) -> list[ExtractionJob]:
        """Up to `limit` jobs a shard whose mark was made or last sent at or before an instant, oldest
        first."""
        found = [
            key
            for shard in range(OUTBOX_SHARDS)
            for key in self._database.due(
                MEMORY.name, OUTBOX, outbox_shard(shard), int(since.timestamp()), limit
            )
        ]
        return [_job(*key) for key in found]

    def renew(self, job: ExtractionJob, now: datetime, most: int) -> Renewed:
        """Counts a mark as sent again at `now`; after `most` times it is taken off, since a message that
        kills its worker every time must not go round for ever."""
        partition, sort_key = _place(job.principal, job)
        try:
            row = self._database.update(
                MEMORY.name,
                partition,
                sort_key,
                f"SET {OUTBOX.sort} = :now ADD outbox_sends :one",
                values={":now": int(now.timestamp()), ":one": 1},
                condition=_MARKED,
            )
            if row["outbox_sends"] <= most:
                return Renewed.SEND
            self._database.update(
                MEMORY.name,
                partition,
                sort_key,
                f"REMOVE {OUTBOX.partition}, {OUTBOX.sort}, outbox_sends",
                condition=_MARKED,
            )
        except ConditionFailed:
            return Renewed.DONE
        return Renewed.GIVEN_UP


def _place(principal: Principal, job: ExtractionJob) -> tuple[str, str]:
    return keys.partition(principal, job.generation), keys.turn(job.conversation_id, job.turn_id)


def _job(partition: str, sort_key: str) -> ExtractionJob:
    principal, generation = keys.read_partition(partition)
    return ExtractionJob(principal, generation, *keys.read_turn(sort_key))
