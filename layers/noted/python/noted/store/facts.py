"""Facts and the verdicts on them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from noted.errors import EpochChanged, NotFound, Unavailable
from noted.facts.change import Change, Stored, adding
from noted.facts.fact import CONSENT_WITHDRAWN, Fact, GivenVerdict, Verdict
from noted.facts.live import without_stand_ins
from noted.preferences import Preferences
from noted.store import keys
from noted.store.changing import FactsChanged, as_read, replacing, writes_of
from noted.store.codec import expiry
from noted.store.database import ConditionFailed, Database
from noted.store.tables import EXPIRY, MEMORY, VERDICTS
from noted.store.writes import ABSENT, Condition, Row, Write, put, update

if TYPE_CHECKING:
    from noted.retention import Retention
    from noted.store.fact_codec import FactCodec
    from noted.store.fence import Fence

# With as many requests of one user at once as make that many tries fail, something else is wrong.
_CHANGE_TRIES = 20

_Outcome = TypeVar("_Outcome")


class Consolidates(Protocol):
    """Makes a change of the facts as they are stored: as often as they are read again."""

    def change(self, stored: Stored) -> Change:
        """The change that is to be made of these facts."""
        ...


class Facts:
    """The facts of one partition."""

    def __init__(
        self,
        database: Database,
        codec: FactCodec,
        fence: Fence,
        retention: Retention,
        preferences: Preferences | None = None,
    ) -> None:
        """`preferences` say by which consents facts may be told."""
        self._preferences = preferences or Preferences()
        self._database = database
        self._codec = codec
        self._fence = fence
        self._retention = retention

    def all(self) -> list[Fact]:
        """Every fact, newest first, whatever its status. One read unit per 4 KB."""
        return without_stand_ins(self._rows())[0]

    def stored(self) -> Stored:
        """The same with the copies that stand in for some, and the revision that they are at. One read unit
        more."""
        # Before the facts: what is added behind this read makes the revision another one.
        row = self._database.get(MEMORY.name, self._codec.partition, keys.FACTS_REVISION)
        facts, copies = without_stand_ins(self._rows())
        return Stored(row["revision"] if row else 0, tuple(facts), tuple(copies))

    def settled(
        self, consolidation: Consolidates, commit: Callable[[Change], _Outcome]
    ) -> tuple[Change, _Outcome]:
        """Makes a change of the facts as they are stored and commits it, again and again while another
        request changes them between the two. Gives the change that was committed, and what `commit` gave.

        `commit` raises FactsChanged for a change that came too late. Raises Unavailable after many of those.
        """
        for attempt in range(_CHANGE_TRIES):
            change = consolidation.change(self.stored())
            try:
                return change, commit(change)
            except FactsChanged:
                time.sleep(random.uniform(0, 0.02 * 2 ** min(attempt, 5)))
        raise Unavailable("The memory is busy.", retry_after=1)

    def writes(self, change: Change) -> list[Write]:
        """The writes that make a change, for a transaction behind the fence."""
        return writes_of(change, self._codec)

    def apply(self, change: Change, done: Sequence[Write] = ()) -> None:
        """Makes a change, all of it or nothing. Raises FactsChanged when the facts are not as they were read,
        EpochChanged when everything was erased meanwhile, MemoryPaused."""
        try:
            self._fence.transact(self.writes(change), done, learning=True)
        except ConditionFailed:
            raise FactsChanged from None

    def _rows(self) -> Iterator[Fact]:
        rows = self._database.query(MEMORY.name, self._codec.partition, prefix=keys.FACTS, descending=True)
        return map(self.opened, rows)

    def opened(self, row: Row) -> Fact:
        """The fact of a row, as it counts now."""
        return self.as_consented(self._codec.fact(row))

    def as_consented(self, fact: Fact) -> Fact:
        """A fact as it counts now: one whose user has withdrawn the consent by which it was kept is
        withheld."""
        if fact.special_category is None or self._preferences.consents_to(fact.special_category):
            return fact
        return replace(fact, withheld=True, held_because=CONSENT_WITHDRAWN)

    def fact(self, fact_id: str) -> Fact:
        """Raises NotFound."""
        row = self._database.get(MEMORY.name, self._codec.partition, keys.fact(fact_id))
        if row is None:
            raise NotFound
        return self.opened(row)

    def some(self, fact_ids: Sequence[str]) -> dict[str, Fact]:
        """Those of some facts that are there, by id, strongly consistent. One read unit each."""
        wanted = [keys.fact(fact_id) for fact_id in dict.fromkeys(fact_ids)]
        rows = self._database.batch(MEMORY.name, self._codec.partition, wanted)
        return {fact.fact_id: fact for fact in map(self.opened, rows.values())}

    def add(self, facts: Sequence[Fact], done: Sequence[Write] = ()) -> None:
        """Stores facts as they are, without a look at what is stored, all or none. Raises EpochChanged when
        everything was erased meanwhile, MemoryPaused."""
        self.apply(adding(*facts), done)

    def replace(self, before: Fact, after: Fact) -> bool:
        """Stores a fact anew. False if it is not as it was read any more; then nothing is written."""
        try:
            self._fence.transact([replacing(before, after, self._codec)])
        except (ConditionFailed, EpochChanged):
            return False
        return True

    def verdict_writes(self, verdicts: Sequence[GivenVerdict]) -> list[Write]:
        """The writes of verdicts on facts that the same transaction adds."""
        return [put(VERDICTS.name, self._verdict_row(verdict)) for verdict in verdicts]

    def correct(self, old: Fact, change: Change, verdict: GivenVerdict, done: Sequence[Write] = ()) -> None:
        """Makes a change and puts the fact that it keeps in the place of another, which stays as history with
        a verdict against it. Raises NotFound when the old one is gone or was corrected by another request
        first, FactsChanged when the others are not as they were read."""
        [new] = change.kept
        judging = self._judging(
            old,
            verdict,
            ", superseded_by = :new",
            {":new": new.fact_id},
            Condition("attribute_exists(pk) AND attribute_not_exists(superseded_by)"),
        )
        row = put(VERDICTS.name, self._verdict_row(verdict), ABSENT)
        try:
            self._fence.transact([row, judging, *self.writes(change)], done)
        except ConditionFailed as failure:
            raise (NotFound() if failure.rows.keys() & {0, 1} else FactsChanged()) from None

    def amend(
        self,
        change: Change,
        denials: Sequence[tuple[GivenVerdict, Sequence[Fact]]],
        done: Sequence[Write] = (),
    ) -> None:
        """Makes a change and lets verdicts stand, each on a fact that the change leaves alone and on the
        copies that stand in for it: all of it or nothing. Raises FactsChanged when any of them is not as it
        was read, EpochChanged, and MemoryPaused for a change that keeps something."""
        writes = self.writes(change)
        for verdict, rows in denials:
            writes.append(put(VERDICTS.name, self._verdict_row(verdict), ABSENT))
            writes += [self._judging(row, verdict, "", {}, as_read(row, self._codec)) for row in rows]
        try:
            self._fence.transact(writes, done, learning=bool(change.kept))
        except ConditionFailed:
            raise FactsChanged from None

    def judge(
        self, fact: Fact, verdict: GivenVerdict, expires_at: datetime | None, done: Sequence[Write] = ()
    ) -> None:
        """Appends a verdict and lets it stand unless one of a later sequence already does. A confirmation
        refreshes the fact, which then ends at `expires_at`. Raises NotFound when the fact is gone."""
        row = put(VERDICTS.name, self._verdict_row(verdict), ABSENT)
        assignments, values = "", {}
        if verdict.verdict is Verdict.CONFIRMED:
            assignments = (
                ", provenance = :confirmed, last_confirmed_at = :at, kept_at = :at, #expiry = :expiry"
            )
            values = {":confirmed": "confirmed", ":expiry": expiry(expires_at)}
        latest = Condition(
            "attribute_exists(pk) AND "
            "(attribute_not_exists(verdict_sequence) OR verdict_sequence < :sequence)"
        )
        judging = [
            self._judging(replace(fact, fact_id=fact_id), verdict, assignments, values, latest)
            for fact_id in (fact.fact_id, fact.copied_as)
            if fact_id
        ]
        try:
            self._fence.transact([row, *judging], done)
        except ConditionFailed as failure:
            if failure.rows.keys() == {2}:
                # The copy was erased with its conversation.
                self._fence.transact([row, judging[0]], done)
                return
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
