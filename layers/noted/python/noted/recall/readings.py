"""The span of local time that an expression of `noted.recall.expressions` names, read at a local moment.

Each reading takes the match and the moment, aware, in the user's time zone. It looks back: a weekday, a date
or a month without a year is the latest that has begun. It raises ValueError or OverflowError for a date that
no calendar has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Protocol

from noted.recall import calendar
from noted.recall.calendar import DAY, Span
from noted.text.number_words import COUNT_WORDS

Match = re.Match[str]


class Groups(Protocol):
    """The groups of a match, or what another language's words in them are in English."""

    def __getitem__(self, name: str, /) -> Any: ...

    def groupdict(self) -> dict[str, Any]: ...


Reading = Callable[[Match, datetime], Span | None]
GroupReading = Callable[[Groups, datetime], Span | None]

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thur thu", "friday fri",
            "saturday", "sunday",  # "sat" and "sun" are words
        )
    )
    for name in names.split()
}  # fmt: skip
COUNTS = {**COUNT_WORDS, "a": 1, "an": 1, "couple": 2}
VAGUE_COUNTS = {"few": (2, 6), "several": (2, 6)}  # at least, at most


def nothing(_: Groups, __: datetime) -> None:
    """What lies ahead: nothing was said in it yet."""
    return


def days_back(count: int, part: str | None = None) -> GroupReading:
    """Reads the day so many days ago, or the part of it that the match names."""
    return lambda match, now: calendar.day(
        now.date() - count * DAY, part or match.groupdict().get("part") or None
    )


def iso(match: Groups, _: datetime) -> Span:
    """2026-03-09, 2026-03."""
    year, month = int(match["year"]), int(match["month"])
    return calendar.day(date(year, month, int(match["day"]))) if match["day"] else calendar.month(year, month)


