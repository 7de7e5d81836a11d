"""How long a model call may take, and its one second try: the same rules for every provider.

A call is at most two tries, whatever made the first one fail. All of it ends within its purpose's time, since
an HTTP gateway gives up after 29 to 30 seconds: the second try gets what the first has left. A stream has the
same time, from its beginning to its end, and no second try once a piece of it was given.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from noted.errors import ModelError, ModelUnavailable
from noted.models.background import Background, Given
from noted.models.seam import Prompt, Purpose, Reply, Usage

CONNECT_SECONDS = 1.0
TRY_SECONDS = 20.0
ANSWER_SECONDS = 24.0
QUERY_SECONDS = 3.0
# A throttled caller is told to wait; longer than this, the user is better served by an answer without it.
LONGEST_PAUSE_SECONDS = 3.0
# A second try with less time than this would only cost money.
SHORTEST_TRY_SECONDS = 0.5

T = TypeVar("T")


def seconds_for(prompt: Prompt) -> float:
    """The time of a whole call. Rewording a query comes before the answer in the same request, so both
    together stay below 27 seconds and leave the gateway's rest to the store."""
    allowed = QUERY_SECONDS if prompt.purpose is Purpose.QUERY else ANSWER_SECONDS
    return allowed if prompt.seconds is None else min(allowed, prompt.seconds)


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
        second = _within(self._second(first, end), attempt)
        if isinstance(second, TryError):
            raise second.error
        return second.value, first.usage

    def stream(
        self, attempt: Callable[[float], Generator[str | Reply, None, None]], seconds: float
    ) -> Iterator[str | Reply]:
        """The pieces that `attempt` gives, and its reply as the last item, with the usage of all tries.

        `attempt` is given the seconds until it must have given its first piece. Raises ModelUnavailable,
        ModelRefused or MalformedOutput, also after pieces.
        """
        end = self.monotonic() + seconds
        first = yield from self._given(attempt, min(TRY_SECONDS, seconds), end, Usage())
        if first is None:
            return
        second = yield from self._given(attempt, self._second(first, end), end, first.usage)
        if second is not None:
            raise second.error

    def _given(
        self,
        attempt: Callable[[float], Generator[str | Reply, None, None]],
        seconds: float,
        end: float,
        before: Usage,
    ) -> Generator[str | Reply, None, TryError | None]:
        """Gives on what one try gives. Its failure is returned where nothing was given yet, else raised."""
        first_by = self.monotonic() + seconds
        begun = False
        pieces = Background(lambda: attempt(seconds))
        try:
            while True:
                item = _next(pieces, (end if begun else first_by) - self.monotonic())
                if isinstance(item, TryError):
                    if begun:
                        raise item.error
                    return item
                if isinstance(item.value, Reply):
                    yield replace(item.value, usage=before + item.value.usage)
                    return None
                begun = True
                yield item.value
        finally:
            pieces.leave()

    def _second(self, failed: TryError, end: float) -> float:
        """The seconds of a second try, after the pause before it. Raises the failure where there is none."""
        pause = _pause(failed)
        if not failed.again or pause is None or self.monotonic() + pause + SHORTEST_TRY_SECONDS > end:
            raise failed.error
        if pause:
            self.sleep(pause)
        return min(TRY_SECONDS, end - self.monotonic())


def _pause(failed: TryError) -> float | None:
    """Seconds to wait before the second try; None: too long to be worth it."""
    if failed.after is not None:
        return failed.after if 0 <= failed.after <= LONGEST_PAUSE_SECONDS else None
    if isinstance(failed.error, ModelUnavailable):
        return random.uniform(0.1, 0.4)
    return 0.0


def _within(seconds: float, attempt: Callable[[float], T]) -> Given[T] | TryError:
    """What a try gave within its time."""

    def work() -> Generator[T, None, None]:
        yield attempt(seconds)

    return _next(Background(work), seconds)


def _next(background: Background[T], seconds: float) -> Given[T] | TryError:
    item = background.next(seconds)
    if item is None:
        return TryError(ModelUnavailable("timeout"), again=True)
    if isinstance(item, BaseException) and not isinstance(item, TryError):
        raise item
    return item
