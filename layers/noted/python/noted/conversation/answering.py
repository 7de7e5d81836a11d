"""Turns: a message is taken, answered, and stored with what is to be remembered of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted import ids
from noted.clock import SKEW, Clock
from noted.context import layout
from noted.conversation.outcome import Outcome, Taken
from noted.conversation.preparing import Message, Preparing
from noted.conversation.replying import Occasion, Replying, confirmed
from noted.conversation.saved import extraction_of, facts_of
from noted.conversation.turn import Conversation, Extraction, Kept, Route, Turn
from noted.conversation.window import WINDOW, compaction_due
from noted.errors import EpochChanged, InvalidRequest, NotFound, TooLarge, Unavailable
from noted.facts.limits import refusing
from noted.models.seam import Purpose
from noted.privacy.masking import Masker, occurring
from noted.store.conversations import Overtaken
from noted.store.idempotency import Finish, nothing_to_finish
from noted.store.queue import ExtractionJob, Job, Queue, SummaryJob

if TYPE_CHECKING:
    from noted.facts.change import Change
    from noted.store.memory import Memory
    from noted.store.repository import Repository, Standing

logger = logging.getLogger("noted.conversation")

# A row of a table holds 400 KB: this for what was said, the rest for the answer. Masking adds to a text.
_MESSAGE_BYTES = 300_000


class Answering:
    """Takes the turns of one user. What `take` and `retry` give is the answer of a model in pieces, as the
    user reads it, where it is wanted so, and at the end the stored turn."""

    def __init__(
        self,
        repository: Repository,
        memory: Memory,
        standing: Standing,
        preparing: Preparing,
        replying: Replying,
        masker: Masker,
        queue: Queue,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._memory = memory
        self._standing = standing
        self._preparing = preparing
        self._replying = replying
        self._masker = masker
        self._queue = queue
        self._clock = clock

    def begin(self, incognito: bool, timezone: str, finish: Finish = nothing_to_finish) -> Conversation:
        """A new conversation with the snapshot of what is remembered now."""
        now = self._clock.now()
        conversation = Conversation(
            conversation_id=ids.at(ids.CONVERSATION, now),
            created_at=now,
            incognito=incognito,
            timezone=timezone,
            snapshot=() if incognito or self._standing.paused else self._preparing.snapshot(),
        )
        self._memory.conversations.begin(
            conversation, finish({"conversation_id": conversation.conversation_id})
        )
        return conversation

    def take(
        self,
        conversation_id: str,
        text: str,
        pasted: Sequence[str],
        *,
        remember: bool,
        streamed: bool,
        finish: Finish = nothing_to_finish,
    ) -> Generator[str, None, Taken]:
        """Answers a message and stores the turn. Nothing is stored when there is no answer.

        Raises NotFound, EpochChanged, TooLarge, and Unavailable when the model gives none.
        """
        conversation, window = self._thread(conversation_id)
        message = masked(self._masker, text, pasted, remember=remember)
        turn_id = ids.ordered(ids.TURN, self._standing.sequence)
        occasion = self._occasion(conversation, window, turn_id, self._clock.now(), streamed=streamed)
        outcome = yield from self._replying.replied(message, occasion)
        now = self._clock.now()
        said = Turn(
            turn_id=turn_id,
            conversation_id=conversation_id,
            created_at=now,
            said_at=now,
            route=outcome.route,
            message=message.text,
            answer="",
            memory=outcome.memory,
            pasted=message.pasted,
            entities=message.entities,
        )
        turn = self._commit(_answered(said, outcome), conversation, window, outcome, finish)
        self._preparing.keep_copy()
        return Taken(turn, outcome.recalled, outcome.shown or turn.answer)

    def retry(
        self, conversation_id: str, *, streamed: bool, finish: Finish = nothing_to_finish
    ) -> Generator[str, None, Taken]:
        """Answers the last message again. The answer before it is then nowhere any more; what was learnt from
        the message stays.

        Raises NotFound without a message, Conflict when another turn follows meanwhile, and what `take`
        raises; the answer before then stays.
        """
        conversation, window = self._memory.conversations.thread(conversation_id, WINDOW.most)
        if not window:
            raise NotFound
        *earlier, last = window
        message = Message(
            last.message,
            occurring(last.entities, last.message, *last.pasted),
            last.pasted,
            last.memory is not Kept.SKIPPED,
        )
        occasion = replace(
            self._occasion(conversation, earlier, last.turn_id, last.said_at, streamed=streamed),
            route=last.route,
            revision=last.revision + 1,
        )
        if last.memory is Kept.SAVED and facts_of(self._memory, extraction_of(self._memory, last)):
            # The message was kept, which cannot be said better.
            outcome = Outcome(last.route, last.answer, last.memory, usage=last.usage)
        else:
            outcome = yield from self._replying.replied(message, occasion)
        kept = outcome.memory if outcome.route is Route.REMEMBER else last.memory
        again = replace(last, memory=kept, revision=occasion.revision, entities=message.entities)
        turn = _answered(again, outcome)
        done = finish(_pointer(turn))
        turn = self._settled(
            turn,
            outcome,
            lambda turn, extraction, change: self._memory.conversations.replace_answer(
                turn, extraction=extraction, change=change, done=done
            ),
        )
        self._check_generation()
        if outcome.minor:
            self._repository.pause(self._standing.generation)
        return Taken(turn, outcome.recalled, outcome.shown or turn.answer)

    def record(
        self,
        conversation_id: str,
        user: str,
        assistant: str,
        said_at: datetime | None,
        *,
        remember: bool,
        finish: Finish = nothing_to_finish,
    ) -> Taken:
        """Stores a turn that another system answered. Raises NotFound, EpochChanged, and InvalidRequest for a
        time in the future."""
        if said_at and said_at > self._clock.now() + SKEW:
            raise InvalidRequest([("at", "must not lie in the future")])
        conversation, window = self._memory.conversations.thread(conversation_id, WINDOW.most)
        now = self._clock.now()
        learns = remember and not (conversation.incognito or self._standing.paused)
        message, answer = self._masker.mask(user), self._masker.mask(assistant)
        turn = Turn(
            turn_id=ids.ordered(ids.TURN, self._standing.sequence),
            conversation_id=conversation_id,
            created_at=now,
            said_at=said_at or now,
            route=Route.ANSWER,
            message=message.text,
            answer=answer.text,
            memory=Kept.QUEUED if learns else Kept.SKIPPED,
            entities={**message.entities, **answer.entities},
        )
        recorded = Outcome(turn.route, turn.answer, turn.memory)
        turn = self._commit(turn, conversation, window, recorded, finish)
        return Taken(turn, (), assistant)

    def _thread(self, conversation_id: str) -> tuple[Conversation, list[Turn]]:
        """A conversation with its window, or without one where the turns cannot be read and the
        conversation's own row can. Raises NotFound, Unavailable."""
        conversations = self._memory.conversations
        try:
            return conversations.thread(conversation_id, WINDOW.most)
        except Unavailable as error:
            conversation = conversations.conversation(conversation_id)
            logger.warning("answer without its window", extra={"error_type": type(error).__name__})
            return replace(conversation, beyond=True), []

    def _occasion(
        self,
        conversation: Conversation,
        window: Sequence[Turn],
        turn_id: str,
        said_at: datetime,
        *,
        streamed: bool,
    ) -> Occasion:
        on = not (conversation.incognito or self._standing.paused)
        return Occasion(conversation, window, turn_id, self._clock.now(), said_at, on, streamed)

    def _commit(
        self,
        turn: Turn,
        conversation: Conversation,
        window: Sequence[Turn],
        outcome: Outcome,
        finish: Finish,
    ) -> Turn:
        tokens = [layout.tokens(each) for each in (*window, turn)]
        # While a summary is being made, another job would only make it twice.
        due = compaction_due(tokens, WINDOW) and not conversation.compacting
        while True:
            try:
                turn = self._settled(
                    turn,
                    outcome,
                    lambda turn, extraction, change: self._memory.conversations.commit(
                        turn,
                        compact=due,
                        extraction=extraction,
                        change=change,
                        done=finish(_pointer(turn)),
                    ),
                )
                break
            except Overtaken:
                # Another turn of the conversation was faster: this one takes its place behind it.
                sequence = self._repository.admit(self._standing.generation).sequence
                turn, outcome = _moved(turn, outcome, ids.ordered(ids.TURN, sequence))
        self._check_generation()
        if outcome.minor:
            self._repository.pause(self._standing.generation)
        principal, generation = self._memory.principal, self._memory.generation
        if turn.memory is Kept.QUEUED:
            self._send(ExtractionJob(principal, generation, turn.conversation_id, turn.turn_id))
        if due:
            self._send(SummaryJob(principal, generation, turn.conversation_id))
        return turn

    def _check_generation(self) -> None:
        """Raises EpochChanged when everything was erased meanwhile: what was stored then lies where nothing
        reads it, and what was recalled must not be told any more."""
        if self._repository.standing().generation != self._standing.generation:
            raise EpochChanged

    def _settled(
        self, turn: Turn, outcome: Outcome, commit: Callable[[Turn, Extraction | None, Change | None], None]
    ) -> Turn:
        """Commits a turn with what is learnt from it at once, put among the facts as they are stored."""
        if not outcome.facts:
            commit(turn, outcome.extraction, None)
            return turn
        consolidation = self._replying.consolidation(outcome.facts, self._clock.now())

        def attempt(change: Change) -> Turn:
            usage, extraction = consolidation.usage, outcome.extraction
            called = {Purpose.CONSOLIDATION: usage} if usage.model_calls else {}
            told = confirmed(outcome, change.kept, self._clock.now())
            costed = replace(turn, usage={**turn.usage, **called})
            if told is not outcome:
                costed = replace(costed, answer=told.answer, memory=told.memory)
            if extraction:
                dropped = refusing(extraction.dropped, outcome.facts, consolidation.over)
                extraction = replace(extraction, facts=change.kept_ids, dropped=dropped)
            commit(costed, extraction, change)
            return costed

        return self._memory.facts.settled(consolidation, attempt)[1]

    def _send(self, job: Job) -> None:
        try:
            self._queue.send(job.body(), self._memory.principal.owner)
        except Exception as error:  # noqa: BLE001 (the mark in the table is enough: it is swept)
            logger.warning("message not sent", extra={"error_type": type(error).__name__})


