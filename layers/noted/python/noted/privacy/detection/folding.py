"""One spelling of what is written in several, with the way back to the places in the text as typed.

Digits of every script become 0 to 9, full-width letters and marks plain ones, every dash a hyphen and every
blank a space; characters that are not drawn go, since a number copied from a contact card often stands
between direction marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from noted.text.characters import is_invisible


def folded(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and for each of its characters the place in `text` where it comes from."""
    if text.isascii():
        return text, range(len(text))
    kept = [(place, form) for place, character in enumerate(text) if (form := _form(character))]
    return "".join(form for _, form in kept), [place for place, _ in kept]


@lru_cache(maxsize=4096)
def _form(character: str) -> str:
    """One character for one, or none for one that is not drawn."""
    if is_invisible(character):
        return ""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Pd" or character == "\u2212":
        return "-"
    if category == "Zs":
        return " "
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 and category != "No" else character


# The marks of ASCII as they are written in addresses of the web, in JSON and in HTML: %2B, \u002b, &#43;.
_CODED = re.compile(r"%(?P<url>[2-7][0-9A-Fa-f])|\\u00(?P<json>[2-7][0-9A-Fa-f])|&#(?P<html>\d{2,3});")


def decoded(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """The text with a mark for each coded one ("maria%40example.org"), and for each of its characters where
    what it was written as starts and ends in `text`. Coded letters and digits stay: nobody writes them so."""
    kept: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    after = 0
    for match in _CODED.finditer(text):
        code = int(match["html"]) if match["html"] else int(match["url"] or match["json"], 16)
        if not 0x20 <= code < 0x7F or chr(code).isalnum():
            continue
        kept += (text[after : match.start()], chr(code))
        starts += (*range(after, match.start()), match.start())
        ends += (*range(after + 1, match.start() + 1), match.end())
        after = match.end()
    if not kept:
        return text, range(len(text)), range(1, len(text) + 1)
    starts += range(after, len(text))
    ends += range(after + 1, len(text) + 1)
    return "".join((*kept, text[after:])), starts, ends
