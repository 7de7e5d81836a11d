"""Which function may do what with which table, and why. Nothing else grants access to a table.

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
    PARTITION_KEY,
    SORT_KEY,
    TABLES,
    VERDICTS,
    Index,
    Table,
)


@dataclass(frozen=True)
class Access:
    """Operations of DynamoDB on one table or on one of its indexes, and what for. A transaction needs the
    right to each of its parts; a batch of deletes is an operation of its own.

    `partition`: in one partition alone if one is named, or in those that begin so if it ends with a star.
    `attributes`: these alone may be named by a request, and it must name what it wants.
    """

    table: Table
    actions: tuple[str, ...]
    reason: str
    index: Index | None = None
    partition: str | None = None
    attributes: tuple[str, ...] = ()


# Whether a table was restored since the ledger last knew it: every function looks before it serves, with its
# own role, whosever rows it then reaches.
_GUARD = "Whether a table was restored since erasures were last replayed: nothing is served before"
GUARDING = (
    *(Access(table, ("DescribeTable",), _GUARD) for table in TABLES),
    Access(LEDGER, ("GetItem",), _GUARD, partition=PARTITION),
)

# The people in the ledger, beside whom it has rows of the service itself.
_PEOPLE = "s_*"

# Where a user stands: the place in the write order, and the fence that a write carries. A user who is new, or
# whose row was lost in a restore, goes on behind the generations that the ledger knows.
_STANDING = (
    Access(CONTROL, ("GetItem",), "Which generation of a user is alive, and what they have set"),
    Access(
        LEDGER,
        ("Query",),
        "Which generations of a user are over, where nothing else tells; their erasures in the activity list",
        partition=_PEOPLE,
    ),
)
_ADMITTING = Access(
    CONTROL,
    ("PutItem", "UpdateItem"),
    "A user who is new is put down; each write checks the fence and takes its place in the order",
)
_WRITING = Access(
    MEMORY,
    ("BatchGetItem", "GetItem", "PutItem", "UpdateItem"),
    "Conversations, turns, facts and their index are read and written",
)
_LISTING = Access(MEMORY, ("Query",), "A user's facts, turns and conversations are read in their order")

# The data key of a user, and a first one where there is none yet.
_OPENING = Access(KEYS, ("GetItem",), "The wrapped data key of a user, without which nothing of theirs opens")
_KEYING = Access(
    KEYS,
    ("GetItem", "PutItem"),
    "The wrapped data key of a user, and a first one where there is none; never another in its place",
)
_ASKED_FOR = Access(CONTROL, ("Query",), "Which erasures of a user a compliance system asked for")
_UNDONE = Access(MEMORY, ("Query",), "Work that never reached the queue is found by its mark", index=OUTBOX)

# What a sweep may name of the rows that it deletes: their keys, and of which conversation they are.
SWEPT = (PARTITION_KEY, SORT_KEY, "conversation_id", "copied_as", "build")
_SWEEP = "What is to be deleted is listed by its keys, and looked at once more until nothing is there"

# What a function does for no one user in particular, with its own role also where it reaches a user's rows
# through a session of that user (infra/session_policies.py): marks of work that were left undone.
ACROSS_USERS: dict[str, tuple[Access, ...]] = {
    "extraction": (
        Access(MEMORY, ("UpdateItem",), "Marks of work left undone are renewed and taken off, whosever"),
        _UNDONE,
    ),
}

ACCESS: dict[str, tuple[Access, ...]] = {
    "answer": (
        *_STANDING,
        _ADMITTING,
        _WRITING,
        _KEYING,
        _LISTING,
        Access(MEMORY, ("ConditionCheckItem",), "An answer is replaced while its turn is still the last one"),
    ),
    "recall": (
        *_STANDING,
        _OPENING,
        Access(MEMORY, ("BatchGetItem", "GetItem", "Query"), "Reading is all that it does"),
        Access(VERDICTS, ("Query",), "A fact is shown with the verdicts on it"),
        _ASKED_FOR,
    ),
    "verdicts": (
        *_STANDING,
        _ADMITTING,
        _WRITING,
        _KEYING,
        _LISTING,
        Access(
            VERDICTS,
            ("GetItem", "PutItem", "Query"),
            "A verdict is put beside those that were given, which stay as they are",
        ),
        _ASKED_FOR,
    ),
    "extraction": (
        *_STANDING,
        Access(CONTROL, ("UpdateItem",), "Each write checks the fence and takes its place in the order"),
        _WRITING,
        _OPENING,
        _LISTING,
        _UNDONE,
    ),
    "erasure": (
        Access(CONTROL, ("GetItem",), "Which generation of a user is alive, and how far an erasure is"),
        Access(LEDGER, ("Query",), "Which generations are over; what a restore brought back is erased again"),
        Access(
            CONTROL,
            ("BatchGetItem", "DeleteItem", "PutItem", "Query", "UpdateItem"),
            "The fence is raised; jobs, quotas, the record of compliance calls and lists of users are kept",
        ),
        Access(CONTROL, ("Query",), "The jobs that are due", index=OPEN_JOBS),
        Access(MEMORY, ("Query",), _SWEEP, attributes=SWEPT),
        Access(MEMORY, ("BatchWriteItem", "DeleteItem"), "What is to be erased is deleted"),
        Access(
            MEMORY,
            ("GetItem",),
            "Whether a row is still there, and which rows tell a fact again",
            attributes=SWEPT,
        ),
        Access(MEMORY, ("Query",), "What was erased must have left the index too", index=OUTBOX),
        Access(VERDICTS, ("Query",), _SWEEP, attributes=SWEPT),
        Access(VERDICTS, ("BatchWriteItem",), "Verdicts go with the fact that they are on"),
        Access(KEYS, ("Query",), _SWEEP, attributes=SWEPT),
        Access(KEYS, ("BatchWriteItem",), "The data key is destroyed, so a backup stays closed"),
        Access(LEDGER, ("GetItem", "PutItem"), "An erasure is put down before it begins, its receipt after"),
    ),
}
