"""What should recall leave out? Where nothing was told, and where a prompt has no room.

    python -m evals.floor locomo10.json [--cache DIR]

LoCoMo (bring your own copy): a memory is a number of lines of one dialogue, drawn by chance, that hold the
evidence of a question; one in four questions is asked. Beside them stand forty questions of our own about
what nobody in these dialogues told: half ask a memory ("What is my blood type?"), half ask anything else.

The first table has the floor of `noted.recall.floor` off and on: recall@10 over the questions that have an
answer, and for the others how many facts come back, and how often none does. The second cuts the best twenty
of the whole dialogue to a budget of tokens.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals.locomo import Dialogue, document, load
from evals.recall import Embeddings, places
from noted.context.tokens import estimate
from noted.recall import floor, lexical, vectors
from noted.recall.ranking import Candidate, rank

SIZES = (30, 100, 200, 600)
BUDGETS = (150, 300, 450, 600, 900)
NEVER_TOLD = (
    "What is my passport number?",
    "Which insurance did I choose?",
    "What is the name of my dentist?",
    "When does my lease end?",
    "What is my blood type?",
    "Which bank do I use?",
    "What did the plumber charge me?",
    "What is my flight number?",
    "How much do I owe the tax office?",
    "Which password manager do I use?",
    "What size are my shoes?",
    "Who is my landlord?",
    "What is my aunt's phone number?",
    "Which visa do I need?",
    "What did the lawyer advise me?",
    "What is my router's address?",
    "When is the boiler inspection?",
    "What colour did I paint the kitchen?",
    "How much is my pension?",
    "What is my locker code?",
    "What is the capital of Mongolia?",
    "Write a haiku about the sea",
    "How do I center a div in CSS?",
    "What is 17 percent of 2,340?",
    'Translate "good night" into Swedish',
    "Summarise the plot of Hamlet",
    "What's the boiling point of ethanol?",
    "Give me a regex for IPv4 addresses",
    "Who invented the telephone?",
    "Explain photosynthesis to a child",
    "What is the exchange rate of the yen?",
    "Suggest a name for a podcast about maps",
    "How tall is Mount Kilimanjaro?",
    "Fix the grammar: he go to school",
    "What does the HTTP status 418 mean?",
    "Write a cover letter for an accountant",
    "How many litres are in a gallon?",
    "What is the speed of sound in water?",
    "Who painted the Night Watch?",
    "How do I descale a kettle?",
)


@dataclass(frozen=True)
class Asked:
    """A query over some lines of a dialogue, and the places of its evidence among them."""

    dialogue: Dialogue
    lines: tuple[int, ...]
    text: str
    evidence: tuple[int, ...]


class Memories:
    """The vectors and words of all lines, and how a query ranks some of them."""

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        self._packed: dict[str, tuple[bytes, bytes]] = {}

    def ranked(self, asked: Asked, limit: int) -> tuple[list[int], list[float]]:
        """The places of the best lines, best first, and what speaks for each."""
        texts = [document(asked.dialogue.lines[place]) for place in asked.lines]
        packed = [self._pack(text) for text in texts]
        vector = self._embeddings.of("query", asked.text)
        now = max(line.said_at for line in asked.dialogue.lines)
        candidates = [
            Candidate(
                f"{place:05}",
                text,
                each[0],
                asked.dialogue.lines[place].said_at,
                "other",
                False,
                words=each[1],
            )
            for place, text, each in zip(asked.lines, texts, packed, strict=True)
        ]
        order = [
            int(each.candidate.id) for each in rank(asked.text, vector, candidates, now=now, limit=limit)
        ]
        spoken = floor.evidence(
            vectors.centred_cosines(vector, [each[0] for each in packed]),
            floor.share_held(lexical.Index([each[1] for each in packed]), asked.text),
        )
        found = {place: float(spoken[at]) for at, place in enumerate(asked.lines)}
        return order, [found[place] for place in order]

    def _pack(self, text: str) -> tuple[bytes, bytes]:
        if text not in self._packed:
            vector = vectors.pack(self._embeddings.of("passage", text))
            self._packed[text] = (vector, lexical.pack(lexical.tokens(text)))
        return self._packed[text]


def questions(dialogues: Sequence[Dialogue], size: int) -> list[Asked]:
    """Every fourth question, over its evidence and other lines up to a size."""
    chance = random.Random(size)
    asked = []
    for dialogue in dialogues:
        for question in dialogue.questions[::4]:
            evidence = places(dialogue, question)
            others = [place for place in range(len(dialogue.lines)) if place not in evidence]
            more = chance.sample(others, max(min(size, len(dialogue.lines)) - len(evidence), 0))
            asked.append(Asked(dialogue, tuple(sorted((*more, *evidence))), question.text, evidence))
    return asked


def never_told(dialogues: Sequence[Dialogue], size: int) -> list[Asked]:
    """What nobody told, asked of lines of each dialogue."""
    chance = random.Random(size)
    return [
        Asked(dialogue, tuple(sorted(lines)), text, ())
        for dialogue in dialogues
        for lines in [chance.sample(range(len(dialogue.lines)), min(size, len(dialogue.lines)))]
        for text in NEVER_TOLD
    ]


def floors(dialogues: Sequence[Dialogue], memories: Memories, console: Console) -> Table:
    """The floor off and on, by the size of the memory."""
    table = Table("facts", "recall@10", "with floor", "facts told", "never told", "none", title="The floor")
    for size in SIZES:
        off, on, told, foreign = [], [], [], []
        for asked in track(questions(dialogues, size), f"{size} facts", console=console):
            order, spoken = memories.ranked(asked, 10)
            kept = [order[place] for place in floor.above(spoken, len(asked.lines))]
            off.append(np.mean([place in order for place in asked.evidence]))
            on.append(np.mean([place in kept for place in asked.evidence]))
            told.append(len(kept))
        for asked in never_told(dialogues, size):
            _, spoken = memories.ranked(asked, 10)
            foreign.append(len(floor.above(spoken, len(asked.lines))))
        means = [f"{np.mean(values):.3f}" for values in (off, on)]
        counts = [f"{np.mean(values):.1f}" for values in (told, foreign)]
        table.add_row(str(size), *means, *counts, f"{np.mean([not count for count in foreign]):.0%}")
    return table


def budgets(dialogues: Sequence[Dialogue], memories: Memories, console: Console) -> Table:
    """What a budget of tokens leaves of the best twenty of a whole dialogue."""
    found: dict[int, list[tuple[float, int]]] = {budget: [] for budget in BUDGETS}
    for asked in track(questions(dialogues, 10_000), "budgets", console=console):
        order, _ = memories.ranked(asked, 20)
        costs = [estimate(document(asked.dialogue.lines[place])) for place in order]
        for budget in BUDGETS:
            kept = [order[place] for place in floor.within(costs, budget)]
            recall = float(np.mean([place in kept for place in asked.evidence]))
            found[budget].append((recall, len(kept)))
    table = Table("tokens", "recall", "facts", title="A budget of tokens, of the best 20")
    for budget, rows in found.items():
        recall, count = np.array(rows).mean(axis=0)
        table.add_row(str(budget), f"{recall:.3f}", f"{count:.1f}")
    return table


def main() -> None:
    """Reads the arguments, embeds what is missing and prints the tables."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="python -m evals.floor", description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument(
        "--cache", type=Path, default=home / "noted", help="folder of the embeddings (%(default)s)"
    )
    chosen = parser.parse_args()
    console = Console()
    dialogues = load(chosen.data)
    embeddings = Embeddings(chosen.cache)
    embeddings.compute(
        [document(line) for dialogue in dialogues for line in dialogue.lines],
        [*(question.text for dialogue in dialogues for question in dialogue.questions), *NEVER_TOLD],
        console,
    )
    memories = Memories(embeddings)
    for table in (floors(dialogues, memories, console), budgets(dialogues, memories, console)):
        console.print(table)


if __name__ == "__main__":
    main()
