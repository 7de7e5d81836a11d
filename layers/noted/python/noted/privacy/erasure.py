"""Erasure, as it is asked for: a fence that makes data unreachable at once, and a job for all that follows.

The fence of everything raises the user's generation; the one of a conversation or a fact deletes what every
reader and writer needs first. What follows is in `noted.privacy.erasure_worker`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from noted import ids
from noted.errors import EpochChanged, Unavailable
from noted.privacy.sweeping import swept
from noted.store.erasing import Erasing
from noted.store.erasure_jobs import Job, Jobs, LeaseLost, Scope, Step
from noted.store.ledger import RUNNING, Entry, fact_mark
from noted.store.tables import MEMORY

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.store.repository import Repository
    from noted.store.writes import Write

_OWN_SWEEP = timedelta(seconds=30)


class Erasure:
    """Erases for one user."""

    def __init__(
        self, repository: Repository, clock: Clock, sealed_subject: Callable[[str], bytes] | None = None
    ) -> None:
        """`sealed_subject` seals who is meant, for the erasure of an id: places outside of the tables have to
        be told, and know the person by a name that no table holds."""
        self._repository = repository
        self._clock = clock
        self._sealed_subject = sealed_subject
        self._jobs = Jobs(repository.database)
        self._erasing = Erasing.of(repository)

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
            self._note_fence(job)
            return entry

    def conversation(self, conversation_id: str, epoch: int | None = None) -> Entry:
        """Takes out a conversation with its turns and every fact that came from it. Raises NotFound."""
        job, entry = self._opened(Scope.CONVERSATION, self._generation(epoch), conversation_id)
        job = replace(job, counts={MEMORY.name: 2})
        self._erasing.take_out_conversation(job, entry, conversation_id)
        self._sweep(replace(job, fenced_at=self._clock.now()))
        return entry

    def fact(self, fact_id: str, epoch: int | None = None) -> Entry:
        """Takes out a fact, its verdicts, and the episode of the conversation that it came from. Raises
        NotFound."""
        job, entry = self._opened(Scope.FACT, self._generation(epoch), fact_id)
        told_again = self._erasing.told_with_fact(job, fact_id)
        job = replace(job, counts={MEMORY.name: 1 + len(told_again)})
        self._erasing.take_out_fact(job, entry, fact_id, told_again)
        self._sweep(replace(job, fenced_at=self._clock.now()))
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
            step=Step.DESTROY_KEY if scope is Scope.MEMORY else Step.SWEEP,
            subject=self._subject(scope, erasure_id),
        )
        fact = fact_mark(target) if scope is Scope.FACT and target else None
        return job, Entry(erasure_id, str(scope), RUNNING, now, fact=fact)

    def _subject(self, scope: Scope, erasure_id: str) -> bytes | None:
        # Places outside are told of everything alone.
        if self._sealed_subject is None or scope is not Scope.MEMORY:
            return None
        return self._sealed_subject(erasure_id)

    def _note_fence(self, job: Job) -> None:
        try:
            self._jobs.fenced(job.erasure_id, self._clock.now())
        except Unavailable:
            return  # the fence stands; the worker takes a later time for it, which is true as well

    def _sweep(self, job: Job) -> None:
        # So that the answer is true of a part as well: what came from it is gone when the caller hears so.
        # If this is cut short, the open job does it again.
        now_empty = replace(swept(job, self._erasing), step=Step.DRAIN)
        at: datetime = self._clock.now()
        try:
            self._jobs.give_back(replace(now_empty, emptied_at=at, due=at))
        except LeaseLost:
            return  # it took so long that a worker has it by now, which counts for itself
