"""A whole public conversation through the service's real interface: recorded, learnt from, asked about.

    python -m evals.replay locomo10.json --conversation 1

Each of the two speakers is a user of their own, since memory learns from a user's own words only: what the
other one says is the assistant's side. The turns are recorded by `turns:record` over HTTP, the extraction of
each is waited for, and then every question is put to `/v1/recall` of the speaker who said its evidence.
recall@10 is the share of a question's evidence that is the source of one of the ten facts recalled. A line of
which no fact was kept cannot be found: "evidence kept" is the most that recall@10 could be.

The service is a one-machine service of its own, in memory, with the models that the environment names
(`NOTED_MODEL`, `NOTED_EXTRACTION_MODEL`, `NOTED_EMBEDDER`; offline and local by default).
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from evals.locomo import Dialogue, Line, load
from local.dynamodb import DynamoDBLocal
from local.listener import listen
from local.service import Service, dynamodb_client
from noted.clock import timestamp
from noted.settings import Settings

_LIMIT = 10
_WAIT_SECONDS = 25
_MOST_MINUTES = 30


@dataclass(frozen=True)
class Exchange:
    """What a speaker said until the other one answered, and the answer."""

    words: str
    answer: str
    first: Line
    line_ids: frozenset[str]


@dataclass
class Outcome:
    """What came of one speaker's side."""

    turns: int = 0
    facts: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    unfinished: int = 0
    source: dict[str, frozenset[str]] = field(default_factory=dict)
    learnt: set[str] = field(default_factory=set)
    questions: int = 0
    recall: list[float] = field(default_factory=list)
    reachable: list[float] = field(default_factory=list)
    record_seconds: float = 0
    extraction_seconds: float = 0
    query_milliseconds: list[float] = field(default_factory=list)


def exchanges(dialogue: Dialogue, speaker: str) -> list[Exchange]:
    """A dialogue from one speaker's side. What stands before their first words of a session answers nothing
    and is left out."""
    found: list[Exchange] = []
    for line in dialogue.lines:
        if line.speaker == speaker:
            begun = found and not found[-1].answer and found[-1].first.session == line.session
            if begun:
                last = found.pop()
                found.append(
                    replace(last, words=f"{last.words}\n{line.text}", line_ids=last.line_ids | {line.line_id})
                )
            else:
                found.append(Exchange(line.text, "", line, frozenset({line.line_id})))
        elif found and found[-1].first.session == line.session:
            last = found.pop()
            found.append(replace(last, answer=f"{last.answer}\n{line.text}".strip()))
    return found


def replay(client: httpx.Client, dialogue: Dialogue, speaker: str, progress: Progress) -> Outcome:
    """Records, waits and asks, as one user."""
    outcome = Outcome()
    said = exchanges(dialogue, speaker)
    began = time.perf_counter()
    task = progress.add_task(f"{speaker}: recording", total=len(said))
    saved: list[tuple[str, Exchange]] = []
    session, conversation = 0, ""
    for exchange in said:
        if exchange.first.session != session:
            session = exchange.first.session
            conversation = (
                client.post("/v1/conversations", json={}).raise_for_status().json()["conversation_id"]
            )
        turn = client.post(
            f"/v1/conversations/{conversation}/turns:record",
            json={
                "user": exchange.words,
                "assistant": exchange.answer,
                "at": timestamp(exchange.first.said_at),
            },
        ).raise_for_status()
        saved.append((turn.json()["saved_url"], exchange))
        outcome.source[turn.json()["turn_id"]] = exchange.line_ids
        outcome.turns += 1
        progress.advance(task)
    outcome.record_seconds = time.perf_counter() - began

    task = progress.add_task(f"{speaker}: extraction", total=len(saved))
    deadline = time.monotonic() + _MOST_MINUTES * 60
    for url, exchange in saved:
        kept = client.get(url, params={"wait": _WAIT_SECONDS}).raise_for_status().json()
        while kept["status"] == "pending" and time.monotonic() < deadline:
            kept = client.get(url, params={"wait": _WAIT_SECONDS}).raise_for_status().json()
        outcome.facts += len(kept["facts"])
        outcome.dropped.update(kept["dropped"])
        outcome.unfinished += kept["status"] != "done"
        if kept["facts"]:
            outcome.learnt |= exchange.line_ids
        progress.advance(task)
    outcome.extraction_seconds = time.perf_counter() - began

    own = frozenset[str]().union(*outcome.source.values())
    asked = [(question, question.evidence & own) for question in dialogue.questions]
    asked = [(question, evidence) for question, evidence in asked if evidence]
    task = progress.add_task(f"{speaker}: questions", total=len(asked))
    for question, evidence in asked:
        started = time.perf_counter()
        answer = client.post("/v1/recall", json={"query": question.text, "limit": _LIMIT}).raise_for_status()
        outcome.query_milliseconds.append((time.perf_counter() - started) * 1000)
        turns = [item["fact"]["source"]["turn_id"] for item in answer.json()["items"]]
        found = frozenset[str]().union(*(outcome.source[turn] for turn in turns))
        outcome.recall.append(len(evidence & found) / len(evidence))
        outcome.reachable.append(len(evidence & outcome.learnt) / len(evidence))
        progress.advance(task)
    outcome.questions = len(asked)
    return outcome


