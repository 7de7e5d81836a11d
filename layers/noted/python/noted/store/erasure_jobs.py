"""The jobs that carry erasures to their end: rows that say how far each is, and survive a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from noted.clock import instant, timestamp
from noted.identity import Principal
from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.tables import CONTROL, OPEN_JOBS
from noted.store.writes import ABSENT, Condition, Row, Write, put

OPEN = "open"
# Longer than any run of a job; after it, whoever took the job is dead.
_LEASE_SECONDS = 150


class Scope(StrEnum):
    """How much is erased."""

    MEMORY = "memory"
    CONVERSATION = "conversation"
    FACT = "fact"


class Step(StrEnum):
    """Where a job stands. Each step can be done again."""

    DESTROY_KEY = "destroy-key"
    SWEEP = "sweep"
    DRAIN = "drain"
    LATE_CHECK = "late-check"


@dataclass(frozen=True)
class Told:
    """How far a place outside of the tables is: how often it was asked, when it is asked next, and what it
    acknowledged with, once it did."""

    attempts: int = 0
    due: datetime | None = None
    acknowledgement: str | None = None
    acknowledged_at: datetime | None = None


@dataclass(frozen=True)
class Job:
    """One erasure that is not finished. `target` is the conversation or fact, None for everything;
    `generation` the one in which it lies; `counts` the rows deleted so far, by table.

    Times of what has been done are None until it has. `subject` is who is meant, sealed, for places outside
    of the tables; `outside` how far each of those is. `principal` and `subject` are forgotten with the
    receipt. `lease` is until when, in seconds since 1970, a worker has the job."""

    erasure_id: str
    scope: Scope
    principal: Principal | None
    reference: str
    generation: int
    requested_at: datetime
    due: datetime
    target: str | None = None
    step: Step = Step.SWEEP
    counts: dict[str, int] = field(default_factory=dict)
    fenced_at: datetime | None = None
    key_destroyed_at: datetime | None = None
    emptied_at: datetime | None = None
    warned_at: datetime | None = None
    subject: bytes | None = None
    outside: Mapping[str, Told] = field(default_factory=dict)
    lease: int | None = None


class LeaseLost(Exception):
    """Another worker has the job, or it is finished."""


class Jobs:
    """The open jobs of all users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def due(self, now: datetime, limit: int) -> list[str]:
        """Ids of jobs to go on with."""
        found = self._database.due(CONTROL.name, OPEN_JOBS, OPEN, int(now.timestamp()), limit)
        return [partition.removeprefix("ERASE#") for partition, _ in found]

    def opening(self, job: Job) -> Write:
        """Writes a new job within a transaction."""
        return put(CONTROL.name, _row(job), ABSENT)

    def find(self, erasure_id: str) -> Job | None:
        """How far a job is, None if it is finished."""
        row = self._database.get(CONTROL.name, keys.job(erasure_id), keys.JOB)
        return _job(row) if row else None

    def open_again(self, job: Job) -> None:
        """Writes a job that a restore has lost; nothing where it is there."""
        try:
            self._database.put(CONTROL.name, _row(job), ABSENT)
        except ConditionFailed:
            return

    def fenced(self, erasure_id: str, at: datetime) -> None:
        """Notes when a fence was known to stand. A job that was taken meanwhile has noted it itself."""
        try:
            self._database.update(
                CONTROL.name,
                keys.job(erasure_id),
                keys.JOB,
                "SET fenced_at = if_not_exists(fenced_at, :at)",
                values={":at": timestamp(at)},
                condition=Condition("attribute_exists(pk)"),
            )
        except ConditionFailed:
            return

    def lease(self, erasure_id: str, now: datetime) -> Job | None:
        """Takes a job for this worker; None if it is finished or another worker has it."""
        seconds = int(now.timestamp())
        try:
            row = self._database.update(
                CONTROL.name,
                keys.job(erasure_id),
                keys.JOB,
                "SET lease_until = :until",
                values={":until": seconds + _LEASE_SECONDS},
                condition=Condition(
                    "attribute_exists(pk) AND (attribute_not_exists(lease_until) OR lease_until <= :now)",
                    values={":now": seconds},
                ),
            )
        except ConditionFailed:
            return None
        return _job(row)

    def keep(self, job: Job) -> None:
        """Writes how far a job is; whoever has it keeps it. Raises LeaseLost."""
        try:
            self._database.put(CONTROL.name, _row(job), _held(job))
        except ConditionFailed:
            raise LeaseLost from None

    def give_back(self, job: Job) -> None:
        """Writes how far a job is and lets others take it. Raises LeaseLost."""
        try:
            self._database.put(CONTROL.name, _row(replace(job, lease=None)), _held(job))
        except ConditionFailed:
            raise LeaseLost from None

    def close(self, job: Job) -> None:
        """Forgets a job; its receipt stays."""
        self._database.delete(CONTROL.name, keys.job(job.erasure_id), keys.JOB)


