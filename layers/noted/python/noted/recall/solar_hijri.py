"""Spans of the Solar Hijri calendar of Iran and Afghanistan, whose year begins with spring.

Six months of 31 days, five of 30, and Esfand of 29, or of 30 in a leap year. Leap years follow a cycle of
33 years with eight of them, which agrees with the calendar in use from 1206 to 1498 (1827 to 2119). Weeks
begin on Saturday and end with a weekend of Thursday and Friday.
"""

from __future__ import annotations

from datetime import date, timedelta

from noted.recall import calendar
from noted.recall.calendar import DAY, Span

_LEAPS = (1, 5, 9, 13, 17, 22, 26, 30)  # of 33 years
_CYCLE_DAYS = 33 * 365 + len(_LEAPS)
_EPOCH = date(622, 3, 21).toordinal()  # 1 Farvardin of the year 1


def first_day(year: int, month: int = 1) -> date:
    """The first day of a month, 1 to 12. Raises ValueError for a year before 1, OverflowError for one that
    the Gregorian calendar does not reach."""
    if year < 1:
        raise ValueError("a year is at least 1")
    cycles, rest = divmod(year - 1, 33)
    days = cycles * _CYCLE_DAYS + rest * 365 + sum(leap <= rest for leap in _LEAPS)
    return date.fromordinal(_EPOCH) + timedelta(days=days + 30 * (month - 1) + min(month - 1, 6))


def date_of(year: int, month: int, day: int) -> date:
    """A day. Raises ValueError where the month has no such day."""
    there = first_day(year, month) + (day - 1) * DAY
    if day < 1 or there >= _following(year, month):
        raise ValueError("no such day")
    return there


def month_of(day: date) -> tuple[int, int]:
    """The year and the month that a day lies in."""
    year = day.year - 621
    if day < first_day(year):
        year -= 1
    passed = (day - first_day(year)).days
    return year, (passed // 31 if passed < 186 else 6 + (passed - 186) // 30) + 1


def month(year: int, number: int) -> Span:
    """A month, 1 to 12."""
    return calendar.days(first_day(year, number), _following(year, number))


def year(number: int) -> Span:
    """A year."""
    return calendar.days(first_day(number), first_day(number + 1))


def unit(name: str, of: date, away: int = 0) -> Span:
    """The week, weekend, month or year that a date lies in, or the one so many `away`; a day, hour or quarter
    is that of the Gregorian calendar."""
    saturday = of - (of.weekday() + 2) % 7 * DAY + 7 * away * DAY
    if name == "week":
        return calendar.days(saturday, saturday + 7 * DAY)
    if name == "weekend":
        return calendar.days(saturday + 5 * DAY, saturday + 7 * DAY)
    if name == "month":
        there = months_later(*month_of(of), away)
        return month(*there)
    if name == "year":
        return year(month_of(of)[0] + away)
    return calendar.unit(name, of, away)


def months_later(year: int, month: int, count: int) -> tuple[int, int]:
    """The year and the month so many months after."""
    years, months = divmod(year * 12 + month - 1 + count, 12)
    return years, months + 1


def _following(year: int, month: int) -> date:
    return first_day(*months_later(year, month, 1))
