"""The outbox: work that has not been done yet, found through a sparse index. Turns whose extraction has not
been committed, windows that have not been cut, conversations that may rest by now, rows that are to end
sooner. Whatever happened to the queue's message, the mark stands in the row itself and outlives it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.marks import MARKED, SENDS, SHARDS, UNMARK, rest_shard, work_shard
from noted.store.queue import EpisodeJob, ExtractionJob, Job, RetentionJob, SummaryJob
from noted.store.tables import MEMORY, OUTBOX


class Renewed(StrEnum):
    """What became of a mark that was found."""

    SEND = "send"
    GIVEN_UP = "given-up"
    DONE = "done"


class Outbox:
    """The marks of all users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def waiting(self, since: datetime, limit: int = 100) -> list[Job]:
        """Up to `limit` jobs a shard whose mark was made or last sent at or before an instant, oldest
        first."""
        return self._due(work_shard, since, limit)

    def rested(self, since: datetime, limit: int = 100) -> list[Job]:
        """Up to `limit` conversations a shard that were last used, or sent, at or before an instant, oldest
        first."""
        return self._due(rest_shard, since, limit)

    def renew(self, job: Job, now: datetime, most: int) -> Renewed:
        """Counts a mark as sent again at `now`; after `most` times it is taken off, since a message that
        kills its worker every time must not go round for ever."""
        partition, sort_key = _place(job)
        try:
            row = self._database.update(
                MEMORY.name,
                partition,
                sort_key,
                f"SET {OUTBOX.sort} = :now ADD {SENDS} :one",
                values={":now": int(now.timestamp()), ":one": 1},
                condition=MARKED,
            )
            if row[SENDS] <= most:
                return Renewed.SEND
            self._database.update(MEMORY.name, partition, sort_key, UNMARK, condition=MARKED)
        except ConditionFailed:
            return Renewed.DONE
        return Renewed.GIVEN_UP

    def _due(self, shard: Callable[[int], str], since: datetime, limit: int) -> list[Job]:
        found = [
            key
            for number in range(SHARDS)
            for key in self._database.due(MEMORY.name, OUTBOX, shard(number), int(since.timestamp()), limit)
        ]
        return [_job(*key) for key in found]


def _place(job: Job) -> tuple[str, str]:
    partition = keys.partition(job.principal, job.generation)
    if isinstance(job, ExtractionJob):
        return partition, keys.turn(job.conversation_id, job.turn_id)
    if isinstance(job, SummaryJob):
        return partition, keys.state(job.conversation_id)
    if isinstance(job, RetentionJob):
        return partition, keys.LIMIT
    return partition, keys.header(job.conversation_id)


def _job(partition: str, sort_key: str) -> Job:
    principal, generation = keys.read_partition(partition)
    if sort_key.startswith(keys.HEADERS):
        return EpisodeJob(principal, generation, keys.read_header(sort_key))
    if sort_key == keys.LIMIT:
        return RetentionJob(principal, generation)
    if sort_key.endswith(keys.STATE):
        return SummaryJob(principal, generation, keys.read_state(sort_key))
    return ExtractionJob(principal, generation, *keys.read_turn(sort_key))
