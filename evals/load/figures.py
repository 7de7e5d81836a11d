"""What a step of load showed: percentiles by call, throughput, errors by kind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from evals.load.arrivals import Kind
from evals.load.openloop import Outcome

PERCENTS = (50, 90, 99)
# What a client is told on purpose and sent nothing for: a user who was erased while the call was under way.
EXPECTED = frozenset({"409 epoch-changed"})
# A step that gets less than this share of what is offered done within its time is saturated.
_DONE_IN_TIME = 0.9


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile: the smallest value that at least `percent` per cent of all values do not
    exceed. Raises ValueError without values, or for a per cent outside 0 (not included) to 100.

    >>> percentile([15, 20, 35, 40, 50], 30), percentile([15, 20, 35, 40, 50], 50)
    (20, 35)
    """
    if not values or not 0 < percent <= 100:
        raise ValueError("values, and a per cent above 0 and up to 100, are needed")
    return sorted(values)[math.ceil(percent / 100 * len(values)) - 1]


def of_step(rate: float, seconds: float, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of a step that was offered `rate` calls a second for `seconds`. Latencies, in
    milliseconds from the intended start, are of calls that did what they should. `throughput` counts those
    that ended within the step's time; `behind_ms` is how late the generator sent its latest call."""
    good = [each for each in outcomes if each.error is None]
    errors = Counter(each.error for each in outcomes if each.error is not None)
    in_time = sum(each.ended <= seconds for each in outcomes if each.error is None or each.error in EXPECTED)
    return {
        "rate": rate,
        "seconds": seconds,
        "offered": len(outcomes),
        "done": len(good),
        "throughput": round(in_time / seconds, 2),
        "errors": {
            str(kind): count for kind, count in sorted(errors.items(), key=str) if kind not in EXPECTED
        },
        "refused": {str(kind): count for kind, count in errors.items() if kind in EXPECTED},
        "behind_ms": round(max((each.sent - each.intended for each in outcomes), default=0.0) * 1000, 1),
        "latency_ms": {
            str(kind): {
                "calls": len(latencies),
                **{f"p{each}": round(percentile(latencies, each) * 1000, 1) for each in PERCENTS},
            }
            for kind in Kind
            if (latencies := [each.latency for each in good if each.kind is kind])
        },
    }


def saturated(step: dict[str, Any]) -> bool:
    """Whether a step got clearly less done in its time than it was offered."""
    return bool(step["throughput"] < _DONE_IN_TIME * step["offered"] / step["seconds"])


def ratios(steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each step's percentiles as multiples of those of the first step, by call: what can be compared, since
    times of one machine mean nothing on another."""
    first = steps[0]["latency_ms"]
    return [
        {
            "rate": step["rate"],
            "throughput_of_offered": round(step["throughput"] * step["seconds"] / step["offered"], 3),
            "times_first": {
                kind: {
                    name: round(value / first[kind][name], 2)
                    for name, value in latencies.items()
                    if name != "calls" and first[kind][name]
                }
                for kind, latencies in step["latency_ms"].items()
                if kind in first
            },
        }
        for step in steps
    ]
