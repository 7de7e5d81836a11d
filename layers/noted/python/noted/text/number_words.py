"""Numbers that are written as words.

English is read in full ("two hundred and five", "nineteen ninety", "third", "the nineties"). German, French,
Spanish, Portuguese and Italian numbers are read word by word, those that are no common word of another of
these languages; their articles ("un", "eine") are not numbers. Chinese and Japanese numerals are read before
a counter ("三个", "二匹"), since the same characters stand inside many other words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_UNITS = {
    word: value for value, word in enumerate("zero one two three four five six seven eight nine".split())
}
_TEENS = {
    word: value
    for value, word in enumerate(
        "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), 10
    )
}
_TENS = {
    word: value * 10
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
        "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        1,
    )
} | {
    word: value * 10
    for value, word in enumerate(
        "thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth".split(), 3
    )
}
ORDINAL_WORDS = tuple(_ORDINALS)
COUNT_WORDS = {**{word: value for word, value in _UNITS.items() if value}, **_TEENS}
_DECADES = {f"{word[:-1]}ies": value for word, value in _TENS.items()}

_OTHER_LANGUAGES = {
    # German
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
    "zwölf": 12, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "hundert": 100, "tausend": 1000,
    # French
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "huit": 8, "neuf": 9, "dix": 10, "onze": 11, "douze": 12,
    "quinze": 15, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50,
    # Spanish
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
    "doce": 12, "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "cien": 100,
    # Portuguese
    "dois": 2, "duas": 2, "três": 3, "quatro": 4, "sete": 7, "oito": 8, "nove": 9, "dez": 10, "doze": 12,
    "vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "cem": 100,
    # Italian
    "tre": 3, "quattro": 4, "cinque": 5, "sette": 7, "dieci": 10, "dodici": 12, "venti": 20, "trenta": 30,
    "quaranta": 40, "cinquanta": 50, "cento": 100,
}  # fmt: skip
_OTHER = {word.replace("ß", "ss"): value for word, value in _OTHER_LANGUAGES.items()}

# "One" is a number before a thing that is counted, and a pronoun anywhere else.
_NOT_COUNTED_BY_ONE = frozenset(
    "a an the of is was are were has had that who which whose by for to in on at with from and or but so if "
    "as because when where while more less other another day thing fact detail i you he she it we they my "
    "your can will would should must may might does did do than not".split()
)
_PRONOUN_BEFORE_ONE = frozenset(
    "no any every some each this that the which another other anyone everyone".split()
)

_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_GAP = re.compile(r"[ -]")

_HAN_DIGITS = {
    **{digit: value for value, digit in enumerate("零一二三四五六七八九")},
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000}
_HAN = re.compile(
    r"(?P<number>[零〇一二两兩三四五六七八九十百千万萬]{1,15})"
    r"(?P<counter>[个個只隻岁歲歳年月日号號口人位名次本台匹头頭条條张張杯块塊元円圆時时點点分天周週级級楼樓階回冊枚件家间間つ度公米斤里])"
)
_COUNTED_BY_ONE = frozenset("年月日号號岁歲歳時时點点")
_HAN_WORDS = frozenset({"十分", "万分", "萬分", "百分"})  # "very", "per cent"


@dataclass(frozen=True)
class NumberWord:
    """A number written as words: where it stands and its value. A decade ("the nineties") is no value."""

    start: int
    end: int
    value: Fraction
    decade: bool = False


def number_words(text: str) -> list[NumberWord]:
    """The numbers written as words in a text whose case and form do not matter, in order."""
    return sorted([*_spelled(text), *_han(text)], key=lambda found: found.start)


def _spelled(text: str) -> list[NumberWord]:
    tokens = [(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
    found: list[NumberWord] = []
    place = 0
    while place < len(tokens):
        length, value = _longest(text, tokens, place)
        word, start, end = tokens[place]
        if length:
            found.append(NumberWord(start, tokens[place + length - 1][2], Fraction(value)))
        elif word in _DECADES:
            found.append(NumberWord(start, end, Fraction(_DECADES[word]), decade=True))
        elif word in _OTHER:
            found.append(NumberWord(start, end, Fraction(_OTHER[word])))
        place += length or 1
    return found


def _longest(text: str, tokens: list[tuple[str, int, int]], place: int) -> tuple[int, int]:
    """How many words from `place` on make one English number, and its value; (0, 0) for none."""
    number, used = _EnglishNumber(), 0
    if not _opens(text, tokens, place):
        return 0, 0
    for index in range(place, len(tokens)):
        word, start, _ = tokens[index]
        if index > place and not _GAP.fullmatch(text[tokens[index - 1][2] : start]):
            break
        if word == "and" and number.last in ("hundred", "scale"):
            continue
        if not number.take(word):
            break
        used = index - place + 1
    return used, number.total + number.current


class _EnglishNumber:
    """An English number that is read word by word. `last` is the sort of the last word taken."""

    def __init__(self) -> None:
        self.total = self.current = 0
        self.last = "start"
        self._smaller_than = 10**15

    def take(self, word: str) -> bool:
        """Whether the word goes on with the number; if so it is added."""
        return any(read(word) for read in (self._unit, self._tens, self._hundred, self._scale, self._ordinal))

    def _unit(self, word: str) -> bool:
        if word not in _UNITS or self.last not in ("start", "ten", "hundred", "scale"):
            return False
        self.current, self.last = self.current + _UNITS[word], "unit"
        return True

    def _tens(self, word: str) -> bool:
        value = _TEENS.get(word) or _TENS.get(word)
        if value is None:
            return False
        if self.last in ("start", "hundred", "scale"):
            self.current += value
        elif self.last in ("teen", "ten", "unit") and self.total == 0 and 10 <= self.current <= 99:
            self.current = self.current * 100 + value  # a year: nineteen ninety, twenty twenty-seven
        else:
            return False
        self.last = "ten" if word in _TENS else "teen"
        return True

    def _hundred(self, word: str) -> bool:
        if word != "hundred" or self.last not in ("start", "unit", "teen", "ten") or self.current >= 100:
            return False
        self.current, self.last = (self.current or 1) * 100, "hundred"
        return True

    def _scale(self, word: str) -> bool:
        scale = SCALES.get(word, 0)
        if scale in (0, 100) or self.last in ("scale", "ordinal") or scale >= self._smaller_than:
            return False
        self.total, self.current = self.total + (self.current or 1) * scale, 0
        self.last, self._smaller_than = "scale", scale
        return True

    def _ordinal(self, word: str) -> bool:
        value = _ORDINALS.get(word)
        if value is None or self.last not in ("start", "ten", "hundred", "scale"):
            return False
        if self.last == "ten" and value > 9:
            return False
        self.current, self.last = self.current + value, "ordinal"
        return True


def _opens(text: str, tokens: list[tuple[str, int, int]], place: int) -> bool:
    """Whether the word can open a number: "one" and "dozen" often do not."""
    word = tokens[place][0]
    if word == "one":
        return _counts(text, tokens, place)
    return word != "dozen" or _after_article(tokens, place)


def _counts(text: str, tokens: list[tuple[str, int, int]], index: int) -> bool:
    """Whether "one" counts the word after it."""
    if index and tokens[index - 1][0] in _PRONOUN_BEFORE_ONE and text[tokens[index - 1][2]] == " ":
        return False
    if index + 1 >= len(tokens):
        return False
    gap = text[tokens[index][2] : tokens[index + 1][1]]
    return gap in (" ", "-") and tokens[index + 1][0] not in _NOT_COUNTED_BY_ONE


def _after_article(tokens: list[tuple[str, int, int]], index: int) -> bool:
    before = [word for word, _, _ in tokens[max(0, index - 2) : index]]
    return before[-1:] == ["a"] and before[0] != "half"


def _han(text: str) -> list[NumberWord]:
    found = []
    for match in _HAN.finditer(text):
        number, counter = match.group("number"), match.group("counter")
        if number == "一" and counter not in _COUNTED_BY_ONE:
            continue  # an article: 一个朋友 is a friend
        if number + counter in _HAN_WORDS:
            continue
        found.append(NumberWord(match.start(), match.end("number"), Fraction(_han_value(number))))
    return found


def _han_value(number: str) -> int:
    if not any(digit in _HAN_SCALES for digit in number):
        return int("".join(str(_HAN_DIGITS[digit]) for digit in number))
    total = section = digit = 0
    for character in number:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif _HAN_SCALES[character] == 10_000:
            total, section, digit = total + (section + digit or 1) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _HAN_SCALES[character], 0
    return total + section + digit