def masked(masker: Masker, text: str, pasted: Sequence[str], *, remember: bool) -> Message:
    """A message as it is stored and answered, with ids for the personal values in all of its texts. Raises
    TooLarge."""
    typed = masker.mask(text)
    beside = [masker.mask(each) for each in pasted]
    entities = {name: value for each in (typed, *beside) for name, value in each.entities.items()}
    stored = json.dumps([typed.text, [each.text for each in beside], entities], ensure_ascii=False)
    if len(stored.encode("utf-8", "surrogatepass")) > _MESSAGE_BYTES:
        raise TooLarge("The message and what was pasted are too much to be stored.")
    degraded = () if all(each.complete for each in (typed, *beside)) else ("names",)
    return Message(typed.text, entities, tuple(each.text for each in beside), remember, degraded)


def _moved(turn: Turn, outcome: Outcome, turn_id: str) -> tuple[Turn, Outcome]:
    """A turn, and what came of it, in another place of the user's write order."""
    facts = tuple(
        replace(
            fact, sequence=ids.order(turn_id), source=fact.source and replace(fact.source, turn_id=turn_id)
        )
        for fact in outcome.facts
    )
    return replace(turn, turn_id=turn_id), replace(outcome, facts=facts)


def _answered(turn: Turn, outcome: Outcome) -> Turn:
    return replace(
        turn,
        route=outcome.route,
        answer=outcome.answer,
        recalled=tuple(fact.fact_id for fact in outcome.recalled),
        degraded=outcome.degraded,
        usage=outcome.usage,
        entities={**turn.entities, **outcome.entities},
        figures=outcome.figures,
    )


def _pointer(turn: Turn) -> dict[str, str]:
    return {"conversation_id": turn.conversation_id, "turn_id": turn.turn_id}
