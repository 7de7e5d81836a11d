"""The index of one user's facts, as the tables keep it: opened for a query, told of every change, folded.

A user's META row says how many changes of facts there have been, and whether there is an index. So a look at
a row that every call reads anyway tells whether what a function opened before is still all there is. Nothing
here is the only place of anything: what is missing or damaged is made again from the facts' own rows.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from noted.privacy.sealing import CannotOpen, Sealer
from noted.recall.index_log import Changes, Log
from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.index_cache import IndexCache, Opened
from noted.store.index_reading import IncompleteIndex, Loaded, load
from noted.store.index_rows import IndexRows, Progress
from noted.store.tables import CONTROL, MEMORY
from noted.store.writes import Condition, Row, Write, put, update

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.facts.fact import Fact
    from noted.identity import Principal
    from noted.recall.index import Edition, OpenIndex
    from noted.store.fact_codec import FactCodec
    from noted.store.index_folding import Folded

logger = logging.getLogger("noted.store")

# Changes that stay in the log: each costs a recall about half a kilobyte, and each fold writes a segment.
_FOLDED_AFTER = 16
# DynamoDB takes 100 rows and 4 MB in one transaction. A user with more facts than fit has no index.
_MOST_ROWS, _MOST_BYTES = 96, 3_500_000
_NO_INDEX = "attribute_not_exists(#indexed) OR #indexed <> :generation"


class FactIndex:
    """The index of one partition. `progress` is what META said a moment ago, if it has been read."""

    def __init__(
        self,
        database: Database,
        principal: Principal,
        generation: int,
        codec: FactCodec,
        sealer: Sealer,
        cache: IndexCache,
        clock: Clock,
        progress: Progress | None = None,
    ) -> None:
        self._database = database
        self._owner = keys.owner(principal)
        self._generation = generation
        self._codec = codec
        self._rows = IndexRows(codec, sealer)
        self._cache = cache
        self._clock = clock
        self._progress = progress

    def open(self) -> OpenIndex | None:
        """The index with every change whose writer was answered, None when there is none or it is damaged:
        then the facts' rows are to be read. What the cache has is not read again. Raises Unavailable."""
        from noted.recall.index import Edition, OpenIndex

        # Once: what META said at the beginning of a call is too old for a second look.
        progress, self._progress = self._seen(), None
        if not progress.indexed:
            return None
        now, partition = self._clock.now(), self._rows.partition
        kept = self._cache.get(partition, now)
        if kept and kept.changes == progress.changes:
            return kept.index
        loaded = self._loaded(kept)
        if loaded is None:
            return None
        edition = Edition(loaded.manifest.build, progress.changes)
        index = OpenIndex(loaded.segments, Log.of(loaded.changes), loaded.basis, edition)
        self._cache.put(partition, Opened(progress.changes, index, loaded.pieces, now))
        return index

    # Told of every change

    def changes(self, writes: Sequence[Write]) -> Changes:
        """What the writes of a transaction do to facts. Raises ValueError for one that cannot be followed."""
        return self._rows.changes(writes)

    def joining(self, changes: Changes, condition: Condition) -> tuple[Write, Write | None]:
        """The write that counts changes in META, on a condition of the caller and on there being an index or
        none, and the one that adds them to its log. They go into the same transaction as the changes."""
        if not changes:
            return self._meta("ADD changes :count", {":count": 0}, condition), None
        indexed = self._seen().indexed
        believed = "#indexed = :generation" if indexed else _NO_INDEX
        present = Condition(
            f"({condition.expression}) AND ({believed})",
            {**condition.names, "#indexed": "indexed"},
            {**condition.values, ":generation": self._generation},
        )
        counting = self._meta("ADD changes :count", {":count": len(changes)}, present)
        return counting, self._rows.appending(changes) if indexed else None

    def corrected(self, meta: Row) -> None:
        """Takes in what META says after a transaction failed on what was believed of it."""
        self._progress = Progress.of(meta, self._generation)

    def abandon(self) -> None:
        """Gives up an index that cannot be added to; the facts are read row by row until there is another."""
        condition = Condition("#indexed = :generation", {}, {":generation": self._generation})
        self._progress = None
        try:
            self._database.update(
                CONTROL.name,
                self._owner,
                keys.META,
                "REMOVE #indexed, folded",
                names={"#indexed": "indexed"},
                condition=condition,
            )
        except ConditionFailed:
            return  # it is given up, or was built again

    def changed(self, changes: int) -> None:
        """After a commit: folds the log when it has become long. Whatever goes wrong here costs later recalls
        some read units and nothing else."""
        unfolded = self._progress.unfolded if self._progress else 0
        self._progress = None
        if unfolded + changes < _FOLDED_AFTER:
            return
        try:
            self.fold()
        except Exception as error:  # noqa: BLE001 (the change itself is stored)
            logger.warning("index not folded", extra={"error_type": type(error).__name__})

    def put_beside(self, edition: Edition, row: Row) -> bool:
        """Stores a row of content that was read with an index, while not one fact has changed since: what was
        taken back or erased meanwhile is not written again. Whether it was stored."""
        unchanged = Condition(
            "generation = :generation AND changes = :changes AND #indexed = :generation",
            {"#indexed": "indexed"},
            {":generation": self._generation, ":changes": edition.changes},
        )
        # Nothing is counted: an update checks as well as a check, and is what a fence may do.
        fence = self._meta("ADD changes :none", {":none": 0}, unchanged)
        try:
            self._database.transact([fence, put(MEMORY.name, row)])
        except ConditionFailed:
            return False
        return True

    # Folded

    def fold(self) -> None:
        """Puts the log into the segments, or builds the index from the facts when there is none, or none that
        lasts. Does nothing when somebody else changes or folds it meanwhile. Raises Unavailable."""
        from noted.store.index_folding import built, folded

        progress, now = self._read(), self._clock.now()
        loaded = self._loaded(self._cache.get(self._rows.partition, now)) if progress.indexed else None
        if loaded is None:
            if progress.indexed:
                self.abandon()
            self._build(progress)
            return
        manifest = loaded.manifest
        outcome = folded(loaded, now) or built(self._facts(), manifest.build, manifest.version + 1, now)
        is_as_read = Condition("version = :read", {}, {":read": manifest.version})
        still_indexed = Condition(
            "generation = :generation AND #indexed = :generation",
            {"#indexed": "indexed"},
            {":generation": self._generation},
        )
        # The log is as it was read, so no change has been counted since that it does not hold.
        self._commit(outcome, self._meta("SET folded = changes", {}, still_indexed), is_as_read)

    def _build(self, progress: Progress) -> None:
        from noted.store.index_folding import FEWEST, built

        condition = Condition(
            f"generation = :generation AND changes = :changes AND ({_NO_INDEX})",
            {"#indexed": "indexed"},
            {":generation": self._generation, ":changes": progress.changes},
        )
        facts, values = self._facts(), {":changes": progress.changes}
        if len(facts) < FEWEST:
            self._transact([self._meta("SET folded = :changes", values, condition)])
            return
        outcome = built(facts, progress.changes, 1, self._clock.now())
        indexing = self._meta("SET folded = :changes, #indexed = :generation", values, condition)
        self._commit(outcome, indexing, None)

    def _commit(self, outcome: Folded, counting: Write, condition: Condition | None) -> None:
        now, manifest = self._clock.now(), outcome.manifest
        rows = [
            self._rows.segment_row(manifest.build, number, manifest.version, segment, now)
            for number, segment in outcome.segments.items()
        ]
        if outcome.basis:
            rows.append(self._rows.basis_row(manifest.build, manifest.version, outcome.basis, now))
        if len(rows) > _MOST_ROWS or sum(len(row["content"]) for row in rows) > _MOST_BYTES:
            logger.warning("facts are too many for an index", extra={"facts": manifest.count})
            return
        named = put(MEMORY.name, self._rows.manifest_row(manifest, now), condition)
        self._transact([counting, named, *(put(MEMORY.name, row) for row in rows)])

    def _transact(self, writes: Sequence[Write]) -> None:
        try:
            self._database.transact(writes)
        except ConditionFailed:
            return  # the facts have changed, or another worker was faster: the next change tries again

    def _facts(self) -> list[Fact]:
        """All rows of facts, oldest first, with the copies that stand in for others."""
        rows = self._database.query(MEMORY.name, self._codec.partition, prefix=keys.FACTS)
        return [self._codec.fact(row) for row in rows]

    def _loaded(self, kept: Opened | None) -> Loaded | None:
        try:
            return load(self._database, self._rows, kept.pieces if kept else None)
        except (IncompleteIndex, CannotOpen, ValueError) as error:
            logger.warning("facts without their index", extra={"error_type": type(error).__name__})
            return None

    def _seen(self) -> Progress:
        if self._progress is None:
            self._progress = self._read()
        return self._progress

    def _read(self) -> Progress:
        row = self._database.get(CONTROL.name, self._owner, keys.META)
        if row is None or row["generation"] != self._generation:
            return Progress(0, 0, indexed=False)
        return Progress.of(row, self._generation)

    def _meta(self, expression: str, values: Mapping[str, object], condition: Condition) -> Write:
        return update(CONTROL.name, self._owner, keys.META, expression, values=values, condition=condition)
