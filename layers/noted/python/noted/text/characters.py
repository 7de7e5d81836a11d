"""Characters that cannot be seen, and what of them a reader still needs.

Invisible characters hide words from a check (a zero-width space inside a word), carry hidden text (the tag
block, runs of variation selectors) or turn a line around (bidirectional marks). Some are part of ordinary
writing: Persian and the scripts of India put joiners inside words, and many emoji are joined sequences.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

ZERO_WIDTH_NON_JOINER = "\u200c"
ZERO_WIDTH_JOINER = "\u200d"

# Format characters that are drawn: the number and verse signs of Arabic, Syriac and Kaithi.
_DRAWN = frozenset(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)))

# Default-ignorable and blank-looking characters that Unicode does not file under "format".
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x109F),  # Tibetan, Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x312F),  # kana, bopomofo
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),  # ideographs
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def is_unspaced(character: str) -> bool:
    """Whether the character is a letter of a script that sets no blanks between words."""
    code = ord(character)
    return any(first <= code <= last for first, last in _UNSPACED) and character.isalpha()


def is_variation_selector(character: str) -> bool:
    """Whether the character only chooses how the one before it is drawn."""
    code = ord(character)
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180F


@lru_cache(maxsize=4096)
def is_invisible(character: str) -> bool:
    """Whether nothing is drawn for the character. Blanks, controls and line breaks are not meant."""
    code = ord(character)
    if is_variation_selector(character) or character in _BLANKS:
        return True
    if 0xFFF0 <= code <= 0xFFF8 or 0xE0000 <= code <= 0xE0FFF:
        return True
    if (code & 0xFFFE) == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:  # noncharacters
        return True
    return unicodedata.category(character) in ("Cf", "Cs") and character not in _DRAWN


def without_invisible(text: str) -> str:
    """The text with every invisible character taken out: the form in which texts are compared."""
    if text.isascii():
        return text
    return "".join(character for character in text if not is_invisible(character))


def _takes_joiner(character: str) -> bool:
    """Whether the character belongs to a script that writes joiners inside words (Arabic to Sinhala)."""
    return 0x0600 <= ord(character) <= 0x0DFF


def _is_pictograph(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk") or 0xFE0E <= ord(character) <= 0xFE0F


def _takes_selector(character: str) -> bool:
    """Whether a variation selector may follow: pictographs, keycap bases, arrows, ideographs, Mongolian."""
    code = ord(character)
    return (
        unicodedata.category(character) in ("So", "Sm", "Po")
        or character in "#*0123456789"
        or 0x3400 <= code <= 0x9FFF
        or 0x1800 <= code <= 0x18AF
        or 0x20000 <= code <= 0x3FFFF
    )


def without_hidden(text: str) -> str:
    """The text as a reader sees it: invisible characters go, save those that shape what is seen.

    A joiner stays between two letters of a script that uses it or between two pictographs, and one variation
    selector stays after a character that takes one. Everything else invisible goes.
    """
    if text.isascii():
        return text
    shown = [
        character
        for character in text
        if not is_invisible(character)
        or is_variation_selector(character)
        or character in (ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER)
    ]
    kept: list[str] = []
    for place, character in enumerate(shown):
        before = kept[-1] if kept else " "
        after = shown[place + 1] if place + 1 < len(shown) else " "
        if is_variation_selector(character):
            stays = _takes_selector(before)
        elif character in (ZERO_WIDTH_NON_JOINER, ZERO_WIDTH_JOINER):
            stays = (_takes_joiner(before) and _takes_joiner(after)) or (
                character == ZERO_WIDTH_JOINER and _is_pictograph(before) and _is_pictograph(after)
            )
        else:
            stays = True
        if stays:
            kept.append(character)
    return "".join(kept)


def blotted(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these spans (start, end) overwritten by NUL, so that a later reading finds nothing there;
    every other character keeps its place."""
    left = list(text)
    for start, end in spans:
        left[start:end] = "\0" * (end - start)
    return "".join(left)
