"""What becomes of the index of a user's facts when its log is folded into segments, or when it is built anew:
the next manifest and the rows to write with it. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from noted.recall.index_log import Log
from noted.recall.index_segment import MOST, Segment, concatenated
from noted.recall.index_vectors import Basis
from noted.store.index_rows import Manifest, Part

if TYPE_CHECKING:
    from noted.facts.fact import Fact
    from noted.recall.index_columns import Rare
    from noted.store.index_reading import Loaded

# Facts that are read row by row sooner than through an index: 64 of them are about 16 read units.
FEWEST = 64
# The basis follows the facts: it is made anew, and with it all rows of the index, when they are a quarter
# more than those that it was made of, and in any case long before the year is over after which a row ends.
_GROWTH = 1.25
_LASTS = timedelta(days=180)


@dataclass(frozen=True)
class Folded:
    """The next manifest, and the segments and the basis that are to be written with it."""

    manifest: Manifest
    segments: Mapping[int, Segment]
    basis: Basis | None = None


def built(facts: Sequence[Fact], build: int, version: int, now: datetime) -> Folded:
    """An index of facts, oldest first, with the vectors of the embedder that made the newest one's."""
    basis = _basis(facts)
    segments = {
        number: Segment.of(facts[start : start + MOST], basis)
        for number, start in enumerate(range(0, len(facts), MOST))
    }
    parts = tuple(_part(segment, version) for segment in segments.values())
    manifest = Manifest(build, version, now, len(facts), version if basis else 0, parts)
    return Folded(manifest, segments, basis)


def folded(loaded: Loaded, now: datetime) -> Folded | None:
    """The index with its log in its segments and without what has expired; None if it must be built anew."""
    manifest, log = loaded.manifest, Log.of(loaded.changes)
    if not _lasts(loaded, log, now):
        return None
    version = manifest.version + 1
    segments: dict[int, Segment] = {}
    for number, segment in enumerate(loaded.segments):
        changed = _current(segment, log, now)
        if changed is not segment:
            segments[number] = changed
    fresh = _current(Segment.of(list(log.added.values()), loaded.basis), Log({}, log.altered), now)
    if len(fresh):
        last = len(loaded.segments) - 1
        ending = segments.get(last, loaded.segments[last]) if loaded.segments else None
        if ending is not None and len(ending) + len(fresh) <= MOST:
            segments[last] = concatenated([ending, fresh])
        else:
            segments[last + 1] = fresh
    parts = list(manifest.parts)
    for number, segment in sorted(segments.items()):
        parts[number : number + 1] = [_part(segment, version)]
    return Folded(replace(manifest, version=version, parts=tuple(parts), log=()), segments)


def _lasts(loaded: Loaded, log: Log, now: datetime) -> bool:
    manifest = loaded.manifest
    embedder = loaded.basis.embedder if loaded.basis else None
    others = any(fact.vector and fact.embedder != embedder for fact in log.added.values())
    grown = manifest.count + len(log.added) > max(manifest.trained, FEWEST) * _GROWTH
    return not (others or grown or now >= manifest.built_at + _LASTS)


def _basis(facts: Sequence[Fact]) -> Basis | None:
    embedded = [fact for fact in facts if fact.vector is not None and fact.embedder is not None]
    if not embedded:
        return None
    embedder, size = embedded[-1].embedder, len(embedded[-1].vector or b"")
    alike = [
        fact.vector
        for fact in embedded
        if fact.vector is not None and fact.embedder == embedder and len(fact.vector) == size
    ]
    return Basis.of(embedder or "", alike)


def _current(segment: Segment, log: Log, now: datetime) -> Segment:
    """A segment as the log leaves it: the same one if the log leaves it as it is and nothing has expired."""
    import numpy as np

    changes: dict[int, Rare] = {}
    replaced: list[int] = []
    if log.added or log.altered:
        for place, fact_id in enumerate(segment.columns.ids.tolist()):
            name = fact_id.decode()
            if name in log.added:
                replaced.append(place)
            elif name in log.altered:
                changes[place] = log.altered[name]
    changed = segment.altered(changes)
    expires = changed.columns.expires
    kept = (expires == 0) | (expires > now.timestamp())
    kept[replaced] = False
    return changed if kept.all() else changed.taken(np.flatnonzero(kept))


def _part(segment: Segment, version: int) -> Part:
    return Part(version, len(segment), segment.columns.earliest_expiry())
