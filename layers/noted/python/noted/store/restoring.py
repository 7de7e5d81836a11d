"""Refuses to serve from a restored table before the erasures since its backup have been done again.

A restore makes a new table, with a new id. The ledger keeps the ids of the tables that were last known to
hold nothing that was erased; while a table has another, whoever asks is told to come back later. A table is
also taken for restored where its id cannot be asked for: nothing is served that could have been erased.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from noted.clock import Clock, instant, timestamp
from noted.errors import Restoring, Unavailable
from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.tables import LEDGER, TABLES
from noted.store.writes import ABSENT, Row

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Where the ledger keeps what it knows of the tables.
PARTITION = keys.SERVICE

logger = logging.getLogger("noted.store")

# A restore takes minutes, in which the table is not there under its name: no container goes on with what it
# knew before. A refusal is looked at again sooner, since somebody waits.
_TRUSTED_FOR = timedelta(seconds=60)
_REFUSED_FOR = timedelta(seconds=2)


@dataclass(frozen=True)
class Progress:
    """How far a replay is: for which tables, behind which erasure, and what it did so far."""

    tables: Mapping[str, str]
    after: str | None = None
    erasures: int = 0
    rows: int = 0


class TablesInUse:
    """The tables of one deployment and what the ledger knows of them.

    As of the last look: `seen` are the tables' ids, so that what was opened of other tables can be let go;
    `clean_since` is when the last replay ended, or the deployment began. What was said before that may have
    been extracted once, and its facts erased, though the tables know of neither."""

    def __init__(self, client: DynamoDBClient, prefix: str, database: Database, clock: Clock) -> None:
        self._client = client
        self._prefix = prefix
        self._database = database
        self._clock = clock
        self._known: tuple[datetime, Unavailable | None] | None = None
        self.seen: Mapping[str, str] = {}
        self.clean_since: datetime | None = None

    def refuse_unless_replayed(self) -> None:
        """Raises Restoring, or Unavailable where it cannot be known. What was found is trusted for a minute;
        to find it costs one read unit and five calls that describe a table."""
        now = self._clock.now()
        if self._known is None or now >= self._known[0]:
            refusal = self._refusal()
            self._known = now + (_REFUSED_FOR if refusal else _TRUSTED_FOR), refusal
        if isinstance(self._known[1], Restoring):
            raise Restoring
        if self._known[1] is not None:
            raise Unavailable(str(self._known[1]))

    def ids(self) -> dict[str, str]:
        """What tells each table from one that was restored under its name. Raises Unavailable."""
        return {table.name: self._id(f"{self._prefix}-{table.name}") for table in TABLES}

    def recorded(self) -> tuple[Mapping[str, str] | None, Progress | None]:
        """The tables that are known to hold nothing that was erased, None in a new deployment; and the replay
        that is going on."""
        row = self._database.get(LEDGER.name, PARTITION, keys.TABLES_IN_USE)
        if row is None:
            return None, None
        self.clean_since = instant(row["recorded_at"])
        under_way = row.get("replaying")
        return row["tables"], Progress(**under_way) if under_way else None

    def record_first(self, tables: Mapping[str, str]) -> None:
        """Notes the tables of a new deployment: nothing has been erased that they could still have."""
        try:
            self._database.put(LEDGER.name, self._row(tables, None), ABSENT)
        except ConditionFailed:
            return

    def progress(self, before: Mapping[str, str], progress: Progress) -> None:
        """Notes how far a replay is. `before` is what was recorded when it began."""
        self._known = None
        self._database.put(LEDGER.name, self._row(before, progress))

    def finish(self, tables: Mapping[str, str]) -> None:
        """Notes that these tables hold nothing that was erased."""
        self._database.put(LEDGER.name, self._row(tables, None))
        self._known = None

    def _refusal(self) -> Unavailable | None:
        try:
            tables, replay = self.recorded()
            self.seen = present = self.ids()
        except Unavailable as error:
            reason = type(error.__cause__ or error).__name__
            logger.error("tables cannot be compared with the ledger", extra={"error_type": reason})
            return error
        # In a new deployment there is no row yet, and no erasure that could come back.
        if tables is None or (replay is None and dict(tables) == present):
            return None
        return Restoring()

    def _id(self, name: str) -> str:
        try:
            table = self._client.describe_table(TableName=name)["Table"]
        except (ClientError, BotoCoreError) as error:
            raise Unavailable("The memory cannot be reached at the moment.") from error
        # An implementation of DynamoDB for one machine may give no id; a table that was put in another's
        # place was made later.
        return table.get("TableId") or timestamp(table["CreationDateTime"])

    def _row(self, tables: Mapping[str, str], progress: Progress | None) -> Row:
        replaying = None
        if progress:
            told: Row = {"tables": dict(progress.tables), "after": progress.after}
            told |= {"erasures": progress.erasures, "rows": progress.rows}
            replaying = {name: value for name, value in told.items() if value is not None}
        return {
            "pk": PARTITION,
            "sk": keys.TABLES_IN_USE,
            "tables": dict(tables),
            "recorded_at": timestamp(self._clock.now()),
            "replaying": replaying,
        }
