"""Recall of one system of a side-by-side kit of memory systems, question by question, over LoCoMo.

    PYTHONPATH=. python -m evals.beside locomo10.json --kit FOLDER --system chroma [--results FOLDER]

Every line of a dialogue is a memory of one user, all ten users live in one store, and every system ranks
vectors of the kit's embedder. It runs with the Python in which the system is installed, so it needs nothing
but the kit; for `--system noted`, the project's own. Kept are the ranks of each question's evidence among the
first 20, so that intervals can be made of them, and of the differences of two systems.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evals import results
from evals.locomo import Dialogue, document, load

DEPTH = 20


def evidence_ranks(found: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """Where each wanted text is among the found ones, counted from 1; None where it is not. Two lines of the
    same words are one text.

    >>> evidence_ranks(["a", "b "], ["b", "c"])
    [2, None]
    """
    places: dict[str, int] = {}
    for place, text in enumerate(found, start=1):
        places.setdefault(text.strip(), place)
    return [places.get(text.strip()) for text in wanted]


def ranks(system: Any, dialogues: Sequence[Dialogue]) -> dict[str, list[Any]]:
    """Stores all dialogues and asks all questions: of each its conversation (from 1), its category, and the
    ranks of its evidence in the order of the lines."""
    for number, dialogue in enumerate(dialogues, start=1):
        for start in range(0, len(dialogue.lines), system.batch):
            part = dialogue.lines[start : start + system.batch]
            texts, times = [document(line) for line in part], [line.said_at.timestamp() for line in part]
            system.add(f"user-{number}", texts, times)
    kept: dict[str, list[Any]] = {"conversation": [], "category": [], "ranks": []}
    for number, dialogue in enumerate(dialogues, start=1):
        for question in dialogue.questions:
            wanted = [document(line) for line in dialogue.lines if line.line_id in question.evidence]
            found = [hit.text for hit in system.search(f"user-{number}", question.text, DEPTH)]
            kept["conversation"].append(number)
            kept["category"].append(question.category)
            kept["ranks"].append(evidence_ranks(found, wanted))
    return kept


def main() -> None:
    """Runs one system and keeps what it found."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.beside", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument("--kit", type=Path, required=True, help="folder of the kit")
    parser.add_argument("--system", required=True, help="a name that the kit knows, or noted")
    results.add_option(parser)
    chosen = parser.parse_args()
    sys.path.insert(0, str(chosen.kit))
    embedder = importlib.import_module("bench_embed").Embedder()
    dialogues = load(chosen.data)
    with tempfile.TemporaryDirectory(prefix="beside-") as folder:
        system = importlib.import_module("adapters").make(chosen.system, Path(folder), embedder)
        try:
            found = ranks(system, dialogues)
        finally:
            system.close()
    count = len(found["ranks"])
    shares = (sum(rank is not None and rank <= 10 for rank in each) / len(each) for each in found["ranks"])
    print(f"{chosen.system}: {count} questions, recall@10 {sum(shares) / count:.3f}")
    about = {"system": chosen.system, "version": type(system).version(), "notes": system.notes}
    results.write(chosen.results, f"beside-{chosen.system}", {**about, **found})


if __name__ == "__main__":
    main()
