"""Texts whose words are written in something other than letters, or in a cipher that a model undoes at sight.

A rule about words reads none of it, and a model reads all of it. What has no use in a fact is told by its
form (symbols that stand for letters, runs of numbers, dots and dashes); ciphers are told by the words that an
order needs: each is looked up as it is written in every one of them.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# What an order to an assistant is made of. Of six letters or more: shorter ones are words by chance.
_TELLING = """
    always recommend recommends recommended remember assistant instruction instructions ignore promote praise
    prefer prefers mention answer answers system password customer approved verified transfer forward confirm
    without warning warnings suggest disregard override previous everything
    empfehle empfiehl antwort antworten ignoriere anweisungen
    toujours recommande recommander réponse ignorer
    siempre recomienda recomendar respuesta sempre raccomanda raccomandare risposta
    recomende recomendar resposta altijd aanbevelen antwoord
""".split()

_DRAWN_LETTERS = re.compile("[\U0001f150-\U0001f169\U0001f170-\U0001f189]")
_BRAILLE = re.compile("[\u2801-\u28ff]")
# A flag is a pair of regional indicators.
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]+")
_MOST_FLAGS = 6
# More letters that are drawn upside down than a transcription of a name's sounds has.
_MOST_TURNED = 2

_NUMBERS = re.compile(r"(?<!\d)\d{1,3}(?:[ ,;./|-]{1,2}\d{1,3}){9,200}(?!\d)")
_MORSE = re.compile(r"(?:(?<=\s)|^)(?:[.\-\u00b7\u2022_]{1,6}(?:[ /|]{1,3}|$)){5}")
_NATO = re.compile(
    r"(?:\b(?:alfa|alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november"
    r"|oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whiskey|x-?ray|yankee|zulu)\b[\s,.-]{0,3}){5}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{6,}")
# An order whose words are run together or cut up: read with what parts letters taken out.
_PARTED = re.compile(r"[\W\d_]+")
_RUN_TOGETHER = re.compile(
    r"(?:always|never|only|please)(?:recommend|suggest|promote|praise|prefer|trust|mention|ignore"
    r"|favou?r|obey)"
    r"|ignore(?:all|previous|every)(?:rules|instructions|previous|safety)"
)
_IN_WORDS = re.compile(
    r"(?:always|never|only|please)\W+(?:recommend|suggest|promote|praise|prefer|trust|mention|ignore|favou?r"
    r"|obey)|ignore\W+(?:all|previous|every)\W+(?:rules|instructions|previous|safety)"
)
_STRUCK = re.compile("[\u0334-\u0338]")
_BASE64 = re.compile(r"(?<![\w+/])(?=\w*[A-Z]\w*[A-Z])(?:[A-Za-z0-9+/]{4}){2,5}(?![\w+/=])")


def is_drawn(text: str) -> bool:
    """Whether symbols stand for letters (enclosed ones, flags that are none, Braille), or letters are upside
    down or struck out."""
    if text.isascii():
        return False
    if any(len(each.findall(text)) > 2 for each in (_DRAWN_LETTERS, _BRAILLE, _STRUCK)):
        return True
    flags = _REGIONAL.findall(text)
    if any(len(run) % 2 for run in flags) or sum(map(len, flags)) > 2 * _MOST_FLAGS:
        return True
    return len(set(filter(_is_turned, text))) > _MOST_TURNED


def is_ciphered(text: str) -> bool:
    """Whether a text holds numbers, dots or call words for letters, a telling word in a cipher, or an order
    whose words are run together."""
    if _MORSE.search(text) or _NATO.search(text) or any(map(_are_letters, _NUMBERS.findall(text))):
        return True
    if any(map(_hides_letters, _BASE64.findall(text))):
        return True
    folded = text.casefold()
    if _RUN_TOGETHER.search(_PARTED.sub("", folded)) and not _IN_WORDS.search(folded):
        return True
    return not _ciphers().isdisjoint(_WORD.findall(folded))


@lru_cache(maxsize=4096)
def _is_turned(character: str) -> bool:
    return "LETTER TURNED" in unicodedata.name(character, "")


def _hides_letters(token: str) -> bool:
    """Whether a token of base64 decodes to letters, which one in ten thousand does by chance."""
    return base64.b64decode(token).replace(b" ", b"").isalpha()


def _are_letters(run: str) -> bool:
    """Whether every number of a run is the place of a letter in the alphabet, or the code of a character."""
    numbers = [int(each) for each in re.findall(r"\d+", run)]
    return all(1 <= each <= 26 for each in numbers) or all(32 <= each <= 126 for each in numbers)


@cache
def _ciphers() -> frozenset[str]:
    found = {written for word in _TELLING for written in _written(word)}
    return frozenset(each for each in found if len(each) > 5) - frozenset(_TELLING)


def _written(word: str) -> Iterator[str]:
    """A word back to front, shifted by every number of letters, mirrored in the alphabet, in Pig Latin, and
    without its vowels."""
    yield word[::-1]
    for shift in range(1, 26):
        yield word.translate(str.maketrans(_LETTERS, _LETTERS[shift:] + _LETTERS[:shift]))
    yield word.translate(str.maketrans(_LETTERS, _LETTERS[::-1]))
    head = re.match(r"[^aeiouy]*", word)
    onset = head.group() if head else ""
    yield from (f"{word[len(onset) :]}{onset}{end}" for end in (("ay",) if onset else ("ay", "way", "yay")))
    yield re.sub(r"[aeiou]", "", word)
