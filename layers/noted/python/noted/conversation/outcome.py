"""What a message led to, before it is stored as a turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from noted.conversation.turn import Extraction, Kept, Route
from noted.facts.fact import Fact
from noted.models.seam import Usage


@dataclass(frozen=True)
class Outcome:
    """An answer before it is stored."""

    route: Route
    answer: str
    memory: Kept
    recalled: tuple[Fact, ...] = ()
    degraded: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    extraction: Extraction | None = None
    facts: tuple[Fact, ...] = ()
