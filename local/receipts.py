"""`noted verify-receipt`: checks the receipt of an erasure against the published keys, on any machine and
without the service that wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from noted.privacy.connectors import is_loopback
from noted.privacy.receipt import ReceiptInvalid, verify

_TIMEOUT_SECONDS = 10.0
_MAX_BYTES = 1024 * 1024


def check(receipt: Path, keys: str) -> str:
    """A line on a receipt that is as it was signed. `receipt` is a file with the receipt, or with the whole
    erasure as `GET /v1/erasures/{id}` gives it; `keys` a file or an address with a JSON Web Key Set.

    Raises ValueError, with the reason, for anything else.
    """
    told = _object(receipt.read_bytes(), str(receipt))
    if "receipt" in told:
        told = told["receipt"] or {}
    if not told:
        raise ValueError(f"{receipt} holds no receipt: the erasure is not complete")
    try:
        verify(told, _keys(keys))
    except ReceiptInvalid as error:
        raise ValueError(f"not a receipt that these keys signed: {error}") from None
    rows = ", ".join(f"{name} {count}" for name, count in sorted(told["counts"].items()))
    return (
        f"valid: erasure {told['erasure_id']} of {told['scope']} for {told['subject_ref']}, "
        f"completed {told['completed_at']}, rows deleted: {rows}"
    )


def _keys(where: str) -> Mapping[str, Any]:
    parts = urlsplit(where)
    if parts.scheme not in ("http", "https"):
        return _object(Path(where).read_bytes(), where)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise ValueError("the keys must come over https: they are what a receipt is trusted by")
    import httpx

    try:
        # A proxy of the environment has no business on the loopback interface.
        trusting = not is_loopback(parts.hostname or "")
        with httpx.Client(timeout=_TIMEOUT_SECONDS, trust_env=trusting) as client:
            response = client.get(where).raise_for_status()
    except httpx.HTTPError as error:
        raise ValueError(f"the keys cannot be read: {type(error).__name__}") from None
    return _object(response.content[:_MAX_BYTES], where)


def _object(content: bytes, name: str) -> dict[str, Any]:
    try:
        return dict(json.loads(content))
    except (ValueError, TypeError):
        raise ValueError(f"{name} is not a JSON object") from None
