"""Ranks a user's facts for a query: exact, over all of them, and the same for the same facts in any order.

Relevance (`noted.recall.fusion`) decides; when a fact was last confirmed, what it is about, and whether it
was said within the time that the query speaks of are gentle multipliers on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from noted.recall import floor, fusion, vectors
from noted.recall.lexical import Index, pack, tokens

if TYPE_CHECKING:
    from numpy import bool_, float64, floating, integer
    from numpy.typing import NDArray

HALF_LIFE_DAYS = 180
# What an old fact, an unimportant one, and one from outside the query's time range lose at most.
RECENCY_SHARE = 0.1
IMPORTANCE_SHARE = 0.05
TIME_SHARE = 0.2
# The relevance of a fact that nothing speaks for. Among such facts the multipliers decide, so that a user
# with few facts, or one whose embedder is down, has the newest and weightiest of them recalled and not none.
FLOOR = 0.05

# What does harm when it is forgotten first: an allergy, a name.
CATEGORY_IMPORTANCE = {
    "constraint": 1.0,
    "identity": 1.0,
    "relationship": 0.5,
    "project": 0.5,
    "preference": 0.5,
}
CONFIRMED_SHARE = 0.3  # of importance; the category has the rest


@dataclass(frozen=True)
class Candidate:
    """A fact that may be recalled. Times are aware.

    `vector` is packed by `noted.recall.vectors`, of the same embedder as the query's; for None, or one of
    another length, stands what the shared words lead one to expect. `words` is the text's tokens, packed by
    `noted.recall.lexical`; None has them cut now. `created_at`, for a time range, is when it was said; None
    stands for `last_confirmed_at`.
    """

    id: str
    text: str
    vector: bytes | None
    last_confirmed_at: datetime
    category: str
    confirmed: bool
    created_at: datetime | None = None
    words: bytes | None = None


@dataclass(frozen=True)
class Why:
    """What spoke for a fact, each from 0 to 1; `semantic` and `lexical` are relative to the best fact.

    `time` is 1 for a fact said within the query's time range, else 0.
    """

    semantic: float
    lexical: float
    recency: float
    importance: float
    time: float


@dataclass(frozen=True)
class Ranked:
    """A candidate with its score, 0 to 1."""

    candidate: Candidate
    score: float
    why: Why


@dataclass(frozen=True)
class Alike:
    """Centred cosines of some documents with a query: where those stand, and the cosine of each."""

    places: NDArray[integer]
    cosines: NDArray[floating]


@dataclass(frozen=True)
class Documents:
    """What is ranked, in ascending order of ids, a column each. Times are seconds since 1970; `importance` is
    from 0 to 1; `alike` gives the cosines with a query vector, None when no document has a vector like it."""

    ids: Sequence[str]
    words: Index
    alike: Callable[[Sequence[float]], Alike | None]
    confirmed_at: NDArray[float64]
    created_at: NDArray[float64]
    importance: NDArray[float64]


class Scores:
    """The scores of documents for one query, and what made them."""

    def __init__(
        self,
        query: str,
        query_vector: Sequence[float] | None,
        documents: Documents,
        *,
        now: datetime,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> None:
        """As `rank`."""
        import numpy as np

        index = documents.words
        self._lexical = fusion.scaled(index.scores(tokens(query)))
        self._named = fusion.share_named(index, fusion.identifiers(query))
        self._held = partial(floor.share_held, index, query)
        alike = None if query_vector is None else documents.alike(query_vector)
        self._cosines = np.zeros(len(documents.ids))
        if alike:
            self._cosines[alike.places] = alike.cosines
        self._best_cosine = max(float(alike.cosines.max(initial=0.0)), 0.0) if alike else 0.0
        self._semantic: NDArray[float64] | None = None
        if alike:
            self._semantic = fusion.EXPECTED_SEMANTIC * self._lexical
            self._semantic[alike.places] = fusion.scaled(alike.cosines)
        self._recency = _recency(documents.confirmed_at, now)
        self._importance = documents.importance
        self._within = _within(documents.created_at, since, until)
        weight = 1 - RECENCY_SHARE * (1 - self._recency)
        weight *= 1 - IMPORTANCE_SHARE * (1 - self._importance)
        if since or until:
            weight *= 1 - TIME_SHARE * ~self._within
        self._weight = weight
        relevance = fusion.fuse(self._semantic, self._lexical, self._named)
        self._score = np.asarray((FLOOR + (1 - FLOOR) * relevance) * weight)

    def order(self) -> list[int]:
        """The places of the documents, best first; equal scores stand in the order given."""
        import numpy as np

        order: list[int] = np.argsort(-self._score, kind="stable").tolist()
        return order

    def refine(self, cosines: Mapping[int, float]) -> None:
        """Puts more exact cosines in the place of those that `Documents.alike` gave, by place."""
        import numpy as np

        if self._semantic is None or not cosines:
            return
        places = np.fromiter(cosines, dtype=np.intp)
        exact = np.fromiter(cosines.values(), dtype=np.float64)
        self._cosines[places] = exact
        self._semantic[places] = np.clip(exact / (self._best_cosine or 1.0), 0.0, 1.0)
        named = None if self._named is None else self._named[places]
        relevance = fusion.fuse(self._semantic[places], self._lexical[places], named)
        self._score[places] = (FLOOR + (1 - FLOOR) * relevance) * self._weight[places]

    def above_floor(self, places: Sequence[int]) -> list[int]:
        """Of ranked documents those for which enough speaks: all of them where there is no query vector."""
        if self._semantic is None:
            return list(places)
        chosen = list(places)
        evidence = floor.evidence(self._cosines[chosen], self._held()[chosen])
        return [chosen[at] for at in floor.above(evidence.tolist(), len(self._cosines))]

    def exact(self, place: int) -> float:
        """The score of one document as it is ranked by."""
        return float(self._score[place])

    def score(self, place: int) -> float:
        """The score of one document, 0 to 1."""
        return round(float(self._score[place]), 4)

    def why(self, place: int) -> Why:
        """What spoke for one document."""
        semantic = 0.0 if self._semantic is None else float(self._semantic[place])
        return Why(
            semantic=round(semantic, 4),
            lexical=round(float(self._lexical[place]), 4),
            recency=round(float(self._recency[place]), 4),
            importance=round(float(self._importance[place]), 4),
            time=float(self._within[place]),
        )


def rank(
    query: str,
    query_vector: Sequence[float] | None,
    candidates: Sequence[Candidate],
    *,
    now: datetime,
    limit: int,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Ranked]:
    """The `limit` best candidates, best first; equal scores stand by id. Fewer only when there are fewer.

    `query_vector` is None when there is none to be had, and words decide. `since` (inclusive) and `until`
    (exclusive) are the time that the query itself names: a preference, since a fact may speak of a time other
    than the one it was said at. Raises ValueError for a negative limit and for a query vector that is empty,
    zero or not finite.
    """
    if limit < 0:
        raise ValueError("a limit cannot be negative")
    if not candidates:
        return []
    # Sums of floats depend on their order; in one order the same facts give the same scores to the last bit.
    candidates = sorted(candidates, key=attrgetter("id"))
    scores = Scores(query, query_vector, documents_of(candidates), now=now, since=since, until=until)
    return [
        Ranked(candidates[place], scores.score(place), scores.why(place)) for place in scores.order()[:limit]
    ]


def documents_of(candidates: Sequence[Candidate]) -> Documents:
    """Candidates in ascending order of ids as documents."""
    import numpy as np

    packed = [c.vector for c in candidates]

    def alike(query_vector: Sequence[float]) -> Alike | None:
        width = vectors.packed_size(len(query_vector))
        known = {place: v for place, v in enumerate(packed) if v is not None and len(v) == width}
        if not known:
            return None
        cosines = vectors.centred_cosines(query_vector, list(known.values()))
        return Alike(np.fromiter(known, dtype=np.intp), cosines)

    return Documents(
        ids=[c.id for c in candidates],
        words=Index([pack(tokens(c.text)) if c.words is None else c.words for c in candidates]),
        alike=alike,
        confirmed_at=np.array([c.last_confirmed_at.timestamp() for c in candidates]),
        created_at=np.array([(c.created_at or c.last_confirmed_at).timestamp() for c in candidates]),
        importance=importance([c.category for c in candidates], np.array([c.confirmed for c in candidates])),
    )


def importance(categories: Sequence[str], confirmed: NDArray[bool_]) -> NDArray[float64]:
    """How much it matters that a fact is not forgotten, 0 to 1: by its category, and whether it was
    confirmed."""
    import numpy as np

    category = np.array([CATEGORY_IMPORTANCE.get(each, 0.0) for each in categories])
    return np.asarray((1 - CONFIRMED_SHARE) * category + CONFIRMED_SHARE * confirmed, dtype=np.float64)


def _recency(confirmed_at: NDArray[float64], now: datetime) -> NDArray[float64]:
    """1 for now, half of it each half-life; a time after now is now."""
    import numpy as np

    days = np.maximum(now.timestamp() - confirmed_at, 0) / 86_400
    return np.asarray(0.5 ** (days / HALF_LIFE_DAYS), dtype=np.float64)


def _within(created_at: NDArray[float64], since: datetime | None, until: datetime | None) -> NDArray[bool_]:
    import numpy as np

    if since is None and until is None:
        return np.zeros(len(created_at), dtype=np.bool_)
    begun = created_at >= (since.timestamp() if since else -np.inf)
    return begun & (created_at < (until.timestamp() if until else np.inf))
