"""Whether a message asks for something beside what it states.

Read from English grammar: a question mark, a question's word order, an order to the assistant ("tell me a
joke", "then book a table"). A closing courtesy ("Thanks!", "ok?") asks for nothing. Where a reading is open,
a request is assumed: an answer that nobody needed does less harm than a request that nobody answered.
"""

from __future__ import annotations

import re
from enum import Enum

from noted.text.folding import fold
from noted.text.questions import ends_with_question_mark

AUXILIARY = (
    r"(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must"
    r"|(?:is|are|was|were|do|does|did|has|have|ca|could|wo|would|should)n't)"
)
_PRONOUN = r"(?:i|you|we|they|he|she|it|there|anyone|anybody)"
_NOUN_PHRASE = (
    r"(?:that|this|these|those|the|my|your|our|his|her|their|its|any|anything|someone|everyone|all|both)"
)
_INVERTED = rf"""
      (?:what|who|whom|whose|which|why|how)
        (?:'(?:s|re|d|ll)\b | \ {AUXILIARY}\b | \ (?:to|about|if|not|come|else)\b)
    | (?:what|whose|which|how)(?:\ (?!{_PRONOUN}\b)[\w'-]+){{1,2}}\ {AUXILIARY}\b
    | (?:when|where)(?:'s\b|'re\b|\ {AUXILIARY}\b)
    | (?:when|where|how)\ to\b
    | {AUXILIARY}\ {_PRONOUN}\b
    | any\ (?:ideas?|tips?|suggestions?|thoughts|advice|recommendations?|chance|news)\b
"""
_QUESTION = re.compile(_INVERTED, re.VERBOSE)
_QUESTION_OF_A_SENTENCE = re.compile(rf"{_INVERTED} | {AUXILIARY}\ {_NOUN_PHRASE}\b", re.VERBOSE)
_WISH = re.compile(
    r"i(?:'d| would) (?:like|love|want|prefer) (?:you )?to (?:know|hear|see|get|have|ask|book|order|find)\b"
    r"|i(?:'d| would) (?:like|love) (?:a|an|some|the|you to)\b"
    r"|i (?:want|need) (?:you to|to know|an answer|help with)\b"
    r"|i(?:'m| am) asking\b|i wonder\b|i was wondering\b|let(?:'s| us| me (?:know|see|have))\b"
    r"|you (?:should|must|can|could|may) (?:now )?(?:tell|show|give|send|answer)\b"
)
_FILLER = re.compile(
    r"(?:(?:and|or|then|also|now|next|so|but|plus|please|pls|kindly|just|ok|okay|well|first|finally|btw"
    r"|after that|afterwards|in addition|additionally|while you're at it|by the way)\b[,:]?\s*)+"
)
# Orders that are given to an assistant, whatever stands before or after them.
_ORDERS = frozenset(
    """tell give suggest recommend explain translate summarize summarise remind rephrase rewrite proofread
    calculate compute convert describe compare advise generate brainstorm google fetch reschedule resend
    analyze analyse define estimate notify inform""".split()
)
# Done once and for the speaker: an order with any object, unless a frequency makes it a habit.
_ERRANDS = frozenset(
    """add book cancel choose create delete design draft find list look name order pick plan reserve schedule
    search send set show update""".split()
)
# Orders or habits: "I cook and play chess", "then play some jazz".
_HABITS = frozenset(
    """answer arrange ask buy call change check clean clear close cook copy count download draw email ensure
    fix forget get help hide invite keep make mail message navigate note open organise organize outline pay
    play post prepare print propose put quiz read remove repeat reply report review route run save say sell
    share shorten sign sing solve sort speak spell start stay stop submit switch talk teach test text think
    track transfer try tweet turn upload use wake walk watch write act apply be begin bring code come
    continue confirm discuss do imagine let pretend provide recite return see take wish""".split()
)
_MADE_FOR_ONE = frozenset("make write draw buy".split())
_OBJECT = re.compile(
    r"(?:me|us|a|an|the|some|any|my|our|your|this|that|these|those|it|him|her|them|another|more|one|two|three"
    r"|what|how|if|whether|when|where|why|which|up|on|off|out|for|all|every|no|about|to)\b"
)
_ONE_OBJECT = re.compile(r"(?:a|an|another|one|two|three)\b")
_FREQUENCY = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|often|always|usually|sometimes|\w+days|a lot|at night|at work"
    r"|for a living|in the (?:morning|evening)s?)\b"
)
_BASE_FORM = re.compile(r"(?:i|we|they|you|to|(?:my|our|the) [\w'-]*[^s\W]s)\b")
_MODAL = re.compile(
    r"\b(?:to|can|could|will|would|must|should|may|might|do|does|did|lets?|helps?|(?:do|does|did|ca|wo)n't)\b"
)
_COURTESIES = (
    r"thanks?(?: you)?(?: (?:so|very) much| a lot| a million| again| in advance| for [\w ]{3,20})*",
    r"thx|ty|tysm|cheers|please|pls|plz|(?:much )?appreciated?(?: it)?|i appreciate it|if you can|for me",
    r"ok(?:ay)?|alright|all right|right|yes|yeah|deal|understood|clear|got (?:it|that)",
    r"good|great|cool|perfect|nice|lol|haha|you(?:'re| are) (?:the best|great|awesome|amazing|a star)",
    r"that's (?:all|it)(?: for (?:now|today))?|nothing else|no (?:need to|answer|reply)[\w ]{0,30}",
    r"hi|hello|hey|good (?:morning|evening|night|day)|(?:good ?)?bye|see you(?: later| soon)?",
    r"talk (?:to you )?(?:later|soon)|have a (?:nice|good|great|lovely) (?:day|one|evening|night|weekend)",
    r"(?:can|could|will|would) you(?: do that| (?:please )?(?:remember|note) (?:that|this|it))?",
    r"(?:is that|that's) (?:ok(?:ay)?|fine|alright)",
    r"(?:it|this|that)(?:'s| is) (?:very |really )?important",
    r"(?:please )?(?:don't|do not|never) forget(?: (?:it|this|that))?",
    r"for (?:later|next time|the future|future reference)",
)
_COURTESY = "|".join(_COURTESIES)
_UNMARKED_COURTESY = (
    r"thanks?(?: you)?(?: (?:so|very) much| a lot| again| in advance)?|thx|please|pls|plz|ok(?:ay)?|cheers"
)
_LONGEST_COURTESY = 80
_STOPS = ".,;:!?\u2026\u061f()-"
_CLOSING = re.compile(rf"(?:(?:^|[{_STOPS}])[\s{_STOPS}]*(?:{_COURTESY})|(?:^|\s)(?:{_UNMARKED_COURTESY}))$")
_POLITE_REQUEST = re.compile(r"[^.,;:!?]*\w (?:please|pls|plz)\W*")

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026\u061f;])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_QUOTED = re.compile(r'"[^"\n]*"|(?<!\w)\'[^\'\n]*\'(?!\w)')
_CLAUSE = re.compile(
    r"(?P<new>(?:,|,? (?:and|but|or|so)) (?:then|after that|afterwards)\b"
    r"|,?(?: and| but)? (?:please|pls)\b|\s-+\s|\s\()"
    r"|,? (?:and|but|so|or|plus)\b|,(?=\s)|\s[&+/](?=\s)"
)
_RELATIVE = re.compile(r"(?:who|whom|whose|which|when|where)\b")
_OPENING_LENGTH = 160  # characters of a clause that are enough to tell what it opens with
_REMEMBER = re.compile(r"(?:(?:and|also|please|but|that|,)\s*)*(?:remember\b|that\b)")


