"""Conversations: begin one, say something, get an answer, see what was kept."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from noted import ids
from noted.api import events, replies
from noted.api.cursors import Cursors
from noted.api.http import Answer, Api, Call, Handler, Stream, function_handler
from noted.api.replies import Page
from noted.api.requests.common import NoFields
from noted.api.requests.conversations import ContextRequest, ConversationRequest, RecordRequest, TurnRequest
from noted.conversation.answering import Answering
from noted.conversation.contexts import Contexts
from noted.conversation.measuring import measured_record, measured_turn
from noted.conversation.outcome import Taken
from noted.conversation.preparing import Preparing
from noted.conversation.replying import Replying
from noted.conversation.saved import awaited_extraction, facts_of, still_there
from noted.errors import NotFound
from noted.facts.keeping import Keeper
from noted.models.hurrying import Hurrying
from noted.privacy.masking import unmasked
from noted.store.idempotency import Finish

if TYPE_CHECKING:
    from noted.conversation.turn import Conversation
    from noted.runtime import Runtime
    from noted.store.memory import Memory
    from noted.store.repository import Standing

Take = Callable[[Answering, Finish], Generator[str, None, Taken]]


class Parts:
    """What serves the routes of this function, put together for each call."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.clock = runtime.clock
        self._tools = _tools().enabled(runtime.environment)

    def preparing(self, memory: Memory) -> Preparing:
        """What makes the prompts of one user."""
        runtime, budget = self.runtime, self.runtime.settings.recall_budget_seconds
        return Preparing(
            memory, runtime.embedder, runtime.reranker, self.clock, budget, runtime.recall_breaker
        )

    def answering(self, call: Call, memory: Memory, standing: Standing) -> Answering:
        """What takes the turns of one user."""
        runtime, settings = self.runtime, self.runtime.settings
        preparing, masker = self.preparing(memory), runtime.masker(memory)
        replying = Replying(
            preparing,
            Hurrying(runtime.language_model, call.deadline),
            Keeper(
                Hurrying(runtime.extraction_model, call.deadline),
                runtime.embedder,
                memory.sealer,
                memory.retention,
                standing.preferences.special_categories,
            ),
            masker,
            self._tools,
            frozenset(settings.tools),
            standing.preferences.special_categories,
            settings.link_hosts,
        )
        return Answering(
            call.repository, memory, standing, preparing, replying, masker, runtime.queue, self.clock
        )

    def taken(self, call: Call, take: Take) -> Answer | Stream:
        """The reply to a message: events for who wants them, else the whole turn."""

        def pieces() -> Generator[str, None, Taken]:
            return call.once_streamed(
                lambda standing, memory, finish: measured_turn(
                    take(self.answering(call, memory, standing), finish), self.clock
                ),
                _taken_before,
            )

        if call.wants_events:
            return Stream(events.told(pieces(), lambda each: replies.taken(each, self.clock.now())), 201)
        return Answer(replies.taken(_to_its_end(pieces()), self.clock.now()), 201)


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    api, parts = Api(runtime, "answer"), Parts(runtime)
    serve_conversations(api, parts)
    serve_turns(api, parts)
    return api


def serve_conversations(api: Api, parts: Parts) -> None:
    """Begin one, list them, look at one, and the prompt for its next message."""

    @api.on("POST", "/v1/conversations")
    def begin(call: Call) -> Answer:
        request = call.body(ConversationRequest)
        conversation = call.once(
            lambda standing, memory, finish: parts.answering(call, memory, standing).begin(
                request.incognito, request.timezone or standing.preferences.zone, finish
            ),
            lambda memory, pointer: memory.conversations.conversation(pointer["conversation_id"]),
        )
        return Answer(replies.conversation(conversation), 201)

    @api.on("GET", "/v1/conversations")
    def list_conversations(call: Call) -> Answer:
        limit, memory = call.whole_number("limit", 50, 1, 100), call.memory()
        cursors = Cursors(memory.sealer, ["conversations"])
        page = memory.conversations.page(limit, cursors.take(call.query("cursor")))
        items = [replies.conversation(each) for each in page.items]
        return Answer(Page[replies.ConversationReply](items=items, next_cursor=cursors.give(page.after)))

    @api.on("GET", "/v1/conversations/{conversation_id}")
    def get_conversation(call: Call) -> Answer:
        conversation = _conversation(call, call.memory())
        return Answer(replies.conversation_detail(conversation))

    @api.on("POST", "/v1/conversations/{conversation_id}/context")
    def get_context(call: Call) -> Answer:
        request, conversation_id = call.body(ContextRequest), _conversation_id(call)
        standing = call.standing()
        memory = call.repository.memory(standing.generation)
        contexts = Contexts(memory, standing, parts.preparing(memory), parts.runtime.masker(memory))
        context = contexts.context(conversation_id, request.message, request.budget_tokens)
        return Answer(replies.context(context, request.budget_tokens, parts.clock.now()))


