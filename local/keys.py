"""What wraps data keys on one machine: a folder with one key file a user and generation, in the place of
KMS. An erasure deletes the file, so not even a copy of all tables and of the other files opens what it
erased."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from local.files import create_private, private_folder, remove
from noted.errors import Unavailable
from noted.privacy.wrapping import KEY_BYTES, CannotUnwrap

_NONCE_BYTES = 12


class KeyFolder:
    """`<data>/keys`. A file is named after a digest of the user's derived id and generation."""

    def __init__(self, data: Path) -> None:
        self._folder = private_folder(private_folder(data) / "keys")

    def new(self, partition: str) -> tuple[bytes, bytes]:
        """See `KeyWrapper`. The file is on the disk before anything is sealed with the key."""
        path = self._path(partition)
        create_private(path, secrets.token_bytes(KEY_BYTES))
        key, nonce = secrets.token_bytes(KEY_BYTES), secrets.token_bytes(_NONCE_BYTES)
        return key, nonce + self._cipher(path).encrypt(nonce, key, partition.encode())

    def unwrap(self, wrapped: bytes, partition: str) -> bytes:
        """See `KeyWrapper`."""
        nonce, ciphertext = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
        try:
            return self._cipher(self._path(partition)).decrypt(nonce, ciphertext, partition.encode())
        except (InvalidTag, ValueError):
            raise CannotUnwrap from None

    def destroy(self, partition: str) -> None:
        """See `KeyWrapper`. The file is overwritten before it goes; a disk that writes elsewhere, or a copy
        of the folder, may still have it."""
        path = self._path(partition)
        try:
            descriptor = os.open(path, os.O_WRONLY)
        except FileNotFoundError:
            return
        with os.fdopen(descriptor, "wb") as file:
            file.write(bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        remove(path)

    def _path(self, partition: str) -> Path:
        return self._folder / hashlib.sha256(partition.encode()).hexdigest()

    def _cipher(self, path: Path) -> AESGCM:
        try:
            return AESGCM(path.read_bytes())
        except (FileNotFoundError, ValueError):
            raise CannotUnwrap from None
        except OSError as error:
            raise Unavailable("The keys of the memory cannot be read at the moment.") from error
