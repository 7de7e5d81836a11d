"""Numbers that order or count what a text tells, and are no part of what it tells."""

from __future__ import annotations

import re

from noted.text.characters import blotted
from noted.text.folding import fold
from noted.text.number_words import COUNT_WORDS, ORDINAL_WORDS

_MARKER_AT_START = re.compile(
    r"^[\s>*_#-]*\(?(?P<number>\d{1,2})(?:\\?[.):\u3001]|\u20e3)[)*_]*(?=\s|[^\W\d]|[*_])", re.MULTILINE
)
_MARKER_INSIDE = re.compile(r"(?<!\S)\(?(?P<number>\d{1,2})\)(?=\s)")
_ORDINAL = re.compile(
    r"(?:^|(?<=[.!?;:,*_(-]\s)|(?<=[(*_])|(?<=\band\s))"
    rf"(?:the )?(?:{'|'.join(ORDINAL_WORDS)})(?:ly)?"
    r"(?=\s*[,:*_]|\s+[\u2013-]\s| (?:of all|thing|fact|point|goal|is that|is you|is your|you|your"
    r"|that you)\b)"
    r"|\bfirst (?=name\b|of all\b)",
    re.IGNORECASE | re.MULTILINE,
)
_COUNT = re.compile(
    rf"\b(?P<count>{'|'.join(COUNT_WORDS)}|\d{{1,2}}) (?=(?:\w+ )?(?:things?|facts?|details?)\b)",
    re.IGNORECASE,
)


def without_order(text: str, items: int) -> str:
    """The text, in plain form, without the numbers that only order it.

    These are list markers, where they count up from one without a gap; ordinals at the start of a clause
    ("First, ... Second, ..."); and how many things are told, up to `items` ("two things: ...").
    """
    at_start = list(_MARKER_AT_START.finditer(text))
    taken = {marker.end("number") for marker in at_start}
    inside = [marker for marker in _MARKER_INSIDE.finditer(text) if marker.end("number") not in taken]
    for markers in (sorted([*at_start, *inside], key=lambda marker: marker.start()), at_start):
        if [int(marker["number"]) for marker in markers] == list(range(1, len(markers) + 1)):
            text = blotted(text, (marker.span() for marker in markers))
            break
    return _COUNT.sub(
        lambda found: found.group() if _value(found["count"]) > items else " ", _ORDINAL.sub(" ", text)
    )


def _value(count: str) -> int:
    return int(count) if count.isdigit() else COUNT_WORDS[fold(count)]
