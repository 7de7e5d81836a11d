"""Makes planned calls at their instants, whatever becomes of the calls before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from evals.load.arrivals import Kind, Planned

# A call that is not made since too many are under way.
NOT_SENT = "not-sent"


@dataclass(frozen=True)
class Outcome:
    """What became of a call. Instants are seconds from the beginning of its step: when it was to be made,
    when it was, and when it ended. `error` is the kind of failure, None for a call that did all it should."""

    kind: Kind
    intended: float
    sent: float
    ended: float
    error: str | None = None

    @property
    def latency(self) -> float:
        """Seconds from when it was to be made."""
        return self.ended - self.intended


class Clock(Protocol):
    """Seconds, and waiting until one of them."""

    def now(self) -> float:
        """Seconds from some beginning."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Returns after so many seconds."""
        ...


class LoopClock:
    """The machine's."""

    def now(self) -> float:
        """Seconds from some beginning."""
        return time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Returns after so many seconds."""
        await asyncio.sleep(seconds)


Perform = Callable[[Kind], Awaitable[str | None]]


async def offer(
    calls: Sequence[Planned],
    perform: Perform,
    clock: Clock,
    *,
    most: int = 2_000,
    ended: Callable[[Outcome], object] = lambda _: None,
) -> list[Outcome]:
    """Makes each call at its instant and returns when all have ended, with their outcomes in the order of the
    plan. `perform` gives the kind of error of a call, or None, and is expected to give up at some time. With
    `most` calls under way a further one is not made and counts as an error: waiting for a place would close
    the loop."""
    began = clock.now()
    under_way: set[asyncio.Task[Outcome]] = set()
    tasks: list[asyncio.Task[Outcome] | Outcome] = []

    async def make(call: Planned) -> Outcome:
        sent = clock.now() - began
        error = await perform(call.kind)
        outcome = Outcome(call.kind, call.at, sent, clock.now() - began, error)
        ended(outcome)
        return outcome

    for call in calls:
        wait = call.at - (clock.now() - began)
        if wait > 0:
            await clock.sleep(wait)
        if len(under_way) >= most:
            now = clock.now() - began
            refused = Outcome(call.kind, call.at, now, now, NOT_SENT)
            tasks.append(refused)
            ended(refused)
            continue
        task = asyncio.create_task(make(call))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        tasks.append(task)
    return [each if isinstance(each, Outcome) else await each for each in tasks]
