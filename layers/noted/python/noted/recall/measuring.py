"""What a recall took and gave, as a metric."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from noted import metrics

if TYPE_CHECKING:
    from noted.clock import Clock


class Measured:
    """One recall, from its beginning: for an `answer`, or for the `api`, whose client waits for it."""

    def __init__(self, source: Literal["answer", "api"], clock: Clock) -> None:
        self._source = source
        self._clock = clock
        self._began = time.monotonic()

    def end(self, facts: int, *, degraded: bool) -> None:
        """`facts`: how many it gave; `degraded`: something had to be done without."""
        values = {
            "Recalls": 1,
            "DegradedRecalls": int(degraded),
            "RecalledFacts": facts,
            "RecallDuration": round((time.monotonic() - self._began) * 1000),
        }
        metrics.write(metrics.RECALLS, self._clock.now(), values, source=self._source)
