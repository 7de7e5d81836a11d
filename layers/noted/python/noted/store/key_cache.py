"""Data keys that a function keeps for the next call of the same user."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

# No function keeps what it opened for longer, and an erasure waits so long before it is complete.
_KEPT = timedelta(minutes=5)


@dataclass(frozen=True)
class _Kept:
    generation: int
    key: bytes
    at: datetime


class KeyCache:
    """At most `most` keys, one a user, each for five minutes. A user's new generation takes the key of the
    one before it out."""

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, owner: str, generation: int, now: datetime) -> bytes | None:
        """The key of a user's generation; what is too old of anybody is forgotten."""
        with self._lock:
            self._forget_stale(now)
            kept = self._kept.get(owner)
            if kept is None:
                return None
            if kept.generation < generation:
                del self._kept[owner]
            return kept.key if kept.generation == generation else None

    def put(self, owner: str, generation: int, key: bytes, now: datetime) -> None:
        """Keeps a key, unless a later generation of the user has one already."""
        with self._lock:
            kept = self._kept.get(owner)
            if kept is not None and kept.generation > generation:
                return
            self._kept[owner] = _Kept(generation, key, now)
            self._kept.move_to_end(owner)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def drop(self, owner: str) -> None:
        """Forgets a user's key."""
        with self._lock:
            self._kept.pop(owner, None)

    def _forget_stale(self, now: datetime) -> None:
        # They stand in the order in which they were fetched.
        while self._kept:
            owner, kept = next(iter(self._kept.items()))
            if kept.at <= now < kept.at + _KEPT:
                return
            del self._kept[owner]
