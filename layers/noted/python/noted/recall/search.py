"""Recall: which of a user's facts a question brings back."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING

from noted.errors import ModelError
from noted.facts import live
from noted.privacy.entities import in_words
from noted.recall.floor import CALIBRATED
from noted.recall.ranking import Candidate, Scores, Why, documents_of
from noted.recall.times import Window, asks_when_told, window

if TYPE_CHECKING:
    from noted.facts.fact import Fact, Kind
    from noted.models.seam import Embedder

logger = logging.getLogger("noted.recall")


@dataclass(frozen=True)
class Query:
    """What to look for. `since` and `until` bound when a fact was said, half open; where they are not given,
    the time that the text itself names counts, in `timezone`, or `about`, what a message was found to mean:
    a preference and no bound. `as_of` asks for what stood at an earlier
    instant; `history` adds what was true once."""

    text: str
    limit: int = 10
    since: datetime | None = None
    until: datetime | None = None
    timezone: str = "UTC"
    kinds: tuple[Kind, ...] = ("fact", "goal")
    history: bool = False
    as_of: datetime | None = None
    about: Window | None = None

    @property
    def words(self) -> str:
        """The text as words are searched with it: an entity's word, and the letters of its id."""
        return in_words(self.text, with_letters=True)

    @property
    def meaning(self) -> str:
        """The text as it is embedded: a word for each entity."""
        return in_words(self.text)

    def has_floor(self, embedder: str) -> bool:
        """Whether facts for which nothing speaks are left out: not where they were asked for by their time,
        nor with an embedder whose cosines nobody has measured."""
        timed = self.since or self.until or self.history or self.as_of or asks_when_told(self.text)
        return not timed and embedder in CALIBRATED

    def time(self, now: datetime) -> Window | None:
        """The time that the query is about, given or named."""
        if self.since or self.until:
            return Window(self.since, self.until)
        return self.about or window(self.text, now, self.timezone)

    def bound(self, about: Window | None) -> Window | None:
        """The time in which a fact must have been said to come back at all. One that the text names is that
        only when it asks what was told then; otherwise it is a preference of the ranking."""
        given = self.since or self.until
        asks = self.about is None and asks_when_told(self.text)
        return about if about and (given or asks) else None


@dataclass(frozen=True)
class Found:
    """A fact that was recalled, its score from 0 to 1, and what made it."""

    fact: Fact
    score: float
    why: Why


@dataclass(frozen=True)
class Recalled:
    """What a query brought back, best first, the time that it was about, and what it had to do without."""

    items: tuple[Found, ...] = ()
    time: Window | None = None
    degraded: tuple[str, ...] = ()


def candidates(facts: Sequence[Fact], query: Query, about: Window | None, now: datetime) -> list[Fact]:
    """The facts that a query about a time may bring back at all."""
    bound = query.bound(about)
    if query.as_of:
        standing = live.as_of(facts, query.as_of, now)
    elif query.history:
        standing = live.with_history(facts, now)
    else:
        standing = live.live(facts, now)
    return [
        fact
        for fact in standing
        if fact.kind in query.kinds and (bound is None or bound.holds(fact.created_at))
    ]


def search(
    facts: Sequence[Fact], query: Query, embedder: Embedder, now: datetime, budget_seconds: float
) -> Recalled:
    """Ranks a user's facts, all of them and exactly. When the embedder is down, or slower than the budget,
    words alone decide, and `degraded` says so."""
    about = query.time(now)
    chosen = candidates(facts, query, about, now)
    if not chosen:
        return Recalled(time=about)
    vector = embedded(embedder, query.meaning, budget_seconds)
    # Sums of floats depend on their order; in one order the same facts give the same scores to the last bit.
    chosen = sorted(chosen, key=attrgetter("fact_id"))
    documents = documents_of([_candidate(fact, embedder.name) for fact in chosen])
    since, until = (about.since, about.until) if about else (None, None)
    scores = Scores(query.words, vector, documents, now=now, since=since, until=until)
    places = scores.order()[: query.limit]
    if query.has_floor(embedder.name):
        places = scores.above_floor(places)
    items = tuple(Found(chosen[place], scores.score(place), scores.why(place)) for place in places)
    return Recalled(items, about, () if vector is not None else ("embedding",))


def embedded(embedder: Embedder, text: str, budget_seconds: float) -> list[float] | None:
    """The vector of a query, None when it cannot be had within the budget."""
    future = _embedding_threads().submit(embedder.embed_query, text)
    try:
        return future.result(timeout=budget_seconds)
    except (ModelError, OutOfTime, ValueError, OSError) as error:
        logger.warning("recall without the embedder", extra={"error_type": type(error).__name__})
        return None


@cache
def _embedding_threads() -> ThreadPoolExecutor:
    # A call that ran out of its budget still ends on its own time-out; it must not hold up the next one.
    return ThreadPoolExecutor(max_workers=8, thread_name_prefix="embedding")


def _candidate(fact: Fact, embedder: str) -> Candidate:
    return Candidate(
        id=fact.fact_id,
        text=in_words(fact.text, with_letters=True),
        vector=fact.vector if fact.embedder == embedder else None,
        words=fact.words,
        last_confirmed_at=fact.last_confirmed_at,
        category=fact.category,
        confirmed=fact.provenance == "confirmed",
        created_at=fact.created_at,
    )
