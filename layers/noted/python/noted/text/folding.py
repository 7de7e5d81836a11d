"""The forms in which texts are compared."""

from __future__ import annotations

import re
import unicodedata

from noted.text.characters import without_invisible

_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`\uff07"), "'")
_QUOTES = dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\u301f\uff02"), '"')
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_ARABIC = {0x066A: "%", 0x066B: ".", 0x066C: ","}
_EQUAL = {**_APOSTROPHES, **_QUOTES, **_DASHES}

_BLANKS = re.compile(r"\s+")


def _compatible(character: str) -> str:
    """The character in its plain form, with its number kept apart from the digits beside it.

    Normalisation alone joins them: 1\u00bd would read 11/2, and 10\u00b2 would read 102.
    """
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    plain = unicodedata.normalize("NFKC", character)
    if category != "No" or plain == character:
        return character
    kind = unicodedata.decomposition(character).partition(" ")[0]
    if kind in ("<super>", "<sub>"):
        return f"^{plain}"
    if kind == "<circle>":
        return f"({plain})"
    return f" {plain}"


def plain(text: str) -> str:
    """The visible text in Unicode's compatibility form, with 0 to 9 for the digits of every script.

    Case and lines stay.
    """
    if text.isascii():
        return text
    visible = "".join(map(_compatible, without_invisible(text).translate(_ARABIC)))
    # A normal form can hold characters that were out of reach before, so it is taken until nothing changes.
    while (normal := without_invisible(unicodedata.normalize("NFKC", visible))) != visible:
        visible = normal
    return visible


def fold(text: str) -> str:
    """The text as it is compared: plain, without case, with typographic quotes, apostrophes, dashes and runs
    of blanks made equal, and without blanks at its ends."""
    folded = text
    while True:
        cased = plain(folded.translate(_EQUAL)).casefold()
        once = _BLANKS.sub(" ", plain(cased).translate(_EQUAL)).strip()
        if once == folded:
            return once
        folded = once
