"""Tools for the answering model: what one is, and what may go into it and come out of it.

A tool looks something up or works something out; it changes nothing, since nobody has confirmed anything
when a model asks for it. It has a model of its arguments and a function over them, which gives an outcome:
figures, of which the model is told the labels and the customer the values (`noted.conversation.figures`), and
short plain text for the model. Whether a tool gets personal values, and whether its text may state numbers,
stands in its definition, and code holds it to that.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from noted.conversation.figures import is_name, is_namespace
from noted.models.seam import ToolDefinition
from noted.text.characters import without_hidden
from noted.text.figures import claims
from noted.text.figures import figures as figures_in
from noted.text.folding import plain

MOST_FIGURES = 12
VALUE_CHARACTERS = 100
MEANING_CHARACTERS = 160
ARGUMENT_CHARACTERS = 8_000
# Lambda gives a whole answer 29 seconds, most of which the model takes.
TOOL_SECONDS = 5.0

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")  # what every provider takes as the name of a tool
_TOLD_PROBLEMS = 5


class Arguments(BaseModel):
    """What a tool is asked with. An argument that the tool does not have is refused, so that no model can
    add one that says whose data is meant."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@dataclass(frozen=True)
class LabelledFigure:
    """One figure. `name` is what stands behind the namespace in its label, `value` what the customer reads,
    `meaning` what the model is told instead of it."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class ToolOutcome:
    """What came of a call. `text` is for the model alone. `failed`: there is no answer, and `text` says in
    neutral words why."""

    figures: tuple[LabelledFigure, ...] = ()
    text: str = ""
    failed: bool = False


@dataclass(frozen=True)
class ToolContext:
    """When and where the customer asks, and how many seconds the function may take. What it needs beside
    that, a client or an address, it is made with."""

    now: datetime
    timezone: str
    seconds: float


class ArgumentsRefused(Exception):
    """The arguments are not what the tool takes. The message says why, in words for the model: it may hold
    what the model wrote, so it goes into no log."""


class ToolFault(Exception):
    """The outcome breaks a rule of this module: an error in the tool, which its own tests should find."""


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool. Raises ValueError for a definition that cannot be used.

    `namespace`: that of the labels of its figures, "" for a tool that gives none. `live`: it looks up what
    holds for the moment, such as a price, so memory learns nothing from a turn that used it. `needs_values`:
    its arguments hold the customer's personal values as typed; otherwise they hold the placeholders that the
    model wrote (<PHONE_A>). `numbers_in_text`: its text may state numbers, which the model may then repeat;
    otherwise a number belongs into a figure. `lasting`: it has an effect that outlives the turn, so it is not
    run for a model that has read what the customer did not type; `of_memory`: what it answers is memory,
    which the customer wrote. `seconds`: how long a call may take.
    """

    name: str
    description: str
    arguments: type[A]
    function: Callable[[A, ToolContext], ToolOutcome]
    namespace: str = ""
    live: bool = False
    needs_values: bool = False
    numbers_in_text: bool = False
    lasting: bool = False
    of_memory: bool = False
    seconds: float = TOOL_SECONDS

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError("a tool's name is made of a to z, 0 to 9 and _, and starts with a letter")
        if not self.description.strip():
            raise ValueError(f"the tool {self.name} needs a description")
        if self.namespace and not is_namespace(self.namespace):
            raise ValueError(f"the namespace of the tool {self.name} cannot stand in a label")
        if self.arguments.model_config.get("extra") != "forbid":
            raise ValueError(f"the tool {self.name} must refuse arguments that it does not have")
        if self.seconds <= 0:
            raise ValueError(f"the tool {self.name} needs time")

    @property
    def definition(self) -> ToolDefinition:
        """The tool as a model is told of it; the same bytes in every process."""
        return ToolDefinition(self.name, self.description, _schema(self.arguments))

    def read(self, given: Mapping[str, Any]) -> A:
        """The arguments, checked. Raises ArgumentsRefused."""
        try:
            if len(json.dumps(given)) > ARGUMENT_CHARACTERS:
                raise ArgumentsRefused("the arguments are too long")
            return self.arguments.model_validate(dict(given))
        except ValidationError as error:
            raise ArgumentsRefused(_problems(error, in_full=not self.needs_values)) from None
        except (TypeError, ValueError, RecursionError):
            raise ArgumentsRefused("the arguments cannot be read") from None

    def check(self, outcome: ToolOutcome, given: Mapping[str, Any]) -> None:
        """Raises ToolFault for an outcome that may not be used. `given`: the arguments as the model wrote
        them, whose numbers are no news to it."""
        if outcome.figures and not self.namespace:
            raise ToolFault("a tool without a namespace gave a figure")
        if len(outcome.figures) > MOST_FIGURES:
            raise ToolFault(f"more than {MOST_FIGURES} figures")
        for figure in outcome.figures:
            if not is_name(figure.name):
                raise ToolFault("a figure's name cannot stand in a label")
            _check_line(figure.value, VALUE_CHARACTERS)
            _check_line(figure.meaning, MEANING_CHARACTERS)
        told = [outcome.text, *(figure.meaning for figure in outcome.figures)]
        known = json.dumps(given, ensure_ascii=False)
        if any(_tells(text, figure.value, known) for text in told for figure in outcome.figures):
            raise ToolFault("the value of a figure stands in a text for the model")
        if not self.numbers_in_text and any(_states_number(text, known) for text in told):
            raise ToolFault("a number stands in a text for the model")


