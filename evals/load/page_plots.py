"""The plots of docs/cost.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.cost.plot import Line, Panel, svg
from evals.load.deployment import NAMES, SIZES, memory, without_models
from evals.load.figures import PERCENTS
from evals.load.page_load import turns_of


def price(cost: Mapping[str, Any]) -> str:
    """What a user costs in a month at each size, here and with others that have a price at all of them."""
    idle = sum(cost["idle"].values())
    ours = [cost["bills"][str(size)] for size in SIZES]

    def a_user(total: float, size: int) -> float:
        return 100 * total / size

    lines = [
        Line(
            "Noted, without the answering model",
            [a_user(idle + sum(memory(bill).values()), size) for bill, size in zip(ours, SIZES, strict=True)],
        ),
        Line(
            "Noted, without any model",
            [
                a_user(idle + sum(without_models(bill).values()), size)
                for bill, size in zip(ours, SIZES, strict=True)
            ],
        ),
        *(
            Line(each["name"], [a_user(each["running"][str(size)], size) for size in SIZES])
            for each in cost["peers"]
            if None not in each["running"].values()
        ),
    ]
    places = [NAMES[size].replace(" users", "") for size in SIZES]
    panel = Panel(
        "US cents a user and month", "users", lines, lambda cents: f"{cents:g}", places=places, joined=False
    )
    return svg([panel], "What a user costs in a month, by the number of users, beside others")


def load(found: Mapping[str, Any]) -> str:
    """Latencies of turns, and calls done, against the offered rate."""
    steps = turns_of(found)
    rates = [f"{rate:g}" for rate, _ in steps]
    latency = Panel(
        "A turn's latency from its intended start, s",
        "calls offered a second",
        [Line(f"p{each}", [turn[f"p{each}"] / 1000 for _, turn in steps]) for each in PERCENTS],
        lambda seconds: f"{seconds:g}",
        places=rates,
        joined=False,
    )
    done = Panel(
        "Calls done a second",
        "calls offered a second",
        [Line("done in time", [step["throughput"] for step in found["steps"]])],
        lambda value: f"{value:g}",
        places=[f"{step['rate']:g}" for step in found["steps"]],
        joined=False,
    )
    return svg([latency, done], "Latency and throughput of one machine against the offered rate")
