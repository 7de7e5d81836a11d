"""A rule by which an expression of time is found, and an expression that was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from noted.recall import surroundings

if TYPE_CHECKING:
    from noted.recall.calendar import Span
    from noted.recall.readings import Match, Reading

# A word does not begin within another, and a figure not within another or after a sign of what it counts.
WORD, FIGURE = r"(?<![\w-])", r"(?<![\w.,:/@#$€£+%-])"
END = r"(?![\w@/%])(?!-\w)(?![.,:]\d)"


def one_of(names: Iterable[str]) -> str:
    """An alternation of names in which no name hides a longer one."""
    return "|".join(sorted(names, key=len, reverse=True))


@dataclass(frozen=True)
class Rule:
    """`fits` looks at what stands around a match. An `ahead` expression may as well lie ahead: "on Monday"
    was or will be, "today" is not over."""

    source: str
    read: Reading
    fits: Callable[[Match], bool] = surroundings.stands
    ahead: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first used: all of them together would cost a cold start some 20 ms."""
        return re.compile(self.source)


@dataclass(frozen=True)
class Expression:
    """An expression that was found in a text."""

    match: Match
    rule: Rule

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.match.start()

    @property
    def end(self) -> int:
        """Where what follows it begins."""
        return self.match.end()

    def span(self, now: datetime) -> Span | None:
        """The local time it names, read at a local moment; None where that is no time."""
        try:
            return self.rule.read(self.match, now)
        except (ValueError, OverflowError):
            return None
