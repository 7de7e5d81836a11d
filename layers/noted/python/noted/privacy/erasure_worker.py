"""What follows an accepted erasure, until its receipt and a day beyond: the key is destroyed, rows are swept,
places outside are told, and everything is looked at again once every writer that began before has ended.

Each step can be done again and each is noted when it is done, so whoever takes a job over after a crash goes
on where it stood. Nothing here opens content: keys of rows are read, and data keys are destroyed unopened.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from noted import metrics
from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import NotFound
from noted.privacy.receipt import EXTERNAL, receipted
from noted.privacy.satellites import NotAcknowledged, Satellite, Subjects
from noted.privacy.sealing import CannotOpen
from noted.privacy.sweeping import swept
from noted.store.erasing import Erasing
from noted.store.erasure_jobs import Job, Jobs, LeaseLost, Scope, Step, Told, counted
from noted.store.ledger import RUNNING, Entry, fact_mark

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.identity import Principal
    from noted.privacy.signing import Signer
    from noted.privacy.wrapping import KeyWrapper
    from noted.store.repository import Repository

logger = logging.getLogger("noted.privacy")

_LATE_CHECK_AFTER = timedelta(hours=24)
_LOOK_AGAIN_AFTER = timedelta(seconds=1)
_OVERDUE_AFTER = timedelta(hours=24)
_WARN_EVERY = timedelta(hours=1)
# A place that does not acknowledge is asked again after 5 s, then 10, 20 and so on, and at last every hour.
_ASK_AGAIN_AFTER = timedelta(seconds=5)
_ASK_AGAIN_AT_MOST = timedelta(hours=1)
# A job that begins with less would be cut off, and then nobody has it until its lease ends.
_ENOUGH_SECONDS = 15.0
_AT_ONCE = 25


@dataclass(frozen=True)
class Worker:
    """Goes on with erasures. `drained` tells whether every writer that began before an instant has ended;
    `subjects` opens who is meant, for the `satellites` alone."""

    jobs: Jobs
    repository_of: Callable[[Principal], Repository]
    drained: Callable[[datetime], bool]
    clock: Clock
    signer: Callable[[], Signer]
    wrapper: Callable[[], KeyWrapper]
    satellites: Sequence[Satellite]
    subjects: Callable[[], Subjects]
    owner_of: Callable[[str], Principal | None]
    deadline: Deadline = NO_DEADLINE

    def run_due(self) -> int:
        """Goes on with every job that is due; returns how many were taken."""
        began, seen, taken = self.clock.now(), set[str](), 0
        # What is given back is due after this, and waits for the next run with what there is no time for.
        while due := [each for each in self.jobs.due(began, len(seen) + _AT_ONCE) if each not in seen]:
            for erasure_id in due:
                if self.deadline.left() < _ENOUGH_SECONDS:
                    return taken
                seen.add(erasure_id)
                taken += self._take(erasure_id)
        return taken

    def _take(self, erasure_id: str) -> bool:
        job = self.jobs.lease(erasure_id, self.clock.now())
        if job is None:
            return False
        try:
            self.run(job)
        except LeaseLost:
            logger.warning("erasure taken over")
        except Exception as error:  # noqa: BLE001 (one user's trouble must not hold up the others)
            logger.error("erasure interrupted", extra={"error_type": type(error).__name__})
        return True

    def run(self, job: Job) -> None:
        """Goes on with a leased job as far as it goes now. Raises LeaseLost."""
        if job.step is Step.LATE_CHECK:
            self._check_late(job)
            return
        if job.principal is None:
            raise ValueError("an open erasure without an owner")
        repository = self.repository_of(job.principal)
        erasing = Erasing.of(repository)
        if job.fenced_at is None:
            # The call that set the fence is over, or was cut short before it could say when.
            job = replace(job, fenced_at=self.clock.now())
        job = self._overdue(job)
        if job.step is Step.DESTROY_KEY:
            job = counted(job, erasing.destroy_keys(job, self.wrapper()))
            job = replace(job, step=Step.SWEEP, key_destroyed_at=self.clock.now())
            self.jobs.keep(job)
        if job.step is Step.SWEEP:
            job = swept(job, erasing)
            job = replace(job, step=Step.DRAIN, emptied_at=self.clock.now())
            self.jobs.keep(job)
        job = self._tell(job)
        if not self.drained(job.fenced_at or self.clock.now()):
            self._look_again(job)
            return
        self._finish(job, repository, erasing)

    def _finish(self, job: Job, repository: Repository, erasing: Erasing) -> None:
        job = swept(job, erasing)
        if job.scope is Scope.MEMORY:
            # A writer of the ended generation can have made a key that its transaction then refused.
            job = counted(job, erasing.destroy_keys(job, self.wrapper()))
        if any(erasing.remains(job).values()) or erasing.indexed(job):
            self._look_again(job)
            return
        entry = _entry(job, repository)
        waiting = {name: told.due for name, told in sorted(job.outside.items()) if told.due is not None}
        if waiting:
            repository.ledger.wait_for(entry, [EXTERNAL + name for name in waiting])
            self.jobs.give_back(replace(job, due=min(waiting.values())))
            return
        now = self.clock.now()
        if entry.status == RUNNING:
            repository.ledger.complete(receipted(job, entry, now, self.signer()))
            values = {"Receipts": 1, "ErasureDuration": _age(job, now)}
            metrics.write(metrics.RECEIPTS, now, values, scope=str(job.scope))
        done = replace(job, principal=None, subject=None, step=Step.LATE_CHECK, due=now + _LATE_CHECK_AFTER)
        self.jobs.give_back(done)

    def _look_again(self, job: Job) -> None:
        self.jobs.give_back(replace(job, due=self.clock.now() + _LOOK_AGAIN_AFTER))

    def _tell(self, job: Job) -> Job:
        """Asks each satellite that is due, and notes at once what it acknowledged. A part is told to none:
        ids of facts and conversations mean nothing outside."""
        if job.scope is not Scope.MEMORY:
            return job
        for satellite in self.satellites:
            told, now = job.outside.get(satellite.name, Told(due=self.clock.now())), self.clock.now()
            if told.due is None or told.due > now:
                continue
            job = replace(
                job, outside={**job.outside, satellite.name: self._asked(satellite, job, told, now)}
            )
            self.jobs.keep(job)
        return job

    def _asked(self, satellite: Satellite, job: Job, told: Told, now: datetime) -> Told:
        try:
            subject = self.subjects().open(job.subject or b"", job.erasure_id)
            acknowledgement = satellite.erase(subject, job.erasure_id)
        except CannotOpen:
            reason = "subject-unknown"
        except NotAcknowledged as failure:
            reason = failure.reason
        except Exception as error:  # noqa: BLE001 (whatever a place outside does, the rows are still swept)
            reason = type(error).__name__
        else:
            return Told(told.attempts + 1, None, acknowledgement, self.clock.now())
        logger.warning(
            "erasure not acknowledged",
            extra={"store": satellite.name, "reason": reason, "attempts": told.attempts + 1},
        )
        pause = min(_ASK_AGAIN_AFTER * 2 ** min(told.attempts, 20), _ASK_AGAIN_AT_MOST)
        return Told(told.attempts + 1, now + pause)

    def _overdue(self, job: Job) -> Job:
        now = self.clock.now()
        metrics.write(metrics.ERASURES, now, {"ErasureAge": _age(job, now)})
        if now < job.requested_at + _OVERDUE_AFTER or (job.warned_at and now < job.warned_at + _WARN_EVERY):
            return job
        unfinished = [name for name, told in job.outside.items() if told.due is not None]
        told = {"scope": str(job.scope), "step": str(job.step), "unfinished": sorted(unfinished)}
        metrics.write(metrics.ERASURE_OVERDUE, now, {"ErasuresOverdue": 1}, told=told, log=logger)
        return replace(job, warned_at=now)

    def _check_late(self, job: Job) -> None:
        """A day after the receipt: what is found now is a fault of this service, which deletes it, says so,
        and looks again a day later."""
        principal = self.owner_of(job.erasure_id)
        if principal is None:
            self.jobs.close(job)
            return
        erasing = Erasing.of(self.repository_of(principal))
        found, indexed = erasing.remains(job), erasing.indexed(job)
        counts: Mapping[str, Any] = {table: len(rows) for table, rows in found.items() if rows}
        if not counts and not indexed:
            self.jobs.close(job)
            return
        told = {"scope": str(job.scope), "counts": counts, "indexed": indexed}
        values = {"ErasedRowsFoundLate": sum(counts.values()) or indexed}
        metrics.write(metrics.FOUND_LATE, self.clock.now(), values, told=told, log=logger)
        swept(job, erasing)
        if job.scope is Scope.MEMORY:
            erasing.destroy_keys(job, self.wrapper())
        self.jobs.give_back(replace(job, due=self.clock.now() + _LATE_CHECK_AFTER))


def _age(job: Job, now: datetime) -> int:
    """Whole seconds since an erasure was asked for."""
    return max(int((now - job.requested_at).total_seconds()), 0)


def _entry(job: Job, repository: Repository) -> Entry:
    try:
        return repository.ledger.entry(job.erasure_id)
    except NotFound:
        return Entry(
            job.erasure_id,
            str(job.scope),
            RUNNING,
            job.requested_at,
            job.generation if job.scope is Scope.MEMORY else None,
            fact=fact_mark(job.target) if job.scope is Scope.FACT and job.target else None,
        )
