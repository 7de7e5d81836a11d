"""What the report says of how settings were chosen, and of what limits recall."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evals import results
from evals.ceiling import ALL
from evals.cost.plot import Line, Panel, svg
from evals.locomo import CATEGORIES
from evals.report_tables import share, table


def blocks(folder: Path) -> dict[str, str]:
    """The tables."""
    return {"tuning": _tuning(folder), "ceiling": _ceiling(folder), "misses": _misses(folder)}


def plots(folder: Path) -> dict[str, str]:
    """The plots of which the figures were kept."""
    drawn: dict[str, str] = {}
    tuned = results.read(folder, "tuning-kit")
    if tuned:
        drawn["report-weight.svg"] = svg([_weights(tuned)], "Recall at 10 by the weight of meaning")
    deep = results.read(folder, "ceiling-kit")
    if deep:
        panels = [
            _depths(deep, "noted", "Evidence among the first k of Noted's ranking"),
            _depths(deep, "either", "Evidence among the first k of words or meaning"),
        ]
        drawn["report-ceiling.svg"] = svg(panels, "Share of the evidence among the first k, by category")
    return drawn


def _tuning(folder: Path) -> str:
    rows = []
    for name, embedder in (("kit", "MiniLM"), ("local", "multilingual-e5-small")):
        kept = results.read(folder, f"tuning-{name}")
        if kept is None:
            continue
        found = kept["found"]
        settings = {
            "chosen on 1 to 5 alone": max(found, key=lambda each: (each[3], -abs(each[2] - 0.5))),
            "as Noted has it": next(each for each in found if each[:3] == kept["present"]),
            "best on 6 to 10": max(found, key=lambda each: each[4]),
        }
        rows += [
            [embedder, title, *(f"{value:g}" for value in each[:3]), share(each[3]), share(each[4])]
            for title, each in settings.items()
        ]
    return table(["vectors", "", "k1", "b", "weight of meaning", "@10 on 1 to 5", "@10 on 6 to 10"], rows)


def _ceiling(folder: Path) -> str:
    rows: list[list[str]] = []
    wanted = {f"Noted, first {depth}": f"noted@{depth}" for depth in (10, 20, 50, 100, 200)}
    wanted |= {f"words or meaning, first {depth} of each": f"either@{depth}" for depth in (10, 50, 100)}
    wanted["the best weight for each question, first 10"] = "oracle"
    names = (*CATEGORIES.values(), ALL)
    for kind, embedder in (("kit", "MiniLM"), ("local", "e5")):
        kept = results.read(folder, f"ceiling-{kind}")
        if kept:
            shares = kept["shares"]
            rows += [
                [embedder, title, *(share(shares[name][key]) for name in names)]
                for title, key in wanted.items()
            ]
    return table(["vectors", "evidence among", *names], rows)


def _misses(folder: Path) -> str:
    kept = results.read(folder, "ceiling-kit")
    names = (*CATEGORIES.values(), ALL)
    titles = {
        "evidence": "pieces of evidence",
        "missed": "not among the first 10",
        "no word": "of these: share no word with the question but a speaker's name",
        "beside": "stand within two lines of one that was found",
        "several": "belong to a question with several pieces",
        "within 50": "are among the first 50",
        "beyond 100": "lie beyond the first 100",
    }
    rows = []
    for key, title in titles.items() if kept else ():
        counts = {name: kept["missed"][name] for name in names} if kept else {}
        told = [
            f"{each[key]:,}"
            + (f" ({each[key] / each['missed']:.0%})" if key not in ("evidence", "missed") else "")
            for each in counts.values()
        ]
        rows.append([title, *told])
    return table(["", *names], rows)


def _weights(kept: dict[str, Any]) -> Panel:
    present = kept["present"]
    rows = [each for each in kept["found"] if each[:2] == present[:2]]
    lines = [
        Line("conversations 1 to 5", [each[3] for each in rows]),
        Line("conversations 6 to 10", [each[4] for each in rows]),
    ]
    places = [f"{each[2]:g}" if number % 4 == 0 else "" for number, each in enumerate(rows)]
    return Panel("recall@10", "weight of meaning; words have the rest", lines, _written, places=places)


def _depths(kept: dict[str, Any], prefix: str, title: str) -> Panel:
    depths = (1, 5, 10, 20, 50, 100, 200)
    lines = [
        Line(name, [kept["shares"][name][f"{prefix}@{depth}"] for depth in depths])
        for name in (*CATEGORIES.values(), ALL)
    ]
    return Panel(title, "k", lines, _written, places=[str(d) for d in depths])


_written: Callable[[float], str] = "{:g}".format
