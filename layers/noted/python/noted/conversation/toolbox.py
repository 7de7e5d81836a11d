"""The tools of one turn: their calls, and what came of them.

Whatever goes wrong with a call, the model gets a result that says so in neutral words, and the answer goes
on. What an error says can hold a customer's words, so the log has its type alone.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any

from noted.conversation.figures import bracketed
from noted.conversation.tools import (
    ArgumentsRefused,
    Tool,
    ToolContext,
    ToolOutcome,
    checked_tools,
    definitions,
)
from noted.models.seam import ToolCall, ToolDefinition, ToolResult
from noted.text.characters import without_hidden

logger = logging.getLogger("noted.conversation")

# What one call adds to the prompt of each later call of the turn: about a thousand tokens.
RESULT_CHARACTERS = 4_000
_CUT = " …"

FAILED = "This tool gave no answer. Go on without it."
OUTSIDE = "Nothing was done: this is not possible beside pasted text or what another tool answered."
NO_TIME = "There is no time left for another call. Answer with what there is."
_UNKNOWN = "There is no such tool."
_LABELS = "Write each of these labels, brackets included, where its value belongs. Code puts the value there."
_EMPTY = "There is nothing to tell."


def _unchanged(text: str) -> str:
    return text


@dataclass(frozen=True)
class Lettering:
    """How text passes between a prompt, in which a personal value is a placeholder (<PHONE_A>), and code.

    `lettered` makes text that a tool gave fit to stand in the prompt, `identified` turns what the model wrote
    into the form with entity ids in which text is stored, and `revealed` into the values as typed. By default
    nothing is masked.
    """

    lettered: Callable[[str], str] = _unchanged
    identified: Callable[[str], str] = _unchanged
    revealed: Callable[[str], str] = _unchanged


class Toolbox:
    """The tools of one turn. `earlier_labels` are those of the turns that the prompt replays. `outside`: the
    prompt holds text that the customer did not type, such as a page. A tool with a lasting effect is then
    refused, and so it is once the model has read what another tool answered: whoever wrote such a text must
    not be able to have anything done. It is told to the model all the same, so that prompts begin alike.
    Raises ValueError where two tools share a name or a namespace."""

    def __init__(
        self,
        tools: Iterable[Tool[Any]],
        now: datetime,
        timezone: str,
        lettering: Lettering = Lettering(),
        earlier_labels: Iterable[str] = (),
        *,
        outside: bool = False,
    ) -> None:
        self._tools = {tool.name: tool for tool in checked_tools(tools)}
        self._now = now
        self._timezone = timezone
        self._lettering = lettering
        self._values: dict[str, str] = {}
        self._meanings: dict[str, str] = {}
        self.outcomes: list[ToolOutcome] = []
        self.live = False
        self._earlier = frozenset(earlier_labels)
        self._outside = self._unread = outside

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """The tools as a prompt tells them."""
        return definitions(self._tools.values())

    @property
    def known(self) -> frozenset[str]:
        """The labels that the model can know: `account.` for all in the namespace of a tool, filled or not,
        and those of the turns that it is shown, whose tool may be off by now."""
        return self._earlier | {f"{tool.namespace}." for tool in self._tools.values() if tool.namespace}

    @property
    def figures(self) -> Mapping[str, str]:
        """The value of each label that was filled so far; it grows as tools are called."""
        return MappingProxyType(self._values)

    def read(self) -> None:
        """The model is about to read what its calls so far came to."""
        self._outside = self._unread

    def run(self, call: ToolCall, seconds: float) -> ToolResult:
        """The result of one call, within so many seconds."""
        tool = self._tools.get(call.name)
        if tool is None:
            # The name is the model's own text, so neither the log nor the result repeats it.
            return self._refused(call, "unknown", "UnknownTool", f"{_UNKNOWN} {self._names()}")
        if tool.lasting and self._outside:
            return self._refused(call, tool.name, "Outside", OUTSIDE)
        limit = min(tool.seconds, seconds)
        if limit <= 0:
            return self._refused(call, tool.name, "NoTime", NO_TIME)
        try:
            arguments = tool.read(self._given(tool, call.arguments))
        except ArgumentsRefused as error:
            return self._refused(call, tool.name, type(error).__name__, f"Nothing was looked up: {error}.")
        # From here on something was looked up, whatever comes of it.
        self.live = self.live or tool.live
        try:
            future = _threads().submit(
                tool.function, arguments, ToolContext(self._now, self._timezone, limit)
            )
            try:
                outcome = future.result(limit)
            finally:
                future.cancel()
            tool.check(outcome, call.arguments)
        except Exception as error:  # noqa: BLE001 (whatever it is, it costs this one result)
            return self._refused(call, tool.name, type(error).__name__, FAILED)
        self.outcomes.append(outcome)
        self._unread = self._unread or not tool.of_memory
        return ToolResult(call.call_id, self._told(tool, outcome), failed=outcome.failed)

    def _given(self, tool: Tool[Any], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if not tool.needs_values:
            return arguments
        try:
            return {name: _mapped(value, self._lettering.revealed) for name, value in arguments.items()}
        except RecursionError:
            raise ArgumentsRefused("the arguments cannot be read") from None

    def _told(self, tool: Tool[Any], outcome: ToolOutcome) -> str:
        lines = [
            f"{bracketed(self._label(tool, figure.name, figure.value, figure.meaning))}: {figure.meaning}"
            for figure in outcome.figures
        ]
        if lines:
            lines.append(_LABELS)
        if outcome.text.strip():
            lines.append(_visible(outcome.text))
        return _bounded(self._lettering.lettered("\n".join(lines)) or _EMPTY)

    def _label(self, tool: Tool[Any], name: str, value: str, meaning: str) -> str:
        """The label of a figure. Another value, or meaning, under a label that is taken gets a number behind
        it: one label never stands for two figures."""
        wanted = label = f"{tool.namespace}.{name}"
        count = 1
        while label in self._values and (self._values[label], self._meanings[label]) != (value, meaning):
            count += 1
            label = f"{wanted}_{count}"
        self._values[label], self._meanings[label] = value, meaning
        return label

    def _names(self) -> str:
        return f"The tools are: {', '.join(self._tools)}."

    def _refused(self, call: ToolCall, tool: str, error_type: str, told: str) -> ToolResult:
        logger.warning("tool call failed", extra={"tool": tool, "error_type": error_type})
        return ToolResult(call.call_id, _bounded(told), failed=True)


@cache
def _threads() -> ThreadPoolExecutor:
    # A call that ran out of its time still ends on its own time-out; it must not hold up the next one.
    return ThreadPoolExecutor(max_workers=16, thread_name_prefix="tool")


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _mapped(part, change) for name, part in value.items()}
    return [_mapped(part, change) for part in value] if isinstance(value, Sequence) else value


def _visible(text: str) -> str:
    """The text without what a reader cannot see; of the controls only line breaks stay."""
    return "".join(
        " " if character != "\n" and unicodedata.category(character) == "Cc" else character
        for character in without_hidden(text).strip()
    )


def _bounded(text: str) -> str:
    """At most `RESULT_CHARACTERS` of the text, cut between words, so that no placeholder is cut in two."""
    if len(text) <= RESULT_CHARACTERS:
        return text
    room = RESULT_CHARACTERS - len(_CUT)
    whole = max(text.rfind(blank, 0, room + 1) for blank in " \n")
    return text[: whole if whole > 0 else room].rstrip() + _CUT
