"""Conversations, their turns, and the marks of what has been extracted and what is still to be."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from enum import StrEnum

from noted.clock import timestamp
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Kept, Turn
from noted.errors import EpochChanged, MemoryPaused, NotFound
from noted.facts.fact import Fact
from noted.retention import Retention
from noted.store import keys
from noted.store.codec import Codec, expiry
from noted.store.database import ConditionFailed, Database
from noted.store.fence import Fence, claim_lost
from noted.store.pages import Page, page_of
from noted.store.tables import EXPIRY, MEMORY, OUTBOX
from noted.store.writes import ABSENT, PRESENT, Condition, Row, Write, put, update

# The outbox index is written by every turn of every user: shards keep it from being one hot partition.
OUTBOX_SHARDS = 8


class Committed(StrEnum):
    """What became of an extraction's commit."""

    WRITTEN = "written"
    ALREADY = "already"
    FENCED = "fenced"
    GONE = "gone"


class Conversations:
    """The conversations of one partition."""

    def __init__(self, database: Database, codec: Codec, fence: Fence, retention: Retention) -> None:
        self._database = database
        self._codec = codec
        self._fence = fence
        self._retention = retention

    def begin(self, conversation: Conversation, done: Sequence[Write] = ()) -> None:
        """Stores a new conversation. `done` joins the transaction. Raises Conflict if a claim ran out."""
        expires_at = self._retention.turn(conversation.created_at)
        writes = [
            put(MEMORY.name, self._codec.conversation_row(conversation, expires_at), ABSENT),
            put(MEMORY.name, self._codec.header_row(conversation, expires_at), ABSENT),
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
        """A conversation with its replayed window, at most the last `turns` turns, oldest first, in one
        query.

        Raises NotFound. One read unit per 4 KB of state and turns.
        """
        rows = self._database.query(
            MEMORY.name,
            self._codec.partition,
            prefix=keys.thread(conversation_id),
            descending=True,
            page_size=turns + 1,
        )
        state = next(rows, None)
        if state is None or state["sk"] != keys.state(conversation_id):
            raise NotFound
        conversation = self._codec.conversation(state)
        window: list[Turn] = []
        for row in rows:
            if len(window) == turns or row["turn_id"] < (conversation.window_from or ""):
                break
            window.append(self._codec.turn(row))
        return conversation, window[::-1]

    def turns(self, conversation_id: str, limit: int, after: str | None) -> Page[Turn]:
        """A conversation's turns, oldest first. Raises NotFound."""
        self.conversation(conversation_id)
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
        window_from: str | None,
        *,
        extraction: Extraction | None = None,
        facts: Sequence[Fact] = (),
        done: Sequence[Write] = (),
    ) -> None:
        """Stores an answered turn in one transaction: the turn with its outbox mark, the conversation's
        window, and for a turn that was extracted at once its facts and its extraction mark.

        A turn without facts needs no fence: a late one lands in a partition that nothing reads, and the
        second sweep of the erasure takes it. Raises NotFound when the conversation was erased meanwhile,
        EpochChanged when everything was, MemoryPaused when there are facts and memory is off by now.
        """
        expires_at = self._retention.turn(turn.created_at)
        row = self._codec.turn_row(turn, expires_at)
        if turn.memory is Kept.QUEUED:
            row |= _outbox_mark(turn.turn_id, turn.created_at.timestamp())
        writes = [put(MEMORY.name, row, ABSENT), *self._touching(turn, window_from, expiry(expires_at))]
        if extraction:
            writes += [
                put(MEMORY.name, self._codec.extraction_row(turn.turn_id, extraction, expires_at)),
                *(put(MEMORY.name, self._codec.fact_row(fact)) for fact in facts),
            ]
        try:
            if facts:
                self._fence.transact(writes, done, learning=True)
            else:
                self._database.transact([*writes, *done])
        except ConditionFailed as failure:
            # The second and third write are the conversation's own rows.
            if failure.rows.keys() & {1, 2}:
                raise NotFound from None
            raise claim_lost() from None

    def extraction(self, turn_id: str) -> Extraction | None:
        """What came of a turn's extraction, None while there is nothing yet."""
        row = self._database.get(MEMORY.name, self._codec.partition, keys.extraction(turn_id))
        return self._codec.extraction(row) if row else None

    def commit_extraction(self, turn: Turn, extraction: Extraction, facts: Sequence[Fact]) -> Committed:
        """Stores what a worker extracted, once: only while the generation is current and memory is on, the
        turn is still there, and no other worker was first."""
        expires_at = self._retention.turn(turn.created_at)
        writes = [
            self._unmarking(turn),
            put(
                MEMORY.name,
                self._codec.extraction_row(turn.turn_id, extraction, expires_at),
                _NOT_EXTRACTED,
            ),
            *(put(MEMORY.name, self._codec.fact_row(fact)) for fact in facts),
        ]
        try:
            self._fence.transact(writes, learning=True)
        except (EpochChanged, MemoryPaused):
            return Committed.FENCED
        except ConditionFailed as failure:
            return Committed.GONE if 0 in failure.rows else Committed.ALREADY
        return Committed.WRITTEN

    def note_failure(self, turn: Turn, error_type: str) -> None:
        """Records that an extraction failed; a later success replaces it."""
        extraction = Extraction(ExtractionStatus.FAILED, error_type=error_type)
        row = self._codec.extraction_row(turn.turn_id, extraction, self._retention.turn(turn.created_at))
        try:
            self._database.put(MEMORY.name, row, _NOT_EXTRACTED)
        except ConditionFailed:
            return  # it succeeded elsewhere

    def unmark(self, turn: Turn) -> None:
        """Takes a turn's outbox mark off: its extraction is finished, or lies with the dead letters."""
        try:
            self._database.transact([self._unmarking(turn)])
        except ConditionFailed:
            return  # the turn is gone

    def _unmarking(self, turn: Turn) -> Write:
        return update(
            MEMORY.name,
            self._codec.partition,
            keys.turn(turn.conversation_id, turn.turn_id),
            f"REMOVE {OUTBOX.partition}, {OUTBOX.sort}, outbox_sends",
            condition=PRESENT,
        )

    def _touching(self, turn: Turn, window_from: str | None, expires_at: int | None) -> list[Write]:
        state = update(
            MEMORY.name,
            self._codec.partition,
            keys.state(turn.conversation_id),
            "SET #expiry = :expiry, last_turn_at = :at" + (", window_from = :window" if window_from else ""),
            names={"#expiry": EXPIRY},
            values={":expiry": expires_at, ":at": timestamp(turn.created_at)}
            | ({":window": window_from} if window_from else {}),
            condition=PRESENT,
        )
        header = update(
            MEMORY.name,
            self._codec.partition,
            keys.header(turn.conversation_id),
            "SET #expiry = :expiry",
            names={"#expiry": EXPIRY},
            values={":expiry": expires_at},
            condition=PRESENT,
        )
        return [state, header]


_NOT_EXTRACTED = Condition(
    "attribute_not_exists(pk) OR #status = :failed",
    {"#status": "status"},
    {":failed": str(ExtractionStatus.FAILED)},
)


def outbox_shard(number: int) -> str:
    """The name of one shard of the outbox."""
    return f"shard-{number}"


def _outbox_mark(turn_id: str, since: float) -> Row:
    shard = zlib.crc32(turn_id.encode()) % OUTBOX_SHARDS
    return {OUTBOX.partition: outbox_shard(shard), OUTBOX.sort: int(since), "outbox_sends": 0}
