"""A wrapper of data keys in memory, for tests that have neither KMS nor a folder."""

from __future__ import annotations

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from noted.privacy.wrapping import CannotUnwrap


class MemoryWrapper:
    """One wrapping key a partition, gone once it is destroyed. `unwrapped` counts what was asked of it."""

    def __init__(self) -> None:
        self._keys: dict[str, bytes] = {}
        self.unwrapped = 0

    def new(self, partition: str) -> tuple[bytes, bytes]:
        key, nonce = secrets.token_bytes(32), secrets.token_bytes(12)
        wrapping = self._keys.setdefault(partition, secrets.token_bytes(32))
        return key, nonce + AESGCM(wrapping).encrypt(nonce, key, partition.encode())

    def unwrap(self, wrapped: bytes, partition: str) -> bytes:
        self.unwrapped += 1
        try:
            return AESGCM(self._keys[partition]).decrypt(wrapped[:12], wrapped[12:], partition.encode())
        except (KeyError, InvalidTag):
            raise CannotUnwrap from None

    def destroy(self, partition: str) -> None:
        self._keys.pop(partition, None)
