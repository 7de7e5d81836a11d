"""Whether the words that a fact rests on ask it instead of stating it: "Do I like tea?" tells nothing.

Judged is the clause of the user's words that holds the quote, so that "I live in Porto, where shall I eat?"
still states where they live. Read from English; of other languages only the question mark counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from noted.recall import lexical
from noted.text.folding import fold
from noted.text.questions import QUESTION_MARKS, ends_with_question_mark
from noted.text.requests import AUXILIARY

_MARKS = re.escape("".join(sorted(QUESTION_MARKS)))
_SELF = r"(?:i|we|my|our)\b"
_SUBJECT = r"(?:i|we|my|our|he|she|they|his|her|their|it|there|this|that)\b"

# A sentence ends behind its marks; those that close a quotation or a bracket belong to it.
_SENTENCE_END = re.compile(rf"[.!\u2026;{_MARKS}]+[\"')\]]*(?=\s)|[\u3002\uff01\uff1f]")
_LED_IN = re.compile(
    r"(?:(?:hi|hey|hello|ok|okay|so|well|and|but|or|also|then|now|oh|um|please|thanks|by the way|btw)\b"
    r"[\s,.!]*)+"
)
# What opens a question: a question word before a helper verb, or the helper verb before its subject.
_WH = rf"(?:what|who|whom|whose|which|where|when|why|how)(?:'s|'re|'d| {AUXILIARY}| about| if| to)\b"
_WH_OF = rf"(?:what|which|whose|how)(?: [\w'-]+){{1,3}} {AUXILIARY}\b"
_HELPER = rf"{AUXILIARY} (?:i|you|we|he|she|they|anyone|anybody)\b"
_INVERTED = re.compile(_HELPER)
_OPENING = re.compile(
    rf"{_WH}|{_WH_OF}|{_HELPER}|any (?:ideas?|tips?|suggestions?|thoughts|advice|recommend)"
)
# The same before any other subject, which in notes can be what is stated: "Has my mother's eyes".
_OPENING_WITH_MARK = re.compile(
    rf"{AUXILIARY} (?:it|there|the|my|our|your|his|her|their|this|that|these|those|an?)\b"
)
# Where a clause ends: at a mark before a blank; in a sentence with a question mark also before a word that
# can begin the question. Elsewhere such a word seldom does ("people who are late").
_MARK = r"[,:](?=\s)|[()]|\s-+(?=\s)"
_CLAUSE_END = re.compile(_MARK)
_CLAUSE_END_WITH_MARK = re.compile(
    rf"{_MARK}|\s(?=(?:(?:and|but|so|or) )?(?:{_WH}|{_HELPER}))"
    rf"|\s(?=(?:because|since|as|given that|considering) {_SELF})"
)
_REASON = re.compile(
    rf"(?:because|since|as|given that|considering|and|but|so|also|for|though|although) {_SUBJECT}"
)
# Asked is here whether something is done with what follows, which itself is stated.
_STATED_IN_A_REQUEST = re.compile(
    r"(?:(?:could|can|would|will) you (?:please |kindly |also )*(?:remember|note(?: down)?|save|store|record"
    r"|keep in mind|bear in mind|write down|make a note|know)|did you know|do you (?:know|remember)"
    r"|(?:did i|have i) (?:already |ever )?(?:tell|told|mention(?:ed)?)(?: (?:to )?you)?)"
    rf"(?: (?:this|for me|down))*(?: that|:|,)? {_SUBJECT}"
)
# What is left open, whether it is asked or not.
_UNSURE = re.compile(
    r"\bwhether\b"
    r"|\b(?:know|sure|certain|see|wonder\w*|ask\w*|tell me|check|note|remember|find out|decide\w*|clear) if\b"
)
_TAG = re.compile(
    rf", (?:right|huh|eh|no|correct|yes|or not|{AUXILIARY}(?: not)? (?:i|it|we|they|he|she)(?: not)?)\W*$"
)
# What belongs to somebody is taken for granted behind a preposition: "What can I cook for my vegan wife?"
_TAKEN_FOR_GRANTED = re.compile(r"\b(?:for|with|to|about|of|from|in|at|near|on|by|without) $")


@dataclass(frozen=True)
class _Clause:
    """One clause, by its places in a folded text, and whether it asks."""

    start: int
    end: int
    asks: bool


def is_asked(text: str, quote: str, said: str) -> bool:
    """Whether what was said asks, wherever the quote stands in it, what the text of a fact states. False for
    a quote that is no piece of it."""
    whole, breaks = _lines(said)
    piece, places = fold(quote), list[int]()
    place = whole.find(piece) if piece else -1
    while place >= 0:
        places.append(place)
        place = whole.find(piece, place + 1)
    if not places:
        return False
    clauses = [clause for start, end in _sentences(whole, breaks) for clause in _judged(whole, start, end)]
    return all(_asks(whole, clauses, place, place + len(piece), text) for place in places)


def _asks(whole: str, clauses: list[_Clause], start: int, end: int, text: str) -> bool:
    touched = [clause for clause in clauses if clause.start < end and start < clause.end]
    if not touched:
        return False
    # Of a quote that goes over several clauses those count that say most of the fact.
    told = frozenset(lexical.tokens(text))
    shared = [
        len(told & frozenset(lexical.tokens(whole[max(clause.start, start) : min(clause.end, end)])))
        for clause in touched
    ]
    best = [clause for clause, words in zip(touched, shared, strict=True) if words == max(shared)]
    if re.match(r"(?:my|our) ", whole[start:end]) and _TAKEN_FOR_GRANTED.search(whole[:start]):
        return False
    return all(clause.asks or _is_open(whole[clause.start : end], text) for clause in best)


def _is_open(clause: str, text: str) -> bool:
    return bool(_UNSURE.search(clause)) and not re.search(r"\b(?:whether|if)\b", fold(text))


def _lines(said: str) -> tuple[str, list[int]]:
    """The folded text, its lines joined by blanks, and where each line ends."""
    lines = [folded for line in said.splitlines() if (folded := fold(line))]
    breaks, place = [], 0
    for line in lines:
        place += len(line) + 1
        breaks.append(place)
    return " ".join(lines), breaks


def _sentences(whole: str, breaks: list[int]) -> Iterator[tuple[int, int]]:
    ends = sorted({*breaks, *(match.end() for match in _SENTENCE_END.finditer(whole)), len(whole)})
    start = 0
    for end in ends:
        if whole[start:end].strip():
            yield start, min(end, len(whole))
        start = end


def _judged(whole: str, start: int, end: int) -> list[_Clause]:
    """The clauses of a sentence. A question mark makes a question of the last one, unless an earlier one is
    the question and the last gives its reason; what is no clause of its own asks as the one before does."""
    sentence = whole[start:end]
    marked = ends_with_question_mark(sentence)
    if marked and _TAG.search(sentence):
        return [_Clause(start, end, asks=True)]
    ends = _CLAUSE_END_WITH_MARK if marked else _CLAUSE_END
    places = [0, *(match.end() for match in ends.finditer(sentence)), len(sentence)]
    spans = [(first, last) for first, last in pairwise(places) if sentence[first:last].strip()]
    clauses: list[_Clause] = []
    asked = False
    for number, (first, last) in enumerate(spans):
        clause = sentence[first:last].strip(" ,:-()")
        led_in = _LED_IN.match(clause)
        bare = clause[led_in.end() :] if led_in else clause
        is_statement = bool(re.match(_SUBJECT, bare) or _REASON.match(clause))
        if _STATED_IN_A_REQUEST.match(bare):
            asks = False
        elif _opens_question(bare, marked=marked, first=number == 0):
            asks = True
        elif marked and number == len(spans) - 1:
            asks = not (is_statement and any(each.asks for each in clauses))
        else:
            asks = asked and not is_statement
        asked = asks
        clauses.append(_Clause(start + first, start + last, asks))
    return clauses


def _opens_question(clause: str, *, marked: bool, first: bool) -> bool:
    """Whether a clause opens like a question. Without a question mark a question word does that only at the
    beginning of the sentence (", which is far")."""
    if marked:
        return bool(_OPENING.match(clause) or _OPENING_WITH_MARK.match(clause))
    return bool((_OPENING if first else _INVERTED).match(clause))
