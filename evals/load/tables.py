"""The figures of a run, for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from evals.load.figures import PERCENTS


def show(found: dict[str, Any], console: Console) -> None:
    """Prints a table of the steps and what the check found."""
    table = Table(title="latency in ms from the intended start")
    for name in ("offered/s", "done/s", "call", "calls", *(f"p{each}" for each in PERCENTS), "errors"):
        table.add_column(name, justify="left" if name in ("call", "errors") else "right")
    for step in found["steps"]:
        errors = ", ".join(f"{count} {kind}" for kind, count in step["errors"].items())
        for number, (kind, latency) in enumerate(step["latency_ms"].items()):
            table.add_row(
                f"{step['rate']:g}" if not number else "",
                f"{step['throughput']:g}" if not number else "",
                kind,
                str(latency["calls"]),
                *(f"{latency[f'p{each}']:.0f}" for each in PERCENTS),
                errors if not number else "",
                end_section=number == len(step["latency_ms"]) - 1,
            )
    console.print(table)
    after = found["after"]
    console.print("checked", after["checked"], "extractions", after["extractions"])
    console.print("lost", after["lost"], "left", after["left"], "unfinished", after["unfinished"])
    console.print("sound" if after["sound"] else "NOT SOUND", found["machine"])
