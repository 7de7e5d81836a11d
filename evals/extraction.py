"""What a model makes of what people say, and what the guards let through of it.

    python -m evals.extraction [--locomo FILE] [--personas FILE] [--acts FILE] [--count 200]

Extraction runs as it does behind the queue, a message at a time, with the model that the environment names
(NOTED_EXTRACTION_MODEL, or NOTED_MODEL; OPENAI_BASE_URL for `openai:` models), its prompt, its reading and
its guards. `--locomo`: `locomo10.json`, lines of its speakers; of a line that is some question's evidence a
fact should be kept. `--personas`: `msc_personas_all.json`, sentences that each state one fact of a person.
`--acts`: `test_set.txt` of the Switchboard dialogue act corpus, utterances that ask, of which nothing should
be kept. So many messages of each are drawn by chance, and always the same ones.

Counted are the facts that are kept and those that each guard drops, the messages of which at least one fact
is kept, and how much of those messages the quotes of their facts cover. Without a model the offline stand-in
is measured, whose rules know plain statements in the first person and nothing else: then the figures say
nothing about the quality of an extraction, and the command says so.
"""

from __future__ import annotations

import argparse
import logging
import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals import results
from evals.guards import QUESTIONS, persona_facts, utterances
from evals.intervals import told, wilson
from evals.locomo import load
from noted import ids, models
from noted.errors import ModelError
from noted.facts.keeping import Harvest, Keeper, Said
from noted.models.seam import LanguageModel
from noted.privacy.sealing import Sealer
from noted.retention import Retention
from noted.settings import Settings
from noted.text.folding import fold

_NOW = datetime(2026, 6, 1, tzinfo=UTC)
_AT_ONCE = 4


@dataclass(frozen=True)
class Message:
    """What was said, and when."""

    text: str
    said_at: datetime = _NOW


@dataclass
class Outcome:
    """What came of some messages: how many there were, how many gave no answer, how many kept a fact; the
    facts kept and dropped by guard; the share of each message with facts that their quotes cover."""

    messages: int = 0
    failed: int = 0
    with_facts: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    covered: list[float] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0


class NoVectors:
    """An embedder that is not asked for meaning: extraction needs none."""

    name = "none"

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One and the same vector for all."""
        return [[1.0, 0.0] for _ in texts]

    def embed_query(self, _: str) -> list[float]:
        """The same."""
        return [1.0, 0.0]


def coverage(text: str, quotes: Sequence[str]) -> float:
    """The share of a text's characters that lie in one of the quotes, by their first place in it.

    >>> coverage("I ski and I swim", ["I ski", "i SWIM"])
    0.6875
    """
    whole = fold(text)
    inside = [False] * len(whole)
    for quote in map(fold, quotes):
        start = whole.find(quote)
        if start >= 0:
            inside[start : start + len(quote)] = [True] * len(quote)
    return sum(inside) / len(whole) if whole else 0.0


def extracted(messages: Sequence[Message], model: LanguageModel, name: str, console: Console) -> Outcome:
    """Extraction of each message by itself."""
    keeper = Keeper(model, NoVectors(), Sealer(bytes(32)), Retention())

    def harvest(numbered: tuple[int, Message]) -> Harvest | None:
        number, message = numbered
        turn = ids.ordered(ids.TURN, number)
        said = Said(message.text, message.said_at, "UTC", ids.ordered(ids.CONVERSATION, 1), turn)
        try:
            return keeper.harvest(said, _NOW)
        except ModelError:
            return None

    outcome = Outcome(messages=len(messages))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(harvest, enumerate(messages))
        for message, got in track(
            zip(messages, found, strict=True), name, total=len(messages), console=console
        ):
            if got is None:
                outcome.failed += 1
                continue
            outcome.kept += len(got.facts)
            outcome.dropped.update(got.dropped)
            outcome.input_tokens += got.usage.input_tokens
            outcome.output_tokens += got.usage.output_tokens
            if got.facts:
                outcome.with_facts += 1
                quotes = [fact.source.quote for fact in got.facts if fact.source]
                outcome.covered.append(coverage(message.text, quotes))
    return outcome


def sources(
    locomo: Path | None, personas: Path | None, acts: Path | None, count: int
) -> dict[str, list[Message]]:
    """The messages of each kind, up to so many."""
    found: dict[str, list[Message]] = {}
    chance = random.Random(7)
    if locomo:
        lines: dict[bool, list[Message]] = {True: [], False: []}
        for dialogue in load(locomo):
            evidence = frozenset[str]().union(*(question.evidence for question in dialogue.questions))
            for line in dialogue.lines:
                lines[line.line_id in evidence].append(Message(line.text, line.said_at))
        found["LoCoMo, lines that answer a question"] = lines[True]
        found["LoCoMo, other lines"] = lines[False]
    if personas:
        found["persona facts"] = [Message(fact) for fact in persona_facts(personas, count)]
    if acts:
        plain = [act for act in QUESTIONS if "^d" not in act and act != "qh"]
        found["questions"] = [Message(text) for text, act in utterances(acts) if act in plain]
    return {name: chance.sample(each, min(count, len(each))) for name, each in found.items()}


def table(outcomes: dict[str, Outcome], model: str) -> Table:
    """A column a kind of message."""
    made = Table("", *outcomes, title=f"Extraction by {model}")
    every = outcomes.values()
    made.add_row("messages", *(str(each.messages) for each in every))
    made.add_row("no answer of the model", *(str(each.failed) for each in every))
    made.add_row("of which a fact is kept", *(told(each.with_facts, each.messages) for each in every))
    made.add_row("facts kept", *(str(each.kept) for each in every))
    for guard in sorted(set[str]().union(*(each.dropped for each in every))):
        made.add_row(f"dropped: {guard}", *(str(each.dropped[guard]) for each in every))
    made.add_row("covered by quotes", *(f"{_mean(each.covered):.0%}" for each in every))
    made.add_row("input tokens", *(f"{each.input_tokens:,}" for each in every))
    made.add_row("output tokens", *(f"{each.output_tokens:,}" for each in every))
    return made


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    """Reads the arguments, extracts and prints a table."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m evals.extraction", description=summary)
    parser.add_argument("--locomo", type=Path, help="locomo10.json")
    parser.add_argument("--personas", type=Path, help="msc_personas_all.json")
    parser.add_argument("--acts", type=Path, help="test_set.txt of the dialogue act corpus")
    parser.add_argument("--count", type=int, default=200, help="messages of each kind (%(default)s)")
    results.add_option(parser)
    chosen = parser.parse_args()
    if not (chosen.locomo or chosen.personas or chosen.acts):
        parser.error("give --locomo, --personas, --acts or several of them")
    console, setting = Console(), Settings.from_environment().extraction_model
    logging.getLogger("noted").setLevel(logging.ERROR)
    model = models.language_model(setting)
    messages = sources(chosen.locomo, chosen.personas, chosen.acts, chosen.count)
    outcomes = {name: extracted(each, model, name, console) for name, each in messages.items()}
    console.print(table(outcomes, setting))
    if setting == "offline":
        console.print("Not measured: the quality of an extraction. NOTED_EXTRACTION_MODEL names no model.")
    kept = {
        name: {
            "messages": each.messages,
            "failed": each.failed,
            "with_facts": each.with_facts,
            "interval": wilson(each.with_facts, each.messages),
            "kept": each.kept,
            "dropped": each.dropped,
            "covered": round(_mean(each.covered), 4),
        }
        for name, each in outcomes.items()
    }
    results.write(chosen.results, "extraction", {"model": setting, "kinds": kept})


if __name__ == "__main__":
    main()
