"""What the report says of recall, systems side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals import results
from evals.cost.plot import Line, Panel, svg
from evals.intervals import bootstrap
from evals.locomo import CATEGORIES
from evals.report_tables import share, table, within

NAMES = {
    "noted": "Noted",
    "sum": "sum of scaled scores",
    "mem0": "mem0, hybrid",
    "rrf": "reciprocal rank fusion",
    "bm25s": "BM25",
    "chroma": "Chroma",
    "lancedb": "LanceDB",
    "mem0-semantic": "mem0, dense",
    "numpy": "dense scan",
}
DRAWN = ("noted", "sum", "rrf", "bm25s", "chroma")
ALL = "all"
_CUTS = (5, 10, 20)
_HALF = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class System:
    """One system's figures, a value a question."""

    name: str
    version: str
    conversation: NDArray[np.int64]
    category: NDArray[np.str_]
    measures: dict[str, Floats]

    def of(self, measure: str, category: str = ALL) -> Floats:
        """The values of a measure over the questions of a category."""
        values = self.measures[measure]
        return values if category == ALL else values[self.category == category]


def system(kept: dict[str, Any]) -> System:
    """A system's figures from the ranks that were kept."""
    ranks = kept["ranks"]
    measures = {
        f"recall@{cut}": np.array(
            [sum(rank is not None and rank <= cut for rank in each) / len(each) for each in ranks]
        )
        for cut in _CUTS
    }
    measures["MRR"] = np.array([max((1 / rank for rank in each if rank), default=0.0) for each in ranks])
    return System(
        NAMES.get(kept["system"], kept["system"]),
        kept["version"],
        np.array(kept["conversation"]),
        np.array(kept["category"]),
        measures,
    )


def systems(folder: Path) -> list[System]:
    """All systems that were run, Noted first and then the best ones."""
    kept = [results.read(folder, f"beside-{name}") for name in NAMES]
    found = [system(each) for each in kept if each is not None]
    return sorted(found, key=lambda each: (each.name != NAMES["noted"], -each.of("recall@10").mean()))


def blocks(folder: Path) -> dict[str, str]:
    """The tables."""
    found = systems(folder)
    return {
        "recall": _all(found),
        "recall-categories": _categories(found),
        "recall-difference": _difference(found),
        "recall-local": _local(results.read(folder, "recall")),
    }


def plots(folder: Path) -> dict[str, str]:
    """The plots of which the figures were kept."""
    drawn: dict[str, str] = {}
    found = {each.name: each for each in systems(folder)}
    chosen = [found[NAMES[name]] for name in DRAWN if NAMES[name] in found]
    if chosen:
        panels = [_dots(chosen, measure) for measure in ("recall@10", "MRR")]
        drawn["report-recall.svg"] = svg(panels, "Recall at 10 and MRR by category, with 95 % intervals")
    return drawn


def _mean(values: Floats) -> str:
    return within(float(values.mean()), bootstrap(values.tolist()))


def _all(found: Sequence[System]) -> str:
    columns = ["", "version", *(f"recall@{cut}" for cut in _CUTS), "MRR", "@10 on 1 to 5", "@10 on 6 to 10"]
    rows = []
    for each in found:
        first = each.conversation <= _HALF
        at_10 = each.of("recall@10")
        halves = [share(float(at_10[half].mean())) for half in (first, ~first)]
        rows.append([each.name, each.version, *(_mean(values) for values in each.measures.values()), *halves])
    return table(columns, rows)


def _categories(found: Sequence[System]) -> str:
    parts = []
    for category in CATEGORIES.values():
        rows = [
            [each.name, *(_mean(each.of(measure, category)) for measure in each.measures)] for each in found
        ]
        count = len(found[0].of("MRR", category)) if found else 0
        columns = [f"{category}, {count} questions", *(f"recall@{cut}" for cut in _CUTS), "MRR"]
        parts.append(table(columns, rows))
    return "\n\n".join(parts)


def _difference(found: Sequence[System]) -> str:
    if len(found) < 2:
        return table([], [])
    ours, *others = found
    rows = []
    for category in (*CATEGORIES.values(), ALL):
        best = max(others, key=lambda each: each.of("recall@10", category).mean())
        gain = ours.of("recall@10", category) - best.of("recall@10", category)
        rows.append([category, best.name, _mean(gain)])
    return table(["", "best other at 10", "Noted's recall@10 less that one's, question by question"], rows)


def _local(kept: dict[str, Any] | None) -> str:
    rankings = kept["rankings"] if kept else {}
    columns = ["", *(f"recall@{cut}" for cut in _CUTS), "MRR"]
    rows = [
        [name, *(within(mean, (low, high)) for mean, low, high in measures.values())]
        for name, measures in rankings.items()
    ]
    return table(columns, rows)


def _dots(chosen: Sequence[System], measure: str) -> Panel:
    names = (*CATEGORIES.values(), ALL)
    lines = []
    for each in chosen:
        values = [each.of(measure, name) for name in names]
        means = [float(value.mean()) for value in values]
        lines.append(Line(each.name, means, [bootstrap(value.tolist()) for value in values]))
    # In full they would run into each other.
    places = [name.partition("-")[0] for name in names]
    return Panel(measure, "kind of question", lines, _written, places=places, joined=False)


_written: Callable[[float], str] = "{:g}".format
