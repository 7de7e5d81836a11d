"""One turn, from a message to an answer and what is to be remembered of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from noted import ids
from noted.clock import SKEW, Clock
from noted.context import layout
from noted.conversation import replies
from noted.conversation.outcome import Outcome
from noted.conversation.recollecting import recollected
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Kept, Route, Turn
from noted.conversation.window import WindowLimits, evicted
from noted.errors import InvalidRequest, ModelError, ModelRefused, Unavailable
from noted.facts import remember
from noted.facts.fact import Fact
from noted.facts.keeping import Harvest, Keeper, Said
from noted.facts.live import live, still_told, without_copies
from noted.models.seam import Embedder, LanguageModel, Prompt, Usage
from noted.recall import recollection
from noted.recall.block import render
from noted.recall.search import Query, Recalled, search
from noted.store.idempotency import Finish, nothing_to_finish
from noted.store.memory import Memory
from noted.store.queue import ExtractionJob, Queue
from noted.store.repository import Standing

logger = logging.getLogger("noted.conversation")

WINDOW = WindowLimits()
_RECALLED = 10
_SNAPSHOT = 50
_RETRY_AFTER_SECONDS = 5


@dataclass(frozen=True)
class NewMessage:
    """What a user says. `pasted` is text that they did not type: an answer may use it, memory never does."""

    text: str
    pasted: tuple[str, ...] = ()
    remember: bool = True


@dataclass(frozen=True)
class Taken:
    """A stored turn and the facts that its message recalled."""

    turn: Turn
    recalled: tuple[Fact, ...]


class Answering:
    """Takes the turns of one user."""

    def __init__(
        self,
        memory: Memory,
        standing: Standing,
        model: LanguageModel,
        keeper: Keeper,
        embedder: Embedder,
        queue: Queue,
        clock: Clock,
        recall_budget_seconds: float,
    ) -> None:
        self._memory = memory
        self._standing = standing
        self._model = model
        self._keeper = keeper
        self._embedder = embedder
        self._queue = queue
        self._clock = clock
        self._recall_budget_seconds = recall_budget_seconds

    def begin(self, incognito: bool, timezone: str, finish: Finish = nothing_to_finish) -> Conversation:
        """A new conversation with the snapshot of what is remembered now."""
        now = self._clock.now()
        conversation = Conversation(
            conversation_id=ids.at(ids.CONVERSATION, now),
            created_at=now,
            incognito=incognito,
            timezone=timezone,
            snapshot=() if incognito or self._standing.paused else self._snapshot(now),
        )
        self._memory.conversations.begin(
            conversation, finish({"conversation_id": conversation.conversation_id})
        )
        return conversation

    def take(self, conversation_id: str, new: NewMessage, finish: Finish = nothing_to_finish) -> Taken:
        """Answers a message and stores the turn. Nothing is stored when there is no answer.

        Raises NotFound, EpochChanged, and Unavailable when the model gives none.
        """
        conversation, window = self._memory.conversations.thread(conversation_id, WINDOW.high)
        turn_id = ids.ordered(ids.TURN, self._standing.sequence)
        on = not (conversation.incognito or self._standing.paused)
        if not new.pasted and remember.statement(new.text) is not None:
            outcome = self._remembered(conversation, turn_id, new.text, on and new.remember)
        elif not new.pasted and recollection.asks_for_recollection(new.text):
            outcome = self._recollected(new.text, conversation.timezone, on)
        else:
            outcome = self._answered(conversation, window, new, on)
        now = self._clock.now()
        turn = Turn(
            turn_id=turn_id,
            conversation_id=conversation_id,
            created_at=now,
            said_at=now,
            route=outcome.route,
            message=new.text,
            answer=outcome.answer,
            memory=outcome.memory,
            pasted=new.pasted,
            recalled=tuple(fact.fact_id for fact in outcome.recalled),
            degraded=outcome.degraded,
            usage=outcome.usage,
        )
        self._commit(turn, window, outcome, finish)
        return Taken(turn, outcome.recalled)

    def record(
        self,
        conversation_id: str,
        user: str,
        assistant: str,
        said_at: datetime | None,
        *,
        learn: bool,
        finish: Finish = nothing_to_finish,
    ) -> Turn:
        """Stores a turn that another system answered. Raises NotFound, EpochChanged, and InvalidRequest for a
        time in the future."""
        if said_at and said_at > self._clock.now() + SKEW:
            raise InvalidRequest([("at", "must not lie in the future")])
        conversation, window = self._memory.conversations.thread(conversation_id, WINDOW.high)
        now = self._clock.now()
        on = learn and not (conversation.incognito or self._standing.paused)
        turn = Turn(
            turn_id=ids.ordered(ids.TURN, self._standing.sequence),
            conversation_id=conversation_id,
            created_at=now,
            said_at=said_at or now,
            route=Route.ANSWER,
            message=user,
            answer=assistant,
            memory=Kept.QUEUED if on else Kept.SKIPPED,
        )
        self._commit(turn, window, Outcome(turn.route, assistant, turn.memory), finish)
        return turn

    def _answered(
        self, conversation: Conversation, window: Sequence[Turn], new: NewMessage, on: bool
    ) -> Outcome:
        now = self._clock.now()
        facts, degraded = self._facts() if on else ([], ())
        snapshot = still_told(conversation.snapshot, facts, now)
        recalled = Recalled()
        if facts:
            query = Query(new.text, limit=_RECALLED, timezone=conversation.timezone)
            recalled = search(facts, query, self._embedder, now, self._recall_budget_seconds)
        # What the snapshot tells already is not told twice.
        beside = without_copies([*snapshot, *(found.fact for found in recalled.items)])[len(snapshot) :]
        prompt = layout.answer(
            snapshot=_block(snapshot),
            history=layout.history(window),
            message=new.text,
            recalled=_block(beside),
            pasted=new.pasted,
            now=now,
            timezone=conversation.timezone,
        )
        text, usage = self._called(prompt)
        return Outcome(
            route=Route.ANSWER,
            answer=text,
            memory=Kept.QUEUED if on and new.remember else Kept.SKIPPED,
            recalled=tuple(found.fact for found in recalled.items),
            degraded=(*degraded, *recalled.degraded),
            usage=usage,
        )

    def _remembered(self, conversation: Conversation, turn_id: str, message: str, on: bool) -> Outcome:
        if not on:
            return Outcome(Route.REMEMBER, replies.MEMORY_OFF, Kept.SKIPPED)
        now = self._clock.now()
        said = Said(message, now, conversation.timezone, conversation.conversation_id, turn_id)
        try:
            harvest = self._keeper.harvest(said, now)
        except Exception as error:  # noqa: BLE001 (whatever it is, it costs this turn's list alone)
            error_type = type(error).__name__
            logger.warning("remember-only extraction failed", extra={"error_type": error_type})
            failed = Extraction(ExtractionStatus.FAILED, error_type=error_type)
            return Outcome(Route.REMEMBER, replies.NOTHING_KEPT, Kept.NOTHING, extraction=failed)
        return _kept(harvest)

    def _recollected(self, question: str, timezone: str, on: bool) -> Outcome:
        if not on:
            return Outcome(Route.RECOLLECTION, replies.MEMORY_OFF, Kept.NOTHING)
        now = self._clock.now()
        return recollected(live(self._memory.facts.all(), now), question, self._model, now, timezone)

    def _called(self, prompt: Prompt) -> tuple[str, Usage]:
        try:
            reply = self._model.call(prompt)
        except ModelRefused as error:
            logger.warning("answer refused", extra={"error_type": type(error).__name__})
            return replies.REFUSED, Usage(model_calls=1)
        except ModelError as error:
            logger.warning("no answer", extra={"error_type": type(error).__name__, "reason": error.reason})
            raise Unavailable("The model cannot answer at the moment.", _RETRY_AFTER_SECONDS) from None
        if not reply.text.strip():
            raise Unavailable("The model gave no answer.", _RETRY_AFTER_SECONDS)
        return reply.text, reply.usage

    def _facts(self) -> tuple[list[Fact], tuple[str, ...]]:
        # Memory that is down never means that the answer is.
        try:
            return self._memory.facts.all(), ()
        except Unavailable as error:
            logger.warning("answer without memory", extra={"error_type": type(error).__name__})
            return [], ("memory",)

    def _snapshot(self, now: datetime) -> tuple[str, ...]:
        facts, _ = self._facts()
        newest_first = sorted(live(facts, now), key=lambda fact: fact.provenance == "confirmed", reverse=True)
        chosen = sorted(newest_first[:_SNAPSHOT], key=lambda fact: fact.fact_id)
        return tuple(fact.fact_id for fact in chosen)

    def _commit(self, turn: Turn, window: Sequence[Turn], outcome: Outcome, finish: Finish) -> None:
        grown = [*window, turn]
        left = evicted([layout.tokens(each) for each in grown], WINDOW)
        self._memory.conversations.commit(
            turn,
            grown[left].turn_id if left else None,
            extraction=outcome.extraction,
            facts=outcome.facts,
            done=finish({"conversation_id": turn.conversation_id, "turn_id": turn.turn_id}),
        )
        if turn.memory is Kept.QUEUED:
            self._send(turn)

    def _send(self, turn: Turn) -> None:
        job = ExtractionJob(
            self._memory.principal, self._memory.generation, turn.conversation_id, turn.turn_id
        )
        try:
            self._queue.send(job.body(), self._memory.principal.owner)
        except Exception as error:  # noqa: BLE001 (the mark in the table is enough: it is swept)
            logger.warning("message not sent", extra={"error_type": type(error).__name__})


def _kept(harvest: Harvest) -> Outcome:
    kept = bool(harvest.facts)
    return Outcome(
        route=Route.REMEMBER,
        answer=replies.NOTED if kept else replies.NOTHING_KEPT,
        memory=Kept.SAVED if kept else Kept.NOTHING,
        usage=harvest.usage,
        extraction=Extraction(
            ExtractionStatus.DONE, tuple(fact.fact_id for fact in harvest.facts), harvest.dropped
        ),
        facts=harvest.facts,
    )


def _block(facts: Sequence[Fact]) -> str | None:
    return render((fact.kind, fact.text) for fact in facts)
