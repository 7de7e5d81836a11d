"""Remember-only messages: "Remember that my sister lives in London" and nothing else asked.

Such a message is not answered. It is stored, extracted at once without its leading "Remember (that)", and
confirmed. The command is read in English; a message in another language takes the ordinary way, on which the
same facts are extracted after the answer.
"""

from __future__ import annotations

import re

from noted.text.characters import without_hidden
from noted.text.requests import AUXILIARY, asks_further, without_courtesy

_COMMAND = re.compile(
    r"\s*(?:(?:please|pls|plz|kindly|hey|hi|hello|ok|okay|oh|so|and|also|now|well|just|do|by the way"
    r"|btw)\b[\s,.!:-]*)*"
    r"remember(?![\w'\u2019-]|\s*[?\uff1f])",
    re.IGNORECASE,
)
_MARKS = r"[\s:,;.!\u2026\u2013\u2014-]*"
_THAT = re.compile(rf"that(?![\w'\u2019-])(?!\s+{AUXILIARY}\b)", re.IGNORECASE)
_THAT_TIME = re.compile(
    r"that (?:one |last )?(?:time|day|night|evening|morning|week|weekend|summer|winter|year|trip)"
    r" (?:when|that|we|i|you)\b",
    re.IGNORECASE,
)
_THIS = re.compile(r"(?:this|these(?: things)?|the following)(?=\s*(?:[:\u2013\u2014-]|\W*$))", re.IGNORECASE)
# What is remembered together, or recalled, is no statement: "Remember when we went to Rome".
_RECOLLECTION = re.compile(
    r"(?:when|how|what|who|whom|whose|where|why|which|if|whether|back when|anything|everything)\b"
    r"|the (?:time|times|day|days|night|last time)\s+(?:when|that|we|i)\b"
    r"|(?:me|us|you) (?:from|when)\b"
    r"|(?:me|us|him|her|them|it|you|nothing)\W*$",
    re.IGNORECASE,
)


def statement(message: str) -> str | None:
    """What a remember-only message states, without its leading "Remember (that)" and the marks after it.

    "" when nothing is left ("Remember that"). None when the message is not remember-only: it does not start
    with the command, recalls something ("Remember when ...", "Remember me?"), or asks for something else.
    """
    visible = without_hidden(message)
    command = _COMMAND.match(visible)
    if not command:
        return None
    told, marked = _after_marks(visible, command.end())
    if _THAT_TIME.match(told):
        return None
    for introduction in (_THAT, _THIS):
        if introduced := introduction.match(told):
            told, _ = _after_marks(told, introduced.end())
            marked = True
            break
    if not without_courtesy(told):
        return ""
    if (not marked and _RECOLLECTION.match(told)) or asks_further(told):
        return None
    return told


def _after_marks(text: str, start: int) -> tuple[str, bool]:
    """The rest of the text, trimmed, and whether a mark sets it off from what stands before."""
    marks = re.compile(_MARKS).match(text, start)
    end = marks.end() if marks else start
    return text[end:].strip(), bool(text[start:end].strip())
