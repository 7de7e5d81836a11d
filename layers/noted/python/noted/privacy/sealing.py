"""The one way in which content reaches a table: sealed with AES-256-GCM and bound to its place.

A sealed value opens only under the key it was sealed with and only at its own place, so a row that was moved
to another user, generation or key opens for nobody. There is no plain-text form.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

# NIST SP 800-38D: a 96-bit random nonce is safe for 2^32 messages under one key.
_NONCE_BYTES = 12
_VERSION = b"\x01"


class CannotOpen(Exception):
    """The value was not sealed under this key for this place, or has been altered."""


@dataclass(frozen=True)
class Place:
    """Where a value stands: it is authenticated with the value and not stored."""

    table: str
    partition: str
    sort_key: str
    attribute: str

    def bound(self) -> bytes:
        """The bytes that are authenticated: the parts with their lengths, so that no two places are equal."""
        parts = (self.table, self.partition, self.sort_key, self.attribute)
        return b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)


class Use(StrEnum):
    """What a key is asked for. `OPEN` and `COMPARE` need no key where nothing was sealed yet; `SEAL` makes
    one."""

    OPEN = "open"
    SEAL = "seal"
    COMPARE = "compare"


KeySource = Callable[[Use], bytes]


class _Keys:
    """What a data key of 32 bytes opens, and the keys that hang on it: they are destroyed with it."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.cipher = AESGCM(key)
        self.vault = _derived(key, b"vault")
        self.blind = _derived(key, b"blind index")


class Sealer:
    """Seals and opens the content of one user and generation. `key` is 32 bytes, or what fetches them once
    they are needed."""

    def __init__(self, key: bytes | KeySource) -> None:
        self._source: KeySource = key if callable(key) else lambda _: key
        self._known: _Keys | None = None

    def seal(self, content: bytes, place: Place) -> bytes:
        """Version, nonce and ciphertext: 29 bytes more than `content`."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return (
            _VERSION + nonce + self._keys(Use.SEAL).cipher.encrypt(nonce, content, _VERSION + place.bound())
        )

    def open(self, sealed: bytes, place: Place) -> bytes:
        """The content. Raises CannotOpen."""
        if sealed[:1] != _VERSION:
            raise CannotOpen
        nonce, ciphertext = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        try:
            return self._keys(Use.OPEN).cipher.decrypt(nonce, ciphertext, _VERSION + place.bound())
        except (InvalidTag, ValueError):
            raise CannotOpen from None

    def seal_json(self, content: Mapping[str, Any], place: Place) -> bytes:
        """Seals a JSON object."""
        return self.seal(json.dumps(content, ensure_ascii=False).encode(), place)

    def require(self) -> None:
        """Raises what the source of the key raises where content was sealed whose key is gone."""
        self._source(Use.OPEN)

    def open_json(self, sealed: bytes, place: Place) -> dict[str, Any]:
        """Opens a JSON object. Raises CannotOpen."""
        content = json.loads(self.open(sealed, place))
        if not isinstance(content, dict):
            raise CannotOpen
        return content

    @cached_property
    def vault(self) -> Sealer:
        """Seals what masking took out of a text, under a key of its own: what opens a text does not open the
        personal values that it stands for."""
        return Sealer(lambda use: self._keys(use).vault)

    def blind(self, *parts: str) -> bytes:
        """32 bytes that are equal for equal parts of this user, and tell nothing without the key."""
        message = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
        return hmac.digest(self._keys(Use.COMPARE).blind, message, "sha256")

    def _keys(self, use: Use) -> _Keys:
        key = self._source(use)
        if self._known is None or self._known.key != key:
            self._known = _Keys(key)
        return self._known


def _derived(key: bytes, purpose: bytes) -> bytes:
    """HKDF-Expand (RFC 5869) with SHA-256, one block: 32 bytes for one purpose."""
    return hmac.digest(key, purpose + b"\x01", "sha256")
