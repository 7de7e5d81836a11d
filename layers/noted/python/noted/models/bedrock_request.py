"""A prompt as a request of Bedrock's Converse. Equal prompts are equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from noted.models.canonical import ordered
from noted.models.parsing import without_surrogates
from noted.models.seam import Block, Prompt, ToolCall, ToolDefinition, ToolResult

PURPOSE_KEY = "noted-call"
# Converse takes four cache points in a request. What Bedrock's user guide and its refusals tell of them:
# - The prefix that is compared runs from the tools over the system prompt to the messages. So a point behind
#   the system prompt holds the tools as well, and none is needed among them, where Amazon Nova refuses it.
# - A point whose prefix is shorter than the model's least is passed over without an error: 1,024 tokens for
#   most Claude models, 2,048 for Claude 3.5 Haiku, 4,096 for Claude Opus 4.5 and Haiku 4.5, 1,000 for Nova.
# - A point stands behind a block of its own message, and with Nova not behind a tool result: here it always
#   stands behind text.
_MAX_CACHE_POINTS = 4
_CACHE_POINT = {"cachePoint": {"type": "default"}}
# Bedrock refuses a request with a cache point for a model that has no prompt cache. An application inference
# profile does not tell its model: it gets them.
_CACHING = ("anthropic.claude", "amazon.nova", "application-inference-profile")
_NOT_CACHING = (
    "claude-v2",
    "claude-instant",
    "claude-3-haiku",
    "claude-3-sonnet",
    "claude-3-opus",
    "claude-3-5-sonnet-20240620",
)
# Claude refuses a text without a letter.
_NO_TEXT = "(no text)"


def request_body(model: str, prompt: Prompt) -> dict[str, Any]:
    """The parameters of `converse` and `converse_stream`.

    Converse refuses tool calls and results in a request that offers no tool: a prompt that holds them keeps
    its tools.
    """
    points = _cache_points(prompt, _MAX_CACHE_POINTS if _has_cache(model) else 0)
    system = _content(prompt.system, points)
    request: dict[str, Any] = {
        "modelId": model,
        "messages": [
            {"role": message.role, "content": _content(message.blocks, points)} for message in prompt.messages
        ],
        "inferenceConfig": {"maxTokens": prompt.max_output_tokens},
        "requestMetadata": {PURPOSE_KEY: prompt.purpose.value},
    }
    if system:
        request["system"] = system
    tools = [_tool(tool) for tool in prompt.tools]
    if prompt.schema is not None:
        name = prompt.purpose.value
        specification = {
            "name": name,
            "description": f"Takes the result of the {name}.",
            "inputSchema": {"json": prompt.schema},
        }
        request["toolConfig"] = {
            "tools": [*tools, {"toolSpec": specification}],
            "toolChoice": {"tool": {"name": name}},
        }
    elif tools:
        request["toolConfig"] = {"tools": tools}
    return request


def _has_cache(model: str) -> bool:
    return any(part in model for part in _CACHING) and not any(part in model for part in _NOT_CACHING)


def _cache_points(prompt: Prompt, most: int) -> Iterator[bool]:
    """For each block that asks for a cache point, in order, whether it gets one: the last ones do.

    A later point's prefix holds every earlier one's, so the last hold the most. What an earlier one adds is a
    place to go on from when something behind it has changed, and what stands first changes least.
    """
    blocks = [*prompt.system, *(block for message in prompt.messages for block in message.blocks)]
    asking = sum(isinstance(block, Block) and block.cache_point and bool(block.text) for block in blocks)
    return (number >= asking - most for number in range(asking))


def _content(blocks: Sequence[Block | ToolCall | ToolResult], points: Iterator[bool]) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for block in blocks:
        if not isinstance(block, Block):
            content.append(_tool_block(block))
        elif block.text:
            content.append({"text": without_surrogates(block.text)})
            if block.cache_point and next(points):
                content.append(_CACHE_POINT)
    return content


def _tool_block(block: ToolCall | ToolResult) -> dict[str, Any]:
    if isinstance(block, ToolCall):
        use = {"toolUseId": block.call_id, "name": block.name, "input": ordered(block.arguments)}
        return {"toolUse": use}
    text = without_surrogates(block.text) if block.text.strip() else _NO_TEXT
    result: dict[str, Any] = {"toolUseId": block.call_id, "content": [{"text": text}]}
    if block.failed:
        result["status"] = "error"
    return {"toolResult": result}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    specification = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {"json": ordered(tool.parameters)},
    }
    return {"toolSpec": specification}
