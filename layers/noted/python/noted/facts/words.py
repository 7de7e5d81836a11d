"""The words of a text, for telling whether two texts say the same thing.

Words are compared after Unicode folding. A denial counts ("doesn't" is "does not"), figures stay whole and
are compared by value (1,200 is 1200; 55.5 is not 55), hyphens join (non-smoker is one word), and emoji,
placeholders are words, C++ is not C. Scripts without blanks between words are taken letter by letter, and
there the
order counts too: the same letters in another order are another word.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from noted.text.characters import is_unspaced
from noted.text.folding import fold
from noted.text.numerals import value_of

_TOKEN = re.compile(r"<[^<>\s]+>|\[earlier [^\[\]\s]+\]|\[[\w-]+(?:\.[\w-]+)+\]|⟦[^⟦⟧]*⟧")
_NUMBER = re.compile(r"\d{1,3}(?: \d{3})+(?![\w])|\d+(?:[.,:/'\u2044-]\d+)*")
_JOINS = frozenset("'-.&@_")
_DENIALS = {
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "cannot": ("can", "not"),
}


def words(text: str) -> tuple[str, ...]:
    """The folded words of a text, in order."""
    return tuple(_words(fold(text)))


def same_words(one: str, other: str) -> bool:
    """Whether two texts have the same words, in any order: the same fact said again."""
    first, second = words(one), words(other)
    return Counter(first) == Counter(second) and _letters(first) == _letters(second)


def holds_all_and_more(longer: str, shorter: str) -> bool:
    """Whether the first text holds all words of the second, as often, and at least one word more."""
    more, fewer = words(longer), words(shorter)
    return Counter(fewer) < Counter(more) and _is_within(_letters(fewer), _letters(more))


def _letters(of: tuple[str, ...]) -> list[str]:
    return [word for word in of if is_unspaced(word[0])]


def _is_within(fewer: list[str], more: list[str]) -> bool:
    """Whether the letters stand in the other list in the same order, with or without others between them."""
    left = iter(more)
    return all(letter in left for letter in fewer)


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM" or character == "_"


def _words(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        character = text[place]
        if token := _TOKEN.match(text, place):
            yield token.group()
            place = token.end()
        elif character.isdigit():
            word, place = _figure(text, place)
            yield word
        elif is_unspaced(character):
            end = _marks_end(text, place + 1)
            yield text[place:end]
            place = end
        elif _is_letter(character):
            end = _word_end(text, place)
            yield from _apart(text[place:end].rstrip("".join(_JOINS)))
            place = end
        elif character == "&":
            yield "and"
            place += 1
        elif unicodedata.category(character) in ("So", "Sc", "Sm") and character not in "|~":
            pair = _is_flag_letter(character) and _is_flag_letter(text[place + 1 : place + 2])
            yield text[place : place + 1 + pair]
            place += 1 + pair
        else:
            place += 1


def _figure(text: str, place: int) -> tuple[str, int]:
    """A number with what is written to it: its sign, the letters after it (80kg), a per cent sign."""
    number = _NUMBER.match(text, place)
    end = number.end() if number else place + 1
    digits = text[place:end]
    value = value_of(digits.replace(" ", ""))
    word = _decimal(value) if value is not None else digits
    if place and text[place - 1] == "-" and (place == 1 or text[place - 2] in " (["):
        word = f"-{word}"
    if end < len(text) and _is_letter(text[end]) and not is_unspaced(text[end]):
        start, end = end, _word_end(text, end)
        word += text[start:end].rstrip("".join(_JOINS))
    percent = re.compile(r" ?%").match(text, end)
    return (word + "%", percent.end()) if percent else (word, end)


def _decimal(value: Fraction) -> str:
    whole = value.numerator // value.denominator
    if value.denominator == 1:
        return str(whole)
    digits = ""
    rest = value - whole
    while rest:
        digit, rest = divmod(rest * 10, 1)
        digits += str(digit)
    return f"{whole}.{digits}"


def _word_end(text: str, place: int) -> int:
    end = place
    while end < len(text):
        character = text[end]
        inside = (_is_letter(character) and not is_unspaced(character)) or character.isdigit()
        joined = (
            character in _JOINS
            and end + 1 < len(text)
            and (text[end + 1].isdigit() or _is_letter(text[end + 1]))
        )
        if not inside and not joined:
            break
        end += 1
    while end < len(text) and text[end] in "+#":
        end += 1
    return end


def _marks_end(text: str, place: int) -> int:
    end = place
    while end < len(text) and unicodedata.category(text[end])[0] == "M":
        end += 1
    return end


def _apart(word: str) -> tuple[str, ...]:
    """A word, with a denial that is written to it as a word of its own."""
    if word in _DENIALS:
        return _DENIALS[word]
    return (word[:-3], "not") if word.endswith("n't") and len(word) > 3 else (word,)


def _is_flag_letter(character: str) -> bool:
    return len(character) == 1 and 0x1F1E6 <= ord(character) <= 0x1F1FF
