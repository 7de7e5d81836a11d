"""Do the guards over extraction let facts through, and stop questions?

    python -m evals.guards [--personas FILE] [--acts FILE] [--count 3000]

`--personas`: `msc_personas_all.json`. So many different persona facts ("I have two dogs."), always the same,
go through the guards as they stand, each resting on itself: what is dropped is a fact that a user would miss.

`--acts`: a file of the Switchboard dialogue act corpus (`test_set.txt`: speaker, utterance, act, with `|`
between). An utterance whose act is a question is one that must not be kept, one that is a statement of fact
or opinion one that may be. Precision and recall are those of the guard as a detector of questions. The acts
label speech, so a part of them is no question as a person writes one: "declarative questions" have the form
of statements ("You live in Texas."), rhetorical ones expect no answer. Every question that is kept is
listed, by its act, for a person to judge.

No model is called: what a model proposes of such words is not measured here.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals import results
from evals.intervals import told
from noted.facts.guards import Guard, failing
from noted.facts.proposed import ProposedFact

# Acts of the corpus, by what they are.
QUESTIONS = {
    "qw": "wh-question",
    "qy": "yes-no question",
    "qo": "open question",
    "qrr": "or-clause after a yes-no question",
    "qh": "rhetorical question",
    "qy^d": "declarative yes-no question",
    "qw^d": "declarative wh-question",
}
STATEMENTS = {"sd": "statement of fact", "sv": "statement of opinion"}


def guard_of(text: str) -> Guard | None:
    """The guard that a text fails as a fact, resting on itself."""
    return failing(ProposedFact(kind="fact", text=text, quote=text), text)


def persona_facts(file: Path, count: int) -> list[str]:
    """So many different facts of all personas, chosen at random and always the same."""
    sets = json.loads(file.read_text("utf-8"))
    facts = sorted(
        {
            fact
            for dialogues in sets.values()
            for dialogue in dialogues
            for side in dialogue.values()
            if isinstance(side, list)
            for fact in side
        }
    )
    return random.Random(7).sample(facts, min(count, len(facts)))


def utterances(file: Path) -> list[tuple[str, str]]:
    """Each utterance with its act."""
    lines = [line.split("|") for line in file.read_text("utf-8").splitlines()]
    return [("|".join(parts[1:-1]), parts[-1]) for parts in lines if len(parts) >= 3]


def retained(facts: Sequence[str], console: Console) -> dict[str, int]:
    """How many facts there are and how many pass; shows those that do not."""
    found = [(fact, guard_of(fact)) for fact in track(facts, "persona facts", console=console)]
    dropped = [(fact, guard) for fact, guard in found if guard is not None]
    console.print(f"Persona facts that pass: {told(len(found) - len(dropped), len(found))}")
    for fact, guard in dropped:
        console.print(f"  {guard}: {fact}", markup=False)
    return {"facts": len(found), "passed": len(found) - len(dropped)}


def told_apart(spoken: Sequence[tuple[str, str]], console: Console) -> dict[str, list[int]]:
    """How many questions are stopped, and how many statements pass: of each act, how many utterances there
    are, and how many are dropped as questions and otherwise."""
    table = Table("act", "", "dropped as questions", "dropped otherwise", title="Utterances by act")
    kept: list[tuple[str, str]] = []
    acts: dict[str, list[int]] = {}
    counts: Counter[tuple[bool, bool]] = Counter()
    for act, name in {**QUESTIONS, **STATEMENTS}.items():
        texts = [text for text, label in spoken if label == act]
        found = [guard_of(text) for text in track(texts, name, console=console)]
        asked = found.count(Guard.QUESTION)
        others = sum(guard not in (None, Guard.QUESTION) for guard in found)
        table.add_row(act, name, told(asked, len(texts)), told(others, len(texts)))
        acts[act] = [len(texts), asked, others]
        counts[act in QUESTIONS, True] += asked
        counts[act in QUESTIONS, False] += len(texts) - asked
        if act in QUESTIONS:
            kept += [(act, text) for text, guard in zip(texts, found, strict=True) if guard is None]
    console.print(table)
    dropped = counts[True, True] + counts[False, True]
    console.print(f"Precision: {told(counts[True, True], dropped)} of what is dropped as a question is one.")
    console.print(
        f"Recall: {told(counts[True, True], counts[True, True] + counts[True, False])} of the questions "
        "are dropped as questions."
    )
    console.print(f"Kept, though their act is a question ({len(kept)}):")
    for act, text in kept:
        console.print(f"  {act}: {text}", markup=False)
    return acts


def main() -> None:
    """Reads the arguments and prints what was found."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m evals.guards", description=summary)
    parser.add_argument("--personas", type=Path, help="msc_personas_all.json")
    parser.add_argument("--acts", type=Path, help="test_set.txt of the dialogue act corpus")
    parser.add_argument("--count", type=int, default=3000, help="how many persona facts")
    results.add_option(parser)
    chosen = parser.parse_args()
    if not (chosen.personas or chosen.acts):
        parser.error("give --personas, --acts or both")
    console = Console()
    found: dict[str, object] = {}
    if chosen.personas:
        found["personas"] = retained(persona_facts(chosen.personas, chosen.count), console)
    if chosen.acts:
        found["acts"] = told_apart(utterances(chosen.acts), console)
    results.write(chosen.results, "guards", found)


if __name__ == "__main__":
    main()
