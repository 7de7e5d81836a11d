"""Which function may do what with which table, and why. Nothing else grants access to a table.

Only an erasure deletes what a user has, and only an erasure writes receipts. Of what it sweeps it reads keys,
and a row that it put there would have keys alone. Who serves reaches users in `control`, and no erasure, no
quota and no record of a compliance call.

Rights tell operations apart, not what a put finds in its place: that a verdict, a data key or a receipt is
never overwritten is a condition of the write itself.
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

    `partitions`: in these alone if any are named; one that ends with a star stands for all that begin so.
    `attributes`: these alone may be named by a read, and it must name what it wants. `put`: a put brings
    these attributes and no others. `transactional`: as a part of a transaction that writes, and no other way.
    """

    table: Table
    actions: tuple[str, ...]
    reason: str
    index: Index | None = None
    partitions: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    put: tuple[str, ...] = ()
    transactional: bool = False

    def conditions(self) -> dict[str, dict[str, object]]:
        """What a request must hold to, as a policy says it; nothing for no condition.

        Of a request without the key `ForAllValues` is true: so where there must be one it is asked for
        (`Null` false). Who must name attributes may not ask for all of them by naming none (`Select`).
        Whether a batch of deletes tells the attributes of its keys is not documented, so they are not asked
        for there; what a put brings is told (DynamoDB Developer Guide, "Using IAM policy conditions for
        fine-grained access control"). A plain delete could give back the row (`ReturnValues`), a transaction
        has no such parameter: `EnclosingOperation` tells them apart (the same, "Using IAM with DynamoDB
        transactions").
        """
        held: dict[str, dict[str, object]] = {}
        there: dict[str, object] = {}
        if self.partitions:
            operator = "StringLike" if any("*" in each for each in self.partitions) else "StringEquals"
            held[f"ForAllValues:{operator}"] = {"dynamodb:LeadingKeys": list(self.partitions)}
            there["dynamodb:LeadingKeys"] = "false"
        if self.attributes:
            held.setdefault("ForAllValues:StringEquals", {})["dynamodb:Attributes"] = list(self.attributes)
            held["StringEqualsIfExists"] = {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}
            there["dynamodb:Attributes"] = "false"
        if self.put:
            held.setdefault("ForAllValues:StringEquals", {})["dynamodb:Attributes"] = list(self.put)
        if self.transactional:
            held["ForAnyValue:StringEquals"] = {"dynamodb:EnclosingOperation": "TransactWriteItems"}
        return held | ({"Null": there} if there else {})


# Whether a table was restored since the ledger last knew it: every function looks before it serves, with its
# own role, whosever rows it then reaches.
_GUARD = "Whether a table was restored since erasures were last replayed: nothing is served before"
GUARDING = (
    *(Access(table, ("DescribeTable",), _GUARD) for table in TABLES),
    Access(LEDGER, ("GetItem",), _GUARD, partitions=(PARTITION,)),
)

# The people in the ledger, beside whom it has rows of the service itself; in `control`, the erasures of
# theirs that compliance systems asked for.
_PEOPLE = ("s_*",)
# The partitions of users in `control`, and the lists of an organisation's users. Beside them lie erasures,
# which an eraser carries out as they stand, requests, quotas and records of compliance systems.
_USERS = ("o_*",)
_USERS_AND_LISTS = (*_USERS, "ORG#o_*")

# Where a user stands: the place in the write order, and the fence that a write carries. A user who is new, or
# whose row was lost in a restore, goes on behind the generations that the ledger knows.
_STANDING = (
    Access(
        CONTROL,
        ("GetItem",),
        "Which generation of a user is alive, and what they have set",
        partitions=_USERS,
    ),
    Access(
        LEDGER,
        ("Query",),
        "Which generations of a user are over, where nothing else tells; their erasures in the activity list",
        partitions=_PEOPLE,
    ),
)
_FENCED = Access(
    CONTROL,
    ("UpdateItem",),
    "Each write checks the fence and takes its place in the order",
    partitions=_USERS,
)
_ADMITTING = (
    _FENCED,
    Access(
        CONTROL,
        ("PutItem",),
        "A user who is new is put down, and into a list of their organisation",
        partitions=_USERS_AND_LISTS,
    ),
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
_ASKED_FOR = Access(
    CONTROL, ("Query",), "Which erasures of a user a compliance system asked for", partitions=_PEOPLE
)
_UNDONE = Access(MEMORY, ("Query",), "Work that never reached the queue is found by its mark", index=OUTBOX)

# What a sweep may name of the rows that it deletes: their keys, and of which conversation they are.
SWEPT = (PARTITION_KEY, SORT_KEY, "conversation_id", "copied_as", "build")
# What a put of a sweep could bring: nothing of anybody's.
_BARE = (PARTITION_KEY, SORT_KEY)
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
        *_ADMITTING,
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
        *_ADMITTING,
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
        _FENCED,
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
        Access(MEMORY, ("BatchWriteItem",), "What is to be erased is deleted", put=_BARE),
        Access(
            MEMORY,
            ("DeleteItem",),
            "What every reader needs first is deleted as the erasure begins",
            transactional=True,
        ),
        Access(
            MEMORY,
            ("GetItem",),
            "Whether a row is still there, and which rows tell a fact again",
            attributes=SWEPT,
        ),
        Access(MEMORY, ("Query",), "What was erased must have left the index too", index=OUTBOX),
        Access(VERDICTS, ("Query",), _SWEEP, attributes=SWEPT),
        Access(VERDICTS, ("BatchWriteItem",), "Verdicts go with the fact that they are on", put=_BARE),
        Access(KEYS, ("Query",), _SWEEP, attributes=SWEPT),
        Access(KEYS, ("BatchWriteItem",), "The data key is destroyed, so a backup stays closed", put=_BARE),
        Access(LEDGER, ("GetItem", "PutItem"), "An erasure is put down before it begins, its receipt after"),
    ),
}
