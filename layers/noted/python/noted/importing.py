"""An export is taken back, part by part.

What comes in is the user's own entry, whoever exported it: it passes the guards and the write gate as what
they tell by hand, nothing of it is called confirmed that they could not confirm themselves, and every id is
made anew from the old one with the user's key. So the same document twice makes nothing twice, and two users
who import the same document have nothing in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted import ids
from noted.clock import SKEW, Clock
from noted.conversation.answering import masked
from noted.conversation.turn import Conversation, Kept, Route, Turn
from noted.errors import InvalidRequest, MemoryPaused, NotFound, TooLarge
from noted.facts.change import Change
from noted.facts.consolidating import Consolidation
from noted.facts.fact import Category, Fact, GivenVerdict, Kind, Provenance, Verdict
from noted.facts.telling import Entry, Telling, checked
from noted.store.activity import Action

if TYPE_CHECKING:
    from noted.facts.keeping import Keeper
    from noted.privacy.masking import Masker
    from noted.store.idempotency import Finish
    from noted.store.memory import Memory
    from noted.store.repository import Repository, Standing

# Rows of facts and verdicts in one transaction, which has room for the facts that they alter.
_ROWS = 45
# Why a fact is held that was held where it was exported.
IMPORTED_HELD = "imported"
# What of an id tells its order: two letters, a mark, and ten characters.
_ORDER_END = 13
_CONVERSATIONS, _TURNS, _FACTS = "conversations", "turns", "facts"


@dataclass(frozen=True)
class Conversing:
    """A conversation as it was exported. `place` is where it stands in its list."""

    place: int
    conversation_id: str
    created_at: datetime
    incognito: bool
    timezone: str


@dataclass(frozen=True)
class Saying:
    """A turn as it was exported."""

    place: int
    turn_id: str
    conversation_id: str
    created_at: datetime
    said_at: datetime
    route: Route
    message: str
    answer: str
    pasted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stating:
    """A fact as it was exported, with its verdicts, oldest first."""

    place: int
    fact_id: str
    kind: Kind
    category: Category
    text: str
    provenance: Provenance
    created_at: datetime
    last_confirmed_at: datetime
    held: bool = False
    denied: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    profile_field: str | None = None
    copy_of: str | None = None
    verdicts: tuple[tuple[Verdict, datetime, str | None], ...] = ()


@dataclass(frozen=True)
class Refused:
    """An item that was not taken, by its list and its place in it, and why."""

    section: str
    index: int
    reason: str


@dataclass
class Taken:
    """What became of a document: how many items of each list are kept since, how many were there before, and
    what was refused."""

    kept: Counter[str] = field(default_factory=Counter)
    already: Counter[str] = field(default_factory=Counter)
    refused: list[Refused] = field(default_factory=list)

    def refuse(self, section: str, index: int, reason: str) -> None:
        """Notes an item that is not taken."""
        self.refused.append(Refused(section, index, reason))

    def pointer(self) -> dict[str, object]:
        """As an idempotency key keeps it. It holds no text."""
        return {
            "kept": dict(self.kept),
            "already": dict(self.already),
            "refused": [[each.section, each.index, each.reason] for each in self.refused],
        }

    @classmethod
    def of(cls, pointer: dict[str, object]) -> Taken:
        """Reads such a pointer."""
        kept, already, refused = pointer["kept"], pointer["already"], pointer["refused"]
        return cls(Counter(kept), Counter(already), [Refused(*each) for each in refused])  # type: ignore[call-overload, attr-defined]


class Importing:
    """Takes exports back for one user."""

    def __init__(
        self,
        repository: Repository,
        memory: Memory,
        standing: Standing,
        telling: Telling,
        keeper: Keeper,
        masker: Masker,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._memory = memory
        self._standing = standing
        self._telling = telling
        self._keeper = keeper
        self._masker = masker
        self._clock = clock

    def take(
        self,
        conversations: Sequence[Conversing],
        turns: Sequence[Saying],
        facts: Sequence[Stating],
        taken: Taken,
        finish: Finish,
    ) -> Taken:
        """Takes a document's items; what cannot be kept is refused by itself, and `taken` gets it all. Cut
        short, it goes on where it was when it is sent again. Raises MemoryPaused, EpochChanged,
        Unavailable."""
        if self._standing.paused:
            raise MemoryPaused
        for conversation in conversations:
            self._converse(conversation, taken)
        self._say(turns, taken)
        self._tell(facts, taken)
        now = self._clock.now()
        told = self._memory.activity.entry(Action.IMPORTED, now)
        taken.refused.sort(key=lambda each: (each.section, each.index))
        self._memory.facts.apply(Change(), [*finish(taken.pointer()), told])
        return taken

    def _here(self, kind: str, object_id: str) -> str:
        """The id that an exported thing has here: in the same order, and told by nobody from where it
        came."""
        return ids.ordered(kind, ids.order(object_id), self._memory.sealer.blind("imported", object_id))

    # Conversations

    def _converse(self, given: Conversing, taken: Taken) -> None:
        now = self._clock.now()
        if given.created_at > now + SKEW:
            taken.refuse(_CONVERSATIONS, given.place, "created_at must not lie in the future")
            return
        if self._conversation(given.conversation_id):
            taken.already[_CONVERSATIONS] += 1
            return
        conversation_id = self._here(ids.CONVERSATION, given.conversation_id)
        conversation = Conversation(conversation_id, given.created_at, given.incognito, given.timezone)
        self._memory.conversations.begin(conversation, kept_at=now)
        taken.kept[_CONVERSATIONS] += 1

    def _conversation(self, exported_id: str) -> str | None:
        """The id of a conversation that was exported, if it is here: as it was, or taken back before."""
        for conversation_id in (exported_id, self._here(ids.CONVERSATION, exported_id)):
            try:
                return self._memory.conversations.conversation(conversation_id).conversation_id
            except NotFound:
                continue
        return None

    def _say(self, turns: Sequence[Saying], taken: Taken) -> None:
        by_conversation: dict[str, list[Saying]] = {}
        for turn in sorted(turns, key=lambda each: ids.order(each.turn_id)):
            by_conversation.setdefault(turn.conversation_id, []).append(turn)
        for exported_id, said in by_conversation.items():
            conversation_id = self._conversation(exported_id)
            if conversation_id is None:
                for turn in said:
                    taken.refuse(_TURNS, turn.place, "its conversation is not here: import that first")
                continue
            there = set(self._memory.holdings.turn_ids(conversation_id))
            tails = {turn_id[_ORDER_END:] for turn_id in there}
            new = [turn for turn in said if turn.turn_id not in there and self._tail(turn) not in tails]
            taken.already[_TURNS] += len(said) - len(new)
            self._store(conversation_id, new, taken)

    def _tail(self, turn: Saying) -> str:
        return self._here(ids.TURN, turn.turn_id)[_ORDER_END:]

    def _store(self, conversation_id: str, said: Sequence[Saying], taken: Taken) -> None:
        now = self._clock.now()
        turns: list[Turn] = []
        for each in said:
            if max(each.created_at, each.said_at) > now + SKEW:
                taken.refuse(_TURNS, each.place, "must not lie in the future")
            elif self._memory.retention.turn(each.created_at) <= now:
                taken.refuse(_TURNS, each.place, "is older than turns are kept")
            elif (turn := self._turn(conversation_id, each)) is None:
                taken.refuse(_TURNS, each.place, "is too much to be stored")
            else:
                turns.append(turn)
        if not turns:
            return
        last = self._repository.places(len(turns), self._standing.generation)
        for place, turn in enumerate(turns, start=last - len(turns) + 1):
            turn_id = ids.ordered(ids.TURN, place)[:_ORDER_END] + turn.turn_id[_ORDER_END:]
            self._memory.conversations.commit(replace(turn, turn_id=turn_id))
            taken.kept[_TURNS] += 1

    def _turn(self, conversation_id: str, said: Saying) -> Turn | None:
        try:
            message = masked(self._masker, said.message, said.pasted, remember=False)
        except TooLarge:
            return None
        answer = self._masker.mask(said.answer)
        return Turn(
            turn_id=self._here(ids.TURN, said.turn_id),
            conversation_id=conversation_id,
            created_at=said.created_at,
            said_at=said.said_at,
            route=said.route,
            message=message.text,
            answer=answer.text,
            # What was learnt from it comes as facts; it is not learnt a second time.
            memory=Kept.SKIPPED,
            pasted=message.pasted,
            entities={**message.entities, **answer.entities},
        )

    # Facts

    def _tell(self, facts: Sequence[Stating], taken: Taken) -> None:
        now = self._clock.now()
        there = self._memory.facts.some(
            [name for each in facts for name in (each.fact_id, self._here(ids.FACT, each.fact_id))]
        )
        ready: list[tuple[Stating, Fact]] = []
        for each in facts:
            if each.fact_id in there or self._here(ids.FACT, each.fact_id) in there:
                taken.already[_FACTS] += 1
                continue
            try:
                ready.append((each, self._fact(each, now)))
            except InvalidRequest as refused:
                taken.refuse(_FACTS, each.place, "; ".join(" ".join(error) for error in refused.errors))
        indexed = self._keeper.indexed([fact for _, fact in ready])
        chunk: list[tuple[Stating, Fact]] = []
        for (each, _), fact in zip(ready, indexed, strict=True):
            if chunk and sum(1 + len(told.verdicts) for told, _ in (*chunk, (each, fact))) > _ROWS:
                self._keep(chunk, now, taken)
                chunk = []
            chunk.append((each, fact))
        if chunk:
            self._keep(chunk, now, taken)

    def _keep(self, chunk: Sequence[tuple[Stating, Fact]], now: datetime, taken: Taken) -> None:
        facts = [fact for _, fact in chunk]
        consolidation = Consolidation(facts, now, self._memory.retention, None, imported=True)

        def commit(change: Change) -> None:
            added = {fact.fact_id for fact in change.added}
            verdicts = [
                verdict
                for told, fact in chunk
                if fact.fact_id in added
                for verdict in self._verdicts(told, fact.fact_id)
            ]
            self._memory.facts.apply(change, self._memory.facts.verdict_writes(verdicts))

        change, _ = self._memory.facts.settled(consolidation, commit)
        added = {fact.fact_id for fact in change.added} & {fact.fact_id for fact in facts}
        taken.kept[_FACTS] += len(added)
        taken.already[_FACTS] += len(facts) - len(added)

    def _fact(self, told: Stating, now: datetime) -> Fact:
        """Raises InvalidRequest for what cannot be kept."""
        if told.copy_of:
            raise InvalidRequest([("copy_of", "says what another fact says")])
        if told.denied and not told.verdicts:
            raise InvalidRequest([("status", "is hidden with another fact, which was rejected")])
        instants = (told.created_at, told.last_confirmed_at, *(at for _, at, _ in told.verdicts))
        if max(instants) > now + SKEW:
            raise InvalidRequest(
                [("created_at", "must not lie in the future, nor a confirmation or verdict")]
            )
        entry = checked(Entry(told.kind, told.text, told.category, told.created_at, told.valid_until), now)
        judged = self._telling.judged(entry)
        fact_id = self._here(ids.FACT, told.fact_id)
        verdicts = self._verdicts(told, fact_id)
        confirmed = bool(verdicts) and verdicts[-1].verdict is Verdict.CONFIRMED
        held = told.held or judged.held_because is not None
        return Fact(
            fact_id=fact_id,
            kind=told.kind,
            category=told.category,
            text=judged.masked.text,
            provenance="said" if held and not confirmed else told.provenance,
            sequence=self._standing.sequence,
            created_at=told.created_at,
            last_confirmed_at=max(told.created_at, told.last_confirmed_at),
            held=held,
            held_because=judged.held_because or (IMPORTED_HELD if held else None),
            valid_from=told.valid_from,
            valid_until=told.valid_until,
            expires_at=self._memory.retention.fact(told.category, now, held=held and not confirmed),
            kept_at=now,
            latest_verdict=verdicts[-1] if verdicts else None,
            supersedes=told.supersedes and self._here(ids.FACT, told.supersedes),
            superseded_by=told.superseded_by and self._here(ids.FACT, told.superseded_by),
            entities=judged.masked.entities,
            profile_field=told.profile_field,
            special_category=judged.special_category,
        )

    def _verdicts(self, told: Stating, fact_id: str) -> list[GivenVerdict]:
        sequence = self._standing.sequence
        given = []
        for number, (verdict, at, note) in enumerate(told.verdicts):
            blind = self._memory.sealer.blind("imported verdict", told.fact_id, str(number))
            verdict_id = ids.ordered(ids.VERDICT, sequence, number.to_bytes(2, "big") + blind[:8])
            given.append(GivenVerdict(verdict_id, fact_id, verdict, at, sequence, note))
        return given
