"""Which function may do what with which table. Nothing else grants access to a table.

Verdicts are appended and never changed: a function may put one, and only an erasure may take it away. Only an
erasure deletes what a user has and writes receipts, and what it sweeps it cannot write.
"""

from __future__ import annotations

from dataclasses import dataclass

from noted.store.restoring import PARTITION
from noted.store.tables import (
    CONTROL,
    KEYS,
    LEDGER,
    MEMORY,
    OPEN_JOBS,
    OUTBOX,
    TABLES,
    VERDICTS,
    Index,
    Table,
)


@dataclass(frozen=True)
class Access:
    """Operations of DynamoDB on one table or on one of its indexes, in one partition alone if one is named. A
    transaction needs the right to each of its parts; a batch of deletes is an operation of its own."""

    table: Table
    actions: tuple[str, ...]
    index: Index | None = None
    partition: str | None = None


# Whether a table was restored since the ledger last knew it: every function looks before it serves, with its
# own role, whosever rows it then reaches.
GUARDING = (
    *(Access(table, ("DescribeTable",)) for table in TABLES),
    Access(LEDGER, ("GetItem",), partition=PARTITION),
)


# Where a user stands: the place in the write order, and the fence that a write carries. A user who is new, or
# whose row was lost in a restore, goes on behind the generations that the ledger knows.
_STANDING = Access(CONTROL, ("GetItem",)), Access(LEDGER, ("Query",))
_ADMITTING = Access(CONTROL, ("PutItem", "UpdateItem"))
_WRITING = Access(MEMORY, ("BatchGetItem", "GetItem", "PutItem", "UpdateItem"))

# The data key of a user, and a first one where there is none yet.
_OPENING = Access(KEYS, ("GetItem",))
_KEYING = Access(KEYS, ("GetItem", "PutItem"))

# What a function does for no one user in particular, with its own role also where it reaches a user's rows
# through a session of that user (infra/session_policies.py): marks of work that were left undone.
ACROSS_USERS: dict[str, tuple[Access, ...]] = {
    "extraction": (Access(MEMORY, ("UpdateItem",)), Access(MEMORY, ("Query",), OUTBOX)),
}

ACCESS: dict[str, tuple[Access, ...]] = {
    "answer": (*_STANDING, _ADMITTING, _WRITING, _KEYING, Access(MEMORY, ("Query",))),
    "recall": (
        *_STANDING,
        _OPENING,
        Access(MEMORY, ("BatchGetItem", "GetItem", "Query")),
        Access(VERDICTS, ("Query",)),
        # Which erasures a compliance system asked for.
        Access(CONTROL, ("Query",)),
    ),
    "verdicts": (
        *_STANDING,
        _ADMITTING,
        _WRITING,
        _KEYING,
        Access(MEMORY, ("Query",)),
        Access(VERDICTS, ("GetItem", "PutItem", "Query")),
        # An export tells which erasures a compliance system asked for.
        Access(CONTROL, ("Query",)),
    ),
    "extraction": (
        *_STANDING,
        Access(CONTROL, ("UpdateItem",)),
        _WRITING,
        _OPENING,
        Access(MEMORY, ("Query",)),
        Access(MEMORY, ("Query",), OUTBOX),
    ),
    "erasure": (
        *_STANDING,
        Access(CONTROL, ("BatchGetItem", "DeleteItem", "PutItem", "Query", "UpdateItem")),
        Access(CONTROL, ("Query",), OPEN_JOBS),
        Access(MEMORY, ("BatchWriteItem", "DeleteItem", "GetItem", "Query")),
        # What was erased must have left the index too.
        Access(MEMORY, ("Query",), OUTBOX),
        Access(VERDICTS, ("BatchWriteItem", "Query")),
        Access(KEYS, ("BatchWriteItem", "Query")),
        Access(LEDGER, ("GetItem", "PutItem")),
    ),
}
