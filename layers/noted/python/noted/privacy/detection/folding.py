"""One spelling of what is written in several, with the way back to the places in the text as typed.

Digits of every script become 0 to 9, full-width letters and marks plain ones, every dash a hyphen and every
blank a space; characters that are not drawn go, since a number copied from a contact card often stands
between direction marks.
"""

from __future__ import annotations

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
