"""The figures of a text, and whether another text states them: values are compared, never strings.

A figure is a number in digits of any script or in words, a date, or a code: a run with letters and digits in
it (BA2490), a number that starts with a zero (0042), a decade (90s), a placeholder (<IBAN_1>), a label of a
figure that code fills in ([account.balance]). What can be read in two ways has two readings: 1.200 is twelve
hundred in German, one point two in English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from noted.text.characters import blotted
from noted.text.dates import Date, written_dates
from noted.text.folding import plain
from noted.text.number_words import number_words
from noted.text.numerals import numerals

Claim = Fraction | str | Date
_Reader = Callable[[str], Iterator[tuple[int, int, tuple[frozenset[Claim], ...]]]]

_TOKEN = re.compile(
    r"<[A-Za-z]+(?:_[A-Za-z0-9]+)*>|\[earlier [A-Za-z_0-9]+\]|\[[A-Za-z][\w-]*(?:\.[\w-]+)+\]|⟦[^⟦⟧]*⟧"
)


@dataclass(frozen=True)
class Figure:
    """`start` and `end` are places in the plain form of the text; each reading is a set of claims."""

    start: int
    end: int
    readings: tuple[frozenset[Claim], ...]

    @property
    def dates(self) -> frozenset[Date]:
        """The dates among its claims."""
        return frozenset(claim for claim in self.claims if isinstance(claim, Date))

    @property
    def claims(self) -> frozenset[Claim]:
        """The claims of all its readings, and the day and the year of a date as numbers of their own."""
        claims = frozenset[Claim]().union(*self.readings)
        dates = [claim for claim in claims if isinstance(claim, Date)]
        return claims | {
            Fraction(part) for date in dates for part in (date.year, date.day) if part is not None
        }

    @property
    def is_token(self) -> bool:
        """Whether it is a placeholder or a label, which stands for a value that is not in the text."""
        return any(isinstance(claim, str) and claim[0] in "<[⟦" for claim in self.claims)

    def is_stated(self, known: frozenset[Claim]) -> bool:
        """Whether one of its readings is wholly among the known claims."""
        return any(all(_is_known(claim, known) for claim in reading) for reading in self.readings)


def figures(text: str) -> list[Figure]:
    """The figures of a text, in order. They do not overlap."""
    left = plain(text)
    found: list[Figure] = []
    for reader in (_tokens, written_dates, numerals, _words):
        read = [Figure(start, end, readings) for start, end, readings in reader(left)]
        left = blotted(left, ((figure.start, figure.end) for figure in read))
        found += read
    return sorted(found, key=lambda figure: figure.start)


def _tokens(text: str) -> Iterator[tuple[int, int, tuple[frozenset[Claim], ...]]]:
    for match in _TOKEN.finditer(text):
        yield match.start(), match.end(), (frozenset({match.group()}),)


def _words(text: str) -> Iterator[tuple[int, int, tuple[frozenset[Claim], ...]]]:
    for word in number_words(text):
        claim: Claim = f"{word.value}s" if word.decade else word.value
        yield word.start, word.end, (frozenset({claim}),)


def claims(texts: Iterable[str]) -> frozenset[Claim]:
    """Everything that the figures of these texts state."""
    return frozenset[Claim]().union(*(figure.claims for text in texts for figure in figures(text)))


def _is_known(claim: Claim, known: frozenset[Claim]) -> bool:
    if isinstance(claim, Date):
        return any(claim.agrees_with(date) for date in known if isinstance(date, Date))
    return claim in known
