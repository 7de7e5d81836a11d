"""Settings of the ranking chosen on five conversations of LoCoMo and reported on the other five.

    python -m evals.tuning locomo10.json [--kit FOLDER] [--cache DIR] [--results FOLDER]

Two constants of BM25 and the weight of meaning beside words are varied together; recall@10 of every setting
is taken over conversations 1 to 5 and over 6 to 10. The setting that is best on the first half is what a
choice on that half alone would have given, so its figure on the second half is an honest one; beside it
stands the setting that Noted has. Vectors are of the local embedder, or of that of a side-by-side kit.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals import results
from evals.locomo import Dialogue, load
from evals.recall import Embeddings
from evals.signals import OfKit, Signals, Vectors, embed
from noted.recall import fusion, lexical

CUT = 10
HALF = 5
WORDS = ((0.4, 0.2), (0.6, 0.3), (0.9, 0.4), (1.2, 0.75), (1.5, 0.75))
WEIGHTS = tuple(step / 20 for step in range(21))


class Setting(NamedTuple):
    """What is varied: `k1` and `b` of BM25, and the share of meaning in the relevance."""

    k1: float
    b: float
    weight: float


class Found(NamedTuple):
    """recall@10 of a setting on both halves."""

    setting: Setting
    first: float
    second: float


PRESENT = Setting(lexical.K1, lexical.B, fusion.SEMANTIC_WEIGHT)


def settings() -> Iterator[Setting]:
    """All that are tried, the present one among them."""
    pairs = dict.fromkeys([*WORDS, (PRESENT.k1, PRESENT.b)])
    weights = sorted({*WEIGHTS, PRESENT.weight})
    return (Setting(k1, b, weight) for k1, b in pairs for weight in weights)


def recalls(signals: Signals, setting: Setting) -> list[float]:
    """recall@10 of each question of a conversation."""
    with (
        patch.object(lexical, "K1", setting.k1),
        patch.object(lexical, "B", setting.b),
        patch.object(fusion, "SEMANTIC_WEIGHT", setting.weight),
    ):
        documents = signals.documents()
        return [
            len(set(signals.ranked(asked, documents)[:CUT]) & set(asked.evidence)) / len(asked.evidence)
            for asked in signals.asked
        ]


def measured(dialogues: Sequence[Dialogue], embedded: Vectors, console: Console) -> list[Found]:
    """Every setting on both halves of the conversations."""
    signals = [Signals(dialogue, embedded) for dialogue in dialogues]
    found = []
    for setting in track(list(settings()), "settings", console=console):
        halves = [
            np.concatenate([recalls(each, setting) for each in half]).mean()
            for half in (signals[:HALF], signals[HALF:])
        ]
        found.append(Found(setting, float(halves[0]), float(halves[1])))
    return found


def chosen_on_first(found: Sequence[Found]) -> Found:
    """The setting that is best on the first half; of equals the one nearest to equal shares."""
    return max(found, key=lambda each: (each.first, -abs(each.setting.weight - 0.5)))


def table(found: Sequence[Found]) -> Table:
    """The chosen setting, the present one, and the best of all on the second half."""
    rows = {
        "chosen on 1 to 5": chosen_on_first(found),
        "present": next(each for each in found if each.setting == PRESENT),
        "best on 6 to 10": max(found, key=lambda each: each.second),
    }
    made = Table("", "k1", "b", "weight", "@10 on 1 to 5", "@10 on 6 to 10")
    for name, (setting, first, second) in rows.items():
        made.add_row(name, *(f"{value:g}" for value in setting), f"{first:.3f}", f"{second:.3f}")
    return made


def main() -> None:
    """Reads the arguments, tries the settings and prints a table."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(
        prog="python -m evals.tuning", description=(__doc__ or "").split("\n")[0]
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
    found = measured(dialogues, embedded, console)
    console.print(table(found))
    kept = {
        "present": PRESENT,
        "found": [[*each.setting, round(each.first, 4), round(each.second, 4)] for each in found],
    }
    results.write(options.results, f"tuning-{'kit' if options.kit else 'local'}", kept)


if __name__ == "__main__":
    main()
