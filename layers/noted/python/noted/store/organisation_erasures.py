"""The erasure of a whole organisation as the table sees it: a request that waits for a second client, then a
list of users that are owed an erasure, of those whose erasure has begun, and counts of all.

Each move of a user from one list to the other, and out of the last, is one transaction with the count that it
changes, so a worker can die between any two and the next one goes on from what is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from noted.clock import instant, timestamp
from noted.identity import Principal
from noted.privacy.grounds import Grounds
from noted.store import keys
from noted.store.codec import expiry
from noted.store.database import ConditionFailed, Database
from noted.store.ledger import RECEIPT_KEPT
from noted.store.tables import CONTROL, EXPIRY, OPEN_JOBS
from noted.store.writes import ABSENT, PRESENT, Condition, Row, Write, delete, put, update

# What nobody approves in a week has to be asked for again.
APPROVAL_WITHIN = timedelta(days=7)
_OPEN = "organisation"
_OWED, _BEGUN = "OWED#", "BEGUN#"
# Longer than any run of the function that does the work.
_LEASE_SECONDS = 150


class Status(StrEnum):
    """Where the work stands, in the terms of OpenDSR."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


@dataclass(frozen=True)
class OrganisationErasure:
    """One such erasure. `requested_by` and `approved_by` are references of two clients. `users` counts who
    was listed, `begun` whose data is out of reach, `completed` whose receipt is complete. `after` is how far
    the list of users has been taken over, `listed` whether to its end."""

    request_id: str
    organisation: str
    requested_by: str
    grounds: Grounds
    received_at: datetime
    status: Status = Status.PENDING
    approved_by: str | None = None
    approved_at: datetime | None = None
    completed_at: datetime | None = None
    after: str | None = None
    listed: bool = False
    users: int = 0
    begun: int = 0
    completed: int = 0


@dataclass(frozen=True)
class Begun:
    """One user whose erasure has begun."""

    user: str
    reference: str
    erasure_id: str