def report(outcomes: Sequence[tuple[str, Outcome]], settings: Settings) -> Table:
    """The figures of both speakers."""
    table = Table(title=f"extraction by {settings.extraction_model}, vectors by {settings.embedder}")
    table.add_column("")
    for speaker, _ in outcomes:
        table.add_column(speaker, justify="right")

    def row(name: str, *values: str) -> None:
        table.add_row(name, *values)

    results = [outcome for _, outcome in outcomes]
    row("turns recorded", *(str(each.turns) for each in results))
    row("facts kept", *(str(each.facts) for each in results))
    row("dropped by a guard", *(str(each.dropped.total()) for each in results))
    for guard in sorted(set[str]().union(*(each.dropped for each in results))):
        row(f"  {guard}", *(str(each.dropped[guard]) for each in results))
    row("turns not extracted", *(str(each.unfinished) for each in results))
    row("questions", *(str(each.questions) for each in results))
    row(f"recall@{_LIMIT} of evidence", *(f"{statistics.fmean(each.recall):.3f}" for each in results))
    row("evidence kept", *(f"{statistics.fmean(each.reachable):.3f}" for each in results))
    row("recording, s", *(f"{each.record_seconds:.1f}" for each in results))
    row("until all was extracted, s", *(f"{each.extraction_seconds:.1f}" for each in results))
    row("recall, median ms", *(f"{statistics.median(each.query_milliseconds):.0f}" for each in results))
    return table


def main() -> None:
    """Replays one conversation and prints what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="locomo10.json")
    parser.add_argument("--conversation", type=int, default=1, help="which one of the ten, from 1")
    options = parser.parse_args()
    dialogues = load(options.file)
    if not 1 <= options.conversation <= len(dialogues):
        parser.error(f"--conversation goes from 1 to {len(dialogues)}")
    dialogue, settings = dialogues[options.conversation - 1], Settings.from_environment()
    console = Console()
    with (
        tempfile.TemporaryDirectory() as data,
        DynamoDBLocal().start(None) as engine,
        listen(0) as listening,
        Progress(console=console) as progress,
    ):
        service = Service(settings, data=Path(data), dynamodb=dynamodb_client(engine.endpoint))
        service.start(listening)
        try:
            outcomes = [
                (speaker, _as_user(service, dialogue, speaker, progress)) for speaker in dialogue.speakers
            ]
        finally:
            service.stop()
    console.print(report(outcomes, settings))


def _as_user(service: Service, dialogue: Dialogue, speaker: str, progress: Progress) -> Outcome:
    token = service.issuer.token(speaker, ttl=3600 * 4)
    with httpx.Client(
        base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False
    ) as client:
        return replay(client, dialogue, speaker, progress)


if __name__ == "__main__":
    main()
