"""Erasure as the tables see it: jobs that survive a crash, the fence, sweeps and the look whether a place is
empty. Sweeping reads keys only; no content is opened here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from noted.clock import instant, timestamp
from noted.errors import EpochChanged, NotFound
from noted.identity import Principal
from noted.store import keys
from noted.store.codec import expiry
from noted.store.database import ConditionFailed, Database
from noted.store.ledger import RECEIPT_KEPT, Entry, Ledger
from noted.store.tables import CONTROL, EXPIRY, KEYS, MEMORY, OPEN_JOBS, VERDICTS
from noted.store.writes import ABSENT, PRESENT, Condition, Row, Write, delete, put, update

_OPEN = "open"
# Longer than any run of a job; after it, whoever took the job is dead.
_LEASE_SECONDS = 150


class Scope(StrEnum):
    """How much is erased."""

    MEMORY = "memory"
    CONVERSATION = "conversation"
    FACT = "fact"


class Step(StrEnum):
    """Where a job stands. Each step can be done again."""

    SWEEP = "sweep"
    DRAIN = "drain"
    LATE_CHECK = "late-check"


@dataclass(frozen=True)
class Job:
    """One erasure that is not finished. `target` is the conversation or fact, None for everything;
    `generation` the one in which it lies; `counts` the rows deleted so far, by table."""

    erasure_id: str
    scope: Scope
    principal: Principal
    reference: str
    generation: int
    requested_at: datetime
    due: datetime
    target: str | None = None
    step: Step = Step.SWEEP
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """A compliance system's request: its own id, the person's reference, our erasure, and who asked."""

    subject_request_id: str
    reference: str
    erasure_id: str
    caller: str


class Requests:
    """The requests of all compliance systems. They hold references only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, subject_request_id: str) -> Request | None:
        """A request by its id."""
        try:
            partition = keys.request(subject_request_id)
        except ValueError:
            return None
        row = self._database.get(CONTROL.name, partition, keys.JOB)
        if row is None:
            return None
        return Request(subject_request_id, row["reference"], row["erasure_id"], row["caller"])

    def opening(self, request: Request, received_at: datetime) -> Write:
        """Writes a new request within a transaction. It is known as long as its receipt."""
        row = {
            "pk": keys.request(request.subject_request_id),
            "sk": keys.JOB,
            "reference": request.reference,
            "erasure_id": request.erasure_id,
            "caller": request.caller,
            EXPIRY: expiry(received_at + RECEIPT_KEPT),
        }
        return put(CONTROL.name, row, ABSENT)


