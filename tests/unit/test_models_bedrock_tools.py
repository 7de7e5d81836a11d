"""Tools with Amazon Bedrock, against botocore's own model of its API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from noted.errors import MalformedOutput, ModelRefused
from noted.models.bedrock import BedrockLanguageModel
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
    Usage,
)

CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "eu.amazon.nova-lite-v1:0"
AT_ONCE = Retry(sleep=lambda _: None)
POINT = {"cachePoint": {"type": "default"}}
SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {"facts": {"type": "array"}}}
ACCOUNT = ToolDefinition(
    "account_balance",
    "The balance of an account.",
    {"type": "object", "properties": {"currency": {"type": "string"}, "account": {"type": "string"}}},
)
SEARCH = ToolDefinition("search", "Searches what was told.", {"type": "object"})


@pytest.fixture
def client() -> Any:
    return boto3.client(
        "bedrock-runtime", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="s"
    )


@pytest.fixture
def bedrock(client: Any) -> Iterator[Stubber]:
    """Takes only calls of Bedrock's own shape, and only as many as a test prepared."""
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def model(client: Any) -> BedrockLanguageModel:
    return BedrockLanguageModel(CLAUDE, client, AT_ONCE)


def user(*blocks: Block | ToolCall | ToolResult) -> PromptMessage:
    return PromptMessage("user", blocks)


def asking(
    *messages: PromptMessage,
    tools: tuple[ToolDefinition, ...] = (SEARCH, ACCOUNT),
    schema: Mapping[str, Any] | None = None,
) -> Prompt:
    return Prompt(Purpose.ANSWER, (), messages or (user(Block("What have I got?")),), schema, tools=tools)


def response(stop_reason: str, *content: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": stop_reason,
        "usage": {"inputTokens": 8, "outputTokens": 5, "totalTokens": 13},
        "metrics": {"latencyMs": 1},
    }


def use(call_id: str, name: str = "search", data: Any = None) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": {} if data is None else data}}


OK = response("end_turn", {"text": "ok"})


def sent(bedrock: Stubber, client: Any, prompt: Prompt, model: str = CLAUDE) -> dict[str, Any]:
    """The parameters of the call that a prompt becomes."""
    requests: list[dict[str, Any]] = []
    client.meta.events.register(
        "provide-client-params.bedrock-runtime.Converse", lambda params, **_: requests.append(params)
    )
    bedrock.add_response("converse", OK)
    BedrockLanguageModel(model, client, AT_ONCE).call(prompt)
    return requests[0]


def test_tools_are_told_in_the_order_of_the_prompt(bedrock: Stubber, client: Any) -> None:
    specifications = sent(bedrock, client, asking())["toolConfig"]
    assert specifications == {
        "tools": [
            {
                "toolSpec": {
                    "name": "search",
                    "description": "Searches what was told.",
                    "inputSchema": {"json": {"type": "object"}},
                }
            },
            {
                "toolSpec": {
                    "name": "account_balance",
                    "description": "The balance of an account.",
                    "inputSchema": {"json": ACCOUNT.parameters},
                }
            },
        ]
    }
    properties = specifications["tools"][1]["toolSpec"]["inputSchema"]["json"]["properties"]
    assert list(properties) == ["account", "currency"]


def test_calls_and_results_stand_in_their_messages(bedrock: Stubber, client: Any) -> None:
    prompt = asking(
        user(Block("What have I got?")),
        PromptMessage(
            "assistant",
            (Block("Looking."), ToolCall("t-1", "search", {"q": "tea"}), ToolCall("t-2", "search", {})),
        ),
        user(ToolResult("t-1", "Likes tea"), ToolResult("t-2", "No access.", failed=True)),
    )
    assert sent(bedrock, client, prompt)["messages"] == [
        {"role": "user", "content": [{"text": "What have I got?"}]},
        {
            "role": "assistant",
            "content": [
                {"text": "Looking."},
                {"toolUse": {"toolUseId": "t-1", "name": "search", "input": {"q": "tea"}}},
                {"toolUse": {"toolUseId": "t-2", "name": "search", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "t-1", "content": [{"text": "Likes tea"}]}},
                {"toolResult": {"toolUseId": "t-2", "content": [{"text": "No access."}], "status": "error"}},
            ],
        },
    ]


def test_a_result_without_words_is_told_as_that(bedrock: Stubber, client: Any) -> None:
    prompt = asking(
        user(Block("Hello")),
        PromptMessage("assistant", (ToolCall("t-1", "search", {}),)),
        user(ToolResult("t-1", " ")),
    )
    (result,) = sent(bedrock, client, prompt)["messages"][2]["content"]
    assert result["toolResult"]["content"] == [{"text": "(no text)"}]


def test_calls_come_back_behind_the_text(bedrock: Stubber, model: BedrockLanguageModel) -> None:
    calls = (use("t-1", data={"q": "tea"}), use("t-2", "account_balance"))
    bedrock.add_response("converse", response("tool_use", {"text": "Looking."}, *calls))
    assert model.call(asking()) == Reply(
        "Looking.",
        usage=Usage(8, 5, model_calls=1),
        tool_calls=(ToolCall("t-1", "search", {"q": "tea"}), ToolCall("t-2", "account_balance", {})),
    )


def test_a_call_needs_no_text(bedrock: Stubber, model: BedrockLanguageModel) -> None:
    bedrock.add_response("converse", response("tool_use", use("t-1")))
    assert model.call(asking()) == Reply(
        "", usage=Usage(8, 5, model_calls=1), tool_calls=(ToolCall("t-1", "search", {}),)
    )


