"""Time, passed in wherever a rule depends on it, so that tests and demos can start it where they like."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the present instant."""

    def now(self) -> datetime:
        """The present, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock, or one that starts at `start` and runs on from there at the same pace."""

    def __init__(self, start: datetime | None = None) -> None:
        self._start = start.astimezone(UTC) if start else None
        self._began = time.monotonic()

    def now(self) -> datetime:
        if self._start is None:
            return datetime.now(UTC)
        return self._start + timedelta(seconds=time.monotonic() - self._began)


# What a client's clock may be ahead of ours before a time counts as the future.
SKEW = timedelta(minutes=5)


def timestamp(instant: datetime) -> str:
    """RFC 3339, UTC, milliseconds: the one form in which a time is stored and sent.

    >>> timestamp(datetime(2026, 3, 10, 12, tzinfo=UTC))
    '2026-03-10T12:00:00.000Z'
    """
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant(text: str) -> datetime:
    """The instant that an RFC 3339 text names, aware, in UTC. Raises ValueError for anything else, also
    for a time without a zone: a guessed zone would move a memory by hours."""
    parsed = datetime.fromisoformat(text)
    if parsed.tzinfo is None:
        raise ValueError("a time needs a zone")
    try:
        return parsed.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time out of range") from error
