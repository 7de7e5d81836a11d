"""The requests of compliance systems: each system's own id of a request and the erasure that came of it. They
hold references only. An id names a request within one organisation; what another one calls by the same id is
another request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from noted.clock import instant, timestamp
from noted.privacy.grounds import Grounds
from noted.store import keys
from noted.store.codec import expiry
from noted.store.ledger import RECEIPT_KEPT
from noted.store.tables import CONTROL, EXPIRY
from noted.store.writes import ABSENT, Write, put

if TYPE_CHECKING:
    from noted.store.database import Database


@dataclass(frozen=True)
class Request:
    """A request by its sender's id: the person's reference, our erasure, the sender's reference."""

    subject_request_id: str
    reference: str
    erasure_id: str
    caller: str
    grounds: Grounds


class Requests:
    """The requests of the compliance systems of one organisation."""

    def __init__(self, database: Database, organisation: str) -> None:
        self._database = database
        self._organisation = organisation

    def find(self, subject_request_id: str) -> Request | None:
        """A request by its id; None for what is no id, too."""
        try:
            partition = keys.request(self._organisation, subject_request_id)
        except ValueError:
            return None
        row = self._database.get(CONTROL.name, partition, keys.JOB)
        if row is None:
            return None
        grounds = Grounds(row["regulation"], row["reason"], instant(row["submitted_at"]))
        return Request(subject_request_id, row["reference"], row["erasure_id"], row["caller"], grounds)

    def opening(self, request: Request, received_at: datetime) -> Write:
        """Writes a new request within a transaction. It is known as long as its receipt."""
        row = {
            "pk": keys.request(self._organisation, request.subject_request_id),
            "sk": keys.JOB,
            "reference": request.reference,
            "erasure_id": request.erasure_id,
            "caller": request.caller,
            "regulation": request.grounds.regulation,
            "reason": request.grounds.reason,
            "submitted_at": timestamp(request.grounds.submitted_at),
            EXPIRY: expiry(received_at + RECEIPT_KEPT),
        }
        return put(CONTROL.name, row, ABSENT)
