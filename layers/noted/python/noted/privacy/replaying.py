"""After a restore: every erasure that a backup may be older than is done again, from the ledger, before
anything is served.

It goes through the ledger from the oldest to the newest, a piece at a time where there are many, and can be
done again from the start at any time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noted import metrics
from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import NotFound
from noted.privacy.sweeping import swept
from noted.store.erasing import Erasing
from noted.store.erasure_jobs import Job, Jobs, Scope, Step, counted
from noted.store.ledger import RUNNING
from noted.store.restoring import Progress, TablesInUse
from noted.store.tables import LEDGER

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.identity import Principal
    from noted.privacy.wrapping import KeyWrapper
    from noted.store.replay_log import Recorded, ReplayLog
    from noted.store.repository import Repository

logger = logging.getLogger("noted.privacy")

_NOTED_EVERY = 20
_ENOUGH_SECONDS = 15.0


@dataclass(frozen=True)
class Replayed:
    """What a run did in all its pieces: erasures done again and rows deleted. `finished`: the service
    serves."""

    finished: bool
    erasures: int
    rows: int


@dataclass(frozen=True)
class Replay:
    """`repository_of` gives the rows of a user although the service refuses."""

    tables: TablesInUse
    log: ReplayLog
    jobs: Jobs
    repository_of: Callable[[Principal], Repository]
    wrapper: Callable[[], KeyWrapper]
    clock: Clock
    deadline: Deadline = NO_DEADLINE

    def where_restored(self) -> Replayed | None:
        """Goes on with a replay, or begins one if a table was restored. None if there is nothing to do.
        Raises Unavailable."""
        present = self.tables.ids()
        recorded, under_way = self.tables.recorded()
        if recorded is None:
            self.tables.record_first(present)
            return None
        if under_way is None and dict(recorded) == present:
            return None
        restored = sorted(name for name in present if recorded.get(name) != present[name])
        # With each run, so that the alarm stands for as long as the service refuses.
        now, told = self.clock.now(), {"tables": restored}
        metrics.write(metrics.RESTORED, now, {"TablesRestored": 1}, told=told, log=logger)
        if under_way is None or dict(under_way.tables) != present:
            if LEDGER.name in restored:
                logger.error("the ledger was restored: erasures after its restore point are not in it")
            under_way = Progress(present)
        return self._go_on(recorded, under_way)

    def from_the_start(self) -> Replayed:
        """Does everything again, whether or not a table was restored: for rows that were copied into a table.
        Raises Unavailable."""
        present = self.tables.ids()
        recorded, _ = self.tables.recorded()
        return self._go_on(recorded or present, Progress(present))

    def _go_on(self, recorded: Mapping[str, str], progress: Progress) -> Replayed:
        # Noted before anything else: from here on the service refuses until the end.
        self.tables.progress(recorded, progress)
        for each in self.log.after(progress.after):
            rows = progress.rows + self._again(each)
            progress = replace(progress, after=each.erasure_id, erasures=progress.erasures + 1, rows=rows)
            enough = self.deadline.left() > _ENOUGH_SECONDS
            if progress.erasures % _NOTED_EVERY == 0 or not enough:
                self.tables.progress(recorded, progress)
            if not enough:
                return Replayed(finished=False, erasures=progress.erasures, rows=progress.rows)
        if self.tables.ids() != dict(progress.tables):
            return Replayed(finished=False, erasures=progress.erasures, rows=progress.rows)
        self.tables.finish(progress.tables)
        done = Replayed(finished=True, erasures=progress.erasures, rows=progress.rows)
        logger.warning("ledger replayed", extra={"erasures": done.erasures, "rows": done.rows})
        return done

    def _again(self, recorded: Recorded) -> int:
        """Does one erasure again; gives how many rows were back."""
        repository = self.repository_of(recorded.principal)
        erasing = Erasing.of(repository)
        job = Job(
            erasure_id=recorded.erasure_id,
            scope=Scope(recorded.scope),
            principal=recorded.principal,
            reference=recorded.reference,
            generation=recorded.generation,
            requested_at=recorded.requested_at,
            due=self.clock.now(),
            target=recorded.target,
        )
        if job.scope is Scope.MEMORY:
            ended = max(recorded.generation, repository.ledger.last_generation())
            erasing.raise_generation(ended + 1)
            job = counted(job, erasing.destroy_keys(job, self.wrapper()))
        else:
            erasing.take_out_again(job)
        rows = sum(swept(job, erasing).counts.values())
        self._open_again(job, repository)
        return rows

    def _open_again(self, job: Job, repository: Repository) -> None:
        """An erasure that had no receipt yet may have lost its job with the table that was restored."""
        try:
            unfinished = repository.ledger.entry(job.erasure_id).status == RUNNING
        except NotFound:
            unfinished = True
        if unfinished:
            step = Step.DESTROY_KEY if job.scope is Scope.MEMORY else Step.SWEEP
            self.jobs.open_again(replace(job, step=step, counts={}))
