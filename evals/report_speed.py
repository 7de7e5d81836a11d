"""What the report says of time and read units."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evals import results
from evals.cost.plot import Line, Panel, svg
from evals.report_recall import NAMES
from evals.report_tables import table

SYSTEMS = {**NAMES, "langgraph-memory": "LangGraph, in memory"}


def blocks(folder: Path) -> dict[str, str]:
    """The tables."""
    return {"speed": _growth(results.read(folder, "speed")), "speed-beside": _beside(folder)}


def plots(folder: Path) -> dict[str, str]:
    """The growth, if it was kept."""
    kept = results.read(folder, "speed")
    if not kept:
        return {}
    steps = kept["steps"]
    places = [_short(step["facts"]) for step in steps]

    def line(name: str, state: str, figure: str) -> Line:
        return Line(name, [step[state][figure] for step in steps])

    panels = [
        Panel(
            "Processor time of a search, ms",
            "facts",
            [line("cold", "cold", "taken"), line("warm", "warm", "taken")],
            "{:g}".format,
            places=places,
        ),
        Panel(
            "Read units of a search",
            "facts",
            [line("cold", "cold", "units"), line("warm", "warm", "units")],
            "{:g}".format,
            places=places,
        ),
    ]
    return {"report-speed.svg": svg(panels, "What one search costs, by the number of facts")}


def _growth(kept: dict[str, Any] | None) -> str:
    columns = [
        "facts",
        "write, a fact",
        "warm",
        "own",
        "units",
        "cold",
        "own",
        "units",
        "scan",
        "warm / scan",
    ]
    rows = []
    for step in kept["steps"] if kept else ():
        figures = [
            figure
            for each in (step["warm"], step["cold"])
            for figure in (
                f"{each['taken']:.1f}",
                f"{each['taken'] - each['client']:.1f}",
                f"{each['units']:g}",
            )
        ]
        ratio = f"{step['warm']['taken'] / step['scan']:,.0f}"
        rows.append([f"{step['facts']:,}", f"{step['ingest']:.1f}", *figures, f"{step['scan']:.2f}", ratio])
    return table(columns, rows)


def _beside(folder: Path) -> str:
    rows = []
    for path in sorted(folder.glob("speed-*-alone.json")):
        kept = json.loads(path.read_text("utf-8"))
        at = {step["memories"]: step["search"]["cpu_p50_ms"] for step in kept["steps"]}
        name = SYSTEMS.get(kept["system"], kept["system"])
        rows.append([name, kept["version"], *(_milliseconds(at.get(size)) for size in (1_000, 10_000))])
    return table(["", "version", "ms at 1,000", "ms at 10,000"], sorted(rows, key=lambda row: row[0]))


def _milliseconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _short(facts: int) -> str:
    return f"{facts // 1000}k" if facts >= 1000 else str(facts)
