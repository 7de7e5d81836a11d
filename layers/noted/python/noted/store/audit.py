"""What compliance systems asked for and what they were answered: one row a call that asked for an erasure or
was refused, under the reference of the caller, kept as long as receipts are. No subject, no user's id, no
text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from noted import ids
from noted.clock import instant, timestamp
from noted.store import keys
from noted.store.codec import expiry
from noted.store.ledger import RECEIPT_KEPT
from noted.store.pages import Page, page_of
from noted.store.tables import CONTROL, EXPIRY
from noted.store.writes import Row, Write, put

if TYPE_CHECKING:
    from noted.store.database import Database


class Outcome(StrEnum):
    """What became of a call."""

    GRANTED = "granted"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    OVER_LIMIT = "over_limit"
    REFUSED = "refused"


@dataclass(frozen=True)
class Audited:
    """One call. `route` is its template; `request_id` the caller's own id of the request, if it gave one."""

    audit_id: str
    at: datetime
    route: str
    outcome: Outcome
    request_id: str | None = None


class Audit:
    """The calls of one compliance system."""

    def __init__(self, database: Database, reference: str) -> None:
        """`reference` is the caller's, as the erasure ledger would know them."""
        self._database = database
        self._reference = reference
        self._partition = keys.audit(reference)

    def entry(self, at: datetime, route: str, outcome: Outcome, request_id: str | None) -> Write:
        """The write that tells of a call, for a transaction."""
        return put(CONTROL.name, self._row(at, route, outcome, request_id))

    def write(self, at: datetime, route: str, outcome: Outcome, request_id: str | None) -> None:
        """Tells of a call that wrote nothing else."""
        self._database.put(CONTROL.name, self._row(at, route, outcome, request_id))

    def on_behalf(self, subject: str, erasure_id: str, at: datetime) -> Write:
        """The write that lets a person see that this system asked for an erasure of theirs; `subject` is the
        person's reference."""
        row = {
            "pk": keys.on_behalf(subject),
            "sk": erasure_id,
            "client": self._reference,
            EXPIRY: expiry(at + RECEIPT_KEPT),
        }
        return put(CONTROL.name, row)

    def page(self, limit: int, after: str | None) -> Page[Audited]:
        """Calls, newest first."""
        rows = self._database.query(
            CONTROL.name, self._partition, after=after, descending=True, page_size=limit + 1
        )
        taken, last = page_of(rows, limit)
        return Page([_audited(row) for row in taken], last)

    def _row(self, at: datetime, route: str, outcome: Outcome, request_id: str | None) -> Row:
        return {
            "pk": self._partition,
            "sk": ids.at(ids.AUDIT, at),
            EXPIRY: expiry(at + RECEIPT_KEPT),
            "at": timestamp(at),
            "route": route,
            "outcome": str(outcome),
            "request_id": request_id,
        }


def _audited(row: Row) -> Audited:
    return Audited(
        row["sk"], instant(row["at"]), row["route"], Outcome(row["outcome"]), row.get("request_id")
    )
