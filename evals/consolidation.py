"""Does consolidation merge what is one fact, and nothing else?

    python -m evals.consolidation [--nli FOLDER] [--personas FILE] [--sample 300]

Our own pairs, with the right answer written beside each, go through the code that settles repeats. `--nli`:
the folder that holds `snli_1000.txt` and `mnli_matched_1000.txt` (a label, a premise and a hypothesis a line,
with tabs between): the premise is stored, the hypothesis is said later. Code alone may merge next to none of
them, and nothing that is a contradiction. Then three bad models decide about every pair: one that always
deletes, one that always updates, one that always says that nothing is new. Whatever they say, a fact must be
left, and what the guards refuse is counted. In these sets both texts speak of one scene in the same words,
so the guard of the attribute lets most through: it is there for facts that have nothing to do with each
other. How often a right decision is refused, our own changes tell: pairs of which the second ends the first.

`--personas`: a file of persona facts (`msc_personas_all.json`). Our changes are then looked for among 200
facts of others: is the fact that has ended shown to the model at all?

With a model configured (NOTED_EXTRACTION_MODEL) it decides about a sample of the labelled pairs too.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals import results
from evals.intervals import told
from evals.pairs import CHANGES, PAIRS
from noted import ids, models
from noted.errors import ModelError
from noted.facts.change import Change, Stored
from noted.facts.consolidating import Consolidation
from noted.facts.consolidation import Action
from noted.facts.entailment import Relation, relation
from noted.facts.fact import Fact
from noted.facts.live import live
from noted.facts.similar import MOST_SIMILAR, similar
from noted.facts.words import words
from noted.models.seam import Embedder, LanguageModel, Prompt, Reply
from noted.recall import lexical, vectors
from noted.retention import Retention
from noted.settings import Settings

_NOW = datetime(2026, 6, 1, tzinfo=UTC)
_AMONG = 200
Ask = Callable[[Prompt], Reply]


class Labelled(NamedTuple):
    """Two texts and what the data set says of them."""

    label: str
    premise: str
    hypothesis: str


@dataclass(frozen=True)
class Outcome:
    """What became of a stored text and a new one: how many facts are live, whether the new text is one of
    them, whether the stored one is, and what the guards refused."""

    live: int
    new: bool
    stored: bool
    refused: Counter[str]


def labelled(folder: Path) -> list[Labelled]:
    """The pairs of both files."""
    lines = [
        line
        for name in ("snli_1000.txt", "mnli_matched_1000.txt")
        for line in (folder / name).read_text("utf-8").splitlines()
    ]
    return [Labelled(*line.split("\t")) for line in lines if line.count("\t") == 2]


def statement(text: str, day: int) -> Fact:
    """A text as a fact that was said on a day."""
    at = _NOW - timedelta(days=100 - day)
    return Fact(
        fact_id=ids.at(ids.FACT, at),
        kind="fact",
        category="other",
        text=text,
        provenance="said",
        sequence=day,
        created_at=at,
        last_confirmed_at=at,
        words=lexical.pack(lexical.tokens(text)),
        same=sha256(repr(words(text)).encode()).digest()[:16],
    )


def consolidated(stored: str, new: str, ask: Ask | None) -> Outcome:
    """Says one text and then another, and lets a model decide about the second."""
    first, second = statement(stored, 1), statement(new, 2)
    before = Stored(1, (first,))
    consolidation = Consolidation([second], _NOW, Retention(), ask)
    facts = live(_applied(before, consolidation.change(before)), _NOW)
    texts = [fact.text for fact in facts]
    return Outcome(len(facts), new in texts, stored in texts, consolidation.refused)


def _applied(stored: Stored, change: Change) -> list[Fact]:
    altered = {each.after.fact_id: each.after for each in change.altered}
    return [*change.added, *(altered.get(fact.fact_id, fact) for fact in stored.facts)]


def always(action: Action) -> Ask:
    """A model that always decides the same about the first pair that it is shown."""
    decision = {"reason": "", "fact": 1, "action": str(action), "target": 1}
    return lambda _: Reply("", {"decisions": [decision]})


def own_pairs(console: Console) -> dict[str, int]:
    """Our own pairs: right and wrong, by what is right; how many there are and how many are told right."""
    table = Table("right answer", "told", "wrong merges", title="Our own pairs, code alone")
    wrong: list[str] = []
    for right in Relation:
        pairs = [pair for pair in PAIRS if pair.relation is right]
        found = [relation(pair.new, pair.stored) for pair in pairs]
        merged = sum(each not in (right, Relation.OTHER) for each in found)
        table.add_row(right, told(found.count(right), len(pairs)), told(merged, len(pairs)))
        wrong += [
            f"{pair.stored!r}, then {pair.new!r}: {each}, not {right}"
            for pair, each in zip(pairs, found, strict=True)
            if each is not right
        ]
    console.print(table)
    for line in wrong:
        console.print(f"  {line}")
    return {"pairs": len(PAIRS), "right": len(PAIRS) - len(wrong)}


def merges(pairs: Sequence[Labelled], console: Console) -> dict[str, list[int]]:
    """What code alone makes of labelled pairs: of each label, how many there are and how many it merges."""
    table = Table("label", *Relation, title="Labelled pairs, code alone")
    shown: list[str] = []
    counts: dict[str, list[int]] = {}
    for label in ("entailment", "neutral", "contradiction"):
        chosen = [pair for pair in pairs if pair.label == label]
        found = [relation(pair.hypothesis, pair.premise) for pair in track(chosen, label, console=console)]
        counts[label] = [len(chosen), sum(each is not Relation.OTHER for each in found)]
        table.add_row(label, *(told(found.count(each), len(chosen)) for each in Relation))
        shown += [
            f"{label}, {each}: {pair.premise} | {pair.hypothesis}"
            for pair, each in zip(chosen, found, strict=True)
            if each is not Relation.OTHER
        ]
    console.print(table)
    for line in shown:
        console.print(f"  {line}")
    return counts


def bad_models(pairs: Sequence[Labelled], console: Console) -> list[list[object]]:
    """What is left when a model always decides the same: of each decision and label, how many pairs there are
    and how many are left without a fact."""
    columns = ("nothing left", "new text lost", "stored text ended", "refused")
    table = Table("", "label", *columns, title="Labelled pairs, models that always decide the same")
    rows: list[list[object]] = []
    for action in (Action.DELETE, Action.UPDATE, Action.NOOP):
        for label in ("entailment", "neutral", "contradiction"):
            chosen = [pair for pair in pairs if pair.label == label]
            outcomes = [
                consolidated(pair.premise, pair.hypothesis, always(action))
                for pair in track(chosen, f"{action} {label}", console=console)
            ]
            refused = sum((each.refused for each in outcomes), Counter[str]())
            rows.append([str(action), label, len(chosen), sum(each.live == 0 for each in outcomes)])
            table.add_row(
                action,
                label,
                told(sum(each.live == 0 for each in outcomes), len(chosen)),
                told(sum(not each.new for each in outcomes), len(chosen)),
                told(sum(not each.stored for each in outcomes), len(chosen)),
                ", ".join(f"{name} {count}" for name, count in refused.most_common()),
            )
    console.print(table)
    return rows


def own_changes(console: Console) -> dict[str, int]:
    """Our own changes, decided rightly: how many there are and how many the guards let through."""
    outcomes = [consolidated(stored, new, always(Action.UPDATE)) for stored, new in CHANGES]
    console.print(
        f"Our own changes, decided rightly: {told(sum(each.live == 1 for each in outcomes), len(CHANGES))} "
        "end the stored fact."
    )
    for (stored, new), outcome in zip(CHANGES, outcomes, strict=True):
        if outcome.live != 1:
            console.print(f"  refused ({', '.join(outcome.refused)}): {stored} | {new}")
    return {"changes": len(CHANGES), "passed": sum(each.live == 1 for each in outcomes)}


def shown_among(others: Sequence[str], embedder: Embedder, console: Console) -> dict[str, int]:
    """Whether the fact that ended is among those that a model is shown, out of many: how many of how many."""
    found = 0
    crowd = _embedded(others, embedder, console)
    for stored, new in track(CHANGES, "looking for what ended", console=console):
        first, second = _embedded([stored, new], embedder, None)
        among = [*crowd, first]
        found += any(fact.fact_id == first.fact_id for fact in similar(second, among))
    console.print(
        f"Shown to the model among {len(others)} facts of others, {MOST_SIMILAR} at most, "
        f"by {embedder.name}: {told(found, len(CHANGES))} of the facts that ended."
    )
    return {"changes": len(CHANGES), "shown": found, "among": len(others)}


def _embedded(texts: Sequence[str], embedder: Embedder, console: Console | None) -> list[Fact]:
    every: Iterable[str] = track(texts, "embedding", console=console) if console else texts
    return [
        replace(
            statement(text, 1), vector=vectors.pack(embedder.embed_facts([text])[0]), embedder=embedder.name
        )
        for text in every
    ]


def personas(file: Path, count: int) -> list[str]:
    """So many different facts, chosen at random and always the same."""
    everyone = json.loads(file.read_text("utf-8"))["train"]
    facts = sorted(
        {
            fact
            for dialogue in everyone
            for side in dialogue.values()
            if isinstance(side, list)
            for fact in side
        }
    )
    return random.Random(7).sample(facts, count)


def with_model(pairs: Sequence[Labelled], model: LanguageModel, console: Console) -> None:
    """What a configured model makes of labelled pairs and of our own changes, guards included."""
    table = Table(
        "", "both kept", "stored ended", "new is no news", "no answer", title=f"Decided by {model.name}"
    )
    groups = {label: [(p.premise, p.hypothesis) for p in pairs if p.label == label] for label in _LABELS}
    for label, chosen in {**groups, "our changes": list(CHANGES)}.items():
        counts: Counter[str] = Counter()
        for stored, new in track(chosen, label, console=console):
            try:
                outcome = consolidated(stored, new, model.call)
            except ModelError:
                counts["failed"] += 1
                continue
            counts["ended"] += outcome.new and not outcome.stored
            counts["noop"] += outcome.stored and not outcome.new
            counts["both"] += outcome.new and outcome.stored
        table.add_row(
            label, *(told(counts[name], len(chosen)) for name in ("both", "ended", "noop", "failed"))
        )
    console.print(table)


_LABELS = ("entailment", "neutral", "contradiction")


def main() -> None:
    """Reads the arguments and prints the tables."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m evals.consolidation", description=summary)
    parser.add_argument("--nli", type=Path, help="folder of snli_1000.txt and mnli_matched_1000.txt")
    parser.add_argument("--personas", type=Path, help="msc_personas_all.json")
    parser.add_argument("--sample", type=int, default=300, help="labelled pairs for a configured model")
    results.add_option(parser)
    chosen = parser.parse_args()
    console, settings = Console(), Settings.from_environment()
    logging.getLogger("noted").setLevel(logging.ERROR)
    found: dict[str, object] = {"pairs": own_pairs(console), "changes": own_changes(console)}
    pairs = labelled(chosen.nli) if chosen.nli else []
    if pairs:
        found |= {"merges": merges(pairs, console), "bad_models": bad_models(pairs, console)}
    if chosen.personas:
        embedder = models.embedder(settings.embedder)
        found["shown"] = shown_among(personas(chosen.personas, _AMONG), embedder, console)
    results.write(chosen.results, "consolidation", found)
    if settings.extraction_model == "offline":
        console.print("Not measured: what a model decides. NOTED_EXTRACTION_MODEL names none.")
    else:
        sample = random.Random(7).sample(pairs, min(chosen.sample, len(pairs)))
        with_model(sample, models.language_model(settings.extraction_model), console)


if __name__ == "__main__":
    main()
