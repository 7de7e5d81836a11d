"""The index of a user's facts, opened for queries: which of them stand, and how well each answers.

It holds no text. What it finds is read from the facts' own rows, and they have the last word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from noted.facts import live
from noted.recall import index_columns, index_vectors, ranking, vectors
from noted.recall.index_columns import CONFIRMED, GOAL, HELD, PROFILE, Columns
from noted.recall.index_postings import Postings, PostingsIndex
from noted.recall.index_segment import Segment
from noted.recall.ranking import Alike, Documents

if TYPE_CHECKING:
    from numpy import bool_, float32, intp, uint32
    from numpy.typing import NDArray

    from noted.facts.fact import Fact, Kind
    from noted.recall.index_log import Log
    from noted.recall.index_vectors import Basis
    from noted.recall.times import Window

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Places = Any  # whole numbers, an array


@dataclass(frozen=True)
class Edition:
    """Which index it is: `build` names the rows that belong to it, and it holds at least the first `changes`
    changes of the user's facts."""

    build: int = 0
    changes: int = 0


@dataclass(frozen=True)
class Centre:
    """Where the vectors of the chosen facts have their mean, and a query's vector from there."""

    mean: NDArray[float32]
    wanted: NDArray[float32]

    def cosine(self, packed: bytes) -> float:
        """The centred cosine of one packed vector with the query."""
        import numpy as np

        own = vectors.unit_rows([packed], len(self.mean))[0] - self.mean
        lengths = float(np.linalg.norm(own) * np.linalg.norm(self.wanted))
        return float(own @ self.wanted) / lengths if lengths > 1e-5 else 0.0


_UNSTORED = Edition()


