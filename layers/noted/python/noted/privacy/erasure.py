"""Erasure: a fence that makes data unreachable at once, sweeps that delete it, and a receipt for what was
found empty afterwards.

The fence of everything raises the user's generation; the one of a conversation or a fact deletes what every
reader and writer needs first. A job then sweeps, waits until every writer that began before the fence has
ended, sweeps again, verifies, and writes the receipt. A day later it looks once more. Each step can be done
again, so a crash between any two loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from noted import ids
from noted.clock import Clock, timestamp
from noted.errors import EpochChanged, NotFound
from noted.store.erasing import Erasing, Job, Jobs, Scope, Step, counted
from noted.store.ledger import Entry, complete
from noted.store.repository import Repository
from noted.store.tables import KEYS, MEMORY, VERDICTS
from noted.store.writes import Write

logger = logging.getLogger("noted.privacy")

_LATE_CHECK_AFTER = timedelta(hours=24)
_LOOK_AGAIN_AFTER = timedelta(seconds=1)
_OWN_SWEEP = timedelta(seconds=30)


class Erasure:
    """Erases for one user."""

    def __init__(self, repository: Repository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock
        self._jobs = Jobs(repository.database)
        self._erasing = Erasing(repository.database, repository.principal, repository.ledger)

    def everything(
        self, epoch: int | None = None, extra: Callable[[Entry], Sequence[Write]] | None = None
    ) -> Entry:
        """Fences everything. When this returns, no read returns anything that was there, and no work that was
        queued or running can write. `extra` makes writes that join the transaction. Raises EpochChanged if
        `epoch` is not the present one."""
        while True:
            # Admitted like a write, so that a user who was never seen gets a generation to end.
            standing = self._repository.admit(epoch)
            job, entry = self._opened(Scope.MEMORY, standing.generation, None)
            entry = replace(entry, generation=standing.generation)
            try:
                self._erasing.fence(job, entry, extra(entry) if extra else ())
            except EpochChanged:
                if epoch is not None:
                    raise
                continue  # another erasure came first: this one ends the generation that followed
            return entry

    def conversation(self, conversation_id: str, epoch: int | None = None) -> Entry:
        """Takes out a conversation with its turns and every fact that came from it. Raises NotFound."""
        job, entry = self._opened(Scope.CONVERSATION, self._generation(epoch), conversation_id)
        job = replace(job, counts={MEMORY.name: 2})
        self._erasing.take_out_conversation(job, entry, conversation_id)
        self._sweep(job)
        return entry

    def fact(self, fact_id: str, epoch: int | None = None) -> Entry:
        """Takes out a fact, its verdicts, and the episode of the conversation that it came from. Raises
        NotFound."""
        job, entry = self._opened(Scope.FACT, self._generation(epoch), fact_id)
        told_again = self._erasing.told_with_fact(job, fact_id)
        job = replace(job, counts={MEMORY.name: 1 + len(told_again)})
        self._erasing.take_out_fact(job, entry, fact_id, told_again)
        self._sweep(job)
        return entry

    def _generation(self, epoch: int | None) -> int:
        generation = self._repository.standing().generation
        if epoch is not None and epoch != generation:
            raise EpochChanged
        return generation

    def _opened(self, scope: Scope, generation: int, target: str | None) -> tuple[Job, Entry]:
        now = self._clock.now()
        erasure_id = ids.at(ids.ERASURE, now)
        job = Job(
            erasure_id=erasure_id,
            scope=scope,
            principal=self._repository.principal,
            reference=self._repository.ledger.reference,
            generation=generation,
            requested_at=now,
            # A part is swept before the caller hears of it; the worker waits until that is done.
            due=now if scope is Scope.MEMORY else now + _OWN_SWEEP,
            target=target,
        )
        return job, Entry(erasure_id, str(scope), "running", now)

    def _sweep(self, job: Job) -> None:
        # So that the answer is true of a part as well: what came from it is gone when the caller hears so.
        # If this is cut short, the open job does it again.
        swept = _swept(job, self._erasing)
        self._jobs.save(replace(swept, step=Step.DRAIN, due=self._clock.now()))


def run(
    job: Job,
    repository: Repository,
    jobs: Jobs,
    drained: Callable[[datetime], bool],
    clock: Clock,
) -> None:
    """Goes on with a leased job as far as it goes now."""
    erasing = Erasing(repository.database, repository.principal, repository.ledger)
    if job.step is Step.SWEEP:
        job = replace(_swept(job, erasing), step=Step.DRAIN)
    if job.step is Step.DRAIN:
        if not drained(job.requested_at):
            jobs.save(replace(job, due=clock.now() + _LOOK_AGAIN_AFTER))
            return
        job = _swept(job, erasing)
        if any(erasing.remains(job).values()):
            jobs.save(replace(job, due=clock.now() + _LOOK_AGAIN_AFTER))
            return
        repository.ledger.write(_receipt(job, repository, clock.now()))
        jobs.save(replace(job, step=Step.LATE_CHECK, due=clock.now() + _LATE_CHECK_AFTER))
        return
    found = erasing.remains(job)
    if any(found.values()):
        logger.error("rows found a day after an erasure", extra={"scope": str(job.scope)})
        erasing.delete(found)
    jobs.close(job)


def run_due(
    jobs: Jobs, repository_of: Callable[[Job], Repository], drained: Callable[[datetime], bool], clock: Clock
) -> int:
    """Goes on with every job that is due; returns how many were taken."""
    taken = 0
    for erasure_id in jobs.due(clock.now()):
        job = jobs.lease(erasure_id, clock.now())
        if job is None:
            continue
        taken += 1
        try:
            run(job, repository_of(job), jobs, drained, clock)
        except Exception as error:  # noqa: BLE001 (one user's trouble must not hold up the others)
            logger.error("erasure interrupted", extra={"error_type": type(error).__name__})
    return taken


def _swept(job: Job, erasing: Erasing) -> Job:
    job = _emptied(job, erasing)
    if job.scope is Scope.CONVERSATION:
        # While its facts were still there, an index may have been built of them.
        erasing.drop_index(job)
        job = _emptied(job, erasing)
    return job


def _emptied(job: Job, erasing: Erasing) -> Job:
    # From the top until there is nothing: what an extraction committed between the look and the deletion of
    # its turn is found by the next look, and with the turn gone there is no more to come.
    while any((found := erasing.remains(job)).values()):
        erasing.delete(found)
        job = counted(job, found)
    return job


def _receipt(job: Job, repository: Repository, now: datetime) -> Entry:
    try:
        entry = repository.ledger.entry(job.erasure_id)
    except NotFound:
        entry = Entry(job.erasure_id, str(job.scope), "running", job.requested_at)
    tables = (MEMORY, VERDICTS, KEYS) if job.scope is Scope.MEMORY else (MEMORY, VERDICTS)
    checked = tuple(table.name for table in tables)
    counts = {name: job.counts.get(name, 0) for name in checked}
    told = {
        "erasure_id": job.erasure_id,
        "scope": str(job.scope),
        "requested_at": timestamp(job.requested_at),
        "completed_at": timestamp(now),
        "counts": counts,
        "checked": list(checked),
    }
    digest = hashlib.sha256(json.dumps(told, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return complete(entry, now, counts, checked, digest)