class _Place(Enum):
    """Where a clause stands, which decides how much of a verb's word is needed to read an order."""

    SENTENCE = "first in a sentence, or after a word such as then"
    CLAUSE = "after a clause that a bare verb cannot continue (my sister lives here and ...)"
    CONTINUATION = "after a clause that a bare verb can continue (I cook and ...)"


def without_courtesy(message: str) -> str:
    """The folded message, line by line, without its closing courtesies and the marks around them.

    The mark that ends the last remaining sentence stays: "Is it far? Thanks!" is still a question.
    """
    left = "\n".join(filter(None, map(fold, message.splitlines())))
    while True:
        bare = left.rstrip(_STOPS + " \n")
        while bare and not (bare[-1].isalnum() or bare[-1] in "\"'"):
            bare = bare[:-1].rstrip(_STOPS + " \n")
        closing = _CLOSING.search(bare, max(0, len(bare) - _LONGEST_COURTESY))
        if not closing:
            return left.strip()
        kept = bare[: closing.start()]
        left = kept + bare[closing.start()] if bare[closing.start()] in ".!?\u2026\u061f" else kept


def sentences(folded: str) -> list[str]:
    """The sentences of a folded text. An abbreviation may end one too many."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(folded) if sentence.strip()]


def asks(sentence: str) -> bool:
    """Whether a folded sentence is a question or an order."""
    return ends_with_question_mark(sentence) or _opens_request(sentence, _Place.SENTENCE)


def asks_further(message: str) -> bool:
    """Whether a message is a question, or holds a question or an order after its first clause.

    The first clause is what the message is about, so an order in it ("always recommend ...") is no request.
    """
    told, *more = sentences(_QUOTED.sub("quoted", without_courtesy(message))) or [""]
    whole = sentences(_QUOTED.sub("quoted", fold(message)))
    if (
        len(whole) > 1
        and _POLITE_REQUEST.fullmatch(whole[-1])
        and not _CLOSING.fullmatch(whole[-1].rstrip(_STOPS))
    ):
        return True
    if ends_with_question_mark(told) or asks_in_later_clause(told):
        return True
    return any(not _REMEMBER.match(one) and (asks(one) or asks_in_later_clause(one)) for one in more)


def asks_in_later_clause(sentence: str) -> bool:
    """Whether a folded sentence goes on to a question or an order after its first clause."""
    told = _QUOTED.sub("quoted", sentence)
    continues, searched = bool(_BASE_FORM.match(told)), 0
    for mark in _CLAUSE.finditer(told):
        continues = continues or bool(_MODAL.search(told, searched, mark.start()))
        searched = mark.start()
        clause = told[mark.end() : mark.end() + _OPENING_LENGTH].lstrip()
        if _REMEMBER.match(clause) or (mark.group() == "," and _RELATIVE.match(clause)):
            continue
        place = _Place.SENTENCE if mark["new"] else _Place.CONTINUATION if continues else _Place.CLAUSE
        if _opens_request(clause, place):
            return True
    return False


def _opens_request(clause: str, place: _Place) -> bool:
    filler = _FILLER.match(clause)
    clause = clause[filler.end() :] if filler else clause
    question = _QUESTION_OF_A_SENTENCE if place is _Place.SENTENCE else _QUESTION
    return bool(question.match(clause) or _WISH.match(clause)) or _is_order(clause, place)


def _is_order(clause: str, place: _Place) -> bool:
    verb, _, rest = clause.partition(" ")
    verb = verb.rstrip(".,:!")
    if (verb == "plan" and rest.startswith("to ")) or (
        verb == "find" and re.match(r"(?:it|them|all)\b", rest)
    ):
        return False
    if verb in _ORDERS or (verb in _ERRANDS | _HABITS and re.match(r"(?:me|us)\b", rest)):
        return True
    if place is _Place.SENTENCE:
        named = re.match(rf"(?:[\w'-]+ )?{AUXILIARY}\b", rest) and not _OBJECT.match(
            rest
        )  # "Book clubs are fun"
        return verb in ("don't", "never", "always") or (verb in _ERRANDS | _HABITS and not named)
    if place is _Place.CLAUSE:
        return verb == "don't" or (verb in _ERRANDS | _HABITS and bool(_OBJECT.match(rest)))
    if _FREQUENCY.search(rest):
        return False
    if verb in _ERRANDS and re.search(r"\b(?:for|near) (?:me|us)\b", rest):
        return True
    return bool(
        (verb in _ERRANDS and _OBJECT.match(rest)) or (verb in _MADE_FOR_ONE and _ONE_OBJECT.match(rest))
    )
