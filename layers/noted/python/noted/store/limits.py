"""When a row ends by what its user has set, whatever it says itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from noted.clock import instant
from noted.store.tables import EXPIRY, MEMORY, VERDICTS

if TYPE_CHECKING:
    from noted.retention import Limit
    from noted.store.writes import Row

# The tables whose rows are what a user keeps.
LIMITED = frozenset({MEMORY.name, VERDICTS.name})
KEPT_AT = "kept_at"
# From when a row is kept: the first of these that it has. Rows without any hold no content: marks, keys of
# requests, the index of facts, which is built anew from the rows that a limit leaves.
_SINCE = (KEPT_AT, "last_turn_at", "last_confirmed_at", "at", "created_at")


def limited_expiry(row: Row, limit: Limit) -> int | None:
    """The end of a row, in whole seconds since 1970, where a limit sets one before its own; else None."""
    since = next((row[name] for name in _SINCE if name in row), None)
    end = limit.end(instant(since)) if since else None
    if end is None:
        return None
    seconds, own = math.ceil(end.timestamp()), row.get(EXPIRY)
    return seconds if own is None or seconds < own else None
