"""The receipt of an erasure: what was deleted, when each place was found empty, what is left and until when,
signed. It names nobody: `subject_ref` can be computed by this service alone, and stays to prove the deletion.

It is written once, after the last look, and says nothing that was not looked at. `sha256` is the digest of
the receipt without `sha256`, `kid` and `signature`; the signature is of the receipt without `signature`. Both
are over the canonical form: JSON with sorted keys, without blanks, in ASCII.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import noted
from noted.clock import timestamp
from noted.privacy.signing import Signer, canonical, is_signed
from noted.store.erasure_jobs import Job, Scope
from noted.store.ledger import RECEIPT_KEPT, Entry
from noted.store.tables import KEYS, MEMORY, VERDICTS, Table

# What an erasure does is a policy of its own; the number goes up when a receipt comes to mean something else.
POLICY = "erasure-2"
EXTERNAL = "external:"

# The most that a deployment can be told to keep its logs.
_LOGS = timedelta(days=14)
# As long as Bedrock keeps the beginning of a prompt; see `cache_point` in the request of a model.
_PROMPT_CACHE = timedelta(minutes=5)
# What a warm function has opened, at the most.
_FUNCTION_CACHE = timedelta(minutes=5)


class ReceiptInvalid(Exception):
    """A receipt is not what was signed; the message says why."""


def tables_of(scope: Scope) -> tuple[Table, ...]:
    """The tables that an erasure sweeps: a part has no key of its own."""
    return (MEMORY, VERDICTS, KEYS) if scope is Scope.MEMORY else (MEMORY, VERDICTS)


def receipted(job: Job, entry: Entry, now: datetime, signer: Signer) -> Entry:
    """The entry with the receipt of a job whose every place was found empty at `now`. Raises Unavailable."""
    tables = tables_of(job.scope)
    emptied, fenced = job.emptied_at or now, job.fenced_at or now
    looked = [timestamp(emptied), timestamp(now)]
    stores: list[dict[str, Any]] = [
        _store(table.name, deleted=job.counts.get(table.name, 0), verified_empty=looked) for table in tables
    ]
    stores += [
        _store(
            EXTERNAL + name,
            acknowledgement=outside.acknowledgement,
            acknowledged_at=_told(outside.acknowledged_at),
        )
        for name, outside in sorted(job.outside.items())
    ]
    told: dict[str, Any] = {
        "erasure_id": job.erasure_id,
        "subject_ref": job.reference,
        "scope": str(job.scope),
        "requested_at": timestamp(job.requested_at),
        "fenced_at": timestamp(fenced),
        "key_destroyed_at": _told(job.key_destroyed_at),
        "completed_at": timestamp(now),
        "counts": {table.name: job.counts.get(table.name, 0) for table in tables},
        "checked": [table.name for table in tables],
        "stores": stores,
        "residuals": _residuals(job, fenced, now),
        "policy": POLICY,
        "version": noted.__version__,
    }
    digest = hashlib.sha256(canonical(told)).hexdigest()
    unsigned = {**told, "sha256": digest, "kid": signer.kid}
    receipt = {**unsigned, "signature": signer.sign(canonical(unsigned))}
    return replace(
        entry,
        completed_at=now,
        counts=dict(told["counts"]),
        checked=tuple(told["checked"]),
        digest=digest,
        receipt=canonical(receipt).decode(),
    )


def verify(receipt: Mapping[str, Any], keys: Mapping[str, Any]) -> None:
    """Checks a receipt against a published key set. Raises ReceiptInvalid."""
    unsigned = {name: value for name, value in receipt.items() if name != "signature"}
    told = {name: value for name, value in unsigned.items() if name not in ("sha256", "kid")}
    if hashlib.sha256(canonical(told)).hexdigest() != receipt.get("sha256"):
        raise ReceiptInvalid("its digest is another: it was altered")
    listed = keys.get("keys")
    known = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    key = next((each for each in known if each.get("kid") == receipt.get("kid")), None)
    if key is None:
        raise ReceiptInvalid("none of the keys is the one that it names")
    if not is_signed(canonical(unsigned), receipt.get("signature"), key):
        raise ReceiptInvalid("its signature is not by the key that it names")


def _residuals(job: Job, fenced: datetime, now: datetime) -> list[dict[str, str]]:
    """What is left after the last look, by the longest it can be there."""
    if job.scope is Scope.MEMORY:
        destroyed = job.key_destroyed_at or now
        backups = {
            "backups of memory, verdicts and control: ciphertext whose key is destroyed": fenced
            + timedelta(days=MEMORY.recovery_days),
            "backup of keys": destroyed + timedelta(days=KEYS.recovery_days),
        }
    else:
        # The key is needed for all that was not erased.
        backups = {
            "backups of memory and verdicts: ciphertext whose key is in use": now
            + timedelta(days=MEMORY.recovery_days)
        }
    left = {
        **backups,
        "logs: no text, pseudonymous": now + _LOGS,
        "prompt cache of the model's provider": fenced + _PROMPT_CACHE,
        "memory of warm functions": fenced + _FUNCTION_CACHE,
        "this receipt": job.requested_at + RECEIPT_KEPT,
    }
    return [{"what": what, "until": timestamp(until)} for what, until in left.items()]


def _store(name: str, **told: object) -> dict[str, Any]:
    empty = dict.fromkeys(("deleted", "verified_empty", "acknowledgement", "acknowledged_at"))
    return {"name": name, **empty, **told}


def _told(at: datetime | None) -> str | None:
    return timestamp(at) if at else None
