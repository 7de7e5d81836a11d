"""Conversations: begin one, say something, get an answer, see what was kept."""

from __future__ import annotations

from typing import Any

from noted import ids
from noted.api import replies
from noted.api.cursors import Cursors
from noted.api.http import Answer, Api, Call, Handler, function_handler
from noted.api.replies import Page
from noted.api.requests import ConversationRequest, RecordRequest, TurnRequest
from noted.conversation.answering import Answering, NewMessage, Taken
from noted.conversation.saved import awaited_extraction, facts_of, still_there
from noted.conversation.turn import Conversation
from noted.errors import NotFound
from noted.facts.keeping import Keeper
from noted.runtime import Runtime
from noted.store.memory import Memory
from noted.store.repository import Standing


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    api = Api(runtime, "answer")
    clock = runtime.clock

    def answering(memory: Memory, standing: Standing) -> Answering:
        keeper = Keeper(runtime.extraction_model, runtime.embedder, memory.sealer, runtime.settings.retention)
        return Answering(
            memory,
            standing,
            runtime.language_model,
            keeper,
            runtime.embedder,
            runtime.queue,
            clock,
            runtime.settings.recall_budget_seconds,
        )

    @api.on("POST", "/v1/conversations")
    def begin(call: Call) -> Answer:
        request = call.body(ConversationRequest)
        conversation = call.once(
            lambda standing, memory, finish: answering(memory, standing).begin(
                request.incognito, request.timezone, finish
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
        return Answer(replies.ConversationDetailReply(**vars(replies.conversation(conversation))))

    @api.on("GET", "/v1/conversations/{conversation_id}/turns")
    def list_turns(call: Call) -> Answer:
        limit, memory = call.whole_number("limit", 50, 1, 100), call.memory()
        conversation = _conversation(call, memory)
        cursors = Cursors(memory.sealer, ["turns", conversation.conversation_id])
        after = cursors.take(call.query("cursor"))
        page = memory.conversations.turns(conversation.conversation_id, limit, after)
        recalled = {fact_id for turn in page.items for fact_id in turn.recalled}
        by_id = {fact.fact_id: fact for fact in memory.facts.all()} if recalled else {}
        items = [
            replies.turn(turn, [by_id[each] for each in turn.recalled if each in by_id], clock.now())
            for turn in page.items
        ]
        return Answer(Page[replies.TurnReply](items=items, next_cursor=cursors.give(page.after)))

    @api.on("POST", "/v1/conversations/{conversation_id}/turns")
    def take_turn(call: Call) -> Answer:
        request, conversation_id = call.body(TurnRequest), _conversation_id(call)
        new = NewMessage(request.message, tuple(request.pasted), request.remember)
        taken = call.once(
            lambda standing, memory, finish: answering(memory, standing).take(conversation_id, new, finish),
            _taken_before,
        )
        return Answer(replies.turn(taken.turn, taken.recalled, clock.now()), 201)

    @api.on("POST", "/v1/conversations/{conversation_id}/turns:record")
    def record_turn(call: Call) -> Answer:
        request, conversation_id = call.body(RecordRequest), _conversation_id(call)
        taken = call.once(
            lambda standing, memory, finish: Taken(
                answering(memory, standing).record(
                    conversation_id,
                    request.user,
                    request.assistant,
                    request.at,
                    learn=request.remember,
                    finish=finish,
                ),
                (),
            ),
            _taken_before,
        )
        return Answer(replies.turn(taken.turn, taken.recalled, clock.now()), 201)

    @api.on("GET", "/v1/conversations/{conversation_id}/turns/{turn_id}/saved")
    def saved(call: Call) -> Answer:
        seconds, memory, turn_id = call.whole_number("wait", 0, 0, 25), call.memory(), call.path["turn_id"]
        if not ids.is_id(ids.TURN, turn_id):
            raise NotFound
        turn = memory.conversations.turn(_conversation_id(call), turn_id)
        extraction = awaited_extraction(memory, turn, seconds)
        return Answer(replies.saved(extraction, facts_of(memory, extraction), clock.now()))

    return api


def _conversation_id(call: Call) -> str:
    conversation_id = call.path["conversation_id"]
    if not ids.is_id(ids.CONVERSATION, conversation_id):
        raise NotFound
    return conversation_id


def _conversation(call: Call, memory: Memory) -> Conversation:
    return memory.conversations.conversation(_conversation_id(call))


def _taken_before(memory: Memory, pointer: dict[str, Any]) -> Taken:
    turn = memory.conversations.turn(pointer["conversation_id"], pointer["turn_id"])
    return Taken(turn, tuple(still_there(memory, turn.recalled)))


handler = function_handler(build)
