"""Noted as a side-by-side kit of memory systems sees it: add, search, delete_all, count, close.

The texts go through the real store and the real ranking, each as a fact of its user; guards and models are
left out, since every system of a comparison stores the same texts and ranks vectors of the same embedder.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import noted
from local.dynamodb import DynamoDBLocal
from local.keys import KeyFolder
from local.receipt_key import receipt_signer
from local.secret import service_secret
from local.service import dynamodb_client
from noted import ids
from noted.clock import SystemClock
from noted.errors import Unauthenticated
from noted.facts.fact import Fact
from noted.identity import principal_of
from noted.privacy.erasure import Erasure
from noted.privacy.erasure_worker import Worker
from noted.privacy.satellites import Subjects
from noted.recall import lexical, vectors
from noted.recall.index_recall import recall
from noted.recall.search import Query
from noted.retention import Retention
from noted.store.caches import Caches
from noted.store.database import Database
from noted.store.erasure_jobs import Jobs
from noted.store.replay_log import ReplayLog
from noted.store.repository import Deployment, Repository
from noted.store.tables import create_tables

_PREFIX = "bench"
_CHUNK = 50
_SECONDS = 30.0  # for the embedder, whose time is not what is compared


class _Embedder(Protocol):
    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...

    def embed_one(self, text: str) -> Sequence[float]: ...


class _Asking:
    """The shared embedder as recall sees it."""

    name = "shared"

    def __init__(self, shared: _Embedder) -> None:
        self._shared = shared

    def embed_query(self, text: str) -> list[float]:
        return [float(value) for value in self._shared.embed_one(text)]

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(value) for value in vector] for vector in self._shared.embed(texts)]


@dataclass
class Hit:
    """A memory that was found."""

    text: str
    score: float | None = None
    user: str | None = None


class Noted:
    """`root` is an empty folder for all that is kept on disk; `emb` the embedder that all systems share."""

    persistent = True
    threadsafe = True
    batch = 50
    notes = "DynamoDB Local on disk, one sealed row a fact, and a sealed index of them"

    def __init__(self, root: Path, emb: _Embedder) -> None:
        self.root, self.emb = Path(root), emb
        self.root.mkdir(parents=True, exist_ok=True)
        data = self.root / "dynamodb"
        data.mkdir(mode=0o700, exist_ok=True)
        self._engine = DynamoDBLocal()
        self._engine.start(data)
        self._client = dynamodb_client(self._engine.endpoint)
        create_tables(self._client, _PREFIX)
        self._secrets = service_secret(self.root)
        self._clock = SystemClock()
        self._retention = Retention()
        self._caches = Caches()
        self._wrapper = KeyFolder(self.root)
        self._numbers = itertools.count()

    @classmethod
    def version(cls) -> str:
        """The version that was measured."""
        return f"noted {noted.__version__}"

    def add(
        self, user_id: str, texts: Sequence[str], timestamps: Sequence[float | None] | None = None
    ) -> None:
        """Stores each text as one fact. A search that begins afterwards finds it."""
        repository = self._repository(user_id)
        memory = repository.memory(repository.admit().generation)
        now = self._clock.now()
        embedded = self.emb.embed(list(texts))
        times = timestamps or [None] * len(texts)
        facts = [
            self._fact(text, [float(value) for value in vector], time, now)
            for text, vector, time in zip(texts, embedded, times, strict=True)
        ]
        for start in range(0, len(facts), _CHUNK):
            memory.facts.add(facts[start : start + _CHUNK])

    def search(self, user_id: str, query: str, k: int) -> list[Hit]:
        """The k best memories of the user, best first."""
        repository = self._repository(user_id)
        memory = repository.memory(repository.standing().generation)
        asked, now = Query(query, limit=k), self._clock.now()
        brought = recall(memory, asked, _Asking(self.emb), now, _SECONDS)
        return [Hit(found.fact.text, found.score, user_id) for found in brought.recalled.items]

    def delete_all(self, user_id: str) -> None:
        """Erases the user, to the receipt."""
        Erasure(self._repository(user_id), self._clock).everything()
        database = Database(self._client, _PREFIX, self._clock)
        Worker(
            jobs=Jobs(database),
            repository_of=self._of,
            drained=lambda _: True,
            clock=self._clock,
            signer=lambda: receipt_signer(self.root),
            wrapper=lambda: self._wrapper,
            satellites=(),
            subjects=lambda: Subjects(self._secrets),
            owner_of=ReplayLog(database, self._secrets).owner,
        ).run_due()

    def count(self, user_id: str) -> int:
        """How many facts of the user there are."""
        repository = self._repository(user_id)
        return len(repository.memory(repository.standing().generation).facts.all())

    def close(self) -> None:
        """Stops the database."""
        self._client.close()
        self._engine.stop()

    def _repository(self, user_id: str) -> Repository:
        try:
            principal = principal_of({"sub": user_id, "iss": "https://bench.test"}, self._secrets)
        except Unauthenticated:
            raise ValueError("a user id is 1 to 255 printable ASCII characters without blanks") from None
        return self._of(principal)

    def _of(self, principal: Any) -> Repository:
        deployment = Deployment(
            _PREFIX, self._secrets, self._retention, self._clock, self._wrapper, self._caches
        )
        return Repository(self._client, deployment, principal)

    def _fact(self, text: str, vector: list[float], time: float | None, now: datetime) -> Fact:
        said_at = datetime.fromtimestamp(time, UTC) if time is not None else now
        return Fact(
            fact_id=ids.at(ids.FACT, said_at),
            kind="fact",
            category="other",
            text=text,
            provenance="said",
            sequence=next(self._numbers),
            created_at=said_at,
            last_confirmed_at=said_at,
            expires_at=self._retention.fact("other", now),
            words=lexical.pack(lexical.tokens(text)),
            vector=vectors.pack(vector),
            embedder=_Asking.name,
        )
