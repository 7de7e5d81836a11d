"""What an erasure would have to do again after a restore: one row an erasure, in one partition of the ledger,
in the order of time.

A receipt stays for years and names nobody. This row has to lead back to the rows of a user, so it holds the
user's derived ids, sealed under a key of the service, and goes once no backup can be older than the erasure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from noted.clock import instant, timestamp
from noted.identity import Principal, Secrets
from noted.privacy.sealing import CannotOpen, Place, Sealer
from noted.store import keys
from noted.store.codec import expiry
from noted.store.tables import EXPIRY, LEDGER, TABLES
from noted.store.writes import Row, Write, put

if TYPE_CHECKING:
    from noted.store.database import Database

# DynamoDB keeps the last backup of a deleted table for 35 days, whatever the table's own window was
# ("Point-in-time backups", Developer Guide); a day more for clocks and for time to live.
_SYSTEM_BACKUP_DAYS = 35
REPLAYABLE = timedelta(days=max(_SYSTEM_BACKUP_DAYS, *(table.recovery_days for table in TABLES)) + 1)


@dataclass(frozen=True)
class Recorded:
    """One erasure as it is done again. `target` is the conversation or fact, None for everything;
    `generation` the one in which it lies, or the last that was ended."""

    erasure_id: str
    scope: str
    reference: str
    principal: Principal
    generation: int
    requested_at: datetime
    target: str | None = None


class ReplayLog:
    """The erasures of all users that a backup may still be older than."""

    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database = database
        self._sealer = Sealer(secrets.key("replay log"))

    def writing(self, recorded: Recorded) -> Write:
        """Writes a row within the transaction that fences the erasure."""
        owner = recorded.principal.owner.encode()
        row: Row = {
            "pk": keys.REPLAY,
            "sk": recorded.erasure_id,
            EXPIRY: expiry(recorded.requested_at + REPLAYABLE),
            "scope": recorded.scope,
            "reference": recorded.reference,
            "owner": self._sealer.seal(owner, _place(recorded.erasure_id)),
            "generation": recorded.generation,
            "requested_at": timestamp(recorded.requested_at),
            "target": recorded.target,
        }
        return put(LEDGER.name, row)

    def owner(self, erasure_id: str) -> Principal | None:
        """Whose erasure it was, None once no backup can be older than it."""
        row = self._database.get(LEDGER.name, keys.REPLAY, erasure_id)
        return self._principal(row) if row else None

    def after(self, erasure_id: str | None) -> Iterator[Recorded]:
        """All erasures behind one, oldest first. Raises CannotOpen for a row that this service did not
        write."""
        for row in self._database.query(LEDGER.name, keys.REPLAY, after=erasure_id):
            yield Recorded(
                erasure_id=row["sk"],
                scope=row["scope"],
                reference=row["reference"],
                principal=self._principal(row),
                generation=row["generation"],
                requested_at=instant(row["requested_at"]),
                target=row.get("target"),
            )

    def _principal(self, row: Row) -> Principal:
        owner = self._sealer.open(row["owner"], _place(row["sk"])).decode()
        organisation, separator, user = owner.partition("#")
        if not separator:
            raise CannotOpen
        return Principal(organisation, user)


def _place(erasure_id: str) -> Place:
    return Place(LEDGER.name, keys.REPLAY, erasure_id, "owner")
