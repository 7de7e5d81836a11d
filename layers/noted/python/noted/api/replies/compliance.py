"""What compliance systems get: their requests with the names and states of OpenDSR, the users of their
organisation, and what they themselves have asked for. Never a text of a user."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from noted.api.replies.common import Page, Reply, Time
from noted.api.replies.erasures import SubjectErasureReply, subject_erasure
from noted.store.ledger import COMPLETE, Entry

if TYPE_CHECKING:
    from noted.store.audit import Audited
    from noted.store.compliance_requests import Request
    from noted.store.directory import Known
    from noted.store.organisation_erasures import OrganisationErasure

# How long an organisation's erasure takes depends on how many users it has; a day is far above it.
_EXPECTED = timedelta(days=1)

RequestStatus = Literal["pending", "in_progress", "completed"]


class ComplianceErasureReply(SubjectErasureReply):
    """How far an erasure is that a compliance system asked for. `request_status` is `status` in the terms of
    OpenDSR."""

    request_status: RequestStatus
    regulation: str
    reason_code: str


class OrganisationCounts(Reply):
    """Users that were listed, those whose data is out of reach, and those whose receipt is complete."""

    users: int
    begun: int
    completed: int


class OrganisationErasureReply(Reply):
    """How far the erasure of an organisation is. `requested_by` and `approved_by` are references of two
    different clients."""

    request_id: str
    request_status: RequestStatus
    regulation: str
    reason_code: str
    received_time: Time
    requested_by: str
    approved_by: str | None
    approved_time: Time | None
    expected_completion_time: Time | None
    completed_time: Time | None
    counts: OrganisationCounts


class UserReply(Reply):
    """Where one user of the organisation stands, by an id that is derived from the subject and cannot be
    turned back into it."""

    user: str
    created_at: Time
    state: str
    memory_epoch: int


class UsersReply(Page[UserReply]):
    """A page of the organisation's users; `count` is how many there are, on the first page alone."""

    count: int | None


class AuditedReply(Reply):
    """One call of this client. `outcome`: what became of it."""

    audit_id: str
    at: Time
    route: str
    outcome: Literal["granted", "forbidden", "not_found", "over_limit", "refused"]
    request_id: str | None


def compliance_erasure(request: Request, entry: Entry) -> ComplianceErasureReply:
    """How far an erasure is that a compliance system asked for."""
    return ComplianceErasureReply(
        **vars(subject_erasure(request.subject_request_id, entry)),
        request_status="completed" if entry.status == COMPLETE else "in_progress",
        regulation=request.grounds.regulation,
        reason_code=request.grounds.reason,
    )


def organisation_erasure(job: OrganisationErasure) -> OrganisationErasureReply:
    """How far the erasure of an organisation is."""
    expected = job.completed_at or (job.approved_at + _EXPECTED if job.approved_at else None)
    return OrganisationErasureReply(
        request_id=job.request_id,
        request_status=job.status.value,
        regulation=job.grounds.regulation,
        reason_code=job.grounds.reason,
        received_time=job.received_at,
        requested_by=job.requested_by,
        approved_by=job.approved_by,
        approved_time=job.approved_at,
        expected_completion_time=expected,
        completed_time=job.completed_at,
        counts=OrganisationCounts(users=job.users, begun=job.begun, completed=job.completed),
    )


def user(known: Known) -> UserReply:
    """Where one user stands."""
    return UserReply(user=known.user, created_at=known.since, state=known.state, memory_epoch=known.epoch)


def audited(call: Audited) -> AuditedReply:
    """One call of a compliance system."""
    return AuditedReply(
        audit_id=call.audit_id,
        at=call.at,
        route=call.route,
        outcome=call.outcome.value,
        request_id=call.request_id,
    )
