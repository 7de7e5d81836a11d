"""Data keys at rest: each is wrapped by a key that no table holds, for one user and generation alone."""

from __future__ import annotations

from typing import Protocol

KEY_BYTES = 32


class CannotUnwrap(Exception):
    """What wrapped the data key is gone, or wrapped it for another user or generation. Trying again does not
    help."""


class KeyWrapper(Protocol):
    """Makes and opens wrapped data keys. `partition` is the user and generation: `<organisation>#<user>#g<n>`
    with derived ids.

    Whatever does not answer at the moment raises `noted.errors.Unavailable`; nothing is ever stored in plain
    text instead."""

    def new(self, partition: str) -> tuple[bytes, bytes]:
        """A fresh data key of 32 bytes, plain and wrapped."""

    def unwrap(self, wrapped: bytes, partition: str) -> bytes:
        """The data key. Raises CannotUnwrap."""

    def destroy(self, partition: str) -> None:
        """Destroys what this wrapper keeps for one user and generation alone, so that no copy of a wrapped
        key opens any more; nothing where one key wraps those of all users. Again is fine."""
