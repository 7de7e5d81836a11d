"""Numbers in digits, with their grouping, decimals, scale and unit, and the codes that look like numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from noted.text.characters import blotted
from noted.text.number_words import SCALES

Reading = frozenset[Fraction | str]

_LATIN = "A-Za-z\u00c0-\u024f"
_START, _END = rf"(?<![{_LATIN}\d_])", rf"(?![{_LATIN}\d_])"
_GROUPED = r"\d{1,3}(?P<group>[,.' ])\d{3}(?:(?P=group)\d{3})*(?:[.,]\d+)?(?![\d'])"
_INDIAN = r"\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?(?!\d)"
_DIGITS = rf"(?P<digits>{_GROUPED}|{_INDIAN}|\d+(?:\.\d+){{2,}}|\d+(?:[.,]\d+)?)"
_CURRENCY = "EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|Rs"

_SCALES = {
    **SCALES,
    "k": 1_000,
    "bn": 10**9,
    "mn": 10**6,
    "百": 100,
    "千": 1_000,
    "万": 10**4,
    "萬": 10**4,
    "億": 10**8,
    "亿": 10**8,
}
_LONGEST = 40  # characters; what is longer is no number that anybody counts with
_UNITS = frozenset(
    """km m cm mm mi ft in yd kg g mg lb lbs oz t l ml cl dl h hr hrs min mins s sec secs ms am pm px gb mb
    tb kb mph kmh kph kw kwh w v hz mhz ghz c f cal kcal eur euro euros usd gbp chf yo y yr yrs d wk wks x p
    pct st nd rd th er""".split()
)

_TIME = re.compile(rf"{_START}(?P<hour>\d\d?):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])")
_FRACTION = re.compile(
    rf"{_START}(?:(?P<whole>\d{{1,15}}) ?)?(?<!\d)(?P<over>\d{{1,15}})\u2044(?P<under>\d{{1,15}})(?!\d)"
)
_RATIO = re.compile(rf"{_START}(?<!/)(?P<over>\d{{1,15}})/(?P<under>\d{{1,15}})(?!/){_END}")
_NUMBER = re.compile(
    rf"(?:(?<![\w)\]])(?P<sign>[-+]))?{_START}(?:(?:{_CURRENCY}) ?)?{_DIGITS}"
    rf"(?: ?(?P<scale>{'|'.join(SCALES)}|k|bn|mn|[百千万萬億亿])(?![{_LATIN}\d_])"
    rf"|(?P<suffix>[{_LATIN}]+))?{_END}",
    re.IGNORECASE,
)
_CODE = re.compile(rf"{_START}[{_LATIN}_]*\d[{_LATIN}\d_]*")


def numerals(text: str) -> Iterator[tuple[int, int, tuple[Reading, ...]]]:
    """The numbers and codes in a text in plain form: start, end and readings. They do not overlap."""
    left = text
    readers = ((_TIME, _time), (_FRACTION, _fraction), (_RATIO, _ratio), (_NUMBER, _number), (_CODE, _code))
    for pattern, reader in readers:
        found = [(match, readings) for match in pattern.finditer(left) if (readings := reader(match))]
        left = blotted(left, (match.span() for match, _ in found))
        yield from (
            (match.start(), match.end(), tuple(map(frozenset, readings))) for match, readings in found
        )


def value_of(digits: str) -> Fraction | None:
    """The value of one number in plain digits; None where it has two readings (1.200) or is a code (0042)."""
    match = _NUMBER.fullmatch(digits)
    if not match or match["scale"] or match["suffix"]:
        return None
    readings = _number(match)
    value = next(iter(readings[0]))
    return value if len(readings) == 1 and isinstance(value, Fraction) else None


def _time(match: re.Match[str]) -> list[set[Fraction | str]]:
    minute = int(match["minute"])
    return [{Fraction(int(match["hour"])), Fraction(minute)} if minute else {Fraction(int(match["hour"]))}]


def _fraction(match: re.Match[str]) -> list[set[Fraction | str]]:
    if not int(match["under"]):
        return []
    return [{int(match["whole"] or 0) + Fraction(int(match["over"]), int(match["under"]))}]


def _ratio(match: re.Match[str]) -> list[set[Fraction | str]]:
    over, under = int(match["over"]), int(match["under"])
    apart: set[Fraction | str] = {Fraction(over), Fraction(under)}  # open 24/7
    return [{Fraction(over, under)}, apart] if under else [apart]


def _code(match: re.Match[str]) -> list[set[Fraction | str]]:
    return [{match.group().casefold()}]


def _number(match: re.Match[str]) -> list[set[Fraction | str]]:
    suffix = (match["suffix"] or "").casefold()
    if suffix and suffix not in _UNITS:
        return _code(match)
    if suffix == "s" and match["digits"].endswith("0"):
        return _code(match)  # a decade: 90s, 1990s
    values = _values(match["digits"])
    if not values:
        return _code(match)
    factor = Fraction(_SCALES[match["scale"].casefold()] if match["scale"] else 1)
    readings: list[set[Fraction | str]] = [
        {value * factor * (-1 if match["sign"] == "-" else 1)} for value in values
    ]
    if " " in match["digits"]:
        readings.append({Fraction(part) for part in match["digits"].split()})  # two numbers side by side
    return readings


def _values(digits: str) -> list[Fraction]:
    """What a run of digits and marks can mean, the likeliest first; nothing for a code."""
    if len(digits) > _LONGEST:
        return []
    if digits.isdigit():
        return [] if digits[0] == "0" and len(digits) > 1 else [Fraction(digits)]
    marks = [mark for mark in digits if not mark.isdigit()]
    last, tail = marks[-1], len(digits) - 1 - max(digits.rfind(mark) for mark in marks)
    whole = "".join(mark for mark in digits if mark.isdigit())
    decimal = Fraction(int(whole), 10**tail)
    if len(set(marks)) == 2:
        return [decimal] if marks.count(last) == 1 and last in ".," else []
    if len(set(marks)) > 2:
        return []
    if last in "' ":
        return [Fraction(whole)]
    if len(marks) > 1:  # 1,200,000 and 1,00,000 are grouped; 3.11.4 is a code
        grouped = all(len(part) in ((2, 3) if last == "," else (3,)) for part in digits.split(last)[1:])
        return [Fraction(whole)] if grouped else []
    if tail == 3 and digits[0] != "0":
        return [Fraction(whole)] if last == "," else [Fraction(whole), decimal]
    return [decimal]
