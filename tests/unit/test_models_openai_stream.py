"""Streams over OpenAI's protocol, against a server that speaks it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from noted.errors import MalformedOutput, ModelError, ModelRefused, ModelUnavailable
from noted.models.openai import OpenAILanguageModel, openai_client
from noted.models.retry import Retry
from noted.models.seam import Block, Prompt, PromptMessage, Purpose, Reply, ToolCall, ToolDefinition, Usage
from tests.standin import Call, Say, StandIn

SEARCH = ToolDefinition("search", "Searches.", {"type": "object"})
COUNTED = {"prompt_tokens": 40, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 32}}
COST = Usage(40, 5, cache_read_tokens=32, model_calls=1)


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as standin:
        yield standin


@pytest.fixture
def model(server: StandIn) -> OpenAILanguageModel:
    # The second try comes at once: these tests are about what happens, not when.
    return OpenAILanguageModel("m-1", openai_client(server.environment), Retry(sleep=lambda _: None))


def asking(*tools: ToolDefinition) -> Prompt:
    message = PromptMessage("user", (Block("Where do I live?"),))
    return Prompt(Purpose.ANSWER, (Block("You are helpful."),), (message,), tools=tools)


def streamed(model: OpenAILanguageModel, prompt: Prompt) -> tuple[list[str], Reply]:
    """The pieces and the reply, which has to be the last item."""
    *pieces, reply = model.stream(prompt)
    assert isinstance(reply, Reply)
    texts = [piece for piece in pieces if isinstance(piece, str)]
    assert len(texts) == len(pieces)
    return texts, reply


def failing(model: OpenAILanguageModel, prompt: Prompt) -> tuple[list[object], ModelError]:
    """What came before the failure, and the failure."""
    given: list[object] = []
    with pytest.raises(ModelError) as failed:
        given.extend(model.stream(prompt))
    return given, failed.value


def chunk(delta: Mapping[str, Any] | None, finish_reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def test_a_text_comes_in_pieces_with_what_it_cost(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say("You live in Porto.", split=(3, 9), usage=COUNTED))
    pieces, reply = streamed(model, asking())
    assert pieces == ["You", " live ", "in Porto."]
    assert reply == Reply("You live in Porto.", usage=COST)


def test_the_request_is_that_of_a_call_and_asks_for_the_usage(
    server: StandIn, model: OpenAILanguageModel
) -> None:
    model.call(asking(SEARCH))
    streamed(model, asking(SEARCH))
    called, call = server.calls["answer"]
    assert call.body == {**called.body, "stream": True, "stream_options": {"include_usage": True}}
    assert call.headers["x-noted-call"] == "answer"
    assert [name for name in call.headers if name.startswith("x-stainless")] == []


def test_a_piece_is_given_on_before_the_next_one_is_there(
    server: StandIn, model: OpenAILanguageModel
) -> None:
    read = threading.Event()

    def wait(number: int) -> None:
        if number == 1:
            read.wait(30)

    server.reply("answer", Say("Porto.", split=(3,), before_chunk=wait, usage=COUNTED))
    pieces = model.stream(asking())
    assert next(pieces) == "Por"
    read.set()
    assert list(pieces) == ["to.", Reply("Porto.", usage=COST)]


def test_a_reader_who_leaves_ends_the_stream(server: StandIn, model: OpenAILanguageModel) -> None:
    left, closed = threading.Event(), threading.Event()

    def send(number: int) -> None:
        if number:
            left.wait(30)

    def events() -> Iterator[dict[str, Any]]:
        try:
            while True:
                # More than the buffers between server and client hold, so that the server sees the end.
                yield chunk({"content": "word " * 10_000})
        finally:
            closed.set()

    server.reply("answer", Say(before_chunk=send, events=events()))
    pieces = model.stream(asking())
    next(pieces)
    pieces.close()  # type: ignore[attr-defined] # a generator
    left.set()
    assert closed.wait(30)


def test_blanks_wait_for_the_first_word(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say("\n\n Porto.\n", split=(1, 2, 4)))
    pieces, reply = streamed(model, asking())
    assert pieces == ["\n\n P", "orto.\n"]
    assert reply.text == "\n\n Porto.\n"


def test_half_a_character_waits_for_its_other_half(server: StandIn, model: OpenAILanguageModel) -> None:
    deltas = [chunk({"content": part}) for part in ("tea \ud83c", "\udf75!", " \ud83c")]
    server.reply("answer", Say(events=[*deltas, chunk({}, "stop"), "[DONE]"]))
    pieces, reply = streamed(model, asking())
    assert pieces == ["tea ", "🍵!", " ", "\ufffd"]
    assert reply.text == "tea 🍵! \ufffd"


def test_tool_calls_are_put_together_by_their_index(server: StandIn, model: OpenAILanguageModel) -> None:
    def part(index: int, arguments: str, **call: Any) -> dict[str, Any]:
        name = call.pop("name", None)
        function = {"arguments": arguments} | ({"name": name} if name else {})
        return chunk({"tool_calls": [{"index": index, "function": function, **call}]})

    events: list[Mapping[str, Any] | str] = [
        chunk({"role": "assistant", "content": "Looking."}),
        part(0, "", id="c-1", name="search"),
        part(1, '{"q', id="c-2", name="search"),
        part(0, '{"q": "t'),
        part(1, '": "coffee"}'),
        part(0, 'ea"}'),
        part(2, "", id="c-3", name="search"),
        chunk({}, "tool_calls"),
        {"choices": [], "usage": COUNTED},
        "[DONE]",
    ]
    server.reply("answer", Say(events=events))
    calls = tuple(
        ToolCall(call_id, "search", arguments)
        for call_id, arguments in (("c-1", {"q": "tea"}), ("c-2", {"q": "coffee"}), ("c-3", {}))
    )
    expected = Reply("Looking.", usage=COST, tool_calls=calls)
    assert streamed(model, asking(SEARCH)) == (["Looking."], expected)


def test_a_stream_says_what_a_call_says(server: StandIn, model: OpenAILanguageModel) -> None:
    for say in (
        Say("You live in Porto.", usage=COUNTED),
        Say("You live in", finish_reason="length", usage=COUNTED),
        Say("Hm.", tool_calls=[("search", {"q": 'a "b" \\ é'}), ("search", "")], usage=COUNTED),
    ):
        server.reply("answer", say)
        assert streamed(model, asking(SEARCH))[1] == model.call(asking(SEARCH))


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(
            [{"id": "c-1", "function": {"name": "search", "arguments": {"q": 1}}}], id="an object, whole"
        ),
        pytest.param(
            [
                {"id": "c-1", "function": {"name": "search", "arguments": '{"q"'}},
                {"function": {"arguments": ": 1}"}},
            ],
            id="no index",
        ),
        pytest.param(
            [
                {"index": 0, "id": "c-1", "function": {"name": "search", "arguments": '{"q"'}},
                {"index": 0, "id": "c-1", "function": {"name": "search", "arguments": ": 1}"}},
            ],
            id="id and name again and again",
        ),
    ],
)
def test_servers_of_other_habits_are_understood(
    server: StandIn, model: OpenAILanguageModel, calls: list[dict[str, Any]]
) -> None:
    parts = [chunk({"tool_calls": [call]}) for call in calls]
    server.reply("answer", Say(events=[*parts, chunk(None, "tool_calls") | {"usage": COUNTED}]))
    _, reply = streamed(model, asking(SEARCH))
    assert reply == Reply("", usage=COST, tool_calls=(ToolCall("c-1", "search", {"q": 1}),))


def test_a_server_that_does_not_know_the_option_is_asked_without_it(
    server: StandIn, model: OpenAILanguageModel
) -> None:
    def old(call: Call) -> Any:
        problem = {"error": {"message": "Unrecognized request argument supplied: stream_options"}}
        return Say(status=400, body=problem) if "stream_options" in call.body else "Porto."

    server.reply("answer", old)
    pieces, reply = streamed(model, asking())
    assert (pieces, reply) == (["Porto."], Reply("Porto.", usage=Usage(model_calls=1)))
    streamed(model, asking())
    assert len(server.calls["answer"]) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_any_other_rejected_request_is_not_repeated_and_its_text_not_told(
    server: StandIn, model: OpenAILanguageModel, status: int
) -> None:
    server.reply("answer", Say(status=status, body={"error": {"message": "Where do I live?"}}))
    given, failed = failing(model, asking())
    assert (given, type(failed), str(failed)) == ([], ModelUnavailable, "rejected")
    assert (failed.__cause__, failed.__context__) == (None, None)
    assert len(server.calls["answer"]) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_passing_failure_is_tried_once_more(
    server: StandIn, model: OpenAILanguageModel, status: int
) -> None:
    server.reply("answer", status, Say("Porto.", usage=COUNTED))
    pieces, reply = streamed(model, asking())
    assert (pieces, reply.usage) == (["Porto."], COST + Usage(model_calls=1))


YOU = chunk({"content": "You "})
NOTHING = [
    pytest.param(Say(""), id="no text"),
    pytest.param(Say(" \n", split=(1,)), id="blanks"),
    pytest.param(Say(events=[]), id="no event"),
    pytest.param(Say(events=["[DONE]"]), id="only an end"),
    pytest.param(Say(events=[{"choices": [], "usage": COUNTED}, "[DONE]"]), id="only a usage"),
    pytest.param(Say(events=["{"]), id="no JSON"),
    pytest.param(Say(events=["[1]"]), id="a list"),
    pytest.param(Say(events=['"text"']), id="a string"),
    pytest.param(Say(events=[{"choices": ["text"]}]), id="a choice of another type"),
    pytest.param(Say(events=[chunk({"tool_calls": ["search"]})]), id="a call of another type"),
    pytest.param(Say(finish_reason="tool_calls"), id="no call"),
    pytest.param(Say(tool_calls=[("search", '{"q": ')]), id="half a call"),
    pytest.param(Say(tool_calls=[("search", "{}")], finish_reason="length"), id="a call that was cut off"),
]


@pytest.mark.parametrize("reply", NOTHING)
def test_what_cannot_be_read_is_asked_for_once_more(
    server: StandIn, model: OpenAILanguageModel, reply: Say
) -> None:
    server.reply("answer", reply, "Porto.")
    pieces, got = streamed(model, asking(SEARCH))
    assert (pieces, got.text, got.usage.model_calls) == (["Porto."], "Porto.", 2)


@pytest.mark.parametrize("reply", NOTHING)
def test_and_no_more_than_once(server: StandIn, model: OpenAILanguageModel, reply: Say) -> None:
    server.reply("answer", reply)
    given, failed = failing(model, asking(SEARCH))
    assert (given, type(failed)) == ([], MalformedOutput)
    assert len(server.calls["answer"]) == 2


@pytest.mark.parametrize(
    "say, given, error, reason",
    [
        pytest.param(Say("You live.", break_after=1), ["You "], ModelUnavailable, "broken", id="lost"),
        pytest.param(Say(events=[YOU]), ["You "], ModelUnavailable, "broken", id="ended early"),
        pytest.param(
            Say("Well, ", finish_reason="content_filter"), ["Well, "], ModelRefused, "filtered", id="filter"
        ),
        pytest.param(
            Say(events=[chunk({"content": "Well, "}), chunk({"refusal": "I cannot"})]),
            ["Well, "],
            ModelRefused,
            "refused",
            id="refusal",
        ),
        pytest.param(
            Say(events=[chunk({"content": "Well, "}), {"error": {"code": "content_filter", "message": "x"}}]),
            ["Well, "],
            ModelRefused,
            "filtered",
            id="filter told as an error",
        ),
        pytest.param(
            Say(events=[YOU, {"error": {"code": 502, "message": "Where?"}}]),
            ["You "],
            ModelUnavailable,
            "failed",
            id="an error",
        ),
        pytest.param(Say(events=[YOU, "{"]), ["You "], MalformedOutput, "malformed", id="no JSON"),
        pytest.param(
            Say("You ", tool_calls=[("search", "[1]")]),
            ["You "],
            MalformedOutput,
            "malformed",
            id="no object",
        ),
    ],
)
def test_what_ends_half_way_is_told_and_not_tried_again(
    server: StandIn,
    model: OpenAILanguageModel,
    say: Say,
    given: list[str],
    error: type[ModelError],
    reason: str,
) -> None:
    server.reply("answer", say)
    pieces, failed = failing(model, asking(SEARCH))
    assert (pieces, type(failed), str(failed)) == (given, error, reason)
    assert (failed.__cause__, failed.__context__) == (None, None)
    assert len(server.calls["answer"]) == 1


@pytest.mark.parametrize(
    "say",
    [
        pytest.param(Say("Porto.", break_after=0), id="before any event"),
        pytest.param(Say(" Porto.", split=(1,), break_after=1), id="behind a blank"),
        pytest.param(Say(hang_up=True), id="before any byte"),
        pytest.param(Say(tool_calls=[("search", {"q": "tea"})], break_after=2), id="within a call"),
    ],
)
def test_a_connection_that_is_lost_before_the_first_piece_is_tried_once_more(
    server: StandIn, model: OpenAILanguageModel, say: Say
) -> None:
    server.reply("answer", say, "Porto.")
    assert streamed(model, asking(SEARCH))[0] == ["Porto."]


def test_an_answer_that_was_whole_needs_no_count(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say("Porto.", break_after=2))
    assert streamed(model, asking()) == (["Porto."], Reply("Porto.", usage=Usage(model_calls=1)))


def test_a_refusal_before_the_first_piece_is_final(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say(None, message={"refusal": "I cannot help."}))
    given, failed = failing(model, asking())
    assert (given, type(failed), failed.reason) == ([], ModelRefused, "refused")
    assert len(server.calls["answer"]) == 1


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with StandIn() as gone:
        environment = gone.environment
    model = OpenAILanguageModel("m-1", openai_client(environment), Retry(sleep=lambda _: None))
    _, failed = failing(model, asking())
    assert (type(failed), failed.reason) == (ModelUnavailable, "unreachable")


def test_a_stream_that_stops_ends_with_its_time(server: StandIn) -> None:
    stopped = threading.Event()

    def stop(number: int) -> None:
        if number == 1:
            stopped.wait(30)

    now = 0.0
    retry = Retry(sleep=lambda _: None, monotonic=lambda: now)
    model = OpenAILanguageModel("m-1", openai_client(server.environment), retry)
    server.reply("answer", Say("You live in Porto.", before_chunk=stop))
    pieces = model.stream(asking())
    assert next(pieces) == "You "
    # A tenth of a second is left of the 24 that an answer has.
    now = 23.9
    with pytest.raises(ModelUnavailable) as failed:
        next(pieces)
    stopped.set()
    assert failed.value.reason == "timeout"
