"""Opened indexes that a function keeps for the next call of the same user."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.recall.index import OpenIndex
    from noted.store.index_reading import Pieces

# No function keeps what it opened for longer, and an erasure waits so long before it is complete.
_KEPT = timedelta(minutes=5)


@dataclass(frozen=True)
class Opened:
    """An index as it was after so many changes of the user's facts, with the pieces that it was made
    of. It holds no text."""

    changes: int
    index: OpenIndex
    pieces: Pieces
    at: datetime


class IndexCache:
    """Indexes by partition, so by user and generation: `most_bytes` of them at most, each for five
    minutes."""

    def __init__(self, most_bytes: int = 64_000_000) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, Opened] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, partition: str, now: datetime) -> Opened | None:
        """What is kept of a user; what is too old of anybody is forgotten."""
        with self._lock:
            for other in [
                key for key, opened in self._kept.items() if not opened.at <= now < opened.at + _KEPT
            ]:
                del self._kept[other]
            if partition in self._kept:
                self._kept.move_to_end(partition)
            return self._kept.get(partition)

    def put(self, partition: str, opened: Opened) -> None:
        """Keeps an index in the place of an earlier one, and lets go of those unused for longest."""
        with self._lock:
            self._kept[partition] = opened
            self._kept.move_to_end(partition)
            while (
                self._kept and sum(each.index.size_bytes for each in self._kept.values()) > self._most_bytes
            ):
                self._kept.popitem(last=False)
