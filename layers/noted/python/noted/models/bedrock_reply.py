"""An answer of Bedrock's Converse, read strictly: text, data or tool calls.

The input of a tool is an object; in a stream it comes as the text of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from noted.errors import MalformedOutput, ModelRefused
from noted.models.parsing import plain_object, read_arguments, read_object, without_surrogates
from noted.models.retry import TryError
from noted.models.seam import Prompt, Reply, ToolCall, Usage

_CUT_OFF = ("max_tokens", "model_context_window_exceeded")
_ENDED = ("end_turn", "stop_sequence")
_TOOL_USE = "tool_use"


def read_reply(prompt: Prompt, response: Mapping[str, Any]) -> Reply:
    """The reply in a response of `converse`. Raises TryError."""
    reason = response.get("stopReason")
    # The same prompt would run out of the context window again.
    again = reason != "model_context_window_exceeded"
    usage = _usage(response.get("usage", {}))
    if reason in ("guardrail_intervened", "content_filtered"):
        word = "guardrail" if reason == "guardrail_intervened" else "filtered"
        raise TryError(ModelRefused(word), again=False, usage=usage)
    content = response.get("output", {}).get("message", {}).get("content", [])
    text = without_surrogates("".join(block["text"] for block in content if "text" in block))
    uses = [block["toolUse"] for block in content if "toolUse" in block]
    try:
        if prompt.schema is not None:
            return Reply(text, _data(prompt, reason, uses, text), usage)
        if prompt.tools and (uses or reason == _TOOL_USE):
            return Reply(text, usage=usage, tool_calls=_calls(reason, uses))
    except MalformedOutput as error:
        raise TryError(error, again=again, usage=usage) from None
    if reason in (*_ENDED, *_CUT_OFF) and text.strip():
        return Reply(text, usage=usage)
    raise TryError(MalformedOutput("malformed"), again=again, usage=usage)


def _data(prompt: Prompt, reason: object, uses: Sequence[Mapping[str, Any]], text: str) -> dict[str, Any]:
    """The forced tool's input; from a model that writes the object as text instead, that object."""
    _check_end(reason)
    if not uses:
        return read_object(text)
    if len(uses) > 1 or uses[0].get("name") != prompt.purpose.value:
        raise MalformedOutput("malformed")
    data = uses[0].get("input")
    return read_object(data) if isinstance(data, str) else plain_object(data)


def _calls(reason: object, uses: Sequence[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    _check_end(reason)
    calls = tuple(
        ToolCall(use.get("toolUseId", ""), use.get("name", ""), read_arguments(use.get("input")))
        for use in uses
    )
    named = all(call.call_id and call.name for call in calls)
    if not calls or not named or len({call.call_id for call in calls}) < len(calls):
        raise MalformedOutput("malformed")
    return calls


def _check_end(reason: object) -> None:
    """An object can be trusted to be whole only from a model that came to its end."""
    if reason in _CUT_OFF:
        raise MalformedOutput("truncated")
    if reason not in (_TOOL_USE, *_ENDED):
        raise MalformedOutput("malformed")


def _usage(counts: Mapping[str, int]) -> Usage:
    read, written = counts.get("cacheReadInputTokens", 0), counts.get("cacheWriteInputTokens", 0)
    # Bedrock counts what the cache had or took apart from the rest; other providers count all of it as input.
    return Usage(
        counts.get("inputTokens", 0) + read + written,
        counts.get("outputTokens", 0),
        read,
        written,
        model_calls=1,
    )
