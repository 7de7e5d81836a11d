"""The erasure ledger: one receipt an erasure, under a reference that only this service can compute. It holds
no personal data and outlives what it tells of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from noted import ids
from noted.clock import instant, timestamp
from noted.errors import NotFound
from noted.store import keys
from noted.store.codec import expiry
from noted.store.database import ConditionFailed, Database
from noted.store.tables import EXPIRY, LEDGER
from noted.store.writes import Condition, Row, Write, put

# Proof that an erasure was done must outlast the time in which it can be asked for.
RECEIPT_KEPT = timedelta(days=3 * 365)
RUNNING, COMPLETE = "running", "complete"


@dataclass(frozen=True)
class Entry:
    """One erasure. `generation` is the one that it ended, None when the scope is less than everything.
    `counts` has the rows deleted by table, `checked` what was found empty afterwards; `receipt` is the signed
    receipt as JSON and `digest` its SHA-256. `waiting_for` names the places outside of the tables that alone
    keep it from being finished. `fact` is the mark of the fact that was erased, where it was one."""

    erasure_id: str
    scope: str
    status: str
    requested_at: datetime
    generation: int | None = None
    completed_at: datetime | None = None
    counts: dict[str, int] = field(default_factory=dict)
    checked: tuple[str, ...] = ()
    digest: str | None = None
    receipt: str | None = None
    waiting_for: tuple[str, ...] = ()
    fact: str | None = None


def fact_mark(fact_id: str) -> str:
    """What the ledger knows a fact by: it tells whether an id is that of an erased fact, and not the id."""
    return hashlib.sha256(fact_id.encode()).hexdigest()


class Ledger:
    """The receipts of one person."""

    def __init__(self, database: Database, reference: str) -> None:
        self._database = database
        self.reference = reference

    def entry(self, erasure_id: str) -> Entry:
        """Raises NotFound, for another person's erasure too."""
        row = self._database.get(LEDGER.name, keys.ledger(self.reference), erasure_id)
        if row is None:
            raise NotFound
        return _entry(row)

    def entries(self, after: str | None = None) -> Iterator[Entry]:
        """Every erasure, oldest first, behind the one `after`."""
        rows = self._database.query(LEDGER.name, keys.ledger(self.reference), after=after)
        return (_entry(row) for row in rows if ids.is_id(ids.ERASURE, row["sk"]))

    def erased_facts(self) -> frozenset[str]:
        """The marks of all facts that were erased one by one."""
        return frozenset(entry.fact for entry in self.entries() if entry.fact)

    def writing(self, entry: Entry) -> Write:
        """Writes an entry within a transaction."""
        return put(LEDGER.name, self._row(entry))

    def complete(self, entry: Entry) -> bool:
        """Writes the entry of a finished erasure. False, and nothing changed, where that was done before: a
        receipt is written once."""
        return self._write_open(replace(entry, status=COMPLETE, waiting_for=()))

    def wait_for(self, entry: Entry, outside: Sequence[str]) -> None:
        """Notes what keeps an erasure from being finished."""
        self._write_open(replace(entry, waiting_for=tuple(outside)))

    def _write_open(self, entry: Entry) -> bool:
        open_still = Condition(
            "attribute_not_exists(pk) OR #status = :running", {"#status": "status"}, {":running": RUNNING}
        )
        try:
            self._database.put(LEDGER.name, self._row(entry), open_still)
        except ConditionFailed:
            return False
        return True

    def last_generation(self) -> int:
        """The highest generation that was ever ended, 0 if none was."""
        rows = self._database.query(LEDGER.name, keys.ledger(self.reference))
        return max((row.get("generation", 0) for row in rows), default=0)

    def _row(self, entry: Entry) -> Row:
        return {
            "pk": keys.ledger(self.reference),
            "sk": entry.erasure_id,
            EXPIRY: expiry(entry.requested_at + RECEIPT_KEPT),
            "scope": entry.scope,
            "status": entry.status,
            "requested_at": timestamp(entry.requested_at),
            "generation": entry.generation,
            "completed_at": timestamp(entry.completed_at) if entry.completed_at else None,
            "counts": entry.counts,
            "checked": list(entry.checked),
            "digest": entry.digest,
            "receipt": entry.receipt,
            "waiting_for": list(entry.waiting_for) or None,
            "fact": entry.fact,
        }


def _entry(row: dict[str, Any]) -> Entry:
    completed_at = row.get("completed_at")
    return Entry(
        erasure_id=row["sk"],
        scope=row["scope"],
        status=row["status"],
        requested_at=instant(row["requested_at"]),
        generation=row.get("generation"),
        completed_at=instant(completed_at) if completed_at else None,
        counts=row["counts"],
        checked=tuple(row["checked"]),
        digest=row.get("digest"),
        receipt=row.get("receipt"),
        waiting_for=tuple(row.get("waiting_for", ())),
        fact=row.get("fact"),
    )
