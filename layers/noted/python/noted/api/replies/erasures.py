"""Erasures and their receipts as clients get them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

from noted.api.replies.common import Reply, Time
from noted.privacy.receipt import tables_of
from noted.store.erasure_jobs import Scope
from noted.store.ledger import RUNNING, Entry

# Well above what an erasure takes: sweeps, and the longest run of a writer in between.
_EXPECTED = timedelta(hours=1)


class AcceptedReply(Reply):
    """An erasure that has begun: what it erases cannot be read any more."""

    erasure_id: str
    status: Literal["running", "complete", "failed"]
    status_url: str


class StoreReply(Reply):
    """One place that was erased. A table: the rows deleted, and the two times at which it was found empty. A
    place outside: what it acknowledged the erasure with, and when."""

    name: str
    deleted: int | None
    verified_empty: list[str] | None
    acknowledgement: str | None
    acknowledged_at: str | None


class ResidualReply(Reply):
    """What is left after an erasure, and until when at the latest."""

    what: str
    until: str


class ReceiptReply(Reply):
    """Proof of an erasure, signed by a key of `GET /v1/receipt-keys`. It can be checked as it is: times are
    texts here, since the signature is over them as they are written."""

    erasure_id: str
    subject_ref: str
    scope: Literal["memory", "conversation", "fact"]
    requested_at: str
    fenced_at: str
    key_destroyed_at: str | None
    completed_at: str
    counts: dict[str, int]
    checked: list[str]
    stores: list[StoreReply]
    residuals: list[ResidualReply]
    policy: str
    version: str
    sha256: str
    kid: str
    signature: str


class ReceiptKeyReply(Reply):
    """A public key on P-256 (RFC 7517, RFC 7518)."""

    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: str
    y: str
    kid: str
    use: Literal["sig"]
    alg: Literal["ES256"]


class ReceiptKeysReply(Reply):
    """The keys that receipts are signed with, as a JSON Web Key Set."""

    keys: list[ReceiptKeyReply]


class ErasureReply(Reply):
    """How far an erasure is. `unfinished` names the places that are not known to be empty yet; those outside
    of the tables begin with `external:`."""

    erasure_id: str
    scope: Literal["memory", "conversation", "fact"]
    status: Literal["running", "complete", "failed"]
    requested_at: Time
    completed_at: Time | None
    unfinished: list[str]
    receipt: ReceiptReply | None


class SubjectErasureReply(ErasureReply):
    """The same for a compliance system, with the times that OpenDSR names."""

    subject_request_id: str
    received_time: Time
    expected_completion_time: Time


class HealthReply(Reply):
    """The service answers."""

    status: Literal["ok"] = "ok"
    version: str


def accepted(entry: Entry) -> AcceptedReply:
    """An erasure that has begun."""
    return AcceptedReply(
        erasure_id=entry.erasure_id, status="running", status_url=f"/v1/erasures/{entry.erasure_id}"
    )


def receipt_keys(*keys: Mapping[str, str]) -> ReceiptKeysReply:
    """The public keys of receipts."""
    return ReceiptKeysReply(keys=[ReceiptKeyReply.model_validate(key) for key in keys])


def erasure(entry: Entry) -> ErasureReply:
    """How far an erasure is."""
    unfinished: list[str] = []
    if entry.status == RUNNING:
        tables = [table.name for table in tables_of(Scope(entry.scope))]
        unfinished = list(entry.waiting_for) or tables
    return ErasureReply.model_validate(
        {
            "erasure_id": entry.erasure_id,
            "scope": entry.scope,
            "status": entry.status,
            "requested_at": entry.requested_at,
            "completed_at": entry.completed_at,
            "unfinished": unfinished,
            "receipt": json.loads(entry.receipt) if entry.receipt else None,
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
