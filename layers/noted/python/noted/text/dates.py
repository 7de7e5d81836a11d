"""Dates as people write them: 2027-05-14, 14.05.2027, 5/14/2027, 14 May 2027, May 14th, May 2027, 14 de mayo,
2027年5月14日.

Month names are those of English, German, French, Spanish, Portuguese and Italian. A month that stands alone
is no figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from noted.text.characters import blotted


class Date(NamedTuple):
    """A date as far as it is given: `year` has four digits, and a part that is not given is None."""

    year: int | None
    month: int
    day: int | None

    def agrees_with(self, other: Date) -> bool:
        """Whether every part that this date gives is the same in the other."""
        return self.month == other.month and self.year in (None, other.year) and self.day in (None, other.day)


Reading = frozenset[Fraction | str | Date]

MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "january jan januar janvier enero janeiro gennaio",
            "february feb februar février fevrier febrero fevereiro febbraio",
            "march mar märz mars marzo março",
            "april apr avril abril aprile",
            "may mai mayo maio maggio",
            "june jun juni juin junio junho giugno",
            "july jul juli juillet julio julho luglio",
            "august aug août aout agosto",
            "september sep sept septembre septiembre setembro settembre",
            "october oct oktober octobre octubre outubro ottobre",
            "november nov novembre noviembre novembro",
            "december dec dezember décembre diciembre dezembro dicembre",
        ),
        1,
    )
    for name in names.split()
}
_ALSO_VERBS = frozenset({"may", "march"})  # written small, they are months or verbs

_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})(?![^\W\d_])\.?"
_LATIN = "A-Za-z\u00c0-\u024f"
_START, _END = rf"(?<![{_LATIN}\d_])(?<!\d[.,:/-])", rf"(?![{_LATIN}\d_])"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)(?:st|nd|rd|th|º|ª|er|\.)?" + _END
_YEAR = r"(?P<year>[12]\d{3})" + _END

_NAMED = tuple(
    re.compile(_START + pattern, re.IGNORECASE)
    for pattern in (
        rf"{_DAY} ?(?:of |de )?{_MONTH}(?:,? (?:de |of )?{_YEAR})?",
        rf"{_MONTH} {_DAY}(?:,? {_YEAR})?(?![,.]\d)",
        rf"{_MONTH},? (?:of |de )?{_YEAR}(?![,.]\d)",
    )
)
_ISO = re.compile(_START + r"(?P<year>[12]\d{3})-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?![\d-])")
_SLASHED = re.compile(
    _START + r"(?P<first>\d\d?)(?P<mark>[./])(?P<second>\d\d?)(?P=mark)(?P<year>[12]\d{3})(?!\d)"
)
_EAST_ASIAN = re.compile(
    _START + r"(?:(?P<year>[12]\d{3})[年년] ?)?(?P<month>\d\d?)[月월](?: ?(?P<day>\d\d?)[日号號일])?"
)

_TIME_UNIT = (
    r"(?:night|morning|afternoon|evening|day|week|weekend|fortnight|month|quarter|term|semester|year|decade"
    r"|spring|summer|autumn|fall|winter|season|christmas|easter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?"
)
_RELATIVE = re.compile(
    rf"""\b(?:
      yesterday | today | tonight | tomorrow | ago | (?:from|by|until|till|as\ of)\ now
      | (?:mon|tues|wednes|thurs|fri|satur|sun)days?
    | (?:last|next|this|past|coming|previous|upcoming|following)\ (?:few\ |couple\ of\ )?{_TIME_UNIT}
    | (?:in|within|for|over)\ (?:[\w-]+\ ){{1,3}}(?:days?|weeks?|months?|years?)
    | gestern | vorgestern | heute | morgen | übermorgen
    | (?:letzte|nächste|kommende|vorige|diese|vergangene)[nmrs]? | vor\ \w+\ \w+
    | hier | avant-hier | aujourd'hui | demain | derni(?:er|ère) | prochaine? | passée? | il\ y\ a
    | dans\ \w+\ \w+
    | ayer | anteayer | hoy | mañana | pasad[oa] | próxim[oa] | hace\ \w+ | dentro\ de
    | ontem | hoje | amanhã | passad[oa] | há\ \w+ | ieri | oggi | domani | scors[oa] | prossim[oa] | \w+\ fa
    | вчера | сегодня | завтра | прошл\w+ | следующ\w+ | назад | через
    )\b
    | 昨 | 今[天日年月週周] | 明[天日年] | 去年 | 来[年月週] | 先[月週] | 前[天年] | 后[天年]
    | [上下]个?[月周] | [上下]星期
    | أمس | اليوم | غد | الماضي | القادم | دیروز | امروز | فردا | پارسال | سال\ (?:آینده|گذشته) | कल | आज
    | पिछल | अगल
    """,
    re.VERBOSE,
)
_NAMED_MONTH = re.compile(
    rf"\b(?:in|next|last|this|since|until|till|by|of|from|before|after|during|early|mid|late|im|seit|ab"
    rf"|bis|en|de|desde|hasta|em|depuis|da|dal|nel|fin)[ -]{_MONTH}"
)


def relates_to_now(folded: str) -> bool:
    """Whether a folded text holds an expression whose date depends on when it was said ("last week")."""
    return bool(_RELATIVE.search(folded))


def named_months(folded: str) -> frozenset[int]:
    """The months, 1 to 12, that a folded text names after a word such as "in" or "next"."""
    return frozenset(MONTHS[match["month"]] for match in _NAMED_MONTH.finditer(folded))


def written_dates(text: str) -> Iterator[tuple[int, int, tuple[Reading, ...]]]:
    """The dates of a text in plain form: start, end and readings, the likeliest first, without overlap."""
    left = text
    for pattern in (_ISO, _EAST_ASIAN, _SLASHED, *_NAMED):
        found = [(match, readings) for match in pattern.finditer(left) if (readings := _readings(match))]
        left = blotted(left, (match.span() for match, _ in found))
        yield from ((match.start(), match.end(), readings) for match, readings in found)


def _readings(match: re.Match[str]) -> tuple[Reading, ...]:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    day = int(parts["day"]) if parts.get("day") else None
    if match.re is _SLASHED:
        first, second = int(parts["first"]), int(parts["second"])
        orders = [(second, first), (first, second)]
        return tuple(
            {frozenset({Date(year, m, d)}): None for m, d in orders if m in range(1, 13) and 1 <= d <= 31}
        )
    if match.re in _NAMED:
        month = parts["month"]
        numbers = frozenset(Fraction(part) for part in (year, day) if part is not None)
        named: tuple[Reading, ...] = (frozenset({Date(year, MONTHS[month.casefold()], day)}),)
        return (*named, numbers) if month in _ALSO_VERBS else named
    month = int(parts["month"])
    numbers = frozenset(Fraction(part) for part in (year, month, day) if part is not None)
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return ()
    dated: Reading = frozenset({Date(year, month, day)})
    return (dated,) if day else (dated, numbers)  # 2010-12 is also a span of years
