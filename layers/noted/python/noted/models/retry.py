"""How long a model call may take, and its one second try: the same rules for every provider.

A call is at most two tries, whatever made the first one fail. All of it ends within its purpose's time, since
an HTTP gateway gives up after 29 to 30 seconds: the second try gets what the first has left.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from noted.errors import ModelError, ModelUnavailable
from noted.models.seam import Purpose, Reply, Usage

CONNECT_SECONDS = 1.0
TRY_SECONDS = 20.0
ANSWER_SECONDS = 24.0
QUERY_SECONDS = 3.0
# A throttled caller is told to wait; longer than this, the user is better served by an answer without it.
LONGEST_PAUSE_SECONDS = 3.0
# A second try with less time than this would only cost money.
SHORTEST_TRY_SECONDS = 0.5

T = TypeVar("T")


def seconds_for(purpose: Purpose) -> float:
    """The time of a whole call. Rewording a query comes before the answer in the same request, so both
    together stay below 27 seconds and leave the gateway's rest to the store."""
    return QUERY_SECONDS if purpose is Purpose.QUERY else ANSWER_SECONDS


class TryError(Exception):
    """One try gave nothing usable. `error` is what the caller is told if no other try follows.

    `again`: whether a second try can help. `after`: seconds that the provider asked to wait. `usage`: what
    the try cost; it counts as a call unless it never reached the provider.
    """

    def __init__(
        self,
        error: ModelError,
        *,
        again: bool,
        after: float | None = None,
        usage: Usage = Usage(model_calls=1),  # noqa: B008 (frozen)
    ) -> None:
        super().__init__(error.reason)
        self.error = error
        self.again = again
        self.after = after
        self.usage = usage


@dataclass(frozen=True)
class Retry:
    """Runs tries against a clock. `sleep` and `monotonic` are in seconds."""

    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic

    def call(self, attempt: Callable[[float], Reply], seconds: float) -> Reply:
        """The reply of `attempt`, which is given its time in seconds. The usage is that of all tries.

        Raises ModelUnavailable, ModelRefused or MalformedOutput.
        """
        reply, before = self.run(attempt, seconds)
        return replace(reply, usage=before + reply.usage)

    def run(self, attempt: Callable[[float], T], seconds: float) -> tuple[T, Usage]:
        """What `attempt` gave, and what a failed try before it cost."""
        end = self.monotonic() + seconds
        first = _within(min(TRY_SECONDS, seconds), attempt)
        if not isinstance(first, TryError):
            return first.value, Usage()
        pause = _pause(first)
        if not first.again or pause is None or self.monotonic() + pause + SHORTEST_TRY_SECONDS > end:
            raise first.error
        if pause:
            self.sleep(pause)
        second = _within(min(TRY_SECONDS, end - self.monotonic()), attempt)
        if isinstance(second, TryError):
            raise second.error
        return second.value, first.usage


def _pause(failed: TryError) -> float | None:
    """Seconds to wait before the second try; None: too long to be worth it."""
    if failed.after is not None:
        return failed.after if 0 <= failed.after <= LONGEST_PAUSE_SECONDS else None
    if isinstance(failed.error, ModelUnavailable):
        return random.uniform(0.1, 0.4)
    return 0.0


@dataclass(frozen=True)
class _Value(Generic[T]):
    value: T


def _within(seconds: float, attempt: Callable[[float], T]) -> _Value[T] | TryError:
    """Runs a try on a thread of its own and stops waiting when its time is over.

    The clients bound one read, not the sum of them, nor the look-up of a name: a server that sends a byte
    now and then would hold the caller for ever. The thread left behind ends with its own read timeout.
    """
    outcome: SimpleQueue[_Value[T] | TryError | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put(_Value(attempt(seconds)))
        except BaseException as error:  # noqa: BLE001 (handed to the caller's thread, whatever it is)
            outcome.put(error)

    threading.Thread(target=run, name="model-call", daemon=True).start()
    try:
        result = outcome.get(timeout=seconds)
    except Empty:
        return TryError(ModelUnavailable("timeout"), again=True)
    if isinstance(result, BaseException) and not isinstance(result, TryError):
        raise result
    return result
