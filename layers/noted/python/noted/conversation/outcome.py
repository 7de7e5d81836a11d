"""What a message led to, before it is stored as a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.conversation.turn import Extraction, Kept, Route, Turn
    from noted.facts.fact import Fact
    from noted.models.seam import Prompt, Purpose, Usage


@dataclass(frozen=True)
class Outcome:
    """An answer before it is stored.

    `answer` is what is stored: masked, with labels for figures. `shown` is what the user reads instead, None
    where it is the same. `entities` holds, by its id, what each id in the answer stands for, and `figures`
    the labels that tools filled in. `usage` is what the calls cost, by purpose. `minor`: the user said to be
    a child, so that memory is to be paused.
    """

    route: Route
    answer: str
    memory: Kept
    shown: str | None = None
    entities: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    recalled: tuple[Fact, ...] = ()
    degraded: tuple[str, ...] = ()
    usage: Mapping[Purpose, Usage] = field(default_factory=dict)
    extraction: Extraction | None = None
    facts: tuple[Fact, ...] = ()
    minor: bool = False


@dataclass(frozen=True)
class Taken:
    """A stored turn, the facts that its message recalled, and the answer as the user reads it."""

    turn: Turn
    recalled: tuple[Fact, ...]
    shown: str


@dataclass(frozen=True)
class Tokens:
    """About how many tokens the parts of a prompt take."""

    system: int
    history: int
    message: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.system + self.history + self.message


@dataclass(frozen=True)
class Context:
    """A prompt as a model is to read it, in letters. `placeholders` holds what each of its tokens stands
    for."""

    prompt: Prompt
    tokens: Tokens
    placeholders: Mapping[str, str]
    recalled: tuple[Fact, ...]
    degraded: tuple[str, ...]
