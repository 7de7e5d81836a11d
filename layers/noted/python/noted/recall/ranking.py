"""Ranks a user's facts for a query: exact, over all of them, and the same for the same facts in any order.

Relevance (`noted.recall.fusion`) decides; when a fact was last confirmed, what it is about, and whether it
was said within the time that the query speaks of are gentle multipliers on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING

from noted.recall import fusion, vectors
from noted.recall.lexical import Index, pack, tokens

if TYPE_CHECKING:
    from numpy import bool_, float64
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
    import numpy as np

    if limit < 0:
        raise ValueError("a limit cannot be negative")
    if not candidates:
        return []
    # Sums of floats depend on their order; in one order the same facts give the same scores to the last bit.
    candidates = sorted(candidates, key=attrgetter("id"))
    index = Index([pack(tokens(c.text)) if c.words is None else c.words for c in candidates])
    lexical = fusion.scaled(index.scores(tokens(query)))
    semantic = _semantic(query_vector, candidates, lexical)
    relevance = fusion.fuse(semantic, lexical, fusion.share_named(index, fusion.identifiers(query)))

    recency = _recency(candidates, now)
    importance = _importance(candidates)
    within = _within(candidates, since, until)
    score = FLOOR + (1 - FLOOR) * relevance
    score *= 1 - RECENCY_SHARE * (1 - recency)
    score *= 1 - IMPORTANCE_SHARE * (1 - importance)
    if since or until:
        score *= 1 - TIME_SHARE * ~within

    return [
        Ranked(
            candidates[i],
            round(float(score[i]), 4),
            Why(
                semantic=0.0 if semantic is None else round(float(semantic[i]), 4),
                lexical=round(float(lexical[i]), 4),
                recency=round(float(recency[i]), 4),
                importance=round(float(importance[i]), 4),
                time=float(within[i]),
            ),
        )
        for i in np.argsort(-score, kind="stable")[:limit].tolist()
    ]


def _semantic(
    query_vector: Sequence[float] | None, candidates: Sequence[Candidate], lexical: NDArray[float64]
) -> NDArray[float64] | None:
    import numpy as np

    if query_vector is None:
        return None
    width = vectors.packed_size(len(query_vector))
    packed = [c.vector for c in candidates]
    places = [place for place, vector in enumerate(packed) if vector is not None and len(vector) == width]
    if not places:
        return None
    known = [vector for vector in packed if vector is not None and len(vector) == width]
    semantic = fusion.EXPECTED_SEMANTIC * lexical
    semantic[places] = fusion.scaled(vectors.centred_cosines(query_vector, known))
    return np.asarray(semantic)


def _recency(candidates: Sequence[Candidate], now: datetime) -> NDArray[float64]:
    """1 for now, half of it each half-life; a time after now is now."""
    import numpy as np

    moments = np.array([c.last_confirmed_at.timestamp() for c in candidates])
    days = np.maximum(now.timestamp() - moments, 0) / 86_400
    return np.asarray(0.5 ** (days / HALF_LIFE_DAYS), dtype=np.float64)


def _importance(candidates: Sequence[Candidate]) -> NDArray[float64]:
    import numpy as np

    category = np.array([CATEGORY_IMPORTANCE.get(c.category, 0.0) for c in candidates])
    confirmed = np.array([c.confirmed for c in candidates])
    return np.asarray((1 - CONFIRMED_SHARE) * category + CONFIRMED_SHARE * confirmed, dtype=np.float64)


def _within(
    candidates: Sequence[Candidate], since: datetime | None, until: datetime | None
) -> NDArray[bool_]:
    import numpy as np

    if since is None and until is None:
        return np.zeros(len(candidates), dtype=np.bool_)
    said = [c.created_at or c.last_confirmed_at for c in candidates]
    return np.array([(since is None or since <= t) and (until is None or t < until) for t in said])
