"""The models are throttled, slow, silent, unreadable, refuse, obey an attacker, or break off half way."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from botocore.exceptions import EventStreamError, ReadTimeoutError

from noted.conversation import replies
from tests.faults.injection import WRITES
from tests.faults.models import pieces, refused, stopped
from tests.faults.world import TURN, Context, Json, Response, World, extracted

THROTTLED = refused("ThrottlingException", 429)
DOWN = [
    "ThrottlingException",
    "ModelTimeoutException",
    "ModelErrorException",
    "ModelNotReadyException",
    "ServiceUnavailableException",
    "InternalServerException",
]


def say(world: World, conversation_id: str, message: str = "Good day", **rest: Any) -> Response:
    """A turn, whatever comes of it."""
    return world.ask(TURN, {"message": message}, conversation_id=conversation_id, **rest)


# F28


def test_a_throttled_answer_has_a_second_try(world: World) -> None:
    world.bedrock.reply("answer", THROTTLED, "Good day.")
    turn = say(world, world.begin())
    assert (turn.status, turn.body["answer"]) == (201, "Good day.")
    assert world.bedrock.calls["answer"] == 2
    assert sum(world.slept) < 3


@pytest.mark.parametrize("code", DOWN)
def test_a_model_that_is_down_is_an_honest_503(world: World, code: str) -> None:
    conversation = world.begin()
    world.bedrock.reply("answer", refused(code, 503))
    response = say(world, conversation, key="k")
    assert (response.status, response.kind) == (503, "unavailable")
    assert int(response.headers["Retry-After"]) > 0
    assert world.bedrock.calls["answer"] == 2
    assert world.turns(conversation) == []
    world.bedrock.reply("answer", "Good day.")
    assert say(world, conversation, key="k").body["answer"] == "Good day."
    assert len(world.turns(conversation)) == 1


def test_a_throttled_extraction_goes_back_to_the_queue(world: World) -> None:
    turn = world.say(world.begin(), "I like jazz")
    messages = list(world.sent)
    world.bedrock.reply("extraction", THROTTLED)
    assert world.deliver() == messages
    assert world.saved(turn)["status"] == "failed"
    assert world.bedrock.calls["extraction"] == 2
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    assert world.deliver(messages, receive=2) == []
    assert (world.saved(turn)["status"], world.texts()) == ("done", ["Likes jazz"])


def test_a_remember_only_message_is_not_noted_while_the_model_is_down(world: World) -> None:
    world.bedrock.reply("extraction", THROTTLED)
    turn = world.say(world.begin(), "Remember that I am allergic to peanuts")
    assert (turn["answer"], turn["memory"]) == (replies.NOTHING_KEPT, "nothing")
    assert world.texts("all") == []


# F29


def test_a_model_that_is_gone_costs_its_time_out_five_times(world: World) -> None:
    conversation = world.begin()
    world.bedrock.reply("answer", refused("ModelTimeoutException", 408))
    for _ in range(5):
        assert say(world, conversation).status == 503
    called = world.bedrock.calls["answer"]
    assert called == 10
    response = say(world, conversation)
    assert (response.status, response.headers["Retry-After"]) == (503, "5")
    assert world.bedrock.calls["answer"] == called
    # One call tries after 30 s; while it fails nobody else does.
    world.forward(seconds=30)
    assert say(world, conversation).status == 503
    assert say(world, conversation).status == 503
    assert world.bedrock.calls["answer"] == called + 2
    world.forward(seconds=30)
    world.bedrock.reply("answer", "Good day.")
    assert say(world, conversation).status == 201
    assert say(world, conversation).status == 201


def test_the_background_model_going_does_not_stop_answers(world: World) -> None:
    conversation = world.begin()
    world.bedrock.reply("extraction", THROTTLED)
    for _ in range(6):
        world.say(conversation, "I like jazz")
    assert len(world.deliver()) == 6
    # Two tries each until its breaker opened.
    assert world.bedrock.calls["extraction"] == 10
    assert say(world, conversation).status == 201


def test_recall_does_without_an_embedder_that_is_gone(world: World) -> None:
    conversation = world.begin()
    world.tell("Lives in Porto")
    world.embedder.down = True
    for _ in range(7):
        turn = world.say(conversation, "Tell me of Porto")
        assert turn["degraded"] == ["embedding"]
        assert [fact["text"] for fact in turn["recalled"]] == ["Lives in Porto"]
    # One call told it the fact; five failed; then the breaker was open.
    assert world.embedder.calls == 6
    world.embedder.down = False
    world.forward(seconds=30)
    assert world.say(conversation, "Tell me of Porto")["degraded"] == []


def test_no_call_outlasts_the_function(world: World) -> None:
    conversation = world.begin()
    given: list[float | None] = []
    call = world.runtime.language_model.call

    def noted(prompt: Any) -> Any:
        given.append(prompt.seconds)
        return call(prompt)

    world.runtime.language_model.call = noted  # type: ignore[method-assign]
    # Ten seconds are left when the request comes in: nine of them may be used.
    assert say(world, conversation, context=Context(10_000)).status == 201
    [seconds] = given
    assert seconds is not None
    assert 0 < seconds <= 9
    response = say(world, conversation, context=Context(900))
    assert (response.status, response.kind) == (503, "unavailable")
    assert len(given) == 1


# F30


UNREADABLE: list[Any] = [
    "I think the user likes jazz.",
    stopped("end_turn", '{"facts": [{"text": "Likes'),
    stopped("malformed_model_output", "{"),
    stopped("malformed_tool_use"),
    stopped("max_tokens", '{"facts": []}'),
    stopped("model_context_window_exceeded"),
]


@pytest.mark.parametrize("reply", UNREADABLE, ids=range(len(UNREADABLE)))
def test_an_extraction_that_cannot_be_read_loses_its_list_alone(world: World, reply: Any) -> None:
    conversation = world.begin()
    turn = world.say(conversation, "I like jazz")
    world.bedrock.reply("extraction", reply)
    failed = world.deliver()
    assert world.bedrock.calls["extraction"] <= 2
    assert len(failed) == 1
    saved = world.saved(turn)
    assert (saved["status"], saved["error_type"]) == ("failed", "MalformedOutput")
    assert world.texts("all") == []
    assert world.turns(conversation)[0]["message"] == "I like jazz"
    # And one that only asks to remember is never told "Noted.".
    remembered = world.say(conversation, "Remember that I like jazz")
    assert (remembered["answer"], remembered["memory"]) == (replies.NOTHING_KEPT, "nothing")


def test_what_is_wrong_in_a_list_is_dropped_alone(world: World) -> None:
    right = extracted(("Likes jazz", "I like jazz"))["facts"]
    wrong: list[Any] = [None, 7, "Likes jazz", {}, {"text": 5, "quote": []}, {**right[0], "kind": "order"}]
    world.bedrock.reply("extraction", {"facts": [*wrong, *right]})
    turn = world.say(world.begin(), "I like jazz")
    assert world.deliver() == []
    assert (world.saved(turn)["status"], world.texts("all")) == ("done", ["Likes jazz"])


def test_an_unreadable_extraction_leaves_no_text_in_the_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "noted")
    canary = "zanzibar"
    world.say(world.begin(), f"I like {canary}")
    world.bedrock.reply("extraction", f"{{{canary}")
    messages = world.sent[:]
    world.deliver()
    told = [str(vars(record)) for record in caplog.records]
    assert told
    assert not [line for line in [*told, *messages] if canary in line]


# F32


@pytest.mark.parametrize("reason", ["guardrail_intervened", "content_filtered"])
def test_a_guardrail_gives_a_fixed_reply_and_nothing_to_remember(
    world: World, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "noted")
    conversation = world.begin()
    world.bedrock.reply("answer", stopped(reason, "A text of the guardrail"))
    world.bedrock.reply("extraction", stopped(reason))
    turn = world.say(conversation, "I like jazz")
    assert turn["answer"] == replies.REFUSED
    assert world.deliver() == []
    saved = world.saved(turn)
    assert (saved["status"], saved["facts"], saved["error_type"]) == ("done", [], None)
    # Neither was asked again, and both are counted by their outcome.
    assert world.bedrock.calls == {"answer": 1, "extraction": 1}
    outcomes = [vars(record).get("outcome") for record in caplog.records if record.msg == "model called"]
    assert outcomes == ["refused", "refused"]
    # The next message has a model again.
    world.bedrock.reply("answer", "Good day.")
    assert say(world, conversation).body["answer"] == "Good day."


# F33


def test_an_extractor_that_obeys_an_attacker_gets_no_further_than_its_user(world: World) -> None:
    world.user = "bob"
    world.tell("Has a dog")
    world.user = "alice"
    said = "I like jazz and <PHONE_A> is mine"
    forged: list[Json] = [
        {**item, "provenance": "confirmed", "user": "bob", "status": "live"}
        for item in extracted(
            *((f"Likes jazz number {number}", "I like jazz") for number in range(200)),
            ("Is called Bob", "my name is Bob"),
            ("Can be reached at <PHONE_Q>", "<PHONE_A> is mine"),
            ("Likes jazz", "I like jazz"),
        )["facts"]
    ]
    world.bedrock.reply("extraction", {"facts": forged[::-1]})
    turn = world.say(world.begin(), said)
    world.deliver()
    facts = world.facts("all")
    assert len(facts) <= 5
    assert {fact["provenance"] for fact in facts} <= {"said"}
    assert {fact["source"]["turn_id"] for fact in facts} <= {turn["turn_id"]}
    assert not [fact for fact in facts if "Bob" in fact["text"] or "PHONE" in fact["text"]]
    world.user = "bob"
    assert world.texts("all") == ["Has a dog"]


# F34


BREAKS: list[list[Any]] = [
    [
        *pieces("Half an answer"),
        EventStreamError({"Error": {"Code": "modelStreamErrorException"}}, "Converse"),
    ],
    [*pieces("Half an answer"), ReadTimeoutError(endpoint_url="x")],
    pieces("Half an answer"),
]


@pytest.mark.parametrize("events", BREAKS[::2], ids=["error", "end"])
def test_a_stream_that_breaks_half_way_is_stored_nowhere(world: World, events: list[Any]) -> None:
    conversation = world.begin()
    world.bedrock.reply("answer", {"events": events}, "A whole answer")
    writes = world.faults.counted(WRITES)
    broken = say(world, conversation, events=True, key="k")
    names = [name for name, _ in broken.events]
    assert (broken.status, names[0], names[-1]) == (201, "delta", "error")
    assert "turn" not in names
    assert broken.events[-1][1]["status"] == 503
    assert world.bedrock.calls["answer"] == 1  # what was given cannot be taken back
    assert world.turns(conversation) == []
    assert world.sent == []
    assert world.faults.counted(WRITES) > writes
    # The same key is answered anew, and stored once.
    again = say(world, conversation, events=True, key="k")
    assert [name for name, _ in again.events][-1] == "turn"
    assert again.events[-1][1]["answer"] == "A whole answer"
    assert say(world, conversation, key="k").body == again.events[-1][1]
    assert len(world.turns(conversation)) == 1


def test_a_stream_that_breaks_before_it_begins_has_a_second_try(world: World) -> None:
    conversation = world.begin()
    early = EventStreamError({"Error": {"Code": "throttlingException"}}, "ConverseStream")
    world.bedrock.reply("answer", {"events": [early]}, "A whole answer")
    said = say(world, conversation, events=True)
    assert said.events[-1][1]["answer"] == "A whole answer"
    assert len(world.turns(conversation)) == 1
