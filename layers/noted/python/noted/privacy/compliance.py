"""Erasure on behalf of a compliance system, which names a person by their subject and can read nothing but
the receipt.

A system acts for the organisation of its token and for no other: the person's derived id is made of that
organisation, the issuer and the subject, so another organisation's user cannot even be named, and neither can
another organisation's request: the same id there is another one. How much one
system may ask for in a day, and how much all systems together may erase in one organisation, is limited: a
stolen token does bounded harm before somebody looks.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from noted import metrics
from noted.errors import InvalidRequest, NotFound, TooManyRequests, Unavailable
from noted.identity import Principal, Secrets, subject_reference
from noted.store.audit import Audit, Outcome
from noted.store.compliance_requests import Request, Requests
from noted.store.database import ConditionFailed, Database
from noted.store.directory import Directory
from noted.store.ledger import Entry, Ledger
from noted.store.quotas import Daily, breaker_of, quota_of

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.privacy.erasure import Erasure
    from noted.privacy.grounds import Grounds
    from noted.store.repository import Repository
    from noted.store.writes import Write

logger = logging.getLogger("noted.privacy")

_ROUTE = "POST /v1/admin/erasures"
# One user in a hundred a day; in an organisation so small that this is less, as many as one system may ask
# for by default, so that one system alone meets its own limit first and several together meet this one.
_BREAKER_SHARE = 100
_BREAKER_FLOOR = 100


def breaker_limit(users: int) -> int:
    """How many erasures compliance systems may begin in a day in an organisation of so many users: 1 %,
    rounded up, and at least 100."""
    return max(_BREAKER_FLOOR, -(-users // _BREAKER_SHARE))


class Compliance:
    """The requests of one compliance system."""

    def __init__(
        self, database: Database, caller: Principal, secrets: Secrets, clock: Clock, daily_requests: int
    ) -> None:
        """`daily_requests` is how many erasures this system may begin in a day."""
        self._database = database
        self._organisation = caller.organisation
        self._requests = Requests(database, self._organisation)
        self._clock = clock
        self._daily_requests = daily_requests
        self.caller = subject_reference(caller, secrets)
        self.audit = Audit(database, self.caller)

    def erase(
        self, subject_request_id: str, subject: Repository, erasure: Erasure, grounds: Grounds
    ) -> tuple[Request, Entry]:
        """Erases everything of a subject; the same id again in the same organisation is the same request.

        Raises NotFound for a subject who was never seen in the caller's organisation, InvalidRequest when the
        id was used for another subject, and TooManyRequests.
        """
        known = self._requests.find(subject_request_id)
        if known is None:
            if subject.principal.organisation != self._organisation or not subject.is_known():
                raise NotFound
            self._begin(subject_request_id, subject, erasure, grounds)
            known = self._requests.find(subject_request_id)
        return self._own(known, subject.ledger.reference)

    def _begin(
        self, subject_request_id: str, subject: Repository, erasure: Erasure, grounds: Grounds
    ) -> None:
        reference = subject.ledger.reference
        breaker = breaker_of(self._database, self._organisation, self._clock.now())
        places = breaker.limit(self._breaker_limit)

        def joining(entry: Entry) -> list[Write]:
            request = Request(subject_request_id, reference, entry.erasure_id, self.caller, grounds)
            return [
                self._requests.opening(request, entry.requested_at),
                self.audit.on_behalf(reference, entry.erasure_id, entry.requested_at),
                breaker.taking(places),
                *self.counted(_ROUTE, subject_request_id),
            ]

        try:
            erasure.everything(extra=joining)
        except ConditionFailed:
            if self._requests.find(subject_request_id) is None:
                raise self._exceeded(breaker, places) from None

    def entry(self, subject_request_id: str) -> tuple[Request, Entry]:
        """How far a request is. Raises NotFound, for another system's request too."""
        return self._own(self._requests.find(subject_request_id))

    def counted(self, route: str, request_id: str) -> Sequence[Write]:
        """The writes that take one of the system's places of the day and tell of the call, for the
        transaction that begins what was asked for."""
        now = self._clock.now()
        return [
            self._quota().taking(self._daily_requests),
            self.audit.entry(now, route, Outcome.GRANTED, request_id),
        ]

    def require_place(self) -> None:
        """Raises TooManyRequests when the system has no place left today."""
        quota = self._quota()
        if quota.taken() >= self._daily_requests:
            raise TooManyRequests(
                f"This client has begun {self._daily_requests} erasures today.", quota.seconds_left
            )

    def _own(self, known: Request | None, reference: str | None = None) -> tuple[Request, Entry]:
        if known is None or known.caller != self.caller:
            raise NotFound
        if reference is not None and known.reference != reference:
            raise InvalidRequest([("subject_request_id", "was used for another subject")])
        return known, Ledger(self._database, known.reference).entry(known.erasure_id)

    def _exceeded(self, breaker: Daily, places: int) -> Exception:
        try:
            self.require_place()
        except TooManyRequests as error:
            return error
        if breaker.taken() >= places:
            # For an alarm: either something is wrong, or a whole organisation is to be erased.
            metrics.write(
                metrics.COMPLIANCE_BREAKER,
                self._clock.now(),
                {"ComplianceBreakerOpened": 1},
                told={"allowed_today": places},
                log=logger,
            )
            return TooManyRequests(
                "So much has been erased in this organisation today that erasures are held up.",
                breaker.seconds_left,
            )
        return Unavailable("The memory is busy.", retry_after=1)

    def _quota(self) -> Daily:
        return quota_of(self._database, self.caller, self._clock.now())

    def _breaker_limit(self) -> int:
        return breaker_limit(Directory(self._database, self._organisation).count())