class Jobs:
    """The open jobs of all users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def due(self, now: datetime, limit: int = 25) -> list[str]:
        """Ids of jobs to go on with."""
        found = self._database.due(CONTROL.name, OPEN_JOBS, _OPEN, int(now.timestamp()), limit)
        return [partition.removeprefix("ERASE#") for partition, _ in found]

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

    def save(self, job: Job) -> None:
        """Writes how far a job is and gives it back."""
        self._database.put(CONTROL.name, _row(job))

    def close(self, job: Job) -> None:
        """Forgets a job; its receipt stays."""
        self._database.delete(CONTROL.name, keys.job(job.erasure_id), keys.JOB)


class Erasing:
    """The rows of one user, to be erased."""

    def __init__(self, database: Database, principal: Principal, ledger: Ledger) -> None:
        self._database = database
        self._principal = principal
        self._ledger = ledger

    def fence(self, job: Job, entry: Entry, extra: Sequence[Write] = ()) -> None:
        """Ends a generation: from here on nothing that was there is read, and nothing that began before is
        written. The job and the ledger's entry are in the same transaction. Raises EpochChanged when another
        erasure came first."""
        raised = update(
            CONTROL.name,
            keys.owner(self._principal),
            keys.META,
            "SET generation = :next",
            values={":next": job.generation + 1},
            condition=Condition("generation = :current", values={":current": job.generation}),
        )
        try:
            self._database.transact([raised, *self._opening(job, entry), *extra])
        except ConditionFailed as failure:
            if 0 in failure.rows:
                raise EpochChanged from None
            raise

    def take_out_conversation(self, job: Job, entry: Entry, conversation_id: str) -> None:
        """Deletes what every reader and writer of a conversation needs first. Raises NotFound."""
        partition = keys.partition(self._principal, job.generation)
        state = delete(MEMORY.name, partition, keys.state(conversation_id), PRESENT)
        header = delete(MEMORY.name, partition, keys.header(conversation_id))
        self._taking_out([state, header, *self._dropping_index(job), *self._opening(job, entry)])

    def told_with_fact(self, job: Job, fact_id: str) -> list[tuple[str, str]]:
        """The keys of what tells a fact again: its copy from another conversation, and the episode of the one
        that it came from."""
        partition = keys.partition(self._principal, job.generation)
        row = self._database.get(MEMORY.name, partition, keys.fact(fact_id))
        if row is None:
            return []
        again = []
        if "conversation_id" in row:
            again.append((partition, keys.episode(row["conversation_id"])))
        if "copied_as" in row:
            again.append((partition, keys.fact(row["copied_as"])))
        return [key for key in again if self._database.exists(MEMORY.name, *key)]

    def take_out_fact(
        self, job: Job, entry: Entry, fact_id: str, told_again: Sequence[tuple[str, str]]
    ) -> None:
        """Deletes a fact and what tells it again. Raises NotFound."""
        partition = keys.partition(self._principal, job.generation)
        fact = delete(MEMORY.name, partition, keys.fact(fact_id), PRESENT)
        again = [delete(MEMORY.name, *key) for key in told_again]
        self._taking_out([fact, *again, *self._dropping_index(job), *self._opening(job, entry)])

    def drop_index(self, job: Job) -> None:
        """Makes an end of the index of facts, whose rows hold words of all of them: no reader looks at it any
        more, and none that was begun before is ever finished. It is built again from what is left."""
        try:
            self._database.transact(self._dropping_index(job))
        except ConditionFailed:
            return  # the generation is over, and its index with it

    def remains(self, job: Job) -> dict[str, list[tuple[str, str]]]:
        """The keys that a job has still to delete, by table, strongly consistent, expired rows included."""
        if job.scope is Scope.MEMORY:
            return {
                table.name: [
                    key
                    for generation in range(1, job.generation + 1)
                    for key in self._database.keys(table.name, keys.partition(self._principal, generation))
                ]
                for table in (MEMORY, VERDICTS, KEYS)
            }
        partition = keys.partition(self._principal, job.generation)
        target = job.target or ""
        if job.scope is Scope.FACT:
            facts, rows = [target], [(partition, keys.fact(target))]
            rows = [key for key in rows if self._database.exists(MEMORY.name, *key)]
        else:
            rows = list(self._conversation(partition, target))
            facts = [
                sort_key.removeprefix(keys.FACTS) for _, sort_key in rows if sort_key.startswith(keys.FACTS)
            ]
        verdicts = [
            key
            for fact in facts
            for key in self._database.keys(VERDICTS.name, partition, keys.verdicts(fact))
        ]
        return {MEMORY.name: [*rows, *self._dropped_index(partition)], VERDICTS.name: verdicts}

    def delete(self, found: dict[str, list[tuple[str, str]]]) -> None:
        """Deletes rows by key; a fact's verdicts before the fact that leads to them."""
        for table in (VERDICTS, KEYS, MEMORY):
            self._database.delete_all(table.name, found.get(table.name, []))

    def _conversation(self, partition: str, conversation_id: str) -> Iterator[tuple[str, str]]:
        for key in self._database.keys(MEMORY.name, partition, keys.thread(conversation_id)):
            if key[1] != keys.state(conversation_id):
                # Before its turn: a sweep that is cut short must find the way to the mark again.
                mark = (partition, keys.extraction(keys.read_turn(key[1])[1]))
                if self._database.exists(MEMORY.name, *mark):
                    yield mark
            yield key
        episode = (partition, keys.episode(conversation_id))
        if self._database.exists(MEMORY.name, *episode):
            yield episode
        yield from self._database.keys_where(
            MEMORY.name, partition, keys.FACTS, "conversation_id", conversation_id
        )

    def _dropping_index(self, job: Job) -> list[Write]:
        current = Condition("generation = :current", values={":current": job.generation})
        counted_anew = update(
            CONTROL.name,
            keys.owner(self._principal),
            keys.META,
            "REMOVE #indexed, folded ADD changes :one",
            names={"#indexed": "indexed"},
            values={":one": 1},
            condition=current,
        )
        partition = keys.partition(self._principal, job.generation)
        return [counted_anew, delete(MEMORY.name, partition, keys.INDEX_MANIFEST)]

    def _dropped_index(self, partition: str) -> list[tuple[str, str]]:
        """The rows of indexes that no manifest names."""
        rows = list(self._database.keys(MEMORY.name, partition, keys.INDEX))
        # After the rows: what was built since they were listed is not among them.
        manifest = self._database.get(MEMORY.name, partition, keys.INDEX_MANIFEST) if rows else None
        named = (None, manifest["build"] if manifest else None)
        return [key for key in rows if keys.read_build(key[1]) not in named]

    def _taking_out(self, writes: Sequence[Write]) -> None:
        try:
            self._database.transact(writes)
        except ConditionFailed:
            raise NotFound from None

    def _opening(self, job: Job, entry: Entry) -> list[Write]:
        return [put(CONTROL.name, _row(job), ABSENT), self._ledger.writing(entry)]


def counted(job: Job, found: dict[str, list[tuple[str, str]]]) -> Job:
    """The job with what was just deleted added to its counts."""
    names = job.counts.keys() | found.keys()
    return replace(
        job, counts={name: job.counts.get(name, 0) + len(found.get(name, [])) for name in sorted(names)}
    )


def _row(job: Job) -> Row:
    return {
        "pk": keys.job(job.erasure_id),
        "sk": keys.JOB,
        OPEN_JOBS.partition: _OPEN,
        OPEN_JOBS.sort: int(job.due.timestamp()),
        "scope": str(job.scope),
        "organisation": job.principal.organisation,
        "user": job.principal.user,
        "reference": job.reference,
        "generation": job.generation,
        "requested_at": timestamp(job.requested_at),
        "target": job.target,
        "step": str(job.step),
        "counts": job.counts,
    }


def _job(row: dict[str, Any]) -> Job:
    return Job(
        erasure_id=row["pk"].removeprefix("ERASE#"),
        scope=Scope(row["scope"]),
        principal=Principal(row["organisation"], row["user"]),
        reference=row["reference"],
        generation=row["generation"],
        requested_at=instant(row["requested_at"]),
        due=datetime.fromtimestamp(row[OPEN_JOBS.sort], UTC),
        target=row.get("target"),
        step=Step(row["step"]),
        counts=row["counts"],
    )