class OrganisationErasures:
    """The erasures of all organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, organisation: str, request_id: str) -> OrganisationErasure | None:
        """One of an organisation by its id; None too for what is no id, or was not approved in time."""
        try:
            partition = keys.organisation_erasure(organisation, request_id)
        except ValueError:
            return None
        row = self._database.get(CONTROL.name, partition, keys.JOB)
        return _job(row) if row else None

    def open(self, job: OrganisationErasure, joining: Sequence[Write]) -> bool:
        """Writes a new one with what joins it. False if its organisation has one of this id. Raises
        ConditionFailed when a condition of what joins it does not hold."""
        row = _row(job) | {EXPIRY: expiry(job.received_at + APPROVAL_WITHIN)}
        try:
            self._database.transact([put(CONTROL.name, row, ABSENT), *joining])
        except ConditionFailed as failure:
            if 0 in failure.rows:
                return False
            raise
        return True

    def approve(self, job: OrganisationErasure, by: str, at: datetime, joining: Sequence[Write]) -> bool:
        """Lets the work begin. False if that was done before."""
        approved = update(
            CONTROL.name,
            _partition(job),
            keys.JOB,
            "SET #status = :working, approved_by = :by, approved_at = :at, #open = :open, #due = :due "
            "REMOVE #expiry",
            names={
                "#status": "status",
                "#open": OPEN_JOBS.partition,
                "#due": OPEN_JOBS.sort,
                "#expiry": EXPIRY,
            },
            values={
                ":working": str(Status.IN_PROGRESS),
                ":by": by,
                ":at": timestamp(at),
                ":open": _OPEN,
                ":due": int(at.timestamp()),
            },
            condition=Condition("#status = :pending", values={":pending": str(Status.PENDING)}),
        )
        try:
            self._database.transact([approved, *joining])
        except ConditionFailed:
            return False
        return True

    def due(self, now: datetime) -> list[tuple[str, str]]:
        """Those to go on with, by organisation and id."""
        found = self._database.due(CONTROL.name, OPEN_JOBS, _OPEN, int(now.timestamp()), 25)
        return [keys.read_organisation_erasure(partition) for partition, _ in found]

    def lease(self, organisation: str, request_id: str, now: datetime) -> OrganisationErasure | None:
        """Takes one for this worker; None if it is finished or another worker has it. Where the worker does
        not give it back, it is due again when the lease ends, behind what is due by then: whatever fails
        each time holds up no other organisation."""
        seconds = int(now.timestamp())
        free = Condition(
            "#status = :working AND (attribute_not_exists(lease_until) OR lease_until <= :now)",
            {"#status": "status"},
            {":now": seconds, ":working": str(Status.IN_PROGRESS)},
        )
        try:
            row = self._update(
                keys.organisation_erasure(organisation, request_id),
                "SET lease_until = :until, #due = :until",
                {":until": seconds + _LEASE_SECONDS},
                free,
                {"#due": OPEN_JOBS.sort},
            )
        except ConditionFailed:
            return None
        return _job(row)

    def release(self, job: OrganisationErasure, due: datetime) -> None:
        """Gives one back, to be gone on with at `due`."""
        names = {"#due": OPEN_JOBS.sort}
        self._update(
            _partition(job),
            "SET #due = :due REMOVE lease_until",
            {":due": int(due.timestamp())},
            PRESENT,
            names,
        )

    def owe(
        self, job: OrganisationErasure, users: Sequence[str], after: str | None
    ) -> OrganisationErasure | None:
        """Takes users over into the list of who is owed an erasure; `after` is how far that comes, None the
        end. At most 99 users. None if another worker came first."""
        partition = _partition(job)
        names = {"#after": "after_user", "#users": "users"}
        passed = "attribute_not_exists(#after)" if job.after is None else "#after = :before"
        listed = "SET listed = :listed" + (", #after = :after" if after else "")
        values: dict[str, object] = {":listed": after is None, ":count": len(users), ":no": False}
        if after:
            values[":after"] = after
        if job.after is not None:
            values[":before"] = job.after
        counted = update(
            CONTROL.name,
            partition,
            keys.JOB,
            f"{listed} ADD #users :count",
            names=names,
            values=values,
            condition=Condition(f"{passed} AND listed = :no"),
        )
        owed = [put(CONTROL.name, {"pk": partition, "sk": _OWED + keys.user(user)}) for user in users]
        try:
            self._database.transact([counted, *owed])
        except ConditionFailed:
            return None
        return replace(job, after=after or job.after, listed=after is None, users=job.users + len(users))

    def owed(self, job: OrganisationErasure) -> Iterator[Principal]:
        """Users whose erasure has not begun."""
        for _, key in self._database.keys(CONTROL.name, _partition(job), prefix=_OWED):
            yield Principal(job.organisation, key.removeprefix(_OWED))

    def beginning(self, job: OrganisationErasure, begun: Begun) -> list[Write]:
        """The writes that tell that a user's erasure has begun, for its own transaction. A condition of
        theirs fails when it had begun already."""
        partition = _partition(job)
        row = {
            "pk": partition,
            "sk": _BEGUN + keys.user(begun.user),
            "reference": begun.reference,
            "erasure_id": begun.erasure_id,
        }
        return [
            delete(CONTROL.name, partition, _OWED + begun.user, PRESENT),
            put(CONTROL.name, row),
            update(CONTROL.name, partition, keys.JOB, "ADD begun :one", values={":one": 1}),
        ]

    def begun(self, job: OrganisationErasure) -> Iterator[Begun]:
        """Users whose receipt has not been seen complete."""
        partition = _partition(job)
        for row in self._database.query(CONTROL.name, partition, prefix=_BEGUN):
            yield Begun(row["sk"].removeprefix(_BEGUN), row["reference"], row["erasure_id"])

    def settle(self, job: OrganisationErasure, finished: Sequence[Begun]) -> None:
        """Strikes users out whose receipts are complete, and counts them. At most 99."""
        partition = _partition(job)
        counted = update(
            CONTROL.name,
            partition,
            keys.JOB,
            "ADD #completed :count",
            names={"#completed": "completed"},
            values={":count": len(finished)},
        )
        struck = [delete(CONTROL.name, partition, _BEGUN + each.user, PRESENT) for each in finished]
        try:
            self._database.transact([counted, *struck])
        except ConditionFailed:
            return  # another worker struck some of them out: the next look finds the others

    def complete(self, job: OrganisationErasure, at: datetime) -> bool:
        """Ends it, once every user who was listed has a complete receipt. False, and nothing is done, before
        that."""
        finished = Condition(
            "listed = :yes AND #completed = #users AND #status = :working",
            {"#completed": "completed", "#users": "users"},
            {":yes": True, ":working": str(Status.IN_PROGRESS)},
        )
        try:
            self._update(
                _partition(job),
                "SET #status = :completed, completed_at = :at, #expiry = :expiry "
                "REMOVE #open, #due, lease_until, #after",
                {
                    ":completed": str(Status.COMPLETED),
                    ":at": timestamp(at),
                    ":expiry": expiry(at + RECEIPT_KEPT),
                },
                finished,
                {
                    "#status": "status",
                    "#expiry": EXPIRY,
                    "#open": OPEN_JOBS.partition,
                    "#due": OPEN_JOBS.sort,
                    "#after": "after_user",
                },
            )
        except ConditionFailed:
            return False
        return True

    def _update(
        self,
        partition: str,
        expression: str,
        values: dict[str, object],
        condition: Condition | None = None,
        names: dict[str, str] | None = None,
    ) -> Row:
        return self._database.update(
            CONTROL.name, partition, keys.JOB, expression, names=names, values=values, condition=condition
        )


def _partition(job: OrganisationErasure) -> str:
    return keys.organisation_erasure(job.organisation, job.request_id)


def _row(job: OrganisationErasure) -> Row:
    return {
        "pk": _partition(job),
        "sk": keys.JOB,
        "requested_by": job.requested_by,
        "regulation": job.grounds.regulation,
        "reason": job.grounds.reason,
        "submitted_at": timestamp(job.grounds.submitted_at),
        "received_at": timestamp(job.received_at),
        "status": str(job.status),
        "listed": job.listed,
        "users": job.users,
        "begun": job.begun,
        "completed": job.completed,
    }


def _job(row: Row) -> OrganisationErasure:
    organisation, request_id = keys.read_organisation_erasure(row["pk"])
    approved_at, completed_at = row.get("approved_at"), row.get("completed_at")
    return OrganisationErasure(
        request_id=request_id,
        organisation=organisation,
        requested_by=row["requested_by"],
        grounds=Grounds(row["regulation"], row["reason"], instant(row["submitted_at"])),
        received_at=instant(row["received_at"]),
        status=Status(row["status"]),
        approved_by=row.get("approved_by"),
        approved_at=instant(approved_at) if approved_at else None,
        completed_at=instant(completed_at) if completed_at else None,
        after=row.get("after_user"),
        listed=row["listed"],
        users=row["users"],
        begun=row["begun"],
        completed=row["completed"],
    )
