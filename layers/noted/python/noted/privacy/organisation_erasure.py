"""Erasure of everything of everybody in an organisation: asked for by one machine client, approved by a
second, then done user by user with the same fence, sweeps and receipt as one user's erasure.

Whom it reaches: everybody who had written anything when it was approved. The list of users is taken once,
when every writer that began before the approval has ended, and who first wrote after the approval is not on
it: their memory began after the decision. What a listed user writes after their own fence is a new memory, as
after any erasure. Who wants none of either takes the users' tokens away first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from noted.errors import Forbidden, NotFound, Unavailable
from noted.privacy.erasure import Erasure
from noted.store.audit import Audit, Outcome
from noted.store.database import ConditionFailed, Database
from noted.store.directory import Directory
from noted.store.ledger import COMPLETE, Entry, Ledger
from noted.store.organisation_erasures import (
    Begun,
    OrganisationErasure,
    OrganisationErasures,
    Status,
)

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.identity import Principal
    from noted.privacy.compliance import Compliance
    from noted.privacy.grounds import Grounds
    from noted.store.repository import Repository
    from noted.store.writes import Write

logger = logging.getLogger("noted.privacy")

REQUEST_ROUTE = "POST /v1/admin/organisation-erasures"
APPROVAL_ROUTE = "POST /v1/admin/organisation-erasures/{request_id}/approvals"
# Half of what the function may run: what is done beside it needs the other half.
_RUN = timedelta(seconds=45)
_LOOK_AGAIN_AFTER = timedelta(seconds=2)
_AT_ONCE = 25


class OrganisationRequests:
    """What one compliance system may do about the erasure of its own organisation."""

    def __init__(self, database: Database, caller: Principal, compliance: Compliance, clock: Clock) -> None:
        self._jobs = OrganisationErasures(database)
        self._organisation = caller.organisation
        self._compliance = compliance
        self._clock = clock

    def request(self, request_id: str, grounds: Grounds) -> OrganisationErasure:
        """Asks for it; the same id again is the same request. Raises NotFound when another system of the
        organisation has used the id, TooManyRequests."""
        known = self._jobs.find(self._organisation, request_id)
        if known is None:
            caller, now = self._compliance.caller, self._clock.now()
            self._compliance.require_place()
            job = OrganisationErasure(request_id, self._organisation, caller, grounds, now)
            try:
                self._jobs.open(job, self._compliance.counted(REQUEST_ROUTE, request_id))
            except ConditionFailed:
                self._compliance.require_place()
                raise Unavailable("The memory is busy.", retry_after=1) from None
        job = self.erasure(request_id)
        if job.requested_by != self._compliance.caller:
            raise NotFound
        return job

    def approve(self, request_id: str) -> OrganisationErasure:
        """Lets it begin; again is the same. Raises NotFound, Forbidden for the client that asked for it."""
        job = self.erasure(request_id)
        caller = self._compliance.caller
        if job.requested_by == caller:
            raise Forbidden("A second client has to approve what this one has asked for.")
        if job.status is Status.PENDING:
            now = self._clock.now()
            granted = self._compliance.audit.entry(now, APPROVAL_ROUTE, Outcome.GRANTED, request_id)
            self._jobs.approve(job, caller, now, [granted])
        return self.erasure(request_id)

    def erasure(self, request_id: str) -> OrganisationErasure:
        """How far it is, for every system of the organisation. Raises NotFound."""
        job = self._jobs.find(self._organisation, request_id)
        if job is None:
            raise NotFound
        return job


class OrganisationWork:
    """Carries approved erasures on."""

    def __init__(
        self,
        database: Database,
        repository_of: Callable[[Principal], Repository],
        drained: Callable[[datetime], bool],
        clock: Clock,
    ) -> None:
        self._database = database
        self._jobs = OrganisationErasures(database)
        self._repository_of = repository_of
        self._drained = drained
        self._clock = clock

    def run_due(self) -> int:
        """Goes on with all that are due for as long as a run may take; returns how many were taken. What
        there is no time for is the first of the next run."""
        taken = 0
        until = self._clock.now() + _RUN
        for organisation, request_id in self._jobs.due(self._clock.now()):
            if self._clock.now() >= until:
                break
            job = self._jobs.lease(organisation, request_id, self._clock.now())
            if job is None:
                continue
            taken += 1
            try:
                self._run(job, until)
            except Exception as error:  # noqa: BLE001 (one organisation's trouble must not hold up the others)
                logger.error("organisation erasure interrupted", extra={"error_type": type(error).__name__})
        return taken

    def _run(self, job: OrganisationErasure, until: datetime) -> None:
        if job.approved_at and (job.listed or self._drained(job.approved_at)):
            listed = self._list(job, until)
            if listed is not None and listed.listed:
                self._begin(listed, until)
                self._settle(listed, until)
                if self._jobs.complete(listed, self._clock.now()):
                    return
        self._jobs.release(job, self._clock.now() + _LOOK_AGAIN_AFTER)

    def _list(self, job: OrganisationErasure, until: datetime) -> OrganisationErasure | None:
        directory = Directory(self._database, job.organisation)
        going: OrganisationErasure | None = job
        while going and not going.listed and self._clock.now() < until:
            found = list(islice(directory.users(going.after, _AT_ONCE + 1), _AT_ONCE + 1))
            more, found = len(found) > _AT_ONCE, found[:_AT_ONCE]
            users = [
                each.principal.user for _, each in found if job.approved_at and each.since <= job.approved_at
            ]
            going = self._jobs.owe(going, users, found[-1][0] if more else None)
        return going

    def _begin(self, job: OrganisationErasure, until: datetime) -> None:
        for principal in self._jobs.owed(job):
            if self._clock.now() >= until:
                return
            try:
                self._erase(job, principal)
            except Exception as error:  # noqa: BLE001 (one user's trouble must not hold up the others)
                logger.error("erasure not begun", extra={"error_type": type(error).__name__})

    def _erase(self, job: OrganisationErasure, principal: Principal) -> None:
        repository = self._repository_of(principal)
        reference = repository.ledger.reference
        audit = Audit(self._database, job.requested_by)

        def joining(entry: Entry) -> list[Write]:
            begun = Begun(principal.user, reference, entry.erasure_id)
            return [
                *self._jobs.beginning(job, begun),
                audit.on_behalf(reference, entry.erasure_id, entry.requested_at),
            ]

        try:
            Erasure(repository, self._clock).everything(extra=joining)
        except ConditionFailed:
            return  # a worker that was thought dead has begun it

    def _settle(self, job: OrganisationErasure, until: datetime) -> None:
        finished: list[Begun] = []
        for begun in self._jobs.begun(job):
            if self._clock.now() >= until:
                break
            if Ledger(self._database, begun.reference).entry(begun.erasure_id).status == COMPLETE:
                finished.append(begun)
        for start in range(0, len(finished), _AT_ONCE):
            self._jobs.settle(job, finished[start : start + _AT_ONCE])
