"""Spans of a calendar, as one place's clocks show them: days, weeks, seasons.

A week begins on Monday (ISO 8601). A season is three whole months (the meteorological ones: spring from March
in the north, from September in the south) and has the year in which it begins: the winter of 2024 ends on the
last day of February 2025.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # the month of its begin, north
# What people call a part of a day, in hours from its midnight. They overlap where people differ.
PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (17, 30)}

# The places of the tzdata that have summer in January and clocks of their own.
_SOUTHERN = (
    "Africa/Gaborone", "Africa/Harare", "Africa/Johannesburg", "Africa/Maputo", "Africa/Maseru",
    "Africa/Mbabane", "Africa/Windhoek", "America/Argentina/", "America/Asuncion", "America/Buenos_Aires",
    "America/Coyhaique", "America/Montevideo", "America/Punta_Arenas", "America/Santiago",
    "America/Sao_Paulo", "Antarctica/", "Atlantic/Stanley", "Australia/", "Chile/", "NZ",
    "Pacific/Auckland", "Pacific/Chatham",
)  # fmt: skip


class Span(NamedTuple):
    """A half-open span of local time: naive, as the clocks there show it."""

    since: datetime
    until: datetime


def days(first: date, after: date) -> Span:
    """From the midnight that begins `first` to the one that begins `after`."""
    return Span(datetime.combine(first, time()), datetime.combine(after, time()))


def day(of: date, part: str | None = None) -> Span:
    """A day, or the part of it that has a name in `PARTS`; a night ends at six on the next day."""
    if part is None:
        return days(of, of + DAY)
    begin, end = PARTS[part]
    midnight = datetime.combine(of, time())
    return Span(midnight + timedelta(hours=begin), midnight + timedelta(hours=end))


def month(year: int, number: int) -> Span:
    """A month, 1 to 12."""
    return days(date(year, number, 1), months_later(date(year, number, 1), 1))


def year(number: int) -> Span:
    """A calendar year."""
    return days(date(number, 1, 1), date(number + 1, 1, 1))


def quarter(year: int, number: int) -> Span:
    """A quarter of a calendar year, 1 to 4."""
    first = date(year, 3 * number - 2, 1)
    return days(first, months_later(first, 3))


def season(name: str, year: int, timezone: str) -> Span:
    """The season that begins in a year, as the hemisphere of the time zone has it."""
    first = date(year, SEASONS[name], 1)
    if timezone.startswith(_SOUTHERN):
        first = date(year, (first.month + 5) % 12 + 1, 1)
    return days(first, months_later(first, 3))


def unit(name: str, of: date, away: int = 0) -> Span:
    """The day, week, weekend, month, quarter or year that a date lies in, or the one so many `away`. The
    weekend of a date is the one that ends its week."""
    monday = of - of.weekday() * DAY
    if name == "day":
        return day(of + away * DAY)
    if name == "week":
        return days(monday + 7 * away * DAY, monday + 7 * (away + 1) * DAY)
    if name == "weekend":
        return days(monday + (7 * away + 5) * DAY, monday + 7 * (away + 1) * DAY)
    if name == "month":
        there = months_later(of.replace(day=1), away)
        return month(there.year, there.month)
    if name == "quarter":
        there = months_later(of.replace(day=1), 3 * away)
        return quarter(there.year, (there.month + 2) // 3)
    return year(of.year + away)


def earlier(of: date, count: int, name: str) -> date:
    """The date so many days, weeks, fortnights, months, quarters or years before; where the month is too
    short, its last day. Raises OverflowError or ValueError where the calendar ends."""
    if name in ("day", "week", "fortnight"):
        return of - timedelta(days=count * {"day": 1, "week": 7, "fortnight": 14}[name])
    return months_later(of, -count * {"month": 1, "quarter": 3, "year": 12}[name])


def months_later(of: date, count: int) -> date:
    """The date so many months after; where the month is too short, its last day."""
    year_there, month_there = divmod(of.year * 12 + of.month - 1 + count, 12)
    following = date(year_there + month_there // 11, (month_there + 1) % 12 + 1, 1)
    return date(year_there, month_there + 1, min(of.day, (following - DAY).day))


def as_read(moment: datetime) -> datetime:
    """What the clocks show at an aware moment: naive, with `fold` where they show it a second time."""
    return moment.replace(tzinfo=None)
