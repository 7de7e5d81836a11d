"""Tools over OpenAI's protocol, against a server that speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from noted.errors import MalformedOutput, ModelRefused
from noted.models.openai import OpenAILanguageModel, openai_client
from noted.models.retry import Retry
from noted.models.seam import (
    Block,
    Prompt,
    PromptMessage,
    Purpose,
    Reply,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from tests.standin import Say, StandIn

ACCOUNT = ToolDefinition(
    "account_balance",
    "The balance of an account.",
    {"type": "object", "properties": {"currency": {"type": "string"}, "account": {"type": "string"}}},
)
SEARCH = ToolDefinition("search", "Searches what was told.", {"type": "object"})


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as standin:
        yield standin


@pytest.fixture
def model(server: StandIn) -> OpenAILanguageModel:
    return OpenAILanguageModel("m-1", openai_client(server.environment), Retry(sleep=lambda _: None))


def user(*blocks: Block | ToolCall | ToolResult) -> PromptMessage:
    return PromptMessage("user", blocks)


def asking(
    *messages: PromptMessage,
    tools: tuple[ToolDefinition, ...] = (SEARCH, ACCOUNT),
    schema: Mapping[str, Any] | None = None,
) -> Prompt:
    return Prompt(Purpose.ANSWER, (), messages or (user(Block("What have I got?")),), schema, tools=tools)


def called(reply: Reply) -> list[tuple[str, Mapping[str, Any]]]:
    return [(call.name, call.arguments) for call in reply.tool_calls]


def test_tools_are_told_in_the_order_of_the_prompt(server: StandIn, model: OpenAILanguageModel) -> None:
    model.call(asking())
    assert server.calls["answer"][0].body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "search",
                "description": "Searches what was told.",
                "parameters": {"type": "object"},
            },
        },
        {
            "type": "function",
            "function": {
                "name": "account_balance",
                "description": "The balance of an account.",
                "parameters": ACCOUNT.parameters,
            },
        },
    ]


def test_equal_prompts_are_equal_bytes(server: StandIn, model: OpenAILanguageModel) -> None:
    def prompt(parameters: Mapping[str, Any], arguments: Mapping[str, Any]) -> Prompt:
        return asking(
            user(Block("Hello")),
            PromptMessage("assistant", (ToolCall("c-1", "search", arguments),)),
            user(ToolResult("c-1", "Likes tea")),
            tools=(ToolDefinition("search", "Searches.", parameters),),
        )

    nested = {"b": {"type": "string"}, "a": {"enum": ["y", "x"], "type": "string"}}
    turned = {"a": {"type": "string", "enum": ["y", "x"]}, "b": {"type": "string"}}
    model.call(prompt({"type": "object", "properties": nested}, {"q": "thé", "n": [2, 1]}))
    model.call(prompt({"properties": turned, "type": "object"}, {"n": [2, 1], "q": "thé"}))
    one, other = (json.dumps(call.body) for call in server.calls["answer"])
    assert one == other
    message = server.calls["answer"][0].messages[1]
    assert message["tool_calls"][0]["function"]["arguments"] == '{"n":[2,1],"q":"thé"}'


def test_calls_come_back_behind_the_text(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply(
        "answer",
        server.calling(("search", {"q": "tea"}), ("account_balance", {"account": "1"}), content="Looking."),
    )
    reply = model.call(asking())
    assert (reply.text, reply.data) == ("Looking.", None)
    assert reply.tool_calls == (
        ToolCall("call_1", "search", {"q": "tea"}),
        ToolCall("call_2", "account_balance", {"account": "1"}),
    )


def test_a_call_needs_no_text(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", server.calling(("search", {})))
    reply = model.call(asking())
    assert (reply.text, called(reply)) == ("", [("search", {})])


def test_results_stand_behind_the_calls_that_asked_for_them(
    server: StandIn, model: OpenAILanguageModel
) -> None:
    calls = (ToolCall("c-1", "search", {"q": "tea"}), ToolCall("c-2", "search", {}))
    prompt = asking(
        user(Block("What do I like?")),
        PromptMessage("assistant", (Block("Looking."), *calls)),
        user(
            ToolResult("c-1", "Likes tea"),
            ToolResult("c-2", "No access.", failed=True),
            Block("Answer now."),
        ),
        PromptMessage("assistant", calls[:1]),
        user(ToolResult("c-1", "")),
    )
    model.call(prompt)
    (call,) = server.calls["answer"]
    functions = [
        {"id": "c-1", "type": "function", "function": {"name": "search", "arguments": '{"q":"tea"}'}},
        {"id": "c-2", "type": "function", "function": {"name": "search", "arguments": "{}"}},
    ]
    assert call.messages == [
        {"role": "user", "content": "What do I like?"},
        {"role": "assistant", "content": "Looking.", "tool_calls": functions},
        {"role": "tool", "tool_call_id": "c-1", "content": "Likes tea"},
        {"role": "tool", "tool_call_id": "c-2", "content": "The tool failed: No access."},
        {"role": "user", "content": "Answer now."},
        {"role": "assistant", "content": None, "tool_calls": functions[:1]},
        {"role": "tool", "tool_call_id": "c-1", "content": ""},
    ]


@pytest.mark.parametrize("finish_reason", ["stop", None])
def test_a_server_may_end_a_call_like_a_text(
    server: StandIn, model: OpenAILanguageModel, finish_reason: str | None
) -> None:
    calls = [{"id": "c-1", "function": {"name": "search", "arguments": "{}"}}]
    server.reply("answer", Say(None, finish_reason=finish_reason, message={"tool_calls": calls}))
    assert called(model.call(asking())) == [("search", {})]


@pytest.mark.parametrize(
    "arguments, read",
    [
        pytest.param("", {}, id="nothing"),
        pytest.param(None, {}, id="null"),
        pytest.param(' {"q": "tea"}\n', {"q": "tea"}, id="blanks around"),
        pytest.param({"q": {"a": [1]}}, {"q": {"a": [1]}}, id="an object that is no text"),
    ],
)
def test_arguments_are_an_object(
    server: StandIn, model: OpenAILanguageModel, arguments: object, read: Mapping[str, Any]
) -> None:
    calls = [{"id": "c-1", "function": {"name": "search", "arguments": arguments}}]
    server.reply("answer", Say(None, finish_reason="tool_calls", message={"tool_calls": calls}))
    assert called(model.call(asking())) == [("search", read)]


def test_calls_without_an_id_are_numbered_through_the_conversation(
    server: StandIn, model: OpenAILanguageModel
) -> None:
    calls = [{"function": {"name": "search"}}, {"id": "", "function": {"name": "search"}}]
    server.reply("answer", Say(None, finish_reason="tool_calls", message={"tool_calls": calls}))
    prompt = asking(
        user(Block("Hello")),
        PromptMessage("assistant", (ToolCall("call_1", "search", {}),)),
        user(ToolResult("call_1", "Likes tea")),
    )
    assert [call.call_id for call in model.call(prompt).tool_calls] == ["call_2", "call_3"]


def test_a_tool_that_was_not_offered_is_left_to_whoever_runs_the_call(
    server: StandIn, model: OpenAILanguageModel
) -> None:
    server.reply("answer", server.calling(("delete_all", {})))
    assert called(model.call(asking())) == [("delete_all", {})]


def calling(*calls: Any, finish_reason: str = "tool_calls") -> Say:
    return Say(None, finish_reason=finish_reason, message={"tool_calls": list(calls)})


def function(arguments: object, name: object = "search", call_id: object = "c-1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


UNREADABLE = [
    pytest.param(calling(), id="no call"),
    pytest.param(calling("search"), id="no object"),
    pytest.param(calling({"id": "c-1"}), id="no function"),
    pytest.param(calling(function("{}", name=None)), id="no name"),
    pytest.param(calling(function("{}", name="search the web")), id="a name that cannot be sent back"),
    pytest.param(calling(function("{}", call_id=7)), id="an id of another type"),
    pytest.param(calling(function("{}"), function("{}")), id="one id for two calls"),
    pytest.param(calling(function('{"q": ')), id="half an object"),
    pytest.param(calling(function('```json\n{"q": "tea"}\n```')), id="fenced"),
    pytest.param(calling(function('["tea"]')), id="a list"),
    pytest.param(calling(function('{"q": 1, "q": 2}')), id="a key given twice"),
    pytest.param(calling(function('{"q": NaN}')), id="no number"),
    pytest.param(calling(function("{}"), function("tea", call_id="c-2")), id="one of two"),
    pytest.param(calling(function("{}"), finish_reason="length"), id="cut off"),
    pytest.param(calling(function("{}"), finish_reason="a_new_reason"), id="unknown reason"),
    pytest.param(Say(None, message={"tool_calls": {"id": "c-1"}}), id="calls of another type"),
]


@pytest.mark.parametrize("first", UNREADABLE)
def test_a_call_that_cannot_be_read_is_asked_for_once_more(
    server: StandIn, model: OpenAILanguageModel, first: Say
) -> None:
    server.reply("answer", first, server.calling(("search", {"q": "tea"})))
    reply = model.call(asking())
    assert (called(reply), reply.usage.model_calls) == ([("search", {"q": "tea"})], 2)


@pytest.mark.parametrize("both", UNREADABLE)
def test_and_no_more_than_once(server: StandIn, model: OpenAILanguageModel, both: Say) -> None:
    server.reply("answer", both)
    with pytest.raises(MalformedOutput):
        model.call(asking())
    assert len(server.calls["answer"]) == 2


def test_a_call_where_no_tool_was_offered_is_no_answer(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", server.calling(("search", {})))
    with pytest.raises(MalformedOutput):
        model.call(asking(tools=()))


def test_a_refusal_is_final_whatever_was_called(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", calling(function("{}"), finish_reason="content_filter"))
    with pytest.raises(ModelRefused):
        model.call(asking())


def test_a_prompt_that_asks_for_data_gets_no_call(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", server.calling(("search", {})), {"facts": []})
    reply = model.call(asking(schema={"type": "object"}))
    assert (reply.data, reply.tool_calls, reply.usage.model_calls) == ({"facts": []}, (), 2)
    body = server.calls["answer"][0].body
    assert (len(body["tools"]), body["tool_choice"]) == (2, "none")
