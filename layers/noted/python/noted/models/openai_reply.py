"""The body of a chat completion of OpenAI's protocol, read strictly: text, data or tool calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from noted.errors import MalformedOutput, ModelRefused
from noted.models.parsing import read_arguments, read_object, without_surrogates
from noted.models.retry import TryError
from noted.models.seam import Prompt, Reply, ToolCall, Usage

# A name is sent back with the call's result: this is what OpenAI and Bedrock take.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def read_reply(prompt: Prompt, body: Mapping[str, Any]) -> Reply:
    """The reply in a body. Raises TryError."""
    usage = _usage(body.get("usage"))
    try:
        choice = body["choices"][0]
        message = choice["message"]
        reason = choice.get("finish_reason")
        content, refusal, calls = message.get("content"), message.get("refusal"), message.get("tool_calls")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise TryError(MalformedOutput("malformed"), again=True, usage=usage) from None
    if refusal or reason == "content_filter":
        raise TryError(ModelRefused("refused" if refusal else "filtered"), again=False, usage=usage)
    try:
        return _read(prompt, reason, without_surrogates(read_text(content)), calls, usage)
    except MalformedOutput as error:
        raise TryError(error, again=True, usage=usage) from None


def read_text(content: object) -> str:
    """The text of a message: a string, or a list of parts as some servers send it."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _read(prompt: Prompt, reason: object, text: str, calls: object, usage: Usage) -> Reply:
    if calls and prompt.tools and prompt.schema is None:
        if reason == "length":
            raise MalformedOutput("truncated")
        # Some servers say `stop` also where they call a tool.
        if reason not in ("tool_calls", "stop", None):
            raise MalformedOutput("malformed")
        return Reply(text, usage=usage, tool_calls=_calls(prompt, calls))
    if reason not in ("stop", "length", None) or not text.strip():
        # A tool call where none was offered is no answer.
        raise MalformedOutput("malformed")
    if prompt.schema is None:
        return Reply(text, usage=usage)
    if reason == "length":
        raise MalformedOutput("truncated")
    return Reply(text, read_object(text), usage)


def _calls(prompt: Prompt, value: object) -> tuple[ToolCall, ...]:
    if not isinstance(value, list):
        raise MalformedOutput("malformed")
    made = sum(isinstance(block, ToolCall) for message in prompt.messages for block in message.blocks)
    calls = tuple(_call(item, f"call_{number}") for number, item in enumerate(value, made + 1))
    if len({call.call_id for call in calls}) < len(calls):
        raise MalformedOutput("malformed")
    return calls


def _call(item: object, own_id: str) -> ToolCall:
    """One call. A server that numbers no calls gets `own_id` as this one's."""
    function = item.get("function") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(function, dict):
        raise MalformedOutput("malformed")
    call_id, name = item.get("id") or own_id, function.get("name")
    if not isinstance(call_id, str) or not isinstance(name, str) or not _NAME.fullmatch(name):
        raise MalformedOutput("malformed")
    return ToolCall(without_surrogates(call_id), name, read_arguments(function.get("arguments") or ""))


def _usage(counts: object) -> Usage:
    fields = counts if isinstance(counts, dict) else {}
    details = fields.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    return Usage(
        _count(fields.get("prompt_tokens")),
        _count(fields.get("completion_tokens")),
        _count(details.get("cached_tokens")),
        _count(details.get("cache_write_tokens")),
        model_calls=1,
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
