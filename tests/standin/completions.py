"""Replies in the shape of OpenAI's chat completions, whole or as the chunks of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from tests.standin.replies import Call, Say

_CHARACTERS_OF_ARGUMENTS = 8


def said_text(say: Say) -> str:
    """All that a model would have written for a reply."""
    return (say.content or "") + "".join(name + _arguments(arguments) for name, arguments in say.tool_calls)


def completion(call: Call, say: Say, usage: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a whole reply."""
    message: dict[str, Any] = {"role": "assistant", "content": say.content}
    if say.tool_calls:
        message |= {"content": say.content or None, "tool_calls": _tool_calls(call, say)}
    choice = {"index": 0, "message": message | dict(say.message), "finish_reason": _finish_reason(say)}
    return _envelope(call, "chat.completion", [choice]) | {"usage": usage}


def chunks(call: Call, say: Say, usage: Mapping[str, Any]) -> Iterator[Mapping[str, Any] | str]:
    """The data of the events of a streamed reply. The usage is told only where it was asked for."""
    for number, piece in enumerate(_pieces(say)):
        role = {} if number else {"role": "assistant"}
        yield _chunk(call, role | {"content": piece})
    for index, tool_call in enumerate(_tool_calls(call, say)):
        function = tool_call["function"]
        begun = tool_call | {"index": index, "function": {"name": function["name"], "arguments": ""}}
        yield _chunk(call, {"tool_calls": [begun]})
        for start in range(0, len(function["arguments"]), _CHARACTERS_OF_ARGUMENTS):
            part = function["arguments"][start : start + _CHARACTERS_OF_ARGUMENTS]
            yield _chunk(call, {"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    if say.message:
        yield _chunk(call, say.message)
    yield _chunk(call, {}, _finish_reason(say))
    if call.body.get("stream_options", {}).get("include_usage"):
        yield _envelope(call, "chat.completion.chunk", []) | {"usage": usage}
    yield "[DONE]"


def _pieces(say: Say) -> list[str]:
    content = say.content or ""
    if say.split is None:
        return re.findall(r"\s*\S+\s*|\s+", content)
    return [content[start:end] for start, end in pairwise((0, *say.split, len(content)))]


def _tool_calls(call: Call, say: Say) -> list[dict[str, Any]]:
    """The calls of a reply, numbered through all the rounds of a conversation."""
    made = sum(len(message.get("tool_calls") or ()) for message in call.messages)
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": _arguments(arguments)},
        }
        for number, (name, arguments) in enumerate(say.tool_calls, made + 1)
    ]


def _arguments(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _finish_reason(say: Say) -> str | None:
    return "tool_calls" if say.tool_calls and say.finish_reason == "stop" else say.finish_reason


def _chunk(call: Call, delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return _envelope(call, "chat.completion.chunk", [choice])


def _envelope(call: Call, kind: str, choices: list[Any]) -> dict[str, Any]:
    model = call.body.get("model")
    return {"id": "stand-in", "object": kind, "created": 0, "model": model, "choices": choices}
