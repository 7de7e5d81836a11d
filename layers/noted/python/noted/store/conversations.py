"""Conversations, their turns and running summaries, and the marks of what has been extracted and what is
still to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from noted.clock import timestamp
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Kept, Summary, Turn
from noted.conversation.window import WINDOW
from noted.errors import Conflict, EpochChanged, MemoryPaused, NotFound
from noted.store import keys, marks
from noted.store.changing import FactsChanged, writes_of
from noted.store.codec import expiry
from noted.store.database import ConditionFailed, Database
from noted.store.fence import Fence, claim_lost
from noted.store.pages import Page, page_of
from noted.store.tables import EXPIRY, MEMORY, OUTBOX
from noted.store.writes import ABSENT, PRESENT, Condition, Row, Write, check, put, update

if TYPE_CHECKING:
    from noted.facts.change import Change
    from noted.retention import Retention
    from noted.store.conversation_codec import ConversationCodec
    from noted.store.fact_codec import FactCodec


class Overtaken(Exception):
    """Another turn with a later place in the user's write order was stored in the conversation first."""


class Committed(StrEnum):
    """What became of an extraction's commit."""

    WRITTEN = "written"
    ALREADY = "already"
    FENCED = "fenced"
    GONE = "gone"
    UNDONE = "undone"


@dataclass(frozen=True)
class Uncut:
    """The oldest turns of a conversation that are in no summary yet, oldest first. `more`: there are others
    behind them."""

    conversation: Conversation
    turns: list[Turn]
    more: bool