def numeric(match: Groups, _: datetime) -> Span | None:
    """25.12.2024, 25/12/2024, 12/25/2024; not 3/4/2025, which is either of two days."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if match["mark"] == "." or first > 12 or first == second:
        return calendar.day(date(year, second, first))
    return calendar.day(date(year, first, second)) if second > 12 else None


def day_first(match: Groups, _: datetime) -> Span:
    """3/4/2025 where the day comes first."""
    return calendar.day(date(int(match["year"]), int(match["second"]), int(match["first"])))


def day_and_month(match: Groups, now: datetime) -> Span:
    """28.10., 3月3日: a day and the number of a month, and a year or none."""
    month, day = int(match["second"]), int(match["first"])
    if match["year"]:
        return calendar.day(date(int(match["year"]), month, day))
    return calendar.day(_latest(month, day, now.date()))


def named_date(match: Groups, now: datetime) -> Span:
    """3 March 2025, March 3."""
    month, day = MONTHS[match["month"]], int(match["day"])
    if match["year"]:
        return calendar.day(date(_year(match["year"], now), month, day))
    return calendar.day(_latest(month, day, now.date()))


def date_range(match: Groups, now: datetime) -> Span:
    """3 to 5 March, March 3-5."""
    month, last = MONTHS[match["month"]], int(match["last"])
    end = date(_year(match["year"], now), month, last) if match["year"] else _latest(month, last, now.date())
    return calendar.days(end.replace(day=int(match["day"])), end + DAY)


def month(match: Groups, now: datetime) -> Span:
    """In March, last March, this March."""
    number, current = MONTHS[match["month"]], now.month
    begun = now.year - (number > current)
    if match["which"] == "this":
        return calendar.month(now.year, number)
    return calendar.month(begun - (match["which"] in ("last", "previous") and number == current), number)


def month_of_year(match: Groups, now: datetime) -> Span:
    """March 2025, March last year."""
    return calendar.month(_year(match["year"], now), MONTHS[match["month"]])


def months(match: Groups, now: datetime) -> Span:
    """From November to March."""
    first, last = MONTHS[match["month"]], MONTHS[match["last_month"]]
    year = _year(match["year"], now) if match["year"] else now.year - (last > now.month)
    return Span(calendar.month(year - (first > last), first).since, calendar.month(year, last).until)


def year(match: Groups, _: datetime) -> Span:
    """In 2023."""
    return calendar.year(int(match["year"]))


def years(match: Groups, _: datetime) -> Span:
    """Between 2021 and 2023."""
    return Span(calendar.year(int(match["first"])).since, calendar.year(int(match["second"])).until)


def season_of_year(match: Groups, now: datetime) -> Span:
    """The summer of 2024, spring last year."""
    return calendar.season(match["season"], _year(match["year"], now), str(now.tzinfo))


def season(match: Groups, now: datetime) -> Span:
    """Last summer: the latest that is over. This summer, in summer: the latest that has begun."""
    local = calendar.as_read(now)
    latest_first = (
        calendar.season(match["season"], year, str(now.tzinfo)) for year in range(now.year, now.year - 3, -1)
    )
    if match.groupdict().get("which") in ("last", "previous", "past"):
        return next(span for span in latest_first if span.until <= local)
    return next(span for span in latest_first if span.since <= local)


def quarter(match: Groups, now: datetime) -> Span:
    """Q1 2025, in Q1."""
    number = int(match["quarter"])
    if match["year"]:
        return calendar.quarter(_year(match["year"], now), number)
    return calendar.quarter(now.year - (3 * number - 2 > now.month), number)


def ago(match: Groups, now: datetime) -> Span:
    """Three days ago: that day. Two weeks ago, a year ago: the whole week or year of that day. Hours and
    minutes: give or take one."""
    (least, most), unit = counted(match["count"]), match["unit"]
    if unit in ("minute", "hour"):
        size = timedelta(**{f"{unit}s": 1})
        return _passed(now, (most + 1) * size, (least - 1) * size)
    named, today = "week" if unit == "fortnight" else unit, now.date()
    return Span(
        calendar.unit(named, calendar.earlier(today, most, unit)).since,
        calendar.unit(named, calendar.earlier(today, least, unit)).until,
    )


def rolling(match: Groups, now: datetime) -> Span:
    """The last three days, in the last month: from the day so long ago to the end of today."""
    (_, count), unit = counted(match.groupdict().get("count") or "a"), match["unit"]
    if unit in ("minute", "hour"):
        return _passed(now, count * timedelta(**{f"{unit}s": 1}), timedelta())
    return calendar.days(calendar.earlier(now.date(), count, unit), now.date() + DAY)


def unit(match: Groups, now: datetime) -> Span:
    """Last week, this month, the year before last."""
    which = match["which"]
    away = -2 if which == "before last" else 0 if which in ("this", "current") else -1
    return calendar.unit(match["unit"], now.date(), away)


def weekend(_: Groups, now: datetime) -> Span:
    """Over the weekend: the latest that has begun."""
    return calendar.unit("weekend", now.date(), 0 if now.weekday() >= 5 else -1)


def weekday(match: Groups, now: datetime) -> Span:
    """On Monday, last Monday: the latest before today. This Monday: that of the week that runs."""
    today, wanted = now.date(), WEEKDAYS[match["weekday"]]
    back = (today.weekday() - wanted - 1) % 7 + 1
    if match["which"] == "this":
        back = today.weekday() - wanted
    return calendar.day(today - back * DAY, match["part"])


def weekday_of_week(match: Groups, now: datetime) -> Span:
    """Monday last week, Monday of this week."""
    week = calendar.unit("week", now.date(), 0 if match["which"] == "this" else -1)
    return calendar.day(week.since.date() + WEEKDAYS[match["weekday"]] * DAY, match["part"])


def _passed(now: datetime, since: timedelta, until: timedelta) -> Span:
    # Hours are counted on no clock that was put forward or back.
    begin, end = ((now.astimezone(UTC) - passed).astimezone(now.tzinfo) for passed in (since, until))
    return Span(calendar.as_read(begin), calendar.as_read(end))


def _year(text: str, now: datetime) -> int:
    return now.year - (text == "last year") if text.endswith("year") else int(text)


def counted(text: str) -> tuple[int, int]:
    """What a number, as figures or a word, may mean: at least, at most."""
    word = text.removeprefix("a ").removesuffix(" of")
    count = int(word) if word.isdigit() else COUNTS.get(word, 0)
    return VAGUE_COUNTS.get(word, (count, count))


def _latest(month: int, day: int, today: date) -> date:
    """The latest such day that has begun. Nine years hold a 29 February, whichever century they lie in."""
    for year in range(today.year, today.year - 9, -1):
        try:
            then = date(year, month, day)
        except ValueError:
            continue
        if then <= today:
            return then
    raise ValueError("no such day")
