"""Where a personal value stands in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.privacy.entities import EntityType


@dataclass(frozen=True)
class Span:
    """A value at `start` to `end`, in characters. `canonical` is equal for two ways to write one value: a
    phone in E.164, an e-mail address without case, a card's digits."""

    start: int
    end: int
    type: EntityType
    canonical: str


# Finds the values of one kind in a folded text (see `noted.privacy.detection.folding`). Spans may overlap.
Finder = Callable[[str], Iterator[Span]]
