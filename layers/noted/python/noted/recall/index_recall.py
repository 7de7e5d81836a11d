"""Recall over the memory of one user: through the index of their facts where there is one, and over the
facts' own rows where there is none. Both bring back the same facts.

The index says which facts stand and how well each answers. The best are then read from their rows, strongly
consistent, ranked again by their full vectors, and left out where a row does not bear the index out: nothing
comes back that is not in its row at that moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted.facts import live
from noted.facts.fact import Fact, Status
from noted.privacy.entities import in_words
from noted.recall.index_telling import NO_SNAPSHOT, Snapshot, Telling, Uncopied
from noted.recall.ranking import Scores
from noted.recall.reranking import CONSIDERED, reranked, scores
from noted.recall.search import Found, Query, Recalled, embedded, search

if TYPE_CHECKING:
    from noted.models.seam import Embedder, Reranker
    from noted.recall.index import OpenIndex
    from noted.store.memory import Memory

# Of the limit, rows that are read beyond it: their full vectors can still change which facts are the best.
SPARE = 2
_TOLD_ONCE = (Status.LIVE, Status.SUPERSEDED, Status.EXPIRED)


@dataclass(frozen=True)
class Brought:
    """What a query brought back, and what stands by now of a conversation's snapshot; `uncopied` is what was
    read of it fact by fact, and would be read at once from a copy."""

    recalled: Recalled
    still_told: tuple[Fact, ...] = ()
    uncopied: Uncopied | None = None


def recall(
    memory: Memory,
    query: Query,
    embedder: Embedder,
    now: datetime,
    budget_seconds: float,
    snapshot: Snapshot = NO_SNAPSHOT,
    reranker: Reranker | None = None,
) -> Brought:
    """What a query brings back, as `noted.recall.search.search`, and what stands of a snapshot, which is read
    with it. With a reranker more of the best are read, and it decides among them. Raises Unavailable.

    Read units: one a fact that is read, one for each 4 KB of the snapshot's copy, and those of the index
    where it has changed since this process opened it; without an index about a quarter for each fact of the
    user.
    """
    if reranker is None:
        return _recalled(memory, query, embedder, now, budget_seconds, snapshot)
    wide = replace(query, limit=max(query.limit, CONSIDERED))
    brought = _recalled(memory, wide, embedder, now, budget_seconds, snapshot)
    items, degraded = brought.recalled.items, brought.recalled.degraded
    read = scores(reranker, query.meaning, [in_words(each.fact.text) for each in items], budget_seconds)
    if read is None:
        degraded = (*degraded, "rerank")
    else:
        items = tuple(each for each, _ in reranked(items, read))
    recalled = replace(brought.recalled, items=items[: query.limit], degraded=degraded)
    return replace(brought, recalled=recalled)


def _recalled(
    memory: Memory,
    query: Query,
    embedder: Embedder,
    now: datetime,
    budget_seconds: float,
    snapshot: Snapshot,
) -> Brought:
    index = memory.index.open()
    if index is None:
        facts = memory.facts.all()
        recalled = search(facts, query, embedder, now, budget_seconds) if facts else Recalled()
        return Brought(recalled, tuple(live.still_told(snapshot.fact_ids, facts, now)))
    telling = Telling(memory, index, snapshot, now)
    return _Indexed(memory, index, query, now).recall(embedder, budget_seconds, telling)


def newest(memory: Memory, limit: int, now: datetime) -> list[str]:
    """The ids of up to `limit` live facts: those of the profile before others, then confirmed ones, and
    newest first. Raises Unavailable."""
    index = memory.index.open()
    if index is not None:
        return index.newest(limit, now)
    standing = live.live(memory.facts.all(), now)
    chosen = sorted(standing, key=lambda fact: (fact.profile_field is None, fact.provenance != "confirmed"))
    return [fact.fact_id for fact in chosen[:limit]]


def denied(memory: Memory, now: datetime) -> list[Fact]:
    """The facts that the user rejected or called inaccurate. Raises Unavailable."""
    index = memory.index.open()
    if index is not None:
        return list(memory.facts.some(index.denied(now)).values())
    return [fact for fact in memory.facts.all() if fact.status(now) in live.DENIED]


class _Indexed:
    """One query through an index."""

    def __init__(self, memory: Memory, index: OpenIndex, query: Query, now: datetime) -> None:
        self._memory = memory
        self._index = index
        self._query = query
        self._now = now

    def recall(self, embedder: Embedder, budget_seconds: float, telling: Telling) -> Brought:
        query, now, index = self._query, self._now, self._index
        about = query.time(now)
        standing = index.standing(now, as_of=query.as_of, history=query.history)
        places = index.chosen(standing, query.kinds, query.bound(about))
        if not len(places):
            telling.read()
            return Brought(Recalled(time=about), telling.told, telling.uncopied)
        vector = embedded(embedder, query.meaning, budget_seconds)
        documents = index.documents(places, embedder.name)
        since, until = (about.since, about.until) if about else (None, None)
        scores = Scores(query.words, vector, documents, now=now, since=since, until=until)
        centre = index.centre(vector, places, embedder.name) if vector is not None else None
        order, start = scores.order(), 0
        taken: list[int] = []
        found: dict[int, Fact] = {}
        while len(taken) < query.limit and start < len(order):
            # Again only when rows did not bear the index out.
            best = order[start : start + query.limit + SPARE]
            ids = {documents.ids[place]: place for place in best}
            facts = telling.read(list(ids)) if start == 0 else self._memory.facts.some(list(ids))
            read = {
                place: facts[fact_id] for fact_id, place in ids.items() if self._stands(facts.get(fact_id))
            }
            if centre is not None:
                exact = {
                    place: centre.cosine(fact.vector)
                    for place, fact in read.items()
                    if fact.vector and fact.embedder == embedder.name
                }
                scores.refine(exact)
            ranked = sorted(read, key=lambda place: (-scores.exact(place), place))
            taken += ranked
            found |= read
            start += len(best)
        taken = taken[: query.limit]
        if query.has_floor(embedder.name):
            taken = scores.above_floor(taken)
        items = tuple(Found(found[place], scores.score(place), scores.why(place)) for place in taken)
        recalled = Recalled(items, about, () if vector is not None else ("embedding",))
        return Brought(recalled, telling.told, telling.uncopied)

    def _stands(self, fact: Fact | None) -> bool:
        """Whether a row, by itself, is one that the query may bring back."""
        if fact is None or fact.kind not in self._query.kinds:
            return False
        wanted = _TOLD_ONCE if self._query.history or self._query.as_of else (Status.LIVE,)
        return fact.status(self._now) in wanted
