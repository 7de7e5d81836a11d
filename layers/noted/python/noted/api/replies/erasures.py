"""Erasures and their receipts as clients get them."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from pydantic import BaseModel

from noted.api.replies.common import Time
from noted.store.ledger import Entry

# Well above what an erasure takes: sweeps, and the longest run of a writer in between.
_EXPECTED = timedelta(hours=1)


class AcceptedReply(BaseModel):
    """An erasure that has begun: what it erases cannot be read any more."""

    erasure_id: str
    status: Literal["running", "complete", "failed"]
    status_url: str


class ReceiptReply(BaseModel):
    """Proof of an erasure: rows deleted by table, the tables found empty afterwards, and a digest of it
    all."""

    counts: dict[str, int]
    checked: list[str]
    sha256: str


class ErasureReply(BaseModel):
    """How far an erasure is."""

    erasure_id: str
    scope: Literal["memory", "conversation", "fact"]
    status: Literal["running", "complete", "failed"]
    requested_at: Time
    completed_at: Time | None
    receipt: ReceiptReply | None


class SubjectErasureReply(ErasureReply):
    """The same for a compliance system, with the times that OpenDSR names."""

    subject_request_id: str
    received_time: Time
    expected_completion_time: Time


class HealthReply(BaseModel):
    """The service answers."""

    status: Literal["ok"] = "ok"
    version: str


def accepted(entry: Entry) -> AcceptedReply:
    """An erasure that has begun."""
    return AcceptedReply(
        erasure_id=entry.erasure_id, status="running", status_url=f"/v1/erasures/{entry.erasure_id}"
    )


def erasure(entry: Entry) -> ErasureReply:
    """How far an erasure is."""
    receipt = None
    if entry.digest is not None:
        receipt = ReceiptReply(
            counts=dict(sorted(entry.counts.items())), checked=list(entry.checked), sha256=entry.digest
        )
    return ErasureReply.model_validate(
        {
            "erasure_id": entry.erasure_id,
            "scope": entry.scope,
            "status": entry.status,
            "requested_at": entry.requested_at,
            "completed_at": entry.completed_at,
            "receipt": receipt,
        }
    )


def subject_erasure(subject_request_id: str, entry: Entry) -> SubjectErasureReply:
    """How far an erasure is that a compliance system asked for."""
    return SubjectErasureReply(
        **vars(erasure(entry)),
        subject_request_id=subject_request_id,
        received_time=entry.requested_at,
        expected_completion_time=entry.completed_at or entry.requested_at + _EXPECTED,
    )
