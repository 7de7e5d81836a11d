"""Recollection: "what did I tell you?", answered from all live facts by one model call without tools.

`asks_for_recollection` routes the message, `reply_passes` checks what the model wrote, and `listed` is what
the user gets when it fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from noted.conversation.replies import LIST_GOES_ON, LIST_LEAD
from noted.privacy.labels import labels_written
from noted.recall.block import safe_line
from noted.text.figures import claims, figures
from noted.text.folding import plain
from noted.text.links import has_link
from noted.text.ordering import without_order
from noted.text.requests import asks_in_later_clause, sentences, without_courtesy

if TYPE_CHECKING:
    from noted.facts.fact import Kind

LONGEST_REPLY = 1_500  # characters, about 250 words: a screen of facts, not a page

_TOLD = (
    r"(?:(?:ever|already|previously|last|once|first) )*"
    r"(?:(?:tell|told) you|(?:ask|asked) you to (?:remember|note|keep)"
    r"|(?:say|said|mention|mentioned|share|shared)(?! (?:to|with) (?!you\b)))\b"
)
_ABOUT_ME = r" (?:about|on|of|from) (?:me|myself|us|my(?: [\w'-]+){1,5})"
_WHEN = (
    r"(?: so far| already| now| right now| today| again| yet| exactly| in total| at the moment"
    r"| from (?:our |the )?[\w ]{1,30})*"
)
_KNOWN = (
    r"(?:(?:know|remember|recall)"
    r"|(?:have )?(?:stored|saved|remembered|recorded|noted|kept|learned|learnt|got|on file|on record"
    r"|in memory))"
)
_QUESTION = (
    r"(?:what|which(?: [\w'-]+){0,3}|who|whom|where|when|why"
    r"|how(?: (?:many|much|old|long|often|far)(?: [\w'-]+)?)?)(?: else| all| exactly)*"
)
_ALL = (
    r"(?:what|everything|anything|all(?: (?:of )?(?:that|the (?:facts|things)))?"
    r"|(?:the |which )?(?:facts|things)(?: that)?)"
)

# "What did I tell you ...": the rest of the sentence is the subject that is asked about.
_ASKED = tuple(
    re.compile(pattern + r"(?P<subject>.*)")
    for pattern in (
        rf"{_QUESTION}(?: (?:did|have|had)|'d|'ve) i {_TOLD}",
        rf"(?:did|have|had) i {_TOLD}",
        rf"(?:what|who|where|when) (?:was|is) it(?: that)? i(?:'ve| have| had)? {_TOLD}",
    )
)
# "... what I told you": a question only after "tell me", "do you remember".
_ASKED_FOR = re.compile(rf"(?:{_ALL}|{_QUESTION}) i(?:'ve| have| had)? {_TOLD}(?P<subject>.*)")
_KNOWN_ABOUT_ME = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:what|which facts)(?: else)? do you (?:(?:still|already|currently) )*{_KNOWN}{_ABOUT_ME}{_WHEN}",
        rf"what(?: else)? have you {_KNOWN}{_ABOUT_ME}{_WHEN}",
        rf"what(?:'s| is) (?:(?:stored|saved|kept) )?in (?:your|my) memory(?:{_ABOUT_ME})?{_WHEN}",
        rf"what (?:do|can) you remember{_WHEN}",
    )
)
_KNOWN_ASKED_FOR = re.compile(rf"{_ALL}(?: that)? you(?:'ve| have)? {_KNOWN}{_ABOUT_ME}{_WHEN}")
_OPENING = re.compile(r"(?:(?:so|ok|okay|hey|hi|hello|and|now|well|also|please|but)\b[,!.]? )*")
_ASKING = re.compile(
    r"(?:(?:can|could|would|will) you )?(?:please )?(?:just )?"
    r"(?:(?:tell|remind|show|give|read|list|repeat|recall|summari[sz]e|say)"
    r"(?: (?:me|us|back|again|of|please))*"
    r"|remember|do you (?:still )?(?:remember|recall|know)) "
)
_SAME_AGAIN = re.compile(r"(?:and |or )*(?:what )?about (?:my |our |the )?[\w' -]{1,40}")
_NEWS = re.compile(
    r"\b(?:because|since i|as i|but|so (?:that|i|we|can)|compared|based on|given that|instead)\b"
)
_GREETING = re.compile(r"(?:hi|hello|hey|good (?:morning|evening|afternoon))\b[\w ,]{0,20}\W*")
_MARKS = " .,;:!?\u061f\u2026"


def asks_for_recollection(message: str) -> bool:
    """Whether a message asks what the user said before, and nothing else.

    A second question, an order, or news beside the question makes it a message to answer.
    """
    asked = sentences(without_courtesy(message))
    if len(asked) > 1 and _GREETING.fullmatch(asked[0]):
        asked = asked[1:]
    return bool(asked) and all(
        _asks_what_was_said(sentence.strip(_MARKS))
        or (place > 0 and _SAME_AGAIN.fullmatch(sentence.strip(_MARKS)))
        for place, sentence in enumerate(asked)
    )


def _asks_what_was_said(sentence: str) -> bool:
    opening = _OPENING.match(sentence)
    question = sentence[opening.end() :] if opening else sentence
    asking = _ASKING.match(question)
    embedded = question[asking.end() :] if asking else ""
    if any(known.fullmatch(question) for known in _KNOWN_ABOUT_ME) or _KNOWN_ASKED_FOR.fullmatch(embedded):
        return True
    asked = next((found for pattern in _ASKED if (found := pattern.fullmatch(question))), None)
    asked = asked or _ASKED_FOR.fullmatch(embedded)
    return bool(
        asked and not asks_in_later_clause(f"it{asked['subject']}") and not _NEWS.search(asked["subject"])
    )


def reply_passes(reply: str, facts: Sequence[str]) -> bool:
    """Whether a model's reply may be sent: it has words, is at most `LONGEST_REPLY` characters long, holds no
    link, and states no number, date, code, placeholder or label that is not in the facts.

    Values are compared. What only orders the reply is no number in this sense.
    """
    visible = plain(reply)
    if len(reply) > LONGEST_REPLY or not any(map(str.isalnum, visible)) or has_link(reply):
        return False
    if not set(labels_written([reply])) <= set(labels_written(facts)):
        return False
    known = claims(map(safe_line, facts))  # as the model was told them
    return all(figure.is_stated(known) for figure in figures(without_order(visible, len(facts))))


def listed(facts: Iterable[tuple[Kind, str]]) -> str:
    """The facts as a reply that code writes: facts first, goals after, one a line under a fixed lead.

    It passes the check of a reply. A fact that holds a link, or for which there is no room, is left to the
    list of the user's memory, which the last line then names.
    """
    told = [(kind, safe_line(text)) for kind, text in facts]
    lines = [LIST_LEAD]
    left_out = False
    for text in [text for wanted in ("fact", "goal") for kind, text in told if kind == wanted]:
        fits = len("\n".join([*lines, f"- {text}", LIST_GOES_ON])) <= LONGEST_REPLY
        if text and fits and not has_link(text):
            lines.append(f"- {text}")
        else:
            left_out = True
    return "\n".join([*lines, LIST_GOES_ON] if left_out else lines)
