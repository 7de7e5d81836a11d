"""The time that a query names ("what did I tell you last week?"), read by rules before any model.

A window is half open and counted on the user's own calendar: a day runs from midnight to midnight as the
clocks of their time zone show it, a week from Monday. The windows that are known, in English:

    parts of days   today, earlier today, this morning, tonight, last night, yesterday evening, Monday morning
    days            yesterday, the day before yesterday, three days ago, on Monday, last Monday, this Monday,
                    Monday last week, 3 March, March 3rd 2025, March 3-5, 2025-03-03, 25.12.2024
    weeks and more  this, last or previous week, weekend, month, quarter, year; the week before last; over the
                    weekend; two weeks ago, a year ago (the whole week or year that this leads to)
    lengths         the last three days, the past week, in the last month (so long ago to the end of today),
                    in the last two hours, an hour ago (give or take one); "a few" is two to six
    names           in March, last March, March 2025, March last year, from March to May, last summer, in the
                    summer, the summer of 2024 (as the hemisphere of the time zone has it), in 2023, Q1 2025
    open ends       since, after, before, until any of these, or until now
    two of them     between X and Y, from X to Y, X until Y, after X and before Y, X or Y

Those of other languages stand in `noted.recall.languages`. Not known: "recently", "the other day", holidays,
decades, hours of the clock, dates that two countries read differently (3/4/2025, where the query is English),
and a bare year, number or month.

A query looks back, since nothing was said in what is to come: a day, month or season without a year is the
latest that has begun, "last" the latest that is over, and tomorrow, next week and a year ahead are no window.
A span that may as well lie ahead or is not over ("today", "on Monday", "in May") is none in a question about
the present or the future ("What should I cook today?").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from noted.recall import languages
from noted.recall.english import ENGLISH
from noted.recall.expressions import expressions
from noted.text.folding import fold

if TYPE_CHECKING:
    from noted.recall.rules import Expression
    from noted.recall.speech import Speech

_LONGEST_JOINT = 32  # characters


@dataclass(frozen=True)
class Window:
    """A half-open range of time, aware, in UTC; None where it is open."""

    since: datetime | None
    until: datetime | None

    def holds(self, instant: datetime) -> bool:
        """Whether an instant lies in it."""
        return (self.since is None or self.since <= instant) and (self.until is None or instant < self.until)


@dataclass(frozen=True)
class _Read:
    """A text as its language reads it, with its expressions of time in their order."""

    text: str
    speech: Speech
    found: Sequence[Expression]
    looks_back: bool

    def is_told(self, place: int) -> bool:
        """Whether an expression stands beside the user's telling."""
        return self.speech.told(self.text, self.found[place])


def window(query: str, now: datetime, timezone: str) -> Window | None:
    """The time that a query names, seen at `now` (aware) from an IANA time zone; None where it names none.

    Of several times the one at which something was told counts, else the first. A window that is empty, or
    begins after now, is None; what is given has an end at least.
    """
    read = _read(query)
    local = now.astimezone(ZoneInfo(timezone))
    known = [place for place, each in enumerate(read.found) if read.looks_back or not each.rule.ahead]
    told = [place for place in known if read.is_told(place)]
    for place in (*told, *known):
        named = _window(read, place, local)
        if named and (named.since is None or named.since <= now):
            return named
    return None


def asks_when_told(query: str) -> bool:
    """Whether the time that a query names is when something was told, so that nothing told at another time
    answers it: "What did I tell you yesterday?", "Since Monday, what have I told you?".

    The time stands beside the telling. Any other ("What did I tell you about the party last week?", "Where
    was I in May?") may as well be the time that a fact speaks of, and a fact about May can be told in June.
    """
    read = _read(query)
    return any(read.is_told(place) for place in range(len(read.found)))


def _read(query: str) -> _Read:
    folded = fold(query)
    speech = languages.spoken(folded) or ENGLISH
    text = folded.translate(speech.letters) if speech.letters else folded
    return _Read(text, speech, expressions(text, speech.rules), speech.looks_back(folded))


def _window(read: _Read, place: int, now: datetime) -> Window | None:
    """The window of an expression, together with the one that it is joined to."""
    text, speech, first = read.text, read.speech, read.found[place]
    begin = speech.bounds(first, first.span(now))
    if begin is None:
        return None
    if speech.to_now.match(text, first.end):
        return _instants(begin[0], None, now)
    second = read.found[place + 1] if place + 1 < len(read.found) else None
    between = text[first.end : second.start] if second else ""
    if second is None or not 0 < len(between) <= _LONGEST_JOINT:
        return _instants(*begin, now)
    span = second.span(now)
    joint = speech.joint(first, between)
    if span is None:
        return _instants(begin[0], begin[1] if joint in (None, "list") else None, now)
    if joint in ("range", "range before"):
        end = span.since if joint == "range before" else span.until
        if begin[0] and begin[0] >= end:  # from Friday to Monday: the Friday before that Monday
            begin = first.span(span.since.replace(tzinfo=now.tzinfo)) or begin
        return _instants(begin[0], end, now)
    if joint == "list" and begin[0] and begin[1]:
        return _instants(min(begin[0], span.since), max(begin[1], span.until), now)
    return _instants(*begin, now)


def _instants(since: datetime | None, until: datetime | None, now: datetime) -> Window | None:
    """Local times as instants. Of a time that clocks show twice the first counts, and of one that they skip
    the moment of the skip."""
    if since is None and until is None:
        return None
    try:
        begin, end = (bound and bound.replace(tzinfo=now.tzinfo).astimezone(UTC) for bound in (since, until))
    except OverflowError:
        return None
    return None if begin and end and end <= begin else Window(begin, end)
