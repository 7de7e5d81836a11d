"""Reads the index of one user's facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from noted.store import keys
from noted.store.tables import MEMORY

if TYPE_CHECKING:
    from noted.recall.index_log import Changes
    from noted.recall.index_segment import Segment
    from noted.recall.index_vectors import Basis
    from noted.store.database import Database
    from noted.store.index_rows import IndexRows, Manifest
    from noted.store.writes import Row

# Segments and the basis by sort key and version: what such a row holds never changes.
Piece = tuple[str, int]
Pieces: TypeAlias = "Mapping[Piece, Segment | Basis]"

# A manifest may be replaced while its segments are read.
_TRIES = 3


class IncompleteIndex(Exception):
    """A row that the manifest names is not there, or not in the version that it names."""


@dataclass(frozen=True)
class Loaded:
    """A manifest with its basis, its segments and the changes in its log; `pieces` are basis and segments."""

    manifest: Manifest
    basis: Basis | None
    segments: tuple[Segment, ...]
    changes: tuple[Changes, ...]
    pieces: Pieces


def load(database: Database, rows: IndexRows, known: Pieces | None = None) -> Loaded | None:
    """The index as it stands, None if there is none. What is `known` is not read again.

    The manifest is read strongly consistent, so that it holds every change whose writer was answered; the
    rest for half the units, since the manifest names the version that each must have. Raises IncompleteIndex,
    CannotOpen and ValueError when the index is damaged.
    """
    for _ in range(_TRIES):
        row = database.get(MEMORY.name, rows.partition, keys.INDEX_MANIFEST)
        if row is None:
            return None
        manifest = rows.manifest(row)
        try:
            return _loaded(database, rows, manifest, known or {})
        except IncompleteIndex:
            continue
    raise IncompleteIndex


def _loaded(database: Database, rows: IndexRows, manifest: Manifest, known: Pieces) -> Loaded:
    from noted.recall.index_segment import Segment
    from noted.recall.index_vectors import Basis

    named = [(keys.segment(manifest.build, at), part.version) for at, part in enumerate(manifest.parts)]
    basis_key = (keys.index_basis(manifest.build), manifest.basis)
    wanted = [*named, basis_key] if manifest.basis else named
    found = _rows(database, rows.partition, [piece for piece in wanted if piece not in known])
    pieces: dict[Piece, Segment | Basis] = {piece: known[piece] for piece in wanted if piece in known}
    if basis_key in found:
        pieces[basis_key] = rows.basis(found[basis_key])
    kept = pieces.get(basis_key)
    basis = kept if isinstance(kept, Basis) else None
    pieces |= {piece: rows.segment(found[piece], basis) for piece in named if piece in found}
    segments = tuple(piece for key in named if isinstance(piece := pieces[key], Segment))
    return Loaded(manifest, basis, segments, tuple(rows.log(manifest)), pieces)


def _rows(database: Database, partition: str, wanted: list[Piece]) -> dict[Piece, Row]:
    found: dict[Piece, Row] = {}
    for consistent in (False, True):
        missing = [piece for piece in wanted if piece not in found]
        if not missing:
            break
        rows = database.batch(MEMORY.name, partition, [key for key, _ in missing], consistent=consistent)
        found |= {
            (key, version): rows[key]
            for key, version in missing
            if key in rows and rows[key]["version"] == version
        }
    if len(found) < len(wanted):
        raise IncompleteIndex
    return found
