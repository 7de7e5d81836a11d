"""The rows of the replay log, to be copied to a place beside the tables and put back from it: for one
machine, where whoever puts back the files of the database puts back the log with them.

A copy holds what the row holds: the owner sealed, ids and times, nothing that was said.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.tables import LEDGER
from noted.store.writes import ABSENT

_SEALED = "owner"


def copies(database: Database) -> Iterator[tuple[str, bytes]]:
    """The id of each erasure that a backup may still be older than, oldest first, with its row."""
    for row in database.query(LEDGER.name, keys.REPLAY):
        told = {**row, _SEALED: base64.b64encode(row[_SEALED]).decode()}
        yield row["sk"], json.dumps(told, sort_keys=True).encode()


def put_back(database: Database, copy: bytes) -> bool:
    """Writes a row that the log has lost. False if it is there."""
    row = json.loads(copy)
    row[_SEALED] = base64.b64decode(row[_SEALED])
    try:
        database.put(LEDGER.name, row, ABSENT)
    except ConditionFailed:
        return False
    return True
