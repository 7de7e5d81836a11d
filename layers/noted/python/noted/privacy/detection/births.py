"""Dates of birth: a whole date, told as one. A plain date stays, and so does a year or a birthday alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.detection.context import before
from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType
from noted.text.dates import Date, written_dates

_BORN = re.compile(
    r"""(?:\b(?:born|birth\s?date|date\ of\ birth|d\.?o\.?b|birthday|geboren|geburtsdatum|geb
    |née?|date\ de\ naissance|nac[ií]\w{0,3}|fecha\ de\ nacimiento|nat[oa]|data\ di\ nascita
    |nascid[oa]|nasci|data\ de\ nascimento|född|født|fødselsdato|födelsedatum|geboortedatum|syntynyt
    |urodzon[ya]|data\ urodzenia|narozena?|doğum\ tarihi|doğdum|né\ à|né\ le
    |родил(?:ся|ась)|дата\ рождения|народи(?:вся|лася))\b
    |تاریخ\ تولد|متولد|تاريخ\ الميلاد|ولدت|مواليد|תאריך\ לידה|נולד|जन्म|生年月日|出生|生日|생년월일|태어)
    [^.!?\d]{0,28}$|\b(?:d\.o\.b\.|geb\.|nac\.|ur\.)\s?:?\s?$""",
    re.VERBOSE,
)
# A date in figures that `written_dates` leaves open: 3-5-1990, 03/05/90, 1990/05/03, 1369/2/13.
_FIGURES = re.compile(
    r"(?<![\w./-])(?:(?:1[2-9]|20)\d\d(?P<a>[./-])\d\d?(?P=a)\d\d?|\d\d?(?P<b>[./-])\d\d?(?P=b)(?:(?:1[2-9]|20)\d\d|\d\d))"
    r"(?![\w]|[./-]\d)"
)


def birth_dates(text: str) -> Iterator[Span]:
    """The dates of birth of a folded text."""
    for start, end, readings in written_dates(text):
        dates = [claim for reading in readings for claim in reading if isinstance(claim, Date)]
        if any(date.year and date.day for date in dates) and _BORN.search(before(text, start)):
            date = dates[0]
            yield Span(start, end, EntityType.BIRTH_DATE, f"{date.year}-{date.month}-{date.day}")
    for match in _FIGURES.finditer(text):
        if _BORN.search(before(text, match.start())):
            yield Span(*match.span(), EntityType.BIRTH_DATE, match.group())
