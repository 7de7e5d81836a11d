"""The form in which a text is judged and stored, and what of it was there to hide something.

`cleaned` is total, and cleaning twice changes nothing. Compatibility forms go first (a full-width `<` is a
`<`), then what cannot be seen, so that every later rule reads what a model and a reader see.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from noted.privacy.entities import ENTITY, in_words
from noted.privacy.gate.disguise import is_ciphered, is_drawn
from noted.text.characters import without_hidden, without_invisible

FACT_CHARACTERS = 160
"""The longest fact that is extracted; an id counts as the words for it."""
OWN_ENTRY_CHARACTERS = 500
"""The longest fact that a user enters: what the interface takes."""

MOST_MARKS = 2
"""Combining marks on one letter. A script whose own marks stack (Hebrew, Thai, Tibetan) may have two more."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]{0,16}[A-Za-z]|\][^\x07\x1b]{0,100}\x07?)?")
_OVERRIDE = re.compile("[\u202d\u202e]")
# Selectors that choose a glyph of an ideograph or a Mongolian letter; a run of them can carry hidden bytes.
_SELECTOR = re.compile("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_BLANKS = re.compile(r"[^\S\n]+")
# What a fact says of its own standing: that is set by code.
_STANDING = re.compile(
    r"\s*[(\[{](?:[^()\[\]{}]{0,40}\b)?(?:source|confidence|provenance|verified|confirmed|score|priority"
    r"|trust"
    r"|status|quelle|bestätigt|fuente|confirmado|confirmé|fonte|confermato|bron"
    r"|bevestigd)\b[^()\[\]{}]{0,120}[)\]}]",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"\s*(?:[-*+>#\u2022\u2013\u2014\u25cf\u25aa]|\(?\d{1,2}[.)]\s|[a-z][a-z ]{1,20}:\s)", re.IGNORECASE
)

_SPACED_OUT = re.compile(r"(?:(?<![^\W_])[^\W_][\s.\-_*|/,]{1,3}){5,}[^\W_](?![^\W_])")
_TOKEN = re.compile(r"[A-Za-z0-9+/=_\-]{20,}")
_CODED = re.compile(
    r"(?:[01]{8}[\s,]?){3}|(?:\\x[0-9a-f]{2}){3}|(?:\\u[0-9a-f]{4}){3}|(?:%[0-9a-f]{2}){4}"
    r"|(?:&#x?[0-9a-f]{2,6};){3}"
    r"|(?:\b[0-9a-f]{2}[\s:]){9}[0-9a-f]{2}\b|\b0x[0-9a-f]{8}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_ALIKE = frozenset(("LATIN", "CYRILLIC", "GREEK", "CHEROKEE", "ARMENIAN", "LISU", "COPTIC"))
_LEET = str.maketrans("013457@$", "oieastas")
_LEET_WORD = re.compile(r"(?<![\w@$])(?=[a-z@$0-9]*[a-z])(?=[a-z]*[013457@$])[a-z013457@$]{4,30}(?![\w@$])")


def cleaned(text: str) -> str:
    """A fact as it is stored: one line, in compatibility form, without hidden characters and controls.

    Lines that follow and begin as an item of a list or with a label are cut: they are no part of the first
    line's statement. Other lines are joined. What a text says of its own source or certainty is cut too.
    """
    visible = visible_form(text)
    lines = [line.strip() for line in visible.split("\n") if line.strip()]
    kept = lines[:1]
    for line in lines[1:]:
        if _LISTED.match(line):
            break
        kept.append(line)
    told = " ".join(kept)
    while (shorter := " ".join(_STANDING.sub("", told).split())) != told:
        told = shorter
    return told


def has_more_lines(text: str) -> bool:
    """Whether `cleaned` cuts a line."""
    lines = [line for line in visible_form(text).split("\n") if line.strip()]
    return any(_LISTED.match(line) for line in lines[1:])


def visible_form(text: str) -> str:
    """The text as a reader sees it, line by line: no controls, nothing invisible, compatibility forms, and no
    more combining marks than `MOST_MARKS` allows."""
    seen = text
    while True:
        once = _once(seen)
        if once == seen:
            return once
        seen = once


def is_hiding(text: str) -> bool:
    """Whether a text turns letters around, piles up marks, draws letters with symbols, or mixes alphabets
    that look alike in a word: what it says is then not what is read."""
    if text.isascii():
        return False
    if _OVERRIDE.search(text) or _has_piled_marks(text) or is_drawn(text):
        return True
    return any(map(_is_mixed, _WORD.findall(text)))


def is_opaque(text: str) -> bool:
    """Whether a text is written so that no rule about words can read it: spaced letters, a code, a cipher."""
    bare = ENTITY.sub(" ", text)
    if _SPACED_OUT.search(bare) or _CODED.search(bare) or is_ciphered(bare):
        return True
    return any(map(_is_code, _TOKEN.findall(bare)))


def length(text: str) -> int:
    """Characters of a text, with words for ids."""
    return len(in_words(text))


def unleeted(folded: str) -> str:
    """The folded text with letters for the digits that stand for them inside words ("alw4ys")."""
    return _LEET_WORD.sub(lambda match: match.group().translate(_LEET), folded)


def _once(text: str) -> str:
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    lines = "".join(character for character in lines if character in "\n\t" or not _is_control(character))
    if not lines.isascii():
        lines = _SELECTOR.sub("", lines)
    shown = without_hidden(unicodedata.normalize("NFKC", without_hidden(lines)))
    if not shown.isascii():
        shown = _with_few_marks(shown)
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in shown.split("\n"))


@lru_cache(maxsize=4096)
def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn")


@lru_cache(maxsize=4096)
def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


@lru_cache(maxsize=4096)
def _is_general_mark(character: str) -> bool:
    """Whether a mark belongs to no script of its own."""
    return unicodedata.name(character, "").startswith("COMBINING")


def _with_few_marks(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for character in text:
        if not _is_mark(character):
            marks = 0
        else:
            marks += 1
            if marks > (MOST_MARKS if _is_general_mark(character) else MOST_MARKS + 2):
                continue
        kept.append(character)
    return "".join(kept)


def _has_piled_marks(text: str) -> bool:
    normal = unicodedata.normalize("NFKC", without_invisible(text))
    return _with_few_marks(normal) != normal


@lru_cache(maxsize=4096)
def _alphabet(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return "SMALL CAPITAL" if "LETTER SMALL CAPITAL" in name else name.partition(" ")[0]


def _is_mixed(word: str) -> bool:
    """Whether a word has letters of two alphabets that look alike, or is drawn in small capitals."""
    alphabets = set(map(_alphabet, word))
    return len(alphabets & _ALIKE) > 1 or "SMALL CAPITAL" in alphabets


def _is_code(token: str) -> bool:
    letters = sum(map(str.isalpha, token))
    digits = sum(map(str.isdigit, token))
    if digits >= 6 and letters >= 2 and "-" not in token[:5]:
        return True
    core = token.rstrip("=")
    capitals = sum(map(str.isupper, core[1:]))
    small = sum(map(str.islower, core))
    if token.endswith("=") and letters >= 12:
        return True
    if core.isalnum() and capitals >= 3 and small >= 3:
        return True
    return core.isalnum() and letters >= 20 and (small == 0) and digits > 0
