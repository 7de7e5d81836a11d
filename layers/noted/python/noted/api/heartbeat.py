"""Keeps a stream alive while nothing comes: proxies and phones take a silent connection for a dead one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, Queue

from noted.api.events import HEARTBEAT

# Well below the 30 s after which the strictest of the usual gateways gives up.
SECONDS = 15.0


def with_heartbeats(pieces: Iterator[str], seconds: float = SECONDS) -> Iterator[str]:
    """The pieces as they come, and a comment whenever none has come for `seconds`.

    A thread reads the pieces, one ahead of what is taken. Closing this before the end returns when the pieces
    have been read to theirs: what makes them finishes its work, whoever still listens.
    """
    handed: Queue[str | None] = Queue(maxsize=1)
    threading.Thread(target=_read, args=(pieces, handed), name="stream", daemon=True).start()
    ended = False
    try:
        while not ended:
            try:
                piece = handed.get(timeout=seconds)
            except Empty:
                piece = HEARTBEAT
            ended = piece is None
            if piece is not None:
                yield piece
    finally:
        while not ended:
            ended = handed.get() is None


def _read(pieces: Iterator[str], handed: Queue[str | None]) -> None:
    try:
        for piece in pieces:
            handed.put(piece)
    finally:
        handed.put(None)
