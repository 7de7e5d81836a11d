"""Jobs that run again and again: what the event scheduler's rules are in the cloud."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

_LOG = logging.getLogger("noted.schedule")


class Schedule:
    """Runs each job in a thread of its own, first at once and then `seconds` after it last ended. A job that
    fails is run again at its next time; only the error's type is logged."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def every(self, seconds: float, name: str, job: Callable[[], object]) -> None:
        """Begins to run `job`."""
        thread = threading.Thread(
            target=self._repeat, args=(seconds, name, job), name=f"schedule-{name}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def stop(self, timeout: float = 3) -> None:
        """Starts nothing more and waits up to `timeout` seconds for what is running."""
        self._stopping.set()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0))

    def _repeat(self, seconds: float, name: str, job: Callable[[], object]) -> None:
        while not self._stopping.is_set():
            try:
                job()
            except Exception as error:  # noqa: BLE001 - whatever fails, the next run may succeed
                _LOG.warning("job failed", extra={"job": name, "error_type": type(error).__name__})
            self._stopping.wait(seconds)
