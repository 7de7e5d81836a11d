"""What the words around an expression of time make of it: since, after, before, until, between, and whether
the question looks back at all, or asks when something was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from noted.recall import calendar
from noted.recall.surroundings import lead
from noted.text.patterns import Pattern

if TYPE_CHECKING:
    from noted.recall.calendar import Span
    from noted.recall.rules import Expression, Rule

Bounds = tuple[datetime | None, datetime | None]
Joint = Literal["range", "range before", "list"]

_NEVER = Pattern(r"(?!)")
_ALWAYS = Pattern("")
_NEIGHBOURHOOD = 100  # characters of the text around an expression that are enough to see what tells


@dataclass(frozen=True)
class Edge:
    """What opens one end of a span: a word that leads it in, matched up to its begin, or one that follows it.
    None for a language that has no such word."""

    before: Pattern = _NEVER
    behind: Pattern = _NEVER

    def at(self, expression: Expression) -> bool:
        """Whether one of the two stands at an expression."""
        match = expression.match
        return bool(self.before.search(lead(match)) or self.behind.match(match.string, match.end()))


@dataclass(frozen=True)
class Telling:
    """Words of telling around an expression: what stands up to its begin, and what from its end on."""

    before: Pattern = _ALWAYS
    behind: Pattern = _ALWAYS

    def around(self, text: str, expression: Expression) -> bool:
        """Whether they stand there."""
        start = max(0, expression.start - _NEIGHBOURHOOD)
        # A pattern that begins with ^ means the begin of the text, not of what is looked at of it.
        before = text[start : expression.start] if start == 0 else "\0" + text[start : expression.start]
        return bool(
            self.before.search(before)
            and self.behind.match(text[expression.end : expression.end + _NEIGHBOURHOOD])
        )


@dataclass(frozen=True)
class Speech:
    """One language's words around expressions of time, over folded text whose characters `letters` has put in
    the place of others (accents, variants), one for one.

    `counted` leads in a span that is only counted from ("two days before"); `week_of` one whose week is
    meant. `joined` joins two spans to a range after `between`, `ranged` without it, and `listed` to both of
    them. `present` are the signs of a question about the present or the future, `past` those of one that
    looks back, in folded text as it was written; `rules` are the expressions of the language.
    """

    since: Edge
    after: Edge
    before: Edge
    until: Edge
    present: Pattern
    past: Pattern
    telling: Sequence[Telling]
    ranged: Pattern
    listed: Pattern
    between: Pattern = _NEVER
    joined: Pattern = _NEVER
    to_now: Pattern = _NEVER
    counted: Pattern = _NEVER
    week_of: Pattern = _NEVER
    letters: Mapping[int, str] = field(default_factory=dict)
    rules: Sequence[Rule] = ()

    def looks_back(self, folded: str) -> bool:
        """Whether a question may be about what was."""
        return bool(self.past.search(folded)) or not self.present.search(folded)

    def told(self, text: str, expression: Expression) -> bool:
        """Whether an expression stands beside the user's telling."""
        return any(telling.around(text, expression) for telling in self.telling)

    def bounds(self, expression: Expression, span: Span | None) -> Bounds | None:
        """A span with the end open that the words around it leave open."""
        before = lead(expression.match)
        if span is None or self.counted.search(before):  # two days before it: neither it nor all before it
            return None
        if self.week_of.search(before):
            return calendar.unit("week", span.since.date())
        if self.since.at(expression):
            return span.since, None
        if self.after.at(expression):
            return span.until, None
        if self.until.at(expression):
            return None, span.until
        if self.before.at(expression):
            return None, span.since
        return span

    def joint(self, first: Expression, between: str) -> Joint | None:
        """What the words between two expressions make of the two."""
        is_range = self.ranged.fullmatch(between) or (
            self.joined.fullmatch(between) and self.between.search(lead(first.match))
        )
        if is_range:
            return "range before" if self.before.before.search(between) else "range"
        return "list" if self.listed.fullmatch(between) else None
