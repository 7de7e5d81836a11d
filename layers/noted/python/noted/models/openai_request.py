"""A prompt as the body of a chat completion of OpenAI's protocol. Equal prompts are equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from noted.models.canonical import canonical, ordered
from noted.models.parsing import without_surrogates
from noted.models.seam import Block, Prompt, PromptMessage, ToolCall, ToolDefinition, ToolResult

# What OpenAI's strict mode takes of JSON schema; a schema with any other word is sent without `strict`.
_STRICT_KEYWORDS = frozenset(
    (
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"),
        *("description", "title"),
    )
)
# The protocol has no field for it.
_FAILED = "The tool failed: "


def request_body(model: str, prompt: Prompt, limit: str) -> dict[str, Any]:
    """The body that asks for one reply. `limit` is the server's name for the most tokens of a reply."""
    messages = [{"role": "system", "content": _joined(prompt.system)}] if prompt.system else []
    for message in prompt.messages:
        messages.extend(_messages(message))
    body: dict[str, Any] = {"model": model, "messages": messages, limit: prompt.max_output_tokens}
    if prompt.tools:
        body["tools"] = [_tool(tool) for tool in prompt.tools]
    if prompt.schema is not None:
        json_schema: dict[str, Any] = {"name": prompt.purpose.value, "schema": prompt.schema}
        if _is_strict(prompt.schema):
            json_schema["strict"] = True
        body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        if prompt.tools:
            # They are told for the sake of what was said before; what is asked for now is data.
            body["tool_choice"] = "none"
    return body


def _messages(message: PromptMessage) -> Iterator[dict[str, Any]]:
    """The messages that stand for one of the prompt: the protocol gives every tool result its own, and wants
    it right behind the message that asked for it."""
    texts = [block for block in message.blocks if isinstance(block, Block)]
    calls = [block for block in message.blocks if isinstance(block, ToolCall)]
    results = [block for block in message.blocks if isinstance(block, ToolResult)]
    for result in results:
        text = _FAILED + result.text if result.failed else result.text
        yield {"role": "tool", "tool_call_id": result.call_id, "content": without_surrogates(text)}
    content = _joined(texts)
    if calls:
        yield {
            "role": message.role,
            "content": content or None,
            "tool_calls": [_call(call) for call in calls],
        }
    elif content or not results:
        yield {"role": message.role, "content": content}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": canonical(call.arguments)}
    return {"id": call.call_id, "type": "function", "function": function}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": ordered(tool.parameters)}
    return {"type": "function", "function": function}


def _joined(blocks: Sequence[Block]) -> str:
    """One text of a message's blocks, so that equal leading blocks are equal leading bytes."""
    return without_surrogates("\n\n".join(block.text for block in blocks if block.text))


def _is_strict(schema: object) -> bool:
    """Whether OpenAI's strict mode takes the schema: known words, no object with open or optional fields."""
    if not isinstance(schema, Mapping) or not _STRICT_KEYWORDS.issuperset(schema):
        return False
    properties = schema.get("properties")
    if schema.get("type") == "object" or properties is not None:
        if not isinstance(properties, Mapping) or schema.get("additionalProperties") is not False:
            return False
        if set(schema.get("required", ())) != set(properties):
            return False
    nested = [*(properties or {}).values(), *schema.get("anyOf", ())]
    if "items" in schema:
        nested.append(schema["items"])
    return all(_is_strict(part) for part in nested)