class Conversations:
    """The conversations of one partition."""

    def __init__(
        self,
        database: Database,
        codec: ConversationCodec,
        fact_codec: FactCodec,
        fence: Fence,
        retention: Retention,
    ) -> None:
        self._database = database
        self._codec = codec
        self._fact_codec = fact_codec
        self._fence = fence
        self._retention = retention

    def begin(
        self, conversation: Conversation, done: Sequence[Write] = (), *, kept_at: datetime | None = None
    ) -> None:
        """Stores a new conversation, or one of long ago that is kept since `kept_at`. `done` joins the
        transaction. Raises Conflict if a claim ran out."""
        expires_at = self._retention.turn(kept_at or conversation.created_at)
        used: Row = {"last_turn_at": timestamp(kept_at)} if kept_at else {}
        writes = [
            put(MEMORY.name, self._codec.conversation_row(conversation, expires_at) | used, ABSENT),
            put(MEMORY.name, self._codec.header_row(conversation, expires_at) | used, ABSENT),
            *done,
        ]
        try:
            self._database.transact(writes)
        except ConditionFailed:
            raise claim_lost() from None

    def conversation(self, conversation_id: str) -> Conversation:
        """Raises NotFound."""
        row = self._database.get(MEMORY.name, self._codec.partition, keys.state(conversation_id))
        if row is None:
            raise NotFound
        return self._codec.conversation(row)

    def page(self, limit: int, after: str | None) -> Page[Conversation]:
        """Conversations, newest first."""
        rows = self._database.query(
            MEMORY.name,
            self._codec.partition,
            prefix=keys.HEADERS,
            after=after,
            descending=True,
            page_size=limit + 1,
        )
        taken, last = page_of(rows, limit)
        return Page([self._codec.conversation(row) for row in taken], last)

    def thread(self, conversation_id: str, turns: int) -> tuple[Conversation, list[Turn]]:
        """A conversation with its replayed window, at most the last `turns` turns, oldest first, in one query
        unless the window has outgrown its usual size; the conversation tells whether there are turns beyond.

        Raises NotFound. One read unit per 4 KB of state and turns.
        """
        rows = self._database.query(
            MEMORY.name,
            self._codec.partition,
            prefix=keys.thread(conversation_id),
            descending=True,
            # The state, the turns, and the one before them, by which the window is seen to end.
            page_size=min(turns, WINDOW.high) + 2,
        )
        state = next(rows, None)
        if state is None or state["sk"] != keys.state(conversation_id):
            raise NotFound
        conversation = self._codec.conversation(state)
        window: list[Turn] = []
        for row in rows:
            if row["turn_id"] < (conversation.window_from or ""):
                break
            if len(window) == turns:
                conversation = replace(conversation, beyond=True)
                break
            window.append(self._codec.turn(row))
        return conversation, window[::-1]

    def uncut(self, conversation_id: str, limit: int) -> Uncut:
        """A conversation with the first `limit` turns that no summary covers. Raises NotFound."""
        conversation = self.conversation(conversation_id)
        covered = conversation.summary.covers_through if conversation.summary else None
        after = keys.turn(conversation_id, covered) if covered else None
        page = self._page(conversation_id, limit, after)
        return Uncut(conversation, page.items, page.after is not None)

    def keep_summary(
        self,
        read: Conversation,
        summary: Summary,
        window_from: str,
        *,
        more_since: datetime | None,
        last_turn_id: str | None = None,
    ) -> bool:
        """Puts a summary in the place of the turns before `window_from`, in one write: only while no other
        worker has cut this window since it was read, the conversation is there, and the generation current.
        False: one of them was no longer so, and nothing was written.

        The outbox mark is taken off, or where more turns are to leave renewed at `more_since`. With
        `last_turn_id` it is a condition too that no turn came behind that one: while there is a mark, a turn
        that makes the window long makes no other.
        """
        mark = marks.work(read.conversation_id, more_since.timestamp()) if more_since else marks.NONE
        wanted, values = "attribute_exists(pk) AND attribute_not_exists(window_from)", dict[str, str]()
        if read.window_from:
            wanted, values = "window_from = :before", {":before": read.window_from}
        if last_turn_id:
            wanted, values = f"{wanted} AND last_turn_id = :last", {**values, ":last": last_turn_id}
        unchanged = Condition(wanted, values=values)
        replacing = self._setting(
            keys.state(read.conversation_id),
            {"window_from": window_from, **mark, **self._codec.summary(read.conversation_id, summary)},
            unchanged,
        )
        try:
            self._fence.transact([replacing])
        except (ConditionFailed, EpochChanged):
            return False
        return True

    def unmark_window(self, conversation_id: str, last_turn_id: str) -> None:
        """Takes the outbox mark of a conversation's window off: nothing is to leave it, or the job lies with
        the dead letters. The mark stays where turns came behind the last one that was looked at."""
        nothing_new = Condition("last_turn_id = :last", values={":last": last_turn_id})
        self._unmark(keys.state(conversation_id), nothing_new)

    def turns(self, conversation_id: str, limit: int, after: str | None) -> Page[Turn]:
        """A conversation's turns, oldest first. Raises NotFound."""
        self.conversation(conversation_id)
        return self._page(conversation_id, limit, after)

    def _page(self, conversation_id: str, limit: int, after: str | None) -> Page[Turn]:
        rows = self._database.query(
            MEMORY.name,
            self._codec.partition,
            prefix=keys.thread(conversation_id) + "tn_",
            after=after,
            page_size=limit + 1,
        )
        taken, last = page_of(rows, limit)
        return Page([self._codec.turn(row) for row in taken], last)

    def turn(self, conversation_id: str, turn_id: str) -> Turn:
        """Raises NotFound."""
        row = self._database.get(MEMORY.name, self._codec.partition, keys.turn(conversation_id, turn_id))
        if row is None:
            raise NotFound
        return self._codec.turn(row)

    def commit(
        self,
        turn: Turn,
        *,
        compact: bool = False,
        extraction: Extraction | None = None,
        change: Change | None = None,
        done: Sequence[Write] = (),
    ) -> None:
        """Stores an answered turn in one transaction: the turn with its outbox mark, that the conversation
        has gone on, and for a turn that was extracted at once its facts and its extraction mark. `compact`:
        turns are to leave the window, which is marked too.

        A turn without facts needs no fence: a late one lands in a partition that nothing reads, and the
        second sweep of the erasure takes it. Raises NotFound when the conversation was erased meanwhile,
        Overtaken when a turn with a later place in the order stands in it already; with facts EpochChanged
        when everything was erased, MemoryPaused when memory is off by now, and FactsChanged when the facts
        are not as they were read for the change.
        """
        expires_at = self._retention.turn(turn.created_at)
        row = self._codec.turn_row(turn, expires_at)
        if turn.memory is Kept.QUEUED:
            row |= marks.work(turn.turn_id, turn.created_at.timestamp())
        writes = [put(MEMORY.name, row, ABSENT), *self._touching(turn, compact, expiry(expires_at))]
        if extraction:
            writes.append(put(MEMORY.name, self._codec.extraction_row(turn.turn_id, extraction, expires_at)))
        before = len(writes)
        writes += writes_of(change, self._fact_codec) if change else []
        try:
            if change:
                self._fence.transact(writes, done, learning=True)
            else:
                self._database.transact([*writes, *done])
        except ConditionFailed as failure:
            # The second and third write are the conversation's own rows.
            if any(failure.rows[place] is None for place in failure.rows.keys() & {1, 2}):
                raise NotFound from None
            if 1 in failure.rows:
                raise Overtaken from None
            if failure.rows.keys() & set(range(before, len(writes))):
                raise FactsChanged from None
            raise claim_lost() from None

    def replace_answer(
        self,
        turn: Turn,
        *,
        extraction: Extraction | None = None,
        change: Change | None = None,
        done: Sequence[Write] = (),
    ) -> None:
        """Puts another answer in the place of the one before, which is then nowhere. `turn.revision` is one
        more than that of the turn that was read. Its outbox mark stays as it is.

        Raises NotFound when the turn was erased meanwhile, Conflict when another turn followed it or another
        answer was faster; EpochChanged, MemoryPaused and FactsChanged as `commit` does.
        """
        row = self._codec.turn_row(turn, self._retention.turn(turn.created_at))
        names = [name for name in _ANSWERED if row.get(name) is not None]
        gone = [name for name in _ANSWERED if row.get(name) is None]
        expression = "SET " + ", ".join(f"#{name} = :{name}" for name in names)
        if gone:
            expression += " REMOVE " + ", ".join(f"#{name}" for name in gone)
        replacing = update(
            MEMORY.name,
            self._codec.partition,
            keys.turn(turn.conversation_id, turn.turn_id),
            expression,
            names={f"#{name}": name for name in _ANSWERED},
            values={f":{name}": row[name] for name in names},
            condition=Condition("#revision = :before", values={":before": turn.revision - 1}),
        )
        last = check(
            MEMORY.name,
            self._codec.partition,
            keys.state(turn.conversation_id),
            Condition("last_turn_id = :last", values={":last": turn.turn_id}),
        )
        writes = [replacing, last, self._setting(keys.header(turn.conversation_id), _used(turn))]
        if extraction:
            expires_at = self._retention.turn(turn.created_at)
            writes.append(put(MEMORY.name, self._codec.extraction_row(turn.turn_id, extraction, expires_at)))
        before = len(writes)
        writes += writes_of(change, self._fact_codec) if change else []
        try:
            if change:
                self._fence.transact(writes, done, learning=True)
            else:
                self._database.transact([*writes, *done])
        except ConditionFailed as failure:
            if not failure.rows.keys() & {0, 1}:
                if failure.rows.keys() & set(range(before, len(writes))):
                    raise FactsChanged from None
                raise claim_lost() from None
            if any(failure.rows[number] is None for number in failure.rows.keys() & {0, 1}):
                raise NotFound from None
            raise Conflict("The conversation has gone on meanwhile.", retry_after=1) from None

    def extraction(self, turn_id: str) -> Extraction | None:
        """What came of a turn's extraction, None while there is nothing yet."""
        row = self._database.get(MEMORY.name, self._codec.partition, keys.extraction(turn_id))
        return self._codec.extraction(row) if row else None

    def facts_of(self, turn_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The ids of the facts that were learnt from turns, also of those that are gone, by turn; one read
        unit a turn. Without the turns that were never extracted."""
        wanted = {keys.extraction(turn_id): turn_id for turn_id in dict.fromkeys(turn_ids)}
        rows = self._database.batch(MEMORY.name, self._codec.partition, list(wanted))
        return {wanted[key]: self._codec.extraction(row).facts for key, row in rows.items()}

    def commit_extractions(
        self, extracted: Sequence[tuple[Turn, Extraction]], change: Change
    ) -> list[Committed]:
        """Stores what a worker extracted from turns, once: only while the generation is current and memory is
        on, all or none, and tells what became of each: where one is gone, or was extracted by another worker,
        the others are `UNDONE`. Raises FactsChanged when the facts are not as they were read for the change.
        """
        writes: list[Write] = []
        for turn, extraction in extracted:
            expires_at = self._retention.turn(turn.created_at)
            row = self._codec.extraction_row(turn.turn_id, extraction, expires_at)
            writes += [self._unmarking(turn), put(MEMORY.name, row, _NOT_EXTRACTED)]
        marks_end = len(writes)
        try:
            self._fence.transact([*writes, *writes_of(change, self._fact_codec)], learning=True)
        except (EpochChanged, MemoryPaused):
            return [Committed.FENCED] * len(extracted)
        except ConditionFailed as failure:
            if not any(number < marks_end for number in failure.rows):
                raise FactsChanged from None
            return [_outcome(2 * place, failure) for place in range(len(extracted))]
        return [Committed.WRITTEN] * len(extracted)

    def queued(self, conversation_id: str, among: int) -> list[Turn]:
        """The turns, oldest first, of the last `among` of a conversation that wait for their extraction."""
        rows = self._database.query(
            MEMORY.name,
            self._codec.partition,
            prefix=keys.thread(conversation_id) + "tn_",
            descending=True,
            page_size=among,
        )
        waiting = [row for row in islice(rows, among) if OUTBOX.partition in row]
        return [self._codec.turn(row) for row in reversed(waiting)]

    def note_failure(self, turn: Turn, error_type: str) -> None:
        """Records that an extraction failed; a later success replaces it."""
        extraction = Extraction(ExtractionStatus.FAILED, error_type=error_type)
        row = self._codec.extraction_row(turn.turn_id, extraction, self._retention.turn(turn.created_at))
        try:
            self._database.put(MEMORY.name, row, _NOT_EXTRACTED)
        except ConditionFailed:
            return  # it succeeded elsewhere

    def skip(self, turn: Turn) -> None:
        """Records that nothing is learnt from a turn that waited for it, and takes its mark off; a turn that
        was extracted meanwhile stays so."""
        skipped = Extraction(ExtractionStatus.SKIPPED)
        row = self._codec.extraction_row(turn.turn_id, skipped, self._retention.turn(turn.created_at))
        try:
            self._database.transact([put(MEMORY.name, row, _NOT_EXTRACTED), self._unmarking(turn)])
        except ConditionFailed:
            return  # it was extracted, or the turn is gone

    def unmark(self, turn: Turn) -> None:
        """Takes a turn's outbox mark off: its extraction is finished, or lies with the dead letters."""
        self._unmark(keys.turn(turn.conversation_id, turn.turn_id))

    def _unmark(self, sort_key: str, condition: Condition = PRESENT) -> None:
        try:
            self._database.update(
                MEMORY.name, self._codec.partition, sort_key, marks.UNMARK, condition=condition
            )
        except ConditionFailed:
            return  # the row is gone, or the mark is still needed

    def _unmarking(self, turn: Turn) -> Write:
        return update(
            MEMORY.name,
            self._codec.partition,
            keys.turn(turn.conversation_id, turn.turn_id),
            marks.UNMARK,
            condition=PRESENT,
        )

    def _touching(self, turn: Turn, compact: bool, expires_at: int | None) -> list[Write]:
        mark = marks.work(turn.conversation_id, turn.created_at.timestamp()) if compact else {}
        state = {"last_turn_at": timestamp(turn.created_at), "last_turn_id": turn.turn_id, **mark}
        # A conversation's turns stand in the order in which they were stored: one that came in between could
        # land before the window, where nothing reads it.
        last = Condition(
            "attribute_exists(pk) AND (attribute_not_exists(last_turn_id) OR last_turn_id < :turn)",
            values={":turn": turn.turn_id},
        )
        return [
            self._setting(keys.state(turn.conversation_id), {EXPIRY: expires_at, **state}, last),
            self._setting(keys.header(turn.conversation_id), {EXPIRY: expires_at, **_used(turn)}),
        ]

    def _setting(self, sort_key: str, attributes: Row, condition: Condition = PRESENT) -> Write:
        """Sets plain attributes of a row, and removes those that are None."""
        sets = [f"#{name} = :{name}" for name, value in attributes.items() if value is not None]
        removes = [f"#{name}" for name, value in attributes.items() if value is None]
        return update(
            MEMORY.name,
            self._codec.partition,
            sort_key,
            f"SET {', '.join(sets)}" + (f" REMOVE {', '.join(removes)}" if removes else ""),
            names={f"#{name}": name for name in attributes},
            values={f":{name}": value for name, value in attributes.items() if value is not None},
            condition=condition,
        )


# What a turn's row holds of its answer.
_ANSWERED = (
    *("content", "vault", "route", "recalled", "degraded", "usage", "figures", "revision", "memory"),
)
_NOT_EXTRACTED = Condition(
    "attribute_not_exists(pk) OR #status = :failed",
    {"#status": "status"},
    {":failed": str(ExtractionStatus.FAILED)},
)


def _outcome(place: int, failure: ConditionFailed) -> Committed:
    if place in failure.rows:
        return Committed.GONE
    return Committed.ALREADY if place + 1 in failure.rows else Committed.UNDONE


def _used(turn: Turn) -> Row:
    """What a conversation's header tells of its last use: by what, and, unless there is nothing in it to
    remember, the mark by which it is found once it rests."""
    since = turn.created_at.timestamp()
    mark = marks.rest(turn.conversation_id, since)
    if turn.memory is Kept.SKIPPED:
        # It rests later now; whether it is to be found then, an earlier turn has decided.
        mark = marks.resting_since(since)
    return {
        "last_use": f"{turn.turn_id}.{turn.revision}",
        "last_turn_at": timestamp(turn.created_at),
        **mark,
    }
