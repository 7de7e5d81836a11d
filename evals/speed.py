"""What recall costs: processor time and read units for each number of facts, alone and among other users.

    python -m evals.speed locomo10.json [--sizes 10,100,1000,10000] [--others 1000] [--plain] [--cache DIR]

Facts are turns of LoCoMo (see `evals.recall`), made different by a number, with vectors of the local embedder
that are turned a little, so that no two are alike; questions are LoCoMo's. Everything goes through the real
store on DynamoDB Local: the index is told of every fact, folded and built as in use. No model is called.

Processor time is that of this process, so it holds the ranking, the unsealing and the client of the
database, and not the database. Read units are counted from the sizes of the items that came back, as DynamoDB
counts them: an emulator's own count is not relied on. *Warm*: the function has served this user a moment ago.
*Cold*: it has served other users only, so it reads the user's index. `--plain` seals nothing, to show what
sealing costs. Each size is also ranked by a bare scan: one product of a matrix of floats with the query, and
the ten best.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
import itertools
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

from evals import results
from evals.locomo import document, load
from evals.recall import Embeddings
from evals.units import Units
from local.dynamodb import DynamoDBLocal
from local.service import dynamodb_client
from noted import ids
from noted.facts.fact import Fact
from noted.identity import Secrets, principal_of
from noted.privacy.wrapping import KEY_BYTES
from noted.recall import lexical, vectors
from noted.recall.index_recall import recall
from noted.recall.search import Query
from noted.retention import Retention
from noted.store.caches import Caches
from noted.store.index_cache import IndexCache
from noted.store.repository import Deployment, Repository
from noted.store.tables import create_tables

PREFIX = "speed"
TOGETHER = 50  # facts in one transaction
SEARCHES = 40
LIMIT = 10
# The cosine of a turned vector with its original is about 0.9.
TURN = 0.48
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


class Clock:
    """Stands still: an index is not old before the run ends."""

    def now(self) -> datetime:
        return NOW


@dataclass
class Known:
    """An embedder that knows its questions and takes no time."""

    questions: dict[str, list[float]]
    name: str = "shared"

    def embed_query(self, text: str) -> list[float]:
        return self.questions[text]

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError


@dataclass(frozen=True)
class Cost:
    """Processor time of one search in milliseconds, how much of it the database's client took, and units."""

    taken: float
    client: float
    units: float


@dataclass(frozen=True)
class Step:
    """What was measured at one size; times in milliseconds of processor time, medians."""

    facts: int
    ingest: float
    warm: Cost
    cold: Cost
    scan: float


