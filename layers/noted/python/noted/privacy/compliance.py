"""Erasure on behalf of a compliance system, which names a person by their subject and can read nothing but
the receipt."""

from __future__ import annotations

from noted.errors import InvalidRequest, NotFound
from noted.identity import Principal, Secrets, subject_reference
from noted.privacy.erasure import Erasure
from noted.store.database import ConditionFailed, Database
from noted.store.erasing import Request, Requests
from noted.store.ledger import Entry, Ledger
from noted.store.repository import Repository
from noted.store.writes import Write


class Compliance:
    """The requests of one compliance system."""

    def __init__(self, database: Database, caller: Principal, secrets: Secrets) -> None:
        self._database = database
        self._requests = Requests(database)
        self._caller = subject_reference(caller, secrets)

    def erase(self, subject_request_id: str, subject: Repository, erasure: Erasure) -> Entry:
        """Erases everything of a subject; the same id again is the same request.

        Raises InvalidRequest when the id was used for another subject.
        """
        known = self._requests.find(subject_request_id)
        if known is None:
            reference = subject.ledger.reference

            def naming(entry: Entry) -> list[Write]:
                request = Request(subject_request_id, reference, entry.erasure_id, self._caller)
                return [self._requests.opening(request, entry.requested_at)]

            try:
                return erasure.everything(extra=naming)
            except ConditionFailed:
                known = self._requests.find(subject_request_id)
        if known is None or known.caller != self._caller:
            raise NotFound
        if known.reference != subject.ledger.reference:
            raise InvalidRequest([("subject_request_id", "was used for another subject")])
        return Ledger(self._database, known.reference).entry(known.erasure_id)

    def entry(self, subject_request_id: str) -> Entry:
        """How far a request is. Raises NotFound, for another system's request too."""
        known = self._requests.find(subject_request_id)
        if known is None or known.caller != self._caller:
            raise NotFound
        return Ledger(self._database, known.reference).entry(known.erasure_id)
