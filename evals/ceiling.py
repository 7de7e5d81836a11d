"""What limits recall: how deep the evidence lies, what a perfect fusion would bring, what is missed.

    python -m evals.ceiling locomo10.json [--kit FOLDER] [--cache DIR] [--results FOLDER]

Over LoCoMo's questions, by category: the share of evidence among the first k of Noted's own ranking, which is
what a perfect rerank of so many would find at 10; an oracle that picks the best weight of meaning and words
for each question; the share that is among the first k of words or of meaning, which no fusion of the first k
of both can go beyond; and the evidence that is missed at 10, by why it may be: it shares no word with the
question, it stands beside a line that was found, the question has several pieces of evidence. Vectors are of
the local embedder, or of that of a side-by-side kit.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals import results
from evals.locomo import CATEGORIES, Dialogue, load
from evals.recall import Embeddings
from evals.signals import OfKit, Signals, Vectors, embed
from noted.recall import fusion

CUT = 10
DEPTHS = (1, 5, 10, 20, 50, 100, 200)
WEIGHTS = tuple(step / 10 for step in range(11))
NEAR = 2  # lines before or after
ALL = "all"

Places = Sequence[int]
Figures = dict[str, float]


def share(order: Places, evidence: Places, cut: int) -> float:
    """The share of evidence among the first so many.

    >>> share([4, 2, 9], evidence=[2, 7], cut=2)
    0.5
    """
    return len(set(order[:cut]) & set(evidence)) / len(evidence)


def of_question(
    ranked: Places, worded: Places, meant: Places, weighted: Sequence[Places], evidence: Places
) -> Figures:
    """Shares of one question's evidence. `weighted` are rankings of which an oracle takes the best;
    `worded` leaves out what shares no word with the question."""
    found = {f"noted@{depth}": share(ranked, evidence, depth) for depth in DEPTHS}
    found |= {f"words@{depth}": share(worded, evidence, depth) for depth in DEPTHS}
    found |= {f"meaning@{depth}": share(meant, evidence, depth) for depth in DEPTHS}
    for depth in DEPTHS:
        either = set(worded[:depth]) | set(meant[:depth])
        found[f"either@{depth}"] = len(either & set(evidence)) / len(evidence)
    found["oracle"] = max(share(order, evidence, CUT) for order in weighted)
    return found


def missed(ranked: Places, worded: Callable[[int], bool], evidence: Places) -> Mapping[str, int]:
    """How much of a question's evidence is not among the first 10, and of that how much has no word of the
    question (`worded` tells), stands within two lines of one that was found, belongs to a question with
    several pieces, is among the first 50, and lies beyond the first 100."""
    best = set(ranked[:CUT])
    out = [place for place in evidence if place not in best]
    return {
        "evidence": len(evidence),
        "missed": len(out),
        "no word": sum(not worded(place) for place in out),
        "beside": sum(any(abs(place - other) <= NEAR for other in best) for place in out),
        "several": len(out) if len(evidence) > 1 else 0,
        "within 50": sum(place in ranked[:50] for place in out),
        "beyond 100": sum(place not in ranked[:100] for place in out),
    }


def measured(
    dialogues: Sequence[Dialogue], embedded: Vectors, console: Console
) -> tuple[dict[str, Figures], dict[str, dict[str, int]]]:
    """Mean shares and sums of what is missed, by category and for all."""
    names = (*CATEGORIES.values(), ALL)
    shares: dict[str, list[Figures]] = {name: [] for name in names}
    misses: dict[str, list[Mapping[str, int]]] = {name: [] for name in names}
    for dialogue in track(dialogues, "ranking", console=console):
        signals = Signals(dialogue, embedded)
        documents = signals.documents()
        for asked in signals.asked:
            ranked = signals.ranked(asked, documents)
            worded, meant = signals.by_words(asked, documents), signals.by_meaning(asked)
            weighted = []
            for weight in WEIGHTS:
                with patch.object(fusion, "SEMANTIC_WEIGHT", weight):
                    weighted.append(signals.ranked(asked, documents))
            found = of_question(ranked, worded, meant, weighted, asked.evidence)
            lost = missed(ranked, partial(signals.shares_word, asked), asked.evidence)
            for category in (asked.question.category, ALL):
                shares[category].append(found)
                misses[category].append(lost)
    sums = {
        name: {key: sum(row[key] for row in rows) for key in rows[0]} for name, rows in misses.items() if rows
    }
    means = {
        name: {key: round(float(np.mean([row[key] for row in rows])), 4) for key in rows[0]}
        for name, rows in shares.items()
        if rows
    }
    return means, sums


def tables(shares: Mapping[str, Figures], misses: Mapping[str, Mapping[str, int]]) -> list[Table]:
    """Depths and oracles, then what is missed."""
    deep = Table("", *shares, title="Share of evidence")
    rows = {f"among the first {depth}": f"noted@{depth}" for depth in DEPTHS}
    rows["best weight for each question, at 10"] = "oracle"
    rows |= {f"among the first {depth} of words or meaning": f"either@{depth}" for depth in (10, 50, 100)}
    for title, key in rows.items():
        deep.add_row(title, *(f"{each[key]:.3f}" for each in shares.values()))
    lost = Table("", *misses, title="Evidence that is not among the first 10")
    for key in misses[ALL]:
        lost.add_row(key, *(str(each[key]) for each in misses.values()))
    return [deep, lost]


def main() -> None:
    """Reads the arguments, measures and prints the tables."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(
        prog="python -m evals.ceiling", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument("--kit", type=Path, help="folder of a side-by-side kit, for its embedder")
    parser.add_argument("--cache", type=Path, default=home / "noted", help="folder of the embeddings")
    results.add_option(parser)
    options = parser.parse_args()
    console = Console()
    dialogues = load(options.data)
    embedded: Vectors = OfKit(options.kit) if options.kit else Embeddings(options.cache)
    embed(dialogues, embedded, console)
    shares, misses = measured(dialogues, embedded, console)
    console.print(*tables(shares, misses))
    name = f"ceiling-{'kit' if options.kit else 'local'}"
    results.write(options.results, name, {"shares": shares, "missed": misses})


if __name__ == "__main__":
    main()
