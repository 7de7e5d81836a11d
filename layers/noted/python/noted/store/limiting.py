"""The rows of a user get the ends that the user has set. Reads leave out what has ended from the moment it is
set; this frees the space, and leaves nothing to come back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noted.store import keys, marks
from noted.store.database import ConditionFailed, Database
from noted.store.limits import limited_expiry
from noted.store.preferences import REVISION
from noted.store.tables import EXPIRY, MEMORY
from noted.store.writes import Condition, Row

if TYPE_CHECKING:
    from noted.identity import Principal
    from noted.preferences import Preferences


def limit_rows(database: Database, principal: Principal, generation: int, preferences: Preferences) -> int:
    """Brings the ends of a user's rows down to what their user's limit says, and takes the mark of that
    work off; returns how many rows were changed. Done twice, late or beside another worker, it changes
    nothing that has been changed before. One read unit per 4 KB and one write unit per KB of each row that
    changes.
    """
    partition, changed = keys.partition(principal, generation), 0
    for row in database.query(MEMORY.name, partition):
        expiry = limited_expiry(row, preferences.limit)
        if expiry is not None:
            changed += _ended(database, row, expiry)
    # A later change of the settings has put another mark.
    as_read = Condition(f"{REVISION} = :read", values={":read": preferences.revision})
    try:
        database.update(MEMORY.name, partition, keys.LIMIT, marks.UNMARK, condition=as_read)
    except ConditionFailed:
        return changed
    return changed


def _ended(database: Database, row: Row, expiry: int) -> bool:
    # What was confirmed or used again since it was read has another end, and is as it should be.
    if EXPIRY in row:
        unchanged = Condition("#expiry = :read", values={":read": row[EXPIRY]})
    else:
        unchanged = Condition("attribute_exists(pk) AND attribute_not_exists(#expiry)")
    try:
        database.update(
            MEMORY.name,
            row["pk"],
            row["sk"],
            "SET #expiry = :end",
            names={"#expiry": EXPIRY},
            values={":end": expiry},
            condition=unchanged,
        )
    except ConditionFailed:
        return False
    return True
