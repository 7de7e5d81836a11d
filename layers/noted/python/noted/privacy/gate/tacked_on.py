"""Orders in the clothes of a statement: behind one, as somebody's name, at a time, or as the sense of a word.

Each steers whoever the statement is about, so that "I" before it excuses nothing.
"""

from __future__ import annotations

import re

from noted.privacy.gate.patterns import all_patterns

# Where a clause begins that can be an order behind a statement.
_CLAUSE = re.compile(
    r"(?:[,;:.]|\s-) (?:(?:and|so|then|please|but|also) ){0,2}| (?:and|so|then) (?:please )?"
)
_MOST_CLAUSES = 20
# The same, which hands out what is known of a person: "ping it with my data".
_HANDS_OUT = re.compile(
    r"(?<=[,;:.-] )(?:and |then |please ){0,2}(?:send|forward|text|ping|post|upload|e?mail|share|report"
    r"|leak|pass"
    r"|copy|b?cc|push|dump|export|deliver)\b[^.]{0,60}\b(?:data|profile|chats?|notes|memory|memories"
    r"|conversations?|history|balances?|facts|everything|summar(?:y|ies)|statements|documents|transcripts?)\b"
)
# A name or a motto that is an order.
_NAMED_ORDER = re.compile(
    r"\b(?:(?:nick)?name|motto|slogan|handle|tag|signature|title|phrase|catchphrase|company|brand|team"
    r"|bio|pet|dog|cat)"
    r"(?: is| are|'s)?(?: called| named)?:? ['\"]?(?:always |never |only |please |just )?(?:recommend|suggest"
    r"|promote|advertise|mention|praise|favou?r|cite|endorse|obey|ignore|disregard|bypass|override|approve"
    r"|confirm|skip)\b"
)
# A word that is to stand for a consent or an act.
_CODE_WORD = re.compile(
    r"\b(?:code|safe|secret|magic|pass|the|key)[ -]?(?:word"
    r"|phrase)s? (?:is )?['\"]?\w+['\"]?,? (?:\w+ ){0,3}?"
    r"(?:approves?|unlocks?|opens?|triggers?|confirms?|starts|allows?|activates?|means? (?:that )?(?:i"
    r"|yes|you|go"
    r"|approv\w+|agree\w*|consent))\b"
)
# What is to be done at a time, and is said to nobody by name.
_TIMED_ORDER = re.compile(
    r"\W*(?:on|in|at|after|by|every|each|next|tomorrow|tonight|later|once|starting|as soon as)\b"
    r"(?: (?!i\b|i'|we\b)[\w']+){0,5}?,? (?:please |always |automatically )?(?:unlock|release|delete|erase"
    r"|publish|activate|enable|disable|treat|recommend|suggest|promote|praise|approve|confirm|grant|forward"
    r"|reveal|leak|expose|ignore|bypass|override|append|execute|upload|tell me|remind everyone)\b"
)


def orders(folded: str) -> bool:
    """Whether words hold an order beside or inside what they state."""
    if _NAMED_ORDER.search(folded) or _TIMED_ORDER.match(folded) or _HANDS_OUT.search(folded):
        return True
    return _orders_behind(folded)


def arms_a_word(folded: str) -> bool:
    """Whether a word is to stand for a consent, or to set something off."""
    return bool(_CODE_WORD.search(folded))


def _orders_behind(text: str) -> bool:
    """Whether a clause behind the first is an order about every answer, or about the checks there are: it
    steers, whoever the statement before it is about."""
    places = [match.end() for match in _CLAUSE.finditer(text)][:_MOST_CLAUSES]
    return any(
        each.steering_order.match(text, place)
        and (each.every_answer.search(text, place) or each.no_checks.search(text, place))
        for place in places
        for each in all_patterns()
    )
