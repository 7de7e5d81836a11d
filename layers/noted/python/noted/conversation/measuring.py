"""Turns as a metric, by the way that their messages went."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING

from noted import metrics

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.conversation.outcome import Taken

# Beside the routes: a turn that another system answered.
RECORDED = "recorded"


def measured_turn(pieces: Generator[str, None, Taken], clock: Clock) -> Generator[str, None, Taken]:
    """The same pieces and the same turn. One that comes to no answer is no turn."""
    began = time.monotonic()
    taken = yield from pieces
    values = {
        "Turns": 1,
        "DegradedTurns": int(bool(taken.turn.degraded)),
        "TurnDuration": round((time.monotonic() - began) * 1000),
    }
    metrics.write(metrics.TURNS, clock.now(), values, route=str(taken.turn.route))
    return taken


def measured_record(taken: Taken, clock: Clock) -> Taken:
    """The same turn, which another system answered."""
    metrics.write(metrics.TURNS, clock.now(), {"Turns": 1}, route=RECORDED)
    return taken
