"""Numerals of Chinese and Japanese."""

from __future__ import annotations

_DIGITS = "一二三四五六七八九"


def numeral(number: int) -> str:
    """A number from 1 to 99.

    >>> numeral(21)
    '二十一'
    """
    tens, units = divmod(number, 10)
    unit = _DIGITS[units - 1] if units else ""
    return f"{_DIGITS[tens - 1] if tens > 1 else ''}十{unit}" if tens else unit


def numerals(most: int) -> dict[str, str]:
    """The numerals from 1 on, and the same numbers in figures."""
    return {numeral(number): str(number) for number in range(1, most + 1)}


def months(names: tuple[str, ...]) -> dict[str, str]:
    """What stands before the character for a month, in figures or as a numeral, with the month's name."""
    numbers = (
        (figures, name) for number, name in enumerate(names, 1) for figures in (str(number), f"{number:02}")
    )
    return {**dict(numbers), **{numeral(number): name for number, name in enumerate(names, 1)}}
