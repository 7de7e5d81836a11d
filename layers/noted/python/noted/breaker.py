"""A circuit breaker: a dependency that is down is not asked again and again, so that it costs its time-out a
few times and not with every call. Each container has its own, since it learns of failures by itself."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING

from noted import metrics

if TYPE_CHECKING:
    from noted.clock import Clock

logger = logging.getLogger("noted.breaker")

# Half of the last ten calls: one slow call opens nothing, a dependency that is gone is known after five.
_REMEMBERED = 10
_FAILURES = 5
_OPEN_SECONDS = 30.0


class Breaker:
    """The state of one dependency, which `name` tells in the log and in the metric of its openings.

    Closed, it lets every call through. With 5 failures among the last 10 calls it opens: nothing is let
    through for 30 s, then a single call that tries. If that succeeds it is closed and has forgotten
    everything, if it fails, or nothing is heard of it, the next 30 s begin. Threads may share it."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._outcomes: deque[bool] = deque(maxlen=_REMEMBERED)
        self._tried_at: float | None = None

    def allows(self) -> bool:
        """Whether a call may be made now. Of what is made, `record` is told the outcome."""
        with self._lock:
            if self._tried_at is None:
                return True
            now = self._clock.now().timestamp()
            if now < self._tried_at + _OPEN_SECONDS:
                return False
            # This one call; the others wait for what comes of it.
            self._tried_at = now
            return True

    def record(self, *, succeeded: bool) -> None:
        """Takes in how a call ended."""
        with self._lock:
            if self._tried_at is not None:
                if succeeded:
                    self._tried_at = None
                    self._outcomes.clear()
                    logger.warning("breaker closed", extra={"dependency": self._name})
                return
            self._outcomes.append(succeeded)
            if self._outcomes.count(False) >= _FAILURES:
                now = self._clock.now()
                self._tried_at = now.timestamp()
                metrics.write(
                    metrics.BREAKER_OPENINGS, now, {"BreakerOpenings": 1}, log=logger, dependency=self._name
                )
