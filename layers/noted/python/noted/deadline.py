"""How long an invocation may still work. Lambda cuts a function off in the middle of whatever it does; work
that stops by itself a second before can still say so, and give back what it holds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from noted.errors import Unavailable

# What is left to say that the time is over, and to give claims and leases back.
MARGIN_SECONDS = 1.0


class Deadline:
    """The instant at which work has to stop. `ends` and `monotonic` are in seconds of the same clock."""

    def __init__(self, ends: float = math.inf, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._ends = ends
        self._monotonic = monotonic

    @classmethod
    def of(cls, context: object, monotonic: Callable[[], float] = time.monotonic) -> Deadline:
        """One second before Lambda cuts the invocation of this context off; never for a context that does not
        know when that is."""
        remaining = getattr(context, "get_remaining_time_in_millis", None)
        if remaining is None:
            return cls(monotonic=monotonic)
        return cls(monotonic() + remaining() / 1000 - MARGIN_SECONDS, monotonic)

    def left(self) -> float:
        """Seconds that are left, 0 when there are none, infinite where there is no end."""
        return max(self._ends - self._monotonic(), 0.0)

    def check(self, seconds: float = 0.0) -> None:
        """Raises Unavailable unless more than `seconds` are left."""
        if self.left() <= seconds:
            raise Unavailable("There was not enough time for this.", retry_after=1)


NO_DEADLINE = Deadline()
