"""The rows of the index of a user's facts, and what a transaction's writes tell the index.

One manifest names the segments that stand and holds the log of what changed since they were written. A
segment's row is written again in its place; the version that the manifest names tells which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from noted.clock import instant, timestamp
from noted.facts.fact import Fact
from noted.privacy.sealing import Place, Sealer
from noted.recall.index_columns import ALTERABLE
from noted.recall.index_log import Changes
from noted.store import keys
from noted.store.database import row_of
from noted.store.tables import EXPIRY, MEMORY
from noted.store.writes import Condition, Row, Write, update

if TYPE_CHECKING:
    from noted.recall.index_segment import Segment
    from noted.recall.index_vectors import Basis
    from noted.store.fact_codec import FactCodec

# What is derived from a fact goes soon after it, and goes when nobody has used it for long.
_AFTER_EXPIRY = timedelta(days=7)
_LONGEST = timedelta(days=365)
# A log is folded long before it is so long; a row of DynamoDB holds 400 KB.
_LOG_BYTES = 200_000
_ASSIGNMENT = re.compile(r"\s*(#?\w+)\s*=\s*(:\w+)\s*")


@dataclass(frozen=True)
class Progress:
    """What a user's META row says of their facts: how many changes there have ever been, how many of them
    since the index was last written, and whether there is an index."""

    changes: int
    unfolded: int
    indexed: bool

    @classmethod
    def of(cls, row: Row, generation: int) -> Progress:
        """Reads it from META."""
        changes = row.get("changes", 0)
        return cls(changes, changes - row.get("folded", 0), row.get("indexed") == generation)


@dataclass(frozen=True)
class Part:
    """A segment as the manifest names it: the version of its row, how many facts it has, and when the first
    of them expires, in seconds since 1970 (0: never)."""

    version: int
    count: int
    earliest: int


@dataclass(frozen=True)
class Manifest:
    """`build` names the rows that belong together; `version` goes up with every write. Everything was last
    written anew at `built_at`, from `trained` facts; `basis` is the version of the row of the vectors' basis,
    0 when no fact had a vector."""

    build: int
    version: int
    built_at: datetime
    trained: int
    basis: int
    parts: tuple[Part, ...] = ()
    log: tuple[bytes, ...] = field(default=(), repr=False)

    @property
    def count(self) -> int:
        """How many facts the segments have."""
        return sum(part.count for part in self.parts)


class IndexRows:
    """The rows of one partition's index."""

    def __init__(self, codec: FactCodec, sealer: Sealer) -> None:
        self.partition = codec.partition
        self._codec = codec
        self._sealer = sealer

    def manifest_row(self, manifest: Manifest, now: datetime) -> Row:
        """A manifest with an empty log."""
        earliest = [part.earliest for part in manifest.parts if part.earliest]
        return self._row(keys.INDEX_MANIFEST, min(earliest, default=0), now) | {
            "build": manifest.build,
            "version": manifest.version,
            "built_at": timestamp(manifest.built_at),
            "trained": manifest.trained,
            "basis": manifest.basis,
            "parts": [[part.version, part.count, part.earliest] for part in manifest.parts],
            "log": [],
            "log_bytes": 0,
        }

    def manifest(self, row: Row) -> Manifest:
        """Reads a manifest."""
        return Manifest(
            build=row["build"],
            version=row["version"],
            built_at=instant(row["built_at"]),
            trained=row["trained"],
            basis=row["basis"],
            parts=tuple(Part(*part) for part in row["parts"]),
            log=tuple(row["log"]),
        )

    def appending(self, changes: Changes) -> Write:
        """The write that adds to the log of a manifest that is there and has room for it."""
        sealed = self._sealer.seal(changes.pack(), self._place(keys.INDEX_MANIFEST, "log"))
        return update(
            MEMORY.name,
            self.partition,
            keys.INDEX_MANIFEST,
            "SET #log = list_append(#log, :new) ADD version :one, log_bytes :size",
            names={"#log": "log"},
            values={":new": [sealed], ":one": 1, ":size": len(sealed)},
            condition=Condition(
                "attribute_exists(pk) AND log_bytes < :most", values={":most": _LOG_BYTES - len(sealed)}
            ),
        )

    def log(self, manifest: Manifest) -> list[Changes]:
        """The changes in a manifest's log, in write order."""
        place = self._place(keys.INDEX_MANIFEST, "log")
        return [Changes.unpack(self._sealer.open(entry, place)) for entry in manifest.log]

    def segment_row(self, build: int, number: int, version: int, segment: Segment, now: datetime) -> Row:
        """One segment."""
        sort_key = keys.segment(build, number)
        return self._row(sort_key, segment.columns.earliest_expiry(), now) | {
            "version": version,
            "content": self._sealer.seal(segment.pack(), self._place(sort_key, f"content {version}")),
        }

    def segment(self, row: Row, basis: Basis | None) -> Segment:
        """Reads a segment."""
        from noted.recall.index_segment import Segment

        place = self._place(row["sk"], f"content {row['version']}")
        return Segment.unpack(self._sealer.open(row["content"], place), basis)

    def basis_row(self, build: int, version: int, basis: Basis, now: datetime) -> Row:
        """The basis of a build's vectors."""
        sort_key = keys.index_basis(build)
        return self._row(sort_key, 0, now) | {
            "version": version,
            "content": self._sealer.seal(basis.pack(), self._place(sort_key, f"content {version}")),
        }

    def basis(self, row: Row) -> Basis:
        """Reads a basis."""
        from noted.recall.index_vectors import Basis

        place = self._place(row["sk"], f"content {row['version']}")
        return Basis.unpack(self._sealer.open(row["content"], place))

    def changes(self, writes: Sequence[Write]) -> Changes:
        """What the writes of a transaction do to facts. Raises ValueError for an update of a fact that does
        more than set attributes to values: the index could not follow it."""
        added, altered = list[Fact](), dict[str, dict[str, Any]]()
        for write in writes:
            where = write.parameters.get("Item") or write.parameters["Key"]
            sort_key = where["sk"]["S"]
            if write.table != MEMORY.name or not sort_key.startswith(keys.FACTS):
                continue
            if write.action == "Put" and (row := row_of(where)):
                added.append(self._codec.fact(row))
            elif write.action == "Delete":
                raise ValueError("only an erasure deletes a fact")
            elif write.action == "Update" and (assigned := _assigned(write.parameters)):
                altered[sort_key.removeprefix(keys.FACTS)] = assigned
        return Changes(tuple(added), altered)

    def _row(self, sort_key: str, earliest: int, now: datetime) -> Row:
        longest = int((now + _LONGEST).timestamp())
        after = earliest + int(_AFTER_EXPIRY.total_seconds()) if earliest else longest
        return {"pk": self.partition, "sk": sort_key, EXPIRY: min(after, longest)}

    def _place(self, sort_key: str, attribute: str) -> Place:
        return Place(MEMORY.name, self.partition, sort_key, attribute)


def _assigned(parameters: Any) -> dict[str, Any]:
    """The attributes that an update sets, by name, as far as the index knows them."""
    verb, _, assignments = parameters["UpdateExpression"].partition(" ")
    names = parameters.get("ExpressionAttributeNames", {})
    values = row_of(parameters.get("ExpressionAttributeValues")) or {}
    assigned: dict[str, Any] = {}
    for assignment in assignments.split(","):
        found = _ASSIGNMENT.fullmatch(assignment)
        if verb != "SET" or not found:
            raise ValueError("an update of a fact sets attributes to values and does nothing else")
        name = names.get(found[1], found[1])
        if name in ALTERABLE:
            assigned[name] = values[found[2]]
    return assigned
