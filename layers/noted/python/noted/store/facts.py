"""Facts and the verdicts on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from noted.errors import NotFound
from noted.facts.fact import Fact, GivenVerdict, Verdict
from noted.retention import Retention
from noted.store import keys
from noted.store.codec import Codec, expiry
from noted.store.database import ConditionFailed, Database
from noted.store.fence import Fence
from noted.store.tables import EXPIRY, MEMORY, VERDICTS
from noted.store.writes import ABSENT, Condition, Row, Write, put, update


class Facts:
    """The facts of one partition."""

    def __init__(self, database: Database, codec: Codec, fence: Fence, retention: Retention) -> None:
        self._database = database
        self._codec = codec
        self._fence = fence
        self._retention = retention

    def all(self) -> list[Fact]:
        """Every fact, newest first, whatever its status. One read unit per 4 KB."""
        rows = self._database.query(MEMORY.name, self._codec.partition, prefix=keys.FACTS, descending=True)
        return [self._codec.fact(row) for row in rows]

    def fact(self, fact_id: str) -> Fact:
        """Raises NotFound."""
        row = self._database.get(MEMORY.name, self._codec.partition, keys.fact(fact_id))
        if row is None:
            raise NotFound
        return self._codec.fact(row)

    def add(self, facts: Sequence[Fact], done: Sequence[Write] = ()) -> None:
        """Stores facts, all or none. Raises EpochChanged when everything was erased meanwhile,
        MemoryPaused."""
        writes = [put(MEMORY.name, self._codec.fact_row(fact)) for fact in facts]
        self._fence.transact(writes, done, learning=True)

    def correct(self, old: Fact, new: Fact, verdict: GivenVerdict) -> None:
        """Puts a fact in the place of another, which stays as history with a verdict against it. Raises
        NotFound when the old one is gone or was corrected by another request first."""
        writes = [
            put(MEMORY.name, self._codec.fact_row(new)),
            put(VERDICTS.name, self._verdict_row(verdict), ABSENT),
            self._judging(
                old,
                verdict,
                ", superseded_by = :new",
                {":new": new.fact_id},
                Condition("attribute_exists(pk) AND attribute_not_exists(superseded_by)"),
            ),
        ]
        try:
            self._fence.transact(writes)
        except ConditionFailed:
            raise NotFound from None

    def judge(
        self, fact: Fact, verdict: GivenVerdict, expires_at: datetime | None, done: Sequence[Write] = ()
    ) -> None:
        """Appends a verdict and lets it stand unless one of a later sequence already does. A confirmation
        refreshes the fact, which then ends at `expires_at`. Raises NotFound when the fact is gone."""
        row = put(VERDICTS.name, self._verdict_row(verdict), ABSENT)
        assignments, values = "", {}
        if verdict.verdict is Verdict.CONFIRMED:
            assignments = ", provenance = :confirmed, last_confirmed_at = :at, #expiry = :expiry"
            values = {":confirmed": "confirmed", ":expiry": expiry(expires_at)}
        latest = Condition(
            "attribute_exists(pk) AND "
            "(attribute_not_exists(verdict_sequence) OR verdict_sequence < :sequence)"
        )
        try:
            self._fence.transact([row, self._judging(fact, verdict, assignments, values, latest)], done)
        except ConditionFailed as failure:
            if failure.rows.get(1) is None:
                raise NotFound from None
            # A later verdict stands already: this one is history, and only its row is added.
            self._fence.transact([row], done)

    def verdicts(self, fact_id: str) -> list[GivenVerdict]:
        """All verdicts on a fact, oldest first."""
        rows = self._database.query(VERDICTS.name, self._codec.partition, prefix=keys.verdicts(fact_id))
        return [self._codec.verdict(row) for row in rows]

    def verdict(self, fact_id: str, verdict_id: str) -> GivenVerdict:
        """Raises NotFound."""
        row = self._database.get(VERDICTS.name, self._codec.partition, keys.verdict(fact_id, verdict_id))
        if row is None:
            raise NotFound
        return self._codec.verdict(row)

    def _verdict_row(self, verdict: GivenVerdict) -> Row:
        return self._codec.verdict_row(verdict, self._retention.verdict(verdict.at))

    def _judging(
        self,
        fact: Fact,
        verdict: GivenVerdict,
        assignments: str,
        values: Mapping[str, object],
        condition: Condition,
    ) -> Write:
        summary = self._codec.verdict_summary(verdict)
        names = {"#expiry": EXPIRY} if "#expiry" in assignments else None
        return update(
            MEMORY.name,
            self._codec.partition,
            keys.fact(fact.fact_id),
            "SET latest_verdict = :verdict, verdict_sequence = :sequence" + assignments,
            names=names,
            values={":verdict": summary, ":sequence": verdict.sequence, **values}
            | ({":at": summary["at"]} if ":at" in assignments else {}),
            condition=condition,
        )