@pytest.mark.parametrize("stop_reason", ["end_turn", "stop_sequence"])
def test_a_call_is_taken_also_from_a_model_that_ends_otherwise(
    bedrock: Stubber, model: BedrockLanguageModel, stop_reason: str
) -> None:
    bedrock.add_response("converse", response(stop_reason, use("t-1")))
    assert model.call(asking()).tool_calls == (ToolCall("t-1", "search", {}),)


def test_a_model_may_answer_without_its_tools(bedrock: Stubber, model: BedrockLanguageModel) -> None:
    bedrock.add_response("converse", OK)
    assert model.call(asking()) == Reply("ok", usage=Usage(8, 5, model_calls=1))


UNREADABLE = [
    pytest.param(response("tool_use"), id="no call"),
    pytest.param(response("tool_use", {"text": "Looking."}), id="text alone"),
    pytest.param(response("tool_use", use("t-1", data=["tea"])), id="a list"),
    pytest.param(response("tool_use", use("t-1", data='{"q": ')), id="half an object"),
    pytest.param(response("tool_use", use("t-1"), use("t-1")), id="one id for two calls"),
    pytest.param(response("max_tokens", use("t-1")), id="cut off"),
    pytest.param(response("malformed_tool_use", use("t-1")), id="malformed tool use"),
    pytest.param(response("malformed_model_output", use("t-1")), id="malformed output"),
    pytest.param(response("a_new_reason", use("t-1")), id="unknown reason"),
]


@pytest.mark.parametrize("first", UNREADABLE)
def test_a_call_that_cannot_be_read_is_asked_for_once_more(
    bedrock: Stubber, model: BedrockLanguageModel, first: dict[str, Any]
) -> None:
    bedrock.add_response("converse", first)
    bedrock.add_response("converse", response("tool_use", use("t-1")))
    reply = model.call(asking())
    assert reply.tool_calls == (ToolCall("t-1", "search", {}),)
    assert reply.usage == Usage(16, 10, model_calls=2)


@pytest.mark.parametrize("both", UNREADABLE)
def test_and_no_more_than_once(bedrock: Stubber, model: BedrockLanguageModel, both: dict[str, Any]) -> None:
    bedrock.add_response("converse", both)
    bedrock.add_response("converse", both)
    with pytest.raises(MalformedOutput):
        model.call(asking())


def test_a_full_context_window_would_be_full_again(bedrock: Stubber, model: BedrockLanguageModel) -> None:
    bedrock.add_response("converse", response("model_context_window_exceeded", use("t-1")))
    with pytest.raises(MalformedOutput) as failed:
        model.call(asking())
    assert failed.value.reason == "truncated"


@pytest.mark.parametrize("stop_reason", ["guardrail_intervened", "content_filtered"])
def test_a_refusal_is_final_whatever_was_called(
    bedrock: Stubber, model: BedrockLanguageModel, stop_reason: str
) -> None:
    bedrock.add_response("converse", response(stop_reason, use("t-1")))
    with pytest.raises(ModelRefused):
        model.call(asking())


def test_data_is_still_the_input_of_the_forced_tool(bedrock: Stubber, client: Any) -> None:
    prompt = asking(schema=SCHEMA)
    requests: list[dict[str, Any]] = []
    client.meta.events.register(
        "provide-client-params.bedrock-runtime.Converse", lambda params, **_: requests.append(params)
    )
    bedrock.add_response("converse", response("tool_use", use("t-1")))
    bedrock.add_response("converse", response("tool_use", use("t-1", "answer", {"facts": []})))
    reply = BedrockLanguageModel(CLAUDE, client, AT_ONCE).call(prompt)
    # A tool that was not forced is no data, and is asked for again.
    assert (reply.data, reply.tool_calls, reply.usage.model_calls) == ({"facts": []}, (), 2)
    config = requests[0]["toolConfig"]
    assert [tool["toolSpec"]["name"] for tool in config["tools"]] == ["search", "account_balance", "answer"]
    assert config["toolChoice"] == {"tool": {"name": "answer"}}


@pytest.mark.parametrize("model_id", [CLAUDE, NOVA])
def test_all_four_stable_ends_of_a_prompt_with_tools_get_a_cache_point(
    bedrock: Stubber, client: Any, model_id: str
) -> None:
    prompt = Prompt(
        Purpose.ANSWER,
        system=tuple(Block(text, cache_point=True) for text in ("system", "snapshot", "summary")),
        messages=(
            user(Block("Hello")),
            PromptMessage("assistant", (Block("Hi", cache_point=True),)),
            user(Block("today"), Block("What have I got?")),
            PromptMessage("assistant", (ToolCall("t-1", "search", {}),)),
            user(ToolResult("t-1", "Likes tea")),
        ),
        tools=(SEARCH,),
    )
    request = sent(bedrock, client, prompt, model_id)
    texts: list[Any] = [{"text": "system"}, POINT, {"text": "snapshot"}, POINT, {"text": "summary"}, POINT]
    assert request["system"] == texts
    assert request["messages"][1]["content"] == [{"text": "Hi"}, POINT]
    # None among the tools, which the first point holds as well, and none behind a result.
    assert POINT not in request["toolConfig"]["tools"]
    assert [POINT in request["messages"][place]["content"] for place in (0, 2, 3, 4)] == [False] * 4
