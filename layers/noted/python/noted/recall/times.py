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

and, in Spanish, French, Portuguese, German and Italian, yesterday, last night, the day before it, last week,
last month and last year. Not known: "recently", "the other day", holidays, decades, hours of the clock, dates
that two countries read differently (3/4/2025), and a bare year, number or month.

A query looks back, since nothing was said in what is to come: a day, month or season without a year is the
latest that has begun, "last" the latest that is over, and tomorrow, next week and a year ahead are no window.
A span that may as well lie ahead or is not over ("today", "on Monday", "in May") is none in a question about
the present or the future ("What should I cook today?").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from noted.recall import calendar
from noted.recall.calendar import Span
from noted.recall.expressions import Expression, expressions
from noted.recall.surroundings import lead
from noted.text.folding import fold


@dataclass(frozen=True)
class Window:
    """A half-open range of time, aware, in UTC; None where it is open."""

    since: datetime | None
    until: datetime | None

    def holds(self, instant: datetime) -> bool:
        """Whether an instant lies in it."""
        return (self.since is None or self.since <= instant) and (self.until is None or instant < self.until)


_BEGIN, _FINISH = r"(?:start|beginning)", r"end"
_PART_OF = rf"(?:(?:early|mid|late)[ -]|(?:the )?(?:{_BEGIN}|middle|{_FINISH}) of (?:the )?)?"
_AFTER_BEGIN = re.compile(
    rf"(?:^|\W)(?:since (?:the (?:year )?)?{_PART_OF}|after (?:the )?{_BEGIN} of (?:the )?)$"
)
_AFTER = re.compile(rf"(?:^|\W)after (?:the (?:year )?)?{_PART_OF}$")
_BEFORE_END = re.compile(
    rf"(?:^|\W)(?:(?:until|till|up to) (?:the (?:year )?)?{_PART_OF}|before (?:the )?{_FINISH} of (?:the )?)$"
)
_BEFORE = re.compile(rf"(?:^|\W)(?:before|prior to) (?:the (?:year )?)?{_PART_OF}$")
_COUNTED = re.compile(r"\w (?:day|week|month|year)s? (?:before|after|since|from) (?:the )?$")
_WEEK_OF = re.compile(r"(?:^|\W)week (?:of|beginning|starting|commencing)(?: on)?(?: the)? $")
_LIST = re.compile(r",? (?:and|or) (?:on |in |from )?(?:the )?|, ")
_RANGE = re.compile(
    rf" ?- ?| (?:to|through|until|till|up to) (?:the )?{_PART_OF}"
    r"|,? (?:and|but) (?:before|until|till|up to)(?: the)? "
)
_AND = re.compile(rf" and (?:the )?{_PART_OF}")
_TO_NOW = re.compile(r"(?: and| to| until| till| through| up to)(?: right)? now\b| (?:to|till) date\b")
_BETWEEN = re.compile(rf"(?:^|\W)between (?:the )?{_PART_OF}$")
_LONGEST_JOINT = 32  # characters

_PRESENT = re.compile(
    r"\b(?:will|won't|shall|should|would|can|could|might|must|am|is|are|do|does|don't|doesn't|going to|want"
    r"|need|plan|let's)\b|\w'(?:ll|m|re)\b|\b(?:what|when|where|who)'s\b"
)
_PAST = re.compile(
    r"\b(?:did|didn't|was|wasn't|were|weren't|had|been|told|said|ago|do you (?:still )?(?:remember|recall)"
    r"|(?:have|haven't|has|hasn't) (?:i|we|you|he|she|it|they|my|our|anything|anyone|there)"
    r"|went|gone|got|made|took|saw|seen|ate|bought|met|wrote|written|gave|spoke|came|felt|found|heard|lost"
    r"|learnt|slept|spent|thought|ran|drank|sent|[^\W\d_]{2,}[^\We]ed)\b|\w've\b"
)

