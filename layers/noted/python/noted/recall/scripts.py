"""What a text beyond ASCII is cut into before its words are looked at: one spelling of what people type in
several, then words, emoji, and pairs of the characters of scripts that are written without blanks.

`noted.recall.lexical` imports it when the first such text comes: its patterns take ten times as long to
compile as those for ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from noted.recall.lexical import CONNECTORS

# Letters with a mark that Unicode does not take apart, and Arabic letters that keyboards exchange.
_SAME = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ё": "е",
        "ك": "ک", "ي": "ی", "ى": "ی", "ئ": "ی", "ؤ": "و", "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ة": "ه",
    }
)  # fmt: skip
_ARABIC_MARKS = "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
_HEBREW_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_CONTROLS = "\u00ad\u061c\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
_INVISIBLE = re.compile(f"[{_CONTROLS}{_HEBREW_POINTS}{_ARABIC_MARKS}]")
_BLANK = re.compile("[\u200b\u200c]")  # zero-width space (Khmer, Thai), zero-width non-joiner (Persian)
_ACCENTS = re.compile("(?<=[a-z\u0370-\u03ff])[\u0300-\u036f]+")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")

# Scripts written without blanks, or (Hangul) with endings glued to the word; first the marks on letters.
_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u17b4-\u17d1\u17d3"
)
_CHINESE = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYLLABLES = "\uac00-\ud7a3"
_UNSPACED = (
    f"{_CHINESE}{_SYLLABLES}\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3105-\u312f"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u17d7\u17dc\u17dd"
)
_CLUSTER = re.compile(f".(?:[{_MARKS}]|\u17d2[\u1780-\u17a2])*", re.DOTALL)
_MEANS_ALONE = re.compile(f"[{_CHINESE}{_SYLLABLES}]")

_PICTURE = "[\u2300-\u23ff\u25aa-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]*"
_EMOJI = f"[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}(?:\u200d{_PICTURE})*"
_VARIANT = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")

_LETTER = f"(?![{_UNSPACED}])[^\\W_]"
_MARK = "[\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0f71-\u0fbc\u200d]"
_LETTERS = f"{_LETTER}(?:{_LETTER}|{_MARK})*"
_ANY_WORD = f"{_LETTERS}(?:[{CONNECTORS}]{_LETTERS})*"
_PARTS = re.compile(f"(?P<emoji>{_EMOJI})|(?P<run>[{_UNSPACED}]+)|{_ANY_WORD}")


def fold(text: str) -> str:
    """One spelling of what people type in several: width, case, accents, digits, Arabic letter forms."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _BLANK.sub(" ", _INVISIBLE.sub("", text)).translate(_SAME)
    text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def parts(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a folded text in order, each with whether it is a token as it stands: an emoji, or a pair
    of characters. The others are runs of letters and digits that connectors may hold together."""
    for found in _PARTS.finditer(text):
        if found["emoji"]:
            yield from ((each, True) for each in _emoji(found[0]))
        elif found["run"]:
            yield from ((each, True) for each in _pairs(found[0]))
        else:
            yield found[0].replace("\u200d", ""), False


def _emoji(sequence: str) -> Iterator[str]:
    whole = _VARIANT.sub("", sequence)
    parts = [part for part in whole.split("\u200d") if part]
    if len(parts) > 1:
        yield whole
    yield from parts


def _pairs(run: str) -> Iterator[str]:
    letters = _CLUSTER.findall(run)
    for i, letter in enumerate(letters):
        if len(letters) == 1 or _MEANS_ALONE.match(letter):
            yield letter
        if i + 1 < len(letters):
            yield letter + letters[i + 1]
