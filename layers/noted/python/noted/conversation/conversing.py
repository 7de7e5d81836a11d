"""The answering model with its tools: it is called, its tool calls are run, it is called again with what came
of them, until it answers.

What a tool returned is appended at the end of the prompt, so that everything before it stays the same bytes
for a provider's cache, and it lives for this turn alone: nothing of it is stored or replayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noted.conversation.figures import labels_in
from noted.conversation.memory_tools import to_be_kept, told_to_model
from noted.conversation.toolbox import NO_TIME, Toolbox
from noted.errors import MalformedOutput
from noted.models.seam import (
    Block,
    LanguageModel,
    Prompt,
    PromptMessage,
    Reply,
    ToolCall,
    ToolResult,
    Usage,
)

if TYPE_CHECKING:
    from noted.facts.fact import Fact
    from noted.facts.proposed import ProposedFact

# A question takes one or two look-ups; a model that asks for more is going round in circles.
MOST_ROUNDS = 4
MOST_CALLS = 8

# With less, a model has no chance to answer at all.
_LEAST_SECONDS = 2.0
_NO_MORE_CALLS = "No more calls are possible for this message. Answer with what there is."
_LOOKED_UP = "(I looked this up.)"
_RESULTS = "What the tools answered:"
_BETWEEN = "\n\n"


@dataclass(frozen=True)
class Conversed:
    """What the model answered, as it wrote it.

    `figures` are the labels in it that a tool had filled when they were written. `live`: a live look-up was
    made, so memory learns nothing from the turn by itself. `recalled` are the facts that the model looked up,
    `remembered` those that it was asked to keep: they are stored with the turn, also with a live one, since
    they are what the user typed and hold nothing that was looked up.
    """

    text: str
    usage: Usage
    figures: tuple[str, ...]
    live: bool
    recalled: tuple[Fact, ...]
    remembered: tuple[ProposedFact, ...]


def converse(
    model: LanguageModel,
    prompt: Prompt,
    toolbox: Toolbox,
    *,
    streamed: bool,
    seconds: float,
    monotonic: Callable[[], float] = time.monotonic,
) -> Generator[str, None, Conversed]:
    """Gives the answer in pieces, as the model wrote them, and at the end the whole of it.

    The prompt names the toolbox's tools. Text that the model writes before it calls a tool belongs to the
    answer, with a blank line before what follows. A label counts as filled only if its figure was there
    before it was written: whoever fills the pieces in as they come, from `toolbox.figures`, has shown the
    text by the time that a later tool gives it.

    Tools are called in at most `MOST_ROUNDS` rounds, at most `MOST_CALLS` of them, and none once half of
    `seconds`, the time of the whole answer, has passed; the model is then asked once more, without tools.
    Raises what the model raises.
    """
    began = monotonic()
    deadline, end = began + seconds / 2, began + seconds
    exchange: tuple[PromptMessage, ...] = ()
    usage, text, calls, rounds = Usage(), "", 0, 0
    shown: tuple[str, ...] = ()
    while True:
        spent = rounds == MOST_ROUNDS or calls >= MOST_CALLS or monotonic() >= deadline
        last = bool(exchange) and spent
        asked = _without_tools(prompt, exchange) if last else _appended(prompt, exchange)
        asked = replace(asked, seconds=max(end - monotonic(), _LEAST_SECONDS))
        reply, said = yield from _said(model, asked, _BETWEEN if text else "", streamed=streamed)
        usage += reply.usage
        text += said
        shown += labels_in(said, toolbox.figures)
        if last or not reply.tool_calls or not prompt.tools:
            break
        results = []
        for call in reply.tool_calls:
            calls += 1
            results.append(_result(toolbox, call, calls, deadline - monotonic()))
        toolbox.read()
        exchange += _exchanged(reply, results)
        rounds += 1
    return Conversed(
        text=text,
        usage=usage,
        figures=tuple(dict.fromkeys(shown)),
        live=toolbox.live,
        recalled=told_to_model(toolbox.outcomes),
        remembered=to_be_kept(toolbox.outcomes),
    )


def _said(
    model: LanguageModel, prompt: Prompt, before: str, *, streamed: bool
) -> Generator[str, None, tuple[Reply, str]]:
    """The reply, and its text as it was given on: `before` stands before it, unless it is blank."""
    if not streamed:
        reply = model.call(prompt)
        said = before + reply.text if reply.text.strip() else ""
        if said:
            yield said
        return reply, said
    given, held = "", ""
    for item in model.stream(prompt):
        if isinstance(item, Reply):
            return item, given
        held += item
        # A model that only calls a tool may begin with blanks: they are no text of the answer.
        if given or held.strip():
            piece, held = (held if given else before + held), ""
            given += piece
            yield piece
    raise MalformedOutput("malformed")


def _result(toolbox: Toolbox, call: ToolCall, number: int, seconds: float) -> ToolResult:
    if number > MOST_CALLS:
        return ToolResult(call.call_id, _NO_MORE_CALLS, failed=True)
    if seconds <= 0:
        return ToolResult(call.call_id, NO_TIME, failed=True)
    return toolbox.run(call, seconds)


def _exchanged(reply: Reply, results: Sequence[ToolResult]) -> tuple[PromptMessage, PromptMessage]:
    # Providers refuse a text block that is blank.
    text = (Block(reply.text),) if reply.text.strip() else ()
    return (
        PromptMessage("assistant", (*text, *reply.tool_calls)),
        PromptMessage("user", tuple(results)),
    )


def _appended(prompt: Prompt, exchange: tuple[PromptMessage, ...]) -> Prompt:
    return replace(prompt, messages=(*prompt.messages, *exchange))


def _without_tools(prompt: Prompt, exchange: tuple[PromptMessage, ...]) -> Prompt:
    """The prompt with what the tools answered as text. A prompt with blocks of tool calls and no tools is
    refused by some providers (Amazon Bedrock: "The toolConfig field must be defined")."""
    messages = []
    for message in exchange:
        texts = [block.text for block in message.blocks if isinstance(block, (Block, ToolResult))]
        if message.role == "user":
            texts.insert(0, _RESULTS)
        messages.append(PromptMessage(message.role, (Block(_BETWEEN.join(texts) or _LOOKED_UP),)))
    return replace(prompt, messages=(*prompt.messages, *messages), tools=())
