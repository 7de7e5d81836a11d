"""Which function may do what with which table. Nothing else grants access to a table.

Verdicts are appended and never changed: a function may put one, and only an erasure may take it away. Only an
erasure deletes what a user has and writes receipts, and what it sweeps it cannot write.
"""

from __future__ import annotations

from dataclasses import dataclass

from noted.store.tables import CONTROL, KEYS, LEDGER, MEMORY, OPEN_JOBS, OUTBOX, VERDICTS, Index, Table


@dataclass(frozen=True)
class Access:
    """Operations of DynamoDB on one table or on one of its indexes. A transaction needs the right to each of
    its parts; a batch of deletes is an operation of its own."""

    table: Table
    actions: tuple[str, ...]
    index: Index | None = None


# Where a user stands: the place in the write order, and the fence that a write carries. A user who is new, or
# whose row was lost in a restore, goes on behind the generations that the ledger knows.
_STANDING = Access(CONTROL, ("GetItem",)), Access(LEDGER, ("Query",))
_ADMITTING = Access(CONTROL, ("PutItem", "UpdateItem"))
_WRITING = Access(MEMORY, ("BatchGetItem", "GetItem", "PutItem", "UpdateItem"))

ACCESS: dict[str, tuple[Access, ...]] = {
    "answer": (*_STANDING, _ADMITTING, _WRITING, Access(MEMORY, ("Query",))),
    "recall": (
        *_STANDING,
        Access(MEMORY, ("BatchGetItem", "GetItem", "Query")),
        Access(VERDICTS, ("Query",)),
    ),
    "verdicts": (
        *_STANDING,
        _ADMITTING,
        _WRITING,
        Access(MEMORY, ("Query",)),
        Access(VERDICTS, ("GetItem", "PutItem")),
    ),
    "extraction": (
        *_STANDING,
        Access(CONTROL, ("UpdateItem",)),
        _WRITING,
        Access(MEMORY, ("Query",)),
        Access(MEMORY, ("Query",), OUTBOX),
    ),
    "erasure": (
        *_STANDING,
        Access(CONTROL, ("DeleteItem", "PutItem", "UpdateItem")),
        Access(CONTROL, ("Query",), OPEN_JOBS),
        Access(MEMORY, ("BatchWriteItem", "DeleteItem", "GetItem", "Query")),
        Access(VERDICTS, ("BatchWriteItem", "Query")),
        Access(KEYS, ("BatchWriteItem", "Query")),
        Access(LEDGER, ("GetItem", "PutItem")),
    ),
}
