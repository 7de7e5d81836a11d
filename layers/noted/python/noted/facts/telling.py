"""What users do to their facts themselves: tell one, correct one, judge one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from noted import ids
from noted.clock import SKEW, Clock
from noted.errors import InvalidRequest
from noted.facts import guards
from noted.facts.fact import Category, Fact, GivenVerdict, Kind, Verdict
from noted.facts.keeping import Keeper
from noted.facts.proposed import ProposedFact
from noted.retention import Retention
from noted.store.idempotency import Finish
from noted.store.memory import Memory

# Facts in one transaction: DynamoDB takes 100 writes, and the fence and the idempotency key need two.
_CHUNK = 50


@dataclass(frozen=True)
class Entry:
    """A fact that a user tells outside of any conversation."""

    kind: Kind
    text: str
    category: Category = "other"
    created_at: datetime | None = None
    valid_until: datetime | None = None


def checked(entry: Entry, now: datetime) -> Entry:
    """The entry, if it can be kept: the guards are those of extraction. Raises InvalidRequest."""
    if entry.created_at and entry.created_at > now + SKEW:
        raise InvalidRequest([("created_at", "must not lie in the future")])
    proposed = ProposedFact(kind=entry.kind, text=entry.text, quote=entry.text, category=entry.category)
    guard = guards.failing(proposed, entry.text)
    if guard:
        raise InvalidRequest([("text", f"cannot be kept as a fact: {guard}")])
    return entry


class Telling:
    """A user's own hand on their facts. `sequence` is this request's place in the user's write order."""

    def __init__(
        self, memory: Memory, keeper: Keeper, retention: Retention, clock: Clock, sequence: int
    ) -> None:
        self._memory = memory
        self._keeper = keeper
        self._retention = retention
        self._clock = clock
        self._sequence = sequence

    def tell(self, entries: Sequence[Entry], seed: str | None, finish: Finish) -> list[Fact]:
        """Stores entries that no guard refused, in order, each confirmed by being told.

        `seed` makes the ids the same when the same request is sent again after a crash half way; `finish`
        makes the writes that end an idempotency claim. Raises EpochChanged, MemoryPaused.
        """
        now = self._clock.now()
        facts = self._keeper.indexed(
            [self._fact(entry, now, seed, number) for number, entry in enumerate(entries)]
        )
        chunks = [facts[start : start + _CHUNK] for start in range(0, len(facts), _CHUNK)] or [[]]
        for chunk in chunks[:-1]:
            self._memory.facts.add(chunk)
        self._memory.facts.add(chunks[-1], finish({"facts": [fact.fact_id for fact in facts]}))
        return facts

    def correct(self, fact_id: str, text: str) -> Fact:
        """Puts the corrected text in the fact's place; the old one is called inaccurate and stays as history.

        Raises NotFound, and InvalidRequest when a guard refuses the text or the fact has been corrected."""
        old = self._memory.facts.fact(fact_id)
        if old.superseded_by:
            raise InvalidRequest(
                [("fact_id", "has been superseded: correct the fact that stands in its place")]
            )
        now = self._clock.now()
        entry = checked(Entry(old.kind, text, old.category, valid_until=old.valid_until), now)
        new = replace(self._fact(entry, now, None, 0), supersedes=old.fact_id, source=None)
        [new] = self._keeper.indexed([new])
        self._memory.facts.correct(old, new, self._verdict(old.fact_id, Verdict.INACCURATE, None, now))
        return new

    def judge(self, fact_id: str, verdict: Verdict, note: str | None, finish: Finish) -> GivenVerdict:
        """Appends a verdict. Raises NotFound."""
        fact = self._memory.facts.fact(fact_id)
        given = self._verdict(fact_id, verdict, note, self._clock.now())
        expires_at = self._retention.fact(fact.category, given.at)
        self._memory.facts.judge(fact, given, expires_at, finish({"verdict_id": given.verdict_id}))
        return given

    def _verdict(self, fact_id: str, verdict: Verdict, note: str | None, now: datetime) -> GivenVerdict:
        verdict_id = ids.ordered(ids.VERDICT, self._sequence)
        return GivenVerdict(verdict_id, fact_id, verdict, now, self._sequence, note)

    def _fact(self, entry: Entry, now: datetime, seed: str | None, number: int) -> Fact:
        created_at = entry.created_at or now
        unique = (
            self._memory.sealer.blind("entry", seed, str(number), entry.kind, entry.text) if seed else None
        )
        return Fact(
            fact_id=ids.at(ids.FACT, created_at, unique),
            kind=entry.kind,
            category=entry.category,
            text=entry.text,
            provenance="confirmed",
            sequence=self._sequence,
            created_at=created_at,
            last_confirmed_at=created_at,
            valid_until=entry.valid_until,
            expires_at=self._retention.fact(entry.category, max(now, created_at)),
        )
