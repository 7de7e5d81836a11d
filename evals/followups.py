"""What recall finds for a follow-up question when no model words it anew.

    python -m evals.followups locomo10.json [--cache DIR]

Questions of LoCoMo (bring your own copy) that name one speaker have the name taken out ("When did she
paint?"), and go on from another question about the same speaker: one whose evidence lies in the same
session, or any. "whole" is the question with its name, "alone" what is left of it, and "1 : n" both
questions, with the words of the follow-up n times. Every second dialogue, the same questions each time.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from evals.locomo import Dialogue, Question, document, load
from evals.recall import CUTS, Embeddings, Rankings, measures, places

QUESTIONS = 150


@dataclass(frozen=True)
class FollowUp:
    """A question, what is left of it without its name, and the one that it goes on from."""

    dialogue: Dialogue
    question: Question
    text: str
    before: str


WAYS: dict[str, Callable[[FollowUp], str]] = {
    "whole": lambda asked: asked.question.text,
    "alone": lambda asked: asked.text,
    "1 : 1": lambda asked: f"{asked.text}\n{asked.before}",
    "1 : 2": lambda asked: f"{asked.text}\n{asked.text}\n{asked.before}",
    "1 : 3": lambda asked: f"{asked.text}\n{asked.text}\n{asked.text}\n{asked.before}",
}


def follow_ups(dialogues: list[Dialogue], *, same_session: bool) -> list[FollowUp]:
    """Follow-ups, drawn by chance, the same each time."""
    chance = random.Random(1)
    found = []
    for dialogue in dialogues:
        for question in dialogue.questions:
            named = [speaker for speaker in dialogue.speakers if speaker in question.text]
            if len(named) != 1:
                continue
            before = [
                other.text
                for other in dialogue.questions
                if other is not question
                and named[0] in other.text
                and (not same_session or _sessions(other) & _sessions(question))
            ]
            if before:
                text = re.sub(rf"\b{named[0]}'s\b", "her", question.text)
                text = re.sub(rf"\b{named[0]}\b", "she", text)
                found.append(FollowUp(dialogue, question, text, chance.choice(before)))
    chance.shuffle(found)
    return found[:QUESTIONS]


def _sessions(question: Question) -> set[str]:
    return {line.partition(":")[0] for line in question.evidence}


def main() -> None:
    """Reads the arguments, embeds what is missing and prints the tables."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="python -m evals.followups", description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument(
        "--cache", type=Path, default=home / "noted", help="folder of the embeddings (%(default)s)"
    )
    chosen = parser.parse_args()
    console = Console()
    dialogues = load(chosen.data)[::2]
    embeddings = Embeddings(chosen.cache)
    for same_session in (True, False):
        asked = follow_ups(dialogues, same_session=same_session)
        embeddings.compute(
            [document(line) for dialogue in dialogues for line in dialogue.lines],
            [way(each) for each in asked for way in WAYS.values()],
            console,
        )
        rankings = {id(dialogue): Rankings(dialogue, embeddings) for dialogue in dialogues}
        title = f"{len(asked)} follow-ups of {'the same session' if same_session else 'any question'}"
        table = Table("", *(f"recall@{cut}" for cut in CUTS), "MRR", title=title)
        for name, way in WAYS.items():
            rows = [
                measures(
                    rankings[id(each.dialogue)].noted(way(each), embeddings.of("query", way(each))),
                    places(each.dialogue, each.question),
                )
                for each in asked
            ]
            table.add_row(name, *(f"{mean:.3f}" for mean in np.array(rows).mean(axis=0)))
        console.print(table)


if __name__ == "__main__":
    main()
