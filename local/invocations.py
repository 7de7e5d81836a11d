"""What is running now, so that an erasure knows when the last writer that began before it has ended."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from noted.clock import Clock


class Invocations:
    """A register of running invocations of all functions of this process. Those of an earlier process ended
    with it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._began: Counter[datetime] = Counter()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keeps an invocation in the register while the block runs."""
        # The time is taken inside the lock: an invocation is either seen by `drained` or began after it.
        with self._lock:
            began = self._clock.now()
            self._began[began] += 1
        try:
            yield
        finally:
            with self._lock:
                self._began[began] -= 1
                if not self._began[began]:
                    del self._began[began]

    def drained(self, since: datetime) -> bool:
        """Whether no invocation that began at or before `since` is still running."""
        with self._lock:
            return all(began > since for began in self._began)
