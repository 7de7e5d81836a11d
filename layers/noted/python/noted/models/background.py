"""Work on a thread of its own, whose items are waited for only as long as the caller is willing to.

The clients bound one read, not the sum of them, nor the look-up of a name: a server that sends a byte now and
then would hold its caller for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Given(Generic[T]):
    """An item that came in time."""

    value: T


class Background(Generic[T]):
    """Runs `work` and keeps its items until they are asked for.

    A thread whose caller has left ends with its next item, or with its own read timeout.
    """

    def __init__(self, work: Callable[[], Generator[T, None, None]]) -> None:
        self._work = work
        self._items: SimpleQueue[Given[T] | BaseException] = SimpleQueue()
        self._left = threading.Event()
        threading.Thread(target=self._run, name="model-call", daemon=True).start()

    def next(self, seconds: float) -> Given[T] | BaseException | None:
        """The next item, or what the work raised; None: neither came within `seconds`."""
        try:
            return self._items.get(timeout=max(seconds, 0.0))
        except Empty:
            return None

    def leave(self) -> None:
        """Nothing more is asked for."""
        self._left.set()

    def _run(self) -> None:
        try:
            # The work may hold a connection: it is closed as soon as nobody reads on.
            with closing(self._work()) as items:
                for item in items:
                    if self._left.is_set():
                        return
                    self._items.put(Given(item))
            self._items.put(RuntimeError("there are no more items"))
        except BaseException as error:  # noqa: BLE001 (handed to the caller's thread, whatever it is)
            self._items.put(error)