class OpenIndex:
    """The facts of the segments, in ascending order of ids, after what the log says of them."""

    def __init__(
        self, segments: Sequence[Segment], log: Log, basis: Basis | None, edition: Edition = _UNSTORED
    ) -> None:
        import numpy as np

        self.edition = edition
        parts = [*segments, Segment.of(list(log.added.values()), basis)]
        columns = index_columns.concatenated(part.columns for part in parts)
        starts = np.cumsum([0, *map(len, parts)])
        # A fact that was stored anew counts as it was stored last.
        order = np.argsort(columns.ids, kind="stable")
        last = np.ones(len(order), dtype=np.bool_)
        last[:-1] = columns.ids[order][1:] != columns.ids[order][:-1]
        order = order[last]
        place = np.full(len(columns), -1)
        place[order] = np.arange(len(order))
        self._postings: list[Postings] = [part.postings for part in parts]
        self._places = [place[start : start + len(part)] for part, start in zip(parts, starts, strict=False)]
        self._lengths = np.concatenate([postings.lengths for postings in self._postings])[order]
        self._columns = columns.taken(order)
        altered = {at: log.altered[fact_id] for fact_id, at in self._found(log.altered)}
        self._columns = self._columns.altered(altered)
        self._basis = basis
        self._vectors(parts)
        columns = self._columns
        self._confirmed_at = columns.confirmed / 1000.0
        self._created_at = columns.created / 1000.0
        self._importance = ranking.importance(columns.categories(), columns.has(CONFIRMED))

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def size_bytes(self) -> int:
        """What the index takes of memory, about."""
        columns = sum(getattr(self._columns, name).nbytes for name in ("ids", "created", "confirmed")) * 3
        postings = sum(each.documents.nbytes + each.words.nbytes * 2 for each in self._postings)
        return int(columns + postings + self._along.nbytes + 500 * len(self._columns.rare))

    def _vectors(self, parts: Sequence[Segment]) -> None:
        import numpy as np

        own = [(part, places) for part, places in zip(parts, self._places, strict=True) if part.sketches]
        self._row = np.full(len(self._columns), -1)
        self._along: NDArray[float32] = np.zeros((0, 0), dtype=np.float32)
        self._distances: NDArray[float32] = np.zeros(0, dtype=np.float32)
        if not own or self._basis is None:
            return
        sketches = index_vectors.concatenated([part.sketches for part, _ in own if part.sketches])
        self._along = sketches.steps.astype(np.float32)
        self._along *= np.float32(self._basis.step)
        self._distances = self._basis.lengths(sketches)
        places = np.concatenate([places[part.sketched] for part, places in own])
        rows = np.flatnonzero(places >= 0)
        self._row[places[rows]] = rows

    # Which facts stand

    def standing(
        self, now: datetime, *, as_of: datetime | None = None, history: bool = False
    ) -> NDArray[bool_]:
        """Which facts may be told: those that are live, that stood at an earlier instant, or that were true
        once. Most have nothing that could keep them from it; the others are judged by the rules of
        `noted.facts.live`."""
        import numpy as np

        current = (self._columns.expires == 0) | (self._columns.expires > now.timestamp())
        told = current.copy()
        if as_of is not None:
            told &= self._columns.created * 1000 <= _microseconds(as_of)
        places = np.fromiter(self._apart, dtype=np.intp, count=len(self._apart))
        told[places] = False
        facts, _ = live.without_stand_ins(fact for place, fact in self._apart.items() if current[place])
        if as_of is not None:
            standing = live.as_of(facts, as_of, now)
        elif history:
            standing = live.with_history(facts, now)
        else:
            standing = live.live(facts, now)
        told[[place for _, place in self._found(fact.fact_id for fact in standing)]] = True
        return np.asarray(told)

    @cached_property
    def _apart(self) -> dict[int, Fact]:
        """The facts whose standing does not follow from themselves alone being there, newest first: judged,
        ended, superseded, held, or with words that another has as well; and those that they name."""
        import numpy as np

        columns = self._columns
        _, groups, counts = np.unique(columns.same, return_inverse=True, return_counts=True)
        places = {*columns.rare, *np.flatnonzero((counts[groups] > 1) | columns.has(HELD)).tolist()}
        named = {
            other
            for rare in columns.rare.values()
            for name in ("superseded_by", "copy_of")
            if (other := rare.get(name))
        }
        places |= {place for _, place in self._found(named)}
        return {place: columns.fact(place) for place in sorted(places, reverse=True)}

    def still_told(self, fact_ids: Sequence[str], now: datetime) -> list[str]:
        """The ids of what stands now of facts that were told before (`noted.facts.live.still_told`)."""
        facts = dict(self._apart) | {
            place: self._columns.fact(place) for _, place in self._found(fact_ids) if place not in self._apart
        }
        current = [
            fact
            for place, fact in sorted(facts.items(), reverse=True)
            if not 0 < self._columns.expires[place] <= now.timestamp()
        ]
        known, _ = live.without_stand_ins(current)
        return [fact.fact_id for fact in live.still_told(fact_ids, known, now)]

    def lasting(self, fact_ids: Iterable[str], until: datetime) -> list[str]:
        """Those of some facts, in their order, that are kept beyond an instant."""
        end = until.timestamp()
        ends = ((fact_id, self._columns.expires[place]) for fact_id, place in self._found(fact_ids))
        return [fact_id for fact_id, expires in ends if expires == 0 or expires > end]

    def facts(self, fact_ids: Iterable[str]) -> dict[str, Fact]:
        """Those of some facts that it has, by id, as they stand and without what they say."""
        return {fact_id: self._columns.fact(place) for fact_id, place in self._found(fact_ids)}

    def newest(self, limit: int, now: datetime) -> list[str]:
        """The ids of up to `limit` live facts: those of the profile before others, then confirmed ones, and
        newest first."""
        import numpy as np

        places = np.flatnonzero(self.standing(now))[::-1]
        profile, confirmed = self._columns.has(PROFILE)[places], self._columns.has(CONFIRMED)[places]
        chosen = places[np.lexsort((~confirmed, ~profile))]
        return [self._columns.ids[place].decode() for place in chosen[:limit].tolist()]

    def denied(self, now: datetime) -> list[str]:
        """The ids of the facts that the user rejected or called inaccurate."""
        return [fact.fact_id for fact in self._apart.values() if fact.status(now) in live.DENIED]

    # How well they answer

    def chosen(self, told: NDArray[bool_], kinds: Sequence[Kind], bound: Window | None) -> Places:
        """The places of the facts of `kinds`, said within `bound`, among those that may be told."""
        import numpy as np

        goals = self._columns.has(GOAL)
        told = told & ((goals & ("goal" in kinds)) | (~goals & ("fact" in kinds)))
        said = self._columns.created * 1000
        if bound and bound.since:
            told &= said >= _microseconds(bound.since)
        if bound and bound.until:
            told &= said < _microseconds(bound.until)
        return np.flatnonzero(told)

    def documents(self, places: Places, embedder: str) -> Documents:
        """Chosen facts as what is ranked; `embedder` names the model of the query's vector."""
        import numpy as np

        local = np.full(len(self._columns), -1)
        local[places] = np.arange(len(places))

        def place_of(part: int, documents: NDArray[uint32]) -> NDArray[intp]:
            own = self._places[part][documents]
            return np.where(own >= 0, local[own], -1)

        return Documents(
            ids=_Ids(self._columns, places),
            words=PostingsIndex(self._postings, place_of, self._lengths[places]),
            alike=lambda query: self._alike(query, places, embedder),
            confirmed_at=self._confirmed_at[places],
            created_at=self._created_at[places],
            importance=self._importance[places],
        )

    def _alike(self, query: Sequence[float], places: Places, embedder: str) -> Alike | None:
        import numpy as np

        rows = self._row[places]
        known = np.flatnonzero(rows >= 0)
        wanted = vectors.unit_row(query)
        basis = self._basis
        if basis is None or not len(known) or not _comparable(basis, query, embedder):
            return None
        along, distances = self._along, self._distances
        if len(known) < len(along):
            along, distances = along[rows[known]], distances[rows[known]]
            rows = np.arange(len(known))
        else:
            rows = rows[known]
        [own], [distance] = basis.project(wanted[None, :])
        # All was measured from the mean of the basis; that of the chosen facts may lie elsewhere.
        mean = along.mean(axis=0)
        shift = float(mean @ mean)
        lengths = np.maximum(distances**2 - 2 * (along @ mean) + shift, 0.0)
        length = max(float(distance**2 - 2 * (own @ mean) + shift), 0.0)
        product = along @ (own - mean) - float(mean @ (own - mean))
        scale = np.sqrt(lengths * length)
        cosines = np.where(scale > 1e-5, product / np.maximum(scale, 1e-5), np.float32(0))
        return Alike(known, cosines[rows])

    def centre(self, query: Sequence[float], places: Places, embedder: str) -> Centre | None:
        """From where full vectors of the chosen facts are compared with a query, None if they cannot be."""
        import numpy as np

        rows = self._row[places]
        known = rows[rows >= 0]
        if self._basis is None or not len(known) or not _comparable(self._basis, query, embedder):
            return None
        along = self._along if len(known) == len(self._along) else self._along[known]
        mean = self._basis.mean + self._basis.matrix @ along.mean(axis=0)
        return Centre(np.asarray(mean, dtype=np.float32), vectors.unit_row(query) - mean)

    def _found(self, fact_ids: Iterable[str]) -> list[tuple[str, int]]:
        import numpy as np

        wanted = list(fact_ids)
        if not wanted or not len(self._columns):
            return []
        asked = np.array([fact_id.encode() for fact_id in wanted], dtype=self._columns.ids.dtype)
        places = np.minimum(np.searchsorted(self._columns.ids, asked), len(self._columns) - 1)
        hits = self._columns.ids[places] == asked
        return [(wanted[at], int(places[at])) for at in np.flatnonzero(hits).tolist()]


class _Ids(Sequence[str]):
    """The ids of chosen facts, made when they are asked for."""

    def __init__(self, columns: Columns, places: Places) -> None:
        self._ids = columns.ids
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, at: Any) -> Any:
        return self._ids[self._places[at]].decode()


def _comparable(basis: Basis, query: Sequence[float], embedder: str) -> bool:
    return embedder == basis.embedder and len(query) == len(basis.mean)


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