class Source:
    """Facts that are all different, and questions, from LoCoMo."""

    def __init__(self, data: Path, cache: Path, console: Console) -> None:
        dialogues = load(data)
        texts = [document(line) for dialogue in dialogues for line in dialogue.lines]
        asked = [question.text for dialogue in dialogues for question in dialogue.questions]
        embeddings = Embeddings(cache)
        embeddings.compute(texts, asked, console)
        shuffled = np.random.default_rng(7).permutation(len(texts))
        self._texts = [texts[place] for place in shuffled]
        self._rows = [np.array(embeddings.of("passage", text)) for text in self._texts]
        self.questions = {text: embeddings.of("query", text) for text in asked[:: len(asked) // SEARCHES]}
        self._numbers = itertools.count()

    def facts(self) -> Iterator[tuple[Fact, np.ndarray[Any, Any]]]:
        """Facts without end, with their vectors."""
        while True:
            number = next(self._numbers)
            text = f"{self._texts[number % len(self._texts)]} ~n{number}"
            noise = np.random.default_rng(number).standard_normal(len(self._rows[0]))
            row = self._rows[number % len(self._rows)] + TURN * noise / np.linalg.norm(noise)
            yield _fact(text, row / np.linalg.norm(row), number), row / np.linalg.norm(row)


class Measuring:
    """One user, alone or among others."""

    def __init__(self, client: Any, source: Source) -> None:
        self._client = client
        self._source = source
        self._embedder = Known(source.questions)
        self._units = Units(client)
        self._wrapper = UnwrappedKeys()
        create_tables(client, PREFIX)

    def others(self, users: int, each: int) -> None:
        """Stores some facts of each of other users."""
        facts = self._source.facts()
        for number in range(users):
            repository = self._repository(f"other-{number:05}", IndexCache())
            memory = repository.memory(repository.admit().generation)
            memory.facts.add([fact for fact, _ in itertools.islice(facts, each)])

    def steps(self, sizes: Sequence[int]) -> Iterator[Step]:
        """Measures one user at each size."""
        facts, rows, cache = self._source.facts(), list[np.ndarray[Any, Any]](), IndexCache()
        for size in sizes:
            began = time.process_time()
            before = len(rows)
            while len(rows) < size:
                some = list(itertools.islice(facts, min(TOGETHER, size - len(rows))))
                repository = self._repository("target", cache)
                repository.memory(repository.admit().generation).facts.add([fact for fact, _ in some])
                rows += [row for _, row in some]
            ingest = (time.process_time() - began) * 1e3 / max(1, len(rows) - before)
            kept = IndexCache()
            self._search(next(iter(self._source.questions)), kept)
            warm = [self._search(question, kept) for question in self._source.questions]
            cold = [self._search(question, IndexCache()) for question in self._source.questions]
            scan = self._scan(np.array(rows, dtype=np.float32))
            yield Step(size, ingest, _usual(warm), _usual(cold), scan)

    def _search(self, question: str, cache: IndexCache) -> Cost:
        repository = self._repository("target", cache)
        with self._units.counted() as units:
            began = time.process_time()
            memory = repository.memory(repository.standing().generation)
            brought = recall(memory, Query(question, limit=LIMIT), self._embedder, NOW, 5)
            taken = (time.process_time() - began) * 1e3
        assert brought.recalled.items
        return Cost(taken, units.client_seconds * 1e3, units.read)

    def _scan(self, rows: np.ndarray[Any, Any]) -> float:
        taken = []
        for vector in self._source.questions.values():
            query = np.array(vector, dtype=np.float32)
            began = time.process_time()
            cosines = rows @ query
            best = np.argpartition(-cosines, min(LIMIT, len(rows) - 1))[:LIMIT]
            best[np.argsort(-cosines[best])].tolist()
            taken.append((time.process_time() - began) * 1e3)
        return _median(taken)

    def _repository(self, subject: str, cache: IndexCache) -> Repository:
        service = Secrets(b"a secret of a measurement, 32 bytes or more")
        principal = principal_of({"sub": subject, "iss": "https://speed.test"}, service)
        deployment = Deployment(PREFIX, service, Retention(), Clock(), self._wrapper, Caches(indexes=cache))
        return Repository(self._client, deployment, principal)


class UnwrappedKeys:
    """Data keys as they are: what unwraps them in use is the network's time, not ours."""

    def new(self, _: str) -> tuple[bytes, bytes]:
        key = secrets.token_bytes(KEY_BYTES)
        return key, key

    def unwrap(self, wrapped: bytes, _: str) -> bytes:
        return wrapped

    def destroy(self, _: str) -> None:
        pass


class Unsealed:
    """Takes the place of the cipher and does nothing: as long as a sealed value, and readable."""

    def __init__(self, _: bytes) -> None:
        pass

    def encrypt(self, _nonce: bytes, content: bytes, _place: bytes) -> bytes:
        return content + bytes(16)

    def decrypt(self, _nonce: bytes, sealed: bytes, _place: bytes) -> bytes:
        return sealed[:-16]


def _fact(text: str, row: np.ndarray[Any, Any], number: int) -> Fact:
    said_at = NOW - timedelta(days=300) + timedelta(seconds=number * 37)
    return Fact(
        fact_id=ids.at(ids.FACT, said_at),
        kind="fact",
        category="other",
        text=text,
        provenance="said",
        sequence=number,
        created_at=said_at,
        last_confirmed_at=said_at,
        expires_at=NOW + timedelta(days=365),
        words=lexical.pack(lexical.tokens(text)),
        vector=vectors.pack(row.tolist()),
        embedder="shared",
    )


def _median(values: Iterable[float]) -> float:
    return float(np.median(list(values)))


def _usual(costs: Sequence[Cost]) -> Cost:
    names = ("taken", "client", "units")
    return Cost(*(_median(getattr(cost, name) for cost in costs) for name in names))


def _table(steps: Sequence[Step], title: str) -> Table:
    columns = ["facts", "ingest", "warm", "client", "units", "cold", "client", "units", "scan", "warm/scan"]
    table = Table(*columns, title=title)
    for step in steps:
        table.add_row(
            f"{step.facts:,}",
            f"{step.ingest:.2f}",
            *(
                f"{value:.1f}"
                for cost in (step.warm, step.cold)
                for value in (cost.taken, cost.client, cost.units)
            ),
            f"{step.scan:.2f}",
            f"{step.warm.taken / step.scan:.0f}" if step.scan else "",
        )
    return table


def main() -> None:
    """Reads the arguments, measures and prints a table."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="python -m evals.speed", description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument("--sizes", default="10,30,100,300,1000,3000,10000,30000", help="%(default)s")
    parser.add_argument("--others", type=int, default=0, help="other users with 20 facts each")
    parser.add_argument("--plain", action="store_true", help="without sealing")
    parser.add_argument("--cache", type=Path, default=home / "noted", help="folder of the embeddings")
    results.add_option(parser)
    chosen = parser.parse_args()
    console = Console()
    source = Source(chosen.data, chosen.cache, console)
    cipher = patch("noted.privacy.sealing.AESGCM", Unsealed) if chosen.plain else None
    with DynamoDBLocal().start(None) as engine:
        if cipher:
            cipher.start()
        measuring = Measuring(dynamodb_client(engine.endpoint), source)
        measuring.others(chosen.others, 20)
        steps = []
        for step in measuring.steps([int(size) for size in chosen.sizes.split(",")]):
            steps.append(step)
            console.print(step)
        title = f"{'alone' if not chosen.others else f'among {chosen.others:,} others'}, "
        console.print(_table(steps, title + ("not sealed" if chosen.plain else "sealed")))
        kind = ("-plain" if chosen.plain else "") + ("-among" if chosen.others else "")
        kept = {"others": chosen.others, "steps": [asdict(step) for step in steps]}
        results.write(chosen.results, f"speed{kind}", kept)


if __name__ == "__main__":
    main()