_SAID = (
    r"(?:(?:ever|already|first|last|actually) )?(?:(?:tell|told) you"
    r"|(?:say|said|mention|mentioned|share|shared|note|noted)(?: (?:to|with) you)?"
    r"|(?:ask|asked) you)"
)
_DISCUSSED = r"(?:(?:talk|talked|speak|spoke|spoken|chat|chatted)(?: about)?|discuss|discussed)"
_I_SAID = rf"\b(?:i(?:'ve|'d| have| had)? {_SAID}|we(?:'ve|'d| have| had)? {_DISCUSSED})"
_TOLD_THEN = re.compile(
    rf"{_I_SAID}(?: (?:anything|something|it|this|about me))?,?"
    r"(?: (?:back|in|on|during|over|within|throughout|at|from|between|since|after|before|until|the|year"
    r"|month of|early|late|mid))* ?(?:mid-)?$"
)
_THEN_TOLD = re.compile(
    rf"(?:'s)?,? (?:(?:what|which|who|where|when|how)(?: [\w']+){{0,3}} )?(?:(?:did|have|had) )?{_I_SAID}"
)
_OPENS = re.compile(
    r"(?:^|[.!?;] )(?:(?:and|so|ok|hey|hi|also)\b,? )?"
    r"(?:(?:in|on|during|over|since|after|before|back|from|until)\b ?)*(?:the )?$"
)
_NEIGHBOURHOOD = 100  # characters of the text around an expression that are enough to see what tells


def window(query: str, now: datetime, timezone: str) -> Window | None:
    """The time that a query names, seen at `now` (aware) from an IANA time zone; None where it names none.

    Of several times the one at which something was told counts, else the first. A window that is empty, or
    begins after now, is None; what is given has an end at least.
    """
    text = fold(query)
    local = now.astimezone(ZoneInfo(timezone))
    found = expressions(text)
    looks_back = bool(_PAST.search(text)) or not _PRESENT.search(text)
    known = [place for place, each in enumerate(found) if looks_back or not each.rule.ahead]
    told = [place for place in known if _is_when_told(text, found[place])]
    for place in (*told, *known):
        named = _window(text, found, place, local)
        if named and (named.since is None or named.since <= now):
            return named
    return None


def asks_when_told(query: str) -> bool:
    """Whether the time that a query names is when something was told, so that nothing told at another time
    answers it: "What did I tell you yesterday?", "Since Monday, what have I told you?".

    The time stands beside the telling. Any other ("What did I tell you about the party last week?", "Where
    was I in May?") may as well be the time that a fact speaks of, and a fact about May can be told in June.
    """
    text = fold(query)
    return any(_is_when_told(text, each) for each in expressions(text))


def _is_when_told(text: str, expression: Expression) -> bool:
    before = text[max(0, expression.start - _NEIGHBOURHOOD) : expression.start]
    if _TOLD_THEN.search(before):
        return True
    opening = expression.start <= _NEIGHBOURHOOD and _OPENS.search(before)
    return bool(opening and _THEN_TOLD.match(text[expression.end : expression.end + _NEIGHBOURHOOD]))


def _window(text: str, found: list[Expression], place: int, now: datetime) -> Window | None:
    """The window of an expression, together with the one that it is joined to."""
    first = found[place]
    begin = _bounds(first, now, first.span(now))
    if begin is None:
        return None
    if _TO_NOW.match(text, first.end):
        return _instants(begin[0], None, now)
    second = found[place + 1] if place + 1 < len(found) else None
    joint = text[first.end : second.start] if second else ""
    if second is None or not 0 < len(joint) <= _LONGEST_JOINT:
        return _instants(*begin, now)
    span = second.span(now)
    is_range = _RANGE.fullmatch(joint) or (_AND.fullmatch(joint) and _BETWEEN.search(lead(first.match)))
    if span is None:
        return _instants(begin[0], None if is_range else begin[1], now)
    if is_range:
        exclusive = joint.rstrip().endswith("before")
        end = span.since if exclusive else span.until
        if begin[0] and begin[0] >= end:  # from Friday to Monday: the Friday before that Monday
            begin = first.span(span.since.replace(tzinfo=now.tzinfo)) or begin
        return _instants(begin[0], end, now)
    if _LIST.fullmatch(joint) and begin[0] and begin[1]:
        return _instants(min(begin[0], span.since), max(begin[1], span.until), now)
    return _instants(*begin, now)


def _bounds(
    expression: Expression, now: datetime, span: Span | None
) -> tuple[datetime | None, datetime | None] | None:
    """A span with the end open that "since", "after", "before" or "until" leaves open."""
    before = lead(expression.match)
    if span is None or _COUNTED.search(before):  # two days before it: neither it nor all before it
        return None
    if _WEEK_OF.search(before):
        return calendar.unit("week", span.since.date())
    if _AFTER_BEGIN.search(before):
        return span.since, None
    if _AFTER.search(before):
        return span.until, None
    if _BEFORE_END.search(before):
        return None, span.until
    if _BEFORE.search(before):
        return None, span.since
    return span


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