def serve_turns(api: Api, parts: Parts) -> None:
    """Say something, say it again, record what was said, and see what was kept of it."""

    @api.on("GET", "/v1/conversations/{conversation_id}/turns")
    def list_turns(call: Call) -> Answer:
        limit, memory = call.whole_number("limit", 50, 1, 100), call.memory()
        conversation = _conversation(call, memory)
        cursors = Cursors(memory.sealer, ["turns", conversation.conversation_id])
        after = cursors.take(call.query("cursor"))
        page = memory.conversations.turns(conversation.conversation_id, limit, after)
        recalled = {fact_id for turn in page.items for fact_id in turn.recalled}
        by_id = memory.facts.some(list(recalled))
        items = [
            replies.turn(turn, [by_id[each] for each in turn.recalled if each in by_id], parts.clock.now())
            for turn in page.items
        ]
        return Answer(Page[replies.TurnReply](items=items, next_cursor=cursors.give(page.after)))

    @api.on("POST", "/v1/conversations/{conversation_id}/turns")
    def take_turn(call: Call) -> Answer | Stream:
        request, conversation_id = call.body(TurnRequest), _conversation_id(call)
        return parts.taken(
            call,
            lambda answers, finish: answers.take(
                conversation_id,
                request.message,
                request.pasted,
                remember=request.remember,
                streamed=call.wants_events,
                finish=finish,
            ),
        )

    @api.on("POST", "/v1/conversations/{conversation_id}/turns:retry")
    def retry_turn(call: Call) -> Answer | Stream:
        conversation_id = _conversation_id(call)
        call.body(NoFields)
        return parts.taken(
            call,
            lambda answers, finish: answers.retry(conversation_id, streamed=call.wants_events, finish=finish),
        )

    @api.on("POST", "/v1/conversations/{conversation_id}/turns:record")
    def record_turn(call: Call) -> Answer:
        request, conversation_id = call.body(RecordRequest), _conversation_id(call)
        recorded = call.once(
            lambda standing, memory, finish: measured_record(
                parts.answering(call, memory, standing).record(
                    conversation_id,
                    request.user,
                    request.assistant,
                    request.at,
                    remember=request.remember,
                    finish=finish,
                ),
                parts.clock,
            ),
            _taken_before,
        )
        return Answer(replies.taken(recorded, parts.clock.now()), 201)

    @api.on("GET", "/v1/conversations/{conversation_id}/turns/{turn_id}/saved")
    def saved(call: Call) -> Answer:
        seconds, memory, turn_id = call.whole_number("wait", 0, 0, 25), call.memory(), call.path["turn_id"]
        if not ids.is_id(ids.TURN, turn_id):
            raise NotFound
        turn = memory.conversations.turn(_conversation_id(call), turn_id)
        extraction = awaited_extraction(memory, turn, min(seconds, call.deadline.left()))
        return Answer(replies.saved(extraction, facts_of(memory, extraction), parts.clock.now()))


def _conversation_id(call: Call) -> str:
    conversation_id = call.path["conversation_id"]
    if not ids.is_id(ids.CONVERSATION, conversation_id):
        raise NotFound
    return conversation_id


def _conversation(call: Call, memory: Memory) -> Conversation:
    return memory.conversations.conversation(_conversation_id(call))


def _taken_before(memory: Memory, pointer: dict[str, Any]) -> Taken:
    turn = memory.conversations.turn(pointer["conversation_id"], pointer["turn_id"])
    recalled = tuple(still_there(memory, turn.recalled))
    # A figure is stored as its label alone, so that is what is said of it now.
    return Taken(turn, recalled, unmasked(turn.answer, turn.entities))


def _to_its_end(pieces: Generator[str, None, Taken]) -> Taken:
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            taken: Taken = end.value
            return taken


def _tools() -> Any:
    """The deployer's tools. This file is a module of its own in a function, and a part of a package
    elsewhere."""
    return importlib.import_module(f"{__package__}.tools.registry" if __package__ else "tools.registry")


handler = function_handler(build)