def checked_tools(tools: Iterable[Tool[Any]]) -> tuple[Tool[Any], ...]:
    """The tools, by name, so that a prompt names them in one order. Raises ValueError where two share a name
    or a namespace."""
    by_name = tuple(sorted(tools, key=lambda tool: tool.name))
    names = [tool.name for tool in by_name]
    namespaces = [tool.namespace for tool in by_name if tool.namespace]
    if len(set(names)) < len(names) or len(set(namespaces)) < len(namespaces):
        raise ValueError("every tool needs a name and a namespace of its own")
    return by_name


def definitions(tools: Iterable[Tool[Any]]) -> tuple[ToolDefinition, ...]:
    """The tools as a prompt tells them, in a fixed order."""
    return tuple(tool.definition for tool in checked_tools(tools))


def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    schema = _without_titles(arguments.model_json_schema())
    # The docstring of the class is for readers of the code; what the model needs is the tool's description.
    schema.pop("description", None)
    return schema


def _without_titles(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Without the titles that pydantic derives from names: they tell a model nothing and cost tokens."""
    bare = {name: _bare(part) for name, part in schema.items() if name != "title"}
    for named in ("properties", "$defs"):
        if named in schema:
            bare[named] = {name: _without_titles(part) for name, part in schema[named].items()}
    return bare


def _bare(part: Any) -> Any:
    if isinstance(part, Mapping):
        return _without_titles(part)
    return [_bare(each) for each in part] if isinstance(part, list) else part


def _problems(error: ValidationError, *, in_full: bool) -> str:
    """Which arguments are wrong, and how. Not in full where the arguments hold personal values, since a
    validator's own message may repeat one."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(
        f"{'.'.join(map(str, problem['loc']))[:60] or 'arguments'}: "
        f"{problem['msg'][:160] if in_full else 'is not right'}"
        for problem in problems[:_TOLD_PROBLEMS]
    )


def _check_line(text: str, most: int) -> None:
    breaks = any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text)
    if not text.strip() or len(text) > most or breaks or without_hidden(text) != text:
        raise ToolFault(f"a value and a meaning are one visible line of at most {most} characters")


def _tells(text: str, value: str, known: str) -> bool:
    """Whether the text holds the value as a word of its own, and the model does not know it anyway."""
    word = re.compile(rf"(?<![\w.,]){re.escape(value)}(?!\w|[.,]\w)", re.IGNORECASE)
    return word.search(text) is not None and word.search(known) is None


def _states_number(text: str, known: str) -> bool:
    stated, visible = claims([known]), plain(text)
    return any(
        not figure.is_token
        and any(map(str.isdigit, visible[figure.start : figure.end]))
        and not figure.is_stated(stated)
        for figure in figures_in(text)
    )
