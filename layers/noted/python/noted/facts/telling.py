"""What users do to their facts themselves: tell one, correct one, judge one, set what their profile says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted import ids
from noted.clock import SKEW, Clock
from noted.errors import InvalidRequest
from noted.facts import guards
from noted.facts.change import Change
from noted.facts.consolidating import MOST_ROWS, Consolidation
from noted.facts.correction import Correction
from noted.facts.fact import Category, Fact, GivenVerdict, Kind, Verdict
from noted.facts.filling import Filling
from noted.facts.gating import own_entry
from noted.facts.profile import statement
from noted.facts.profile_schema import FIELDS
from noted.facts.proposed import ProposedFact
from noted.privacy.gate import SpecialCategory, cleaned
from noted.privacy.masking import Masked, Masker, occurring
from noted.store.activity import Action
from noted.store.idempotency import Finish, nothing_to_finish

if TYPE_CHECKING:
    from noted.facts.keeping import Keeper
    from noted.retention import Retention
    from noted.store.memory import Memory
    from noted.store.writes import Write

# Facts in one transaction: DynamoDB takes 100 writes, and each fact may alter others.
_CHUNK = 30


@dataclass(frozen=True)
class Entry:
    """A fact that a user tells outside of any conversation, as they typed it."""

    kind: Kind
    text: str
    category: Category = "other"
    created_at: datetime | None = None
    valid_until: datetime | None = None
    profile_field: str | None = None


@dataclass(frozen=True)
class Judged:
    """An entry that may be kept, as it is stored: cleaned and masked. `held_because`: it waits for its user
    to confirm it, and why; `special_category`: by a consent to which it is kept."""

    entry: Entry
    masked: Masked
    held_because: str | None = None
    special_category: str | None = None


def checked(entry: Entry, now: datetime) -> Entry:
    """The entry, if no guard of extraction refuses it. The write gate judges it when it is told. Raises
    InvalidRequest."""
    if entry.created_at and entry.created_at > now + SKEW:
        raise InvalidRequest([("created_at", "must not lie in the future")])
    proposed = ProposedFact(kind=entry.kind, text=entry.text, quote=entry.text, category=entry.category)
    guard = guards.failing(proposed, entry.text)
    if guard:
        raise InvalidRequest([("text", f"cannot be kept as a fact: {guard}")])
    return entry


def filling(values: Mapping[str, str], now: datetime) -> list[Entry]:
    """The entries by which a user fills fields of the profile with values. Raises InvalidRequest, which names
    every field whose value cannot be kept."""
    entries: list[Entry] = []
    errors: list[tuple[str, str]] = []
    for name, value in values.items():
        field = FIELDS[name]
        entry = Entry("fact", statement(field, value), field.category, profile_field=name)
        try:
            entries.append(checked(entry, now))
        except InvalidRequest as refused:
            errors += [(name, message) for _, message in refused.errors]
    if errors:
        raise InvalidRequest(errors)
    return entries


class Telling:
    """A user's own hand on their facts. `sequence` is this request's place in the user's write order; the
    user has consented to what `consents` names."""

    def __init__(
        self,
        memory: Memory,
        keeper: Keeper,
        masker: Masker,
        retention: Retention,
        clock: Clock,
        sequence: int,
        consents: Collection[SpecialCategory] = (),
    ) -> None:
        self._memory = memory
        self._keeper = keeper
        self._masker = masker
        self._retention = retention
        self._clock = clock
        self._sequence = sequence
        self._consents = frozenset(consents)

    def judged(self, entry: Entry) -> Judged:
        """The entry as the write gate lets it pass. Raises InvalidRequest, which names its text."""
        masked = self._masker.mask(entry.text)
        said = own_entry(masked.text, self._consents)
        if said.refusal:
            raise InvalidRequest([("text", f"cannot be kept as a fact: {said.refusal}")])
        text = cleaned(masked.text)
        masked = replace(masked, text=text, entities=occurring(masked.entities, text))
        return Judged(entry, masked, said.held_because, said.special_category)

    def tell(
        self, entries: Sequence[Entry | Judged], seed: str | None, finish: Finish, *, imported: bool = False
    ) -> list[Fact]:
        """Stores entries that no guard refused, in order, each confirmed by being told, and gives the facts
        that hold them: a live fact that says the same is confirmed, one that says a part of it ends. An
        entry that the write gate finds doubtful is held, and so is an imported one that the user has
        rejected since.

        `seed` makes the ids the same when the same request is sent again after a crash half way; `finish`
        makes the writes that end an idempotency claim. Raises EpochChanged, MemoryPaused, and InvalidRequest
        for an entry that the write gate refuses; then none is stored.
        """
        now = self._clock.now()
        judged = [each if isinstance(each, Judged) else self.judged(each) for each in entries]
        facts = self._keeper.indexed(
            [self._fact(each, now, seed, number) for number, each in enumerate(judged)]
        )
        if not facts:
            self._memory.facts.apply(Change(), finish({"facts": []}))
        kept: list[Fact] = []
        for start in range(0, len(facts), _CHUNK):
            chunk, is_last = facts[start : start + _CHUNK], start + _CHUNK >= len(facts)
            done = finish if is_last else nothing_to_finish
            kept += self._kept(chunk, now, kept, done, imported=imported)
        return kept

    def _kept(
        self, facts: Sequence[Fact], now: datetime, before: Sequence[Fact], finish: Finish, *, imported: bool
    ) -> tuple[Fact, ...]:
        consolidation = Consolidation(facts, now, self._retention, None, by_user=True, imported=imported)

        def commit(change: Change) -> None:
            kept = [fact.fact_id for fact in (*before, *change.kept)]
            self._memory.facts.apply(change, finish({"facts": kept}))

        change, _ = self._memory.facts.settled(consolidation, commit)
        return change.kept

    def correct(self, fact_id: str, text: str) -> Fact:
        """Puts the corrected text in the fact's place; the old one is called inaccurate and stays as history.
        If another live fact says the same already, that one takes its place.

        Raises NotFound, and InvalidRequest when a guard or the write gate refuses the text or the fact has
        been corrected."""
        old = self._memory.facts.fact(fact_id)
        if old.superseded_by:
            raise InvalidRequest(
                [("fact_id", "has been superseded: correct the fact that stands in its place")]
            )
        now = self._clock.now()
        entry = checked(Entry(old.kind, text, old.category, valid_until=old.valid_until), now)
        entry = replace(entry, profile_field=old.profile_field)
        new = replace(self._fact(self.judged(entry), now, None, 0), supersedes=old.fact_id, source=None)
        [new] = self._keeper.indexed([new])
        correction = Correction(old, Consolidation([new], now, self._retention, None, by_user=True))
        verdict = self._verdict(old.fact_id, Verdict.INACCURATE, None, now)
        change, _ = self._memory.facts.settled(
            correction,
            lambda change: self._memory.facts.correct(
                old, change, verdict, [self._told(Action.FACT_CORRECTED, now, old.fact_id)]
            ),
        )
        return change.kept[0]

    def fill(self, entries: Sequence[Entry], cleared: Collection[str]) -> None:
        """Puts entries in the place of what filled their fields of the profile, which stays as history, and
        calls inaccurate what fills the `cleared` fields: all of it or nothing.

        Raises EpochChanged, MemoryPaused, and InvalidRequest where the write gate refuses a value, naming its
        field, or more facts fill the fields than can be changed at once."""
        now = self._clock.now()
        judged: list[Judged] = []
        errors: list[tuple[str, str]] = []
        for entry in entries:
            try:
                judged.append(self.judged(entry))
            except InvalidRequest as refused:
                errors += [(entry.profile_field or field, message) for field, message in refused.errors]
        if errors:
            raise InvalidRequest(errors)
        statements = self._keeper.indexed([self._fact(each, now, None, 0) for each in judged])
        change = Filling(statements, cleared, now, self._retention)

        def commit(made: Change) -> None:
            denials = [
                (self._verdict(fact.fact_id, Verdict.INACCURATE, None, now), (fact, *copies))
                for fact, *copies in change.denied
            ]
            if made.size + sum(1 + len(rows) for _, rows in denials) > MOST_ROWS:
                raise InvalidRequest([("body", "changes too many facts at once: judge some of them first")])
            if made.kept or denials:
                changed = [
                    *(fact.fact_id for fact in made.kept),
                    *(verdict.fact_id for verdict, _ in denials),
                ]
                told = self._told(Action.PROFILE_CHANGED, now, *changed)
                self._memory.facts.amend(made, denials, [told])

        self._memory.facts.settled(change, commit)

    def judge(self, fact_id: str, verdict: Verdict, note: str | None, finish: Finish) -> GivenVerdict:
        """Appends a verdict. Raises NotFound."""
        fact = self._memory.facts.fact(fact_id)
        given = self._verdict(fact_id, verdict, note, self._clock.now())
        expires_at = self._retention.fact(fact.category, given.at)
        told = self._told(Action.VERDICT_GIVEN, given.at, fact_id, given.verdict_id)
        finished = finish({"verdict_id": given.verdict_id})
        self._memory.facts.judge(fact, given, expires_at, [*finished, told])
        return given

    def _told(self, action: Action, at: datetime, *objects: str) -> Write:
        return self._memory.activity.entry(action, at, *objects)

    def _verdict(self, fact_id: str, verdict: Verdict, note: str | None, now: datetime) -> GivenVerdict:
        verdict_id = ids.ordered(ids.VERDICT, self._sequence)
        return GivenVerdict(verdict_id, fact_id, verdict, now, self._sequence, note)

    def _fact(self, judged: Judged, now: datetime, seed: str | None, number: int) -> Fact:
        entry, masked = judged.entry, judged.masked
        created_at, held = entry.created_at or now, judged.held_because is not None
        unique = (
            self._memory.sealer.blind("entry", seed, str(number), entry.kind, entry.text) if seed else None
        )
        return Fact(
            fact_id=ids.at(ids.FACT, created_at, unique),
            kind=entry.kind,
            category=entry.category,
            text=masked.text,
            provenance="said" if held else "confirmed",
            sequence=self._sequence,
            created_at=created_at,
            last_confirmed_at=created_at,
            valid_until=entry.valid_until,
            expires_at=self._retention.fact(entry.category, max(now, created_at), held=held),
            kept_at=max(now, created_at),
            entities=masked.entities,
            profile_field=entry.profile_field,
            held=held,
            held_because=judged.held_because,
            special_category=judged.special_category,
        )