def counted(job: Job, found: Mapping[str, list[tuple[str, str]]]) -> Job:
    """The job with what was just deleted added to its counts."""
    names = job.counts.keys() | found.keys()
    return replace(
        job, counts={name: job.counts.get(name, 0) + len(found.get(name, [])) for name in sorted(names)}
    )


def _held(job: Job) -> Condition:
    if job.lease is None:
        return Condition("attribute_exists(pk) AND attribute_not_exists(lease_until)")
    return Condition("lease_until = :lease", values={":lease": job.lease})


def _row(job: Job) -> Row:
    return {
        "pk": keys.job(job.erasure_id),
        "sk": keys.JOB,
        OPEN_JOBS.partition: OPEN,
        OPEN_JOBS.sort: int(job.due.timestamp()),
        "scope": str(job.scope),
        "organisation": job.principal.organisation if job.principal else None,
        "user": job.principal.user if job.principal else None,
        "reference": job.reference,
        "generation": job.generation,
        "requested_at": timestamp(job.requested_at),
        "target": job.target,
        "step": str(job.step),
        "counts": job.counts,
        "fenced_at": _told_time(job.fenced_at),
        "key_destroyed_at": _told_time(job.key_destroyed_at),
        "emptied_at": _told_time(job.emptied_at),
        "warned_at": _told_time(job.warned_at),
        "subject": job.subject,
        "outside": {name: _told_row(told) for name, told in job.outside.items()},
        "lease_until": job.lease,
    }


def _job(row: dict[str, Any]) -> Job:
    return Job(
        erasure_id=row["pk"].removeprefix("ERASE#"),
        scope=Scope(row["scope"]),
        principal=Principal(row["organisation"], row["user"]) if "user" in row else None,
        reference=row["reference"],
        generation=row["generation"],
        requested_at=instant(row["requested_at"]),
        due=datetime.fromtimestamp(row[OPEN_JOBS.sort], UTC),
        target=row.get("target"),
        step=Step(row["step"]),
        counts=row["counts"],
        fenced_at=_read_time(row, "fenced_at"),
        key_destroyed_at=_read_time(row, "key_destroyed_at"),
        emptied_at=_read_time(row, "emptied_at"),
        warned_at=_read_time(row, "warned_at"),
        subject=row.get("subject"),
        outside={name: _told(told) for name, told in row.get("outside", {}).items()},
        lease=row.get("lease_until"),
    )


def _told_row(told: Told) -> Row:
    row = {
        "attempts": told.attempts,
        "due": _told_time(told.due),
        "acknowledgement": told.acknowledgement,
        "acknowledged_at": _told_time(told.acknowledged_at),
    }
    return {name: value for name, value in row.items() if value is not None}


def _told(row: Row) -> Told:
    return Told(
        row["attempts"],
        _read_time(row, "due"),
        row.get("acknowledgement"),
        _read_time(row, "acknowledged_at"),
    )


def _told_time(at: datetime | None) -> str | None:
    return timestamp(at) if at else None


def _read_time(row: Row, name: str) -> datetime | None:
    return instant(row[name]) if name in row else None
