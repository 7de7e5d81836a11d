"""Prompts as the bytes that providers read, taken from the requests that the clients really send."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx2  # the client that OpenAI's is made on
import openai

from noted.context import layout
from noted.conversation.turn import Kept, Route, Summary, Turn
from noted.models.bedrock import BedrockLanguageModel
from noted.models.openai import OpenAILanguageModel
from noted.models.seam import Prompt, ToolDefinition
from noted.recall.block import render

_NOON = datetime(2026, 3, 10, 11, 0, tzinfo=UTC)
_CLAUDE = "anthropic.claude-haiku-4-5-20251001-v1:0"


def openai_body(prompt: Prompt) -> bytes:
    """The body of the request that OpenAI's client sends."""
    bodies: list[bytes] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(request.content)
        message = {"role": "assistant", "content": "ok"}
        return httpx2.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]})

    with openai.OpenAI(
        base_url="http://127.0.0.1:9/v1",
        api_key="none",
        max_retries=0,
        http_client=httpx2.Client(transport=httpx2.MockTransport(answer)),
    ) as client:
        OpenAILanguageModel("m-1", client).call(prompt)
    (body,) = bodies
    return body


class _Converse:
    """What is used of Bedrock's client: keeps the request."""

    def __init__(self) -> None:
        self.request: dict[str, Any] = {}

    def converse(self, **request: Any) -> dict[str, Any]:
        self.request = request
        return {"output": {"message": {"content": [{"text": "ok"}]}}, "stopReason": "end_turn", "usage": {}}

    def converse_stream(self, **_: Any) -> dict[str, Any]:
        raise AssertionError("nobody asked for a stream")

    def invoke_model(self, **_: Any) -> dict[str, Any]:
        raise AssertionError("nobody asked for an embedding")


def bedrock_request(prompt: Prompt) -> dict[str, Any]:
    """The request that Bedrock's client is given."""
    client = _Converse()
    BedrockLanguageModel(_CLAUDE, client).call(prompt)
    return client.request


def openai_prefix(prompt: Prompt) -> tuple[bytes, bytes]:
    """What OpenAI reads of a prompt, in its order: tools, then messages. First the part before the new
    message, which a cache can find again, then the whole."""
    body = openai_body(prompt)
    request = json.loads(body)
    tools = _as_sent(body, request["tools"]) if "tools" in request else b""
    messages = _as_sent(body, request["messages"])
    new = _as_sent(body, request["messages"][-1])
    assert messages.endswith(new + b"]")
    return tools + messages[: -len(new) - 1], tools + messages


def bedrock_prefix(prompt: Prompt) -> tuple[bytes, bytes]:
    """What Bedrock reads of a prompt, in its order: tools, system, messages. First the part before the last
    cache point, then the whole. Cache points themselves are no part of what is read."""
    request = bedrock_request(prompt)
    blocks = [
        *request.get("toolConfig", {}).get("tools", []),
        *request.get("system", []),
        *(
            block if "cachePoint" in block else {message["role"]: block}
            for message in request["messages"]
            for block in message["content"]
        ),
    ]
    pieces: list[bytes] = []
    cacheable = 0
    for block in blocks:
        if "cachePoint" in block:
            cacheable = len(pieces)
        else:
            pieces.append(_json(block))
    return b"".join(pieces[:cacheable]), b"".join(pieces)


def _as_sent(body: bytes, value: Any) -> bytes:
    """The bytes of a part of a body, which must stand in it as they are."""
    written = _json(value)
    assert written in body
    return written


def _json(value: Mapping[str, Any] | list[Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def digest() -> str:
    """A digest of one prompt with everything in it, written down in every way; the same in every process."""
    window = [
        Turn("tn_1", "cv_1", _NOON, _NOON, Route.ANSWER, f"Question {number}?", "Answer.", Kept.QUEUED)
        for number in range(3)
    ]
    schema = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
    prompt = layout.answer(
        render([("fact", "Lives in Porto"), ("goal", "Wants to sail")]),
        Summary("They spoke of boats.", ("Customer: It has 40 feet.",), "tn_0").block,
        layout.history(window),
        layout.NewMessage("And now?", _NOON, "Europe/Paris", recalled=render([("fact", "Has a boat")])),
        [ToolDefinition("recall", "Looks for what was told.", schema)],
    )
    written = [*openai_prefix(prompt), *bedrock_prefix(prompt)]
    return hashlib.sha256(b"\0".join(written)).hexdigest()
