"""Marks of work that is still to be done: two attributes of a row that put it into the sparse index `outbox`,
and one that counts how often the work was sent again.

A mark stands in the row that the work is about, is made in the write that makes the work, and is taken off in
the write that ends it. So it outlives whatever happens to a message of the queue.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from noted.store.tables import OUTBOX
from noted.store.writes import Condition, Row

SENDS = "outbox_sends"
# The index is written by every turn of every user: shards keep it from being one hot partition.
SHARDS = 8
MARKED = Condition(f"attribute_exists({OUTBOX.partition})")
UNMARK = f"REMOVE {OUTBOX.partition}, {OUTBOX.sort}, {SENDS}"
NONE: Row = {OUTBOX.partition: None, OUTBOX.sort: None, SENDS: None}


def work_shard(number: int) -> str:
    """The name of one shard of work that is due at once: turns to extract, windows to cut."""
    return f"shard-{number}"


def rest_shard(number: int) -> str:
    """The name of one shard of conversations that are due once they have rested."""
    return f"rest-{number}"


def vector_shard(number: int) -> str:
    """The name of one shard of facts that have no vector yet."""
    return f"vectors-{number}"


def shards() -> Iterator[str]:
    """The names of all shards of all kinds."""
    for kind in (work_shard, rest_shard, vector_shard):
        yield from map(kind, range(SHARDS))


def unembedded(of: str, since: float) -> Row:
    """The mark of a fact that was kept without a vector at an instant."""
    return _mark(vector_shard(_shard(of)), since)


def work(of: str, since: float) -> Row:
    """The mark of a row whose work is due, made at an instant (seconds since 1970). `of` is its id."""
    return _mark(work_shard(_shard(of)), since)


def rest(of: str, since: float) -> Row:
    """The mark of a conversation that was last used at an instant (seconds since 1970)."""
    return _mark(rest_shard(_shard(of)), since)


def resting_since(since: float) -> Row:
    """What of such a mark tells the instant; alone it puts no row into the index."""
    return {OUTBOX.sort: int(since)}


def _mark(shard: str, since: float) -> Row:
    return {OUTBOX.partition: shard, OUTBOX.sort: int(since), SENDS: 0}


def _shard(of: str) -> int:
    return zlib.crc32(of.encode()) % SHARDS
