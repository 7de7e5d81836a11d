"""What a proposed fact rests on: the sentences of a person's own words that hold its quote, and how much of
the fact they say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from noted.facts.words import words
from noted.privacy.entities import ids_in
from noted.recall import lexical
from noted.text.folding import fold

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026;])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f\u061f])|\n+|\0+")
# Where a sentence goes on with something that stands on its own.
_JOINT = re.compile(
    r",? (?:and|but|so|plus|also|und|aber|et|mais|y|pero|e|ma|mas|en|maar)(?: (?:that|dass|que|qu'|che"
    r"|dat))? |, | - |: "
)
_CONDITION = re.compile(
    r"\W*(?:if|when|whenever|once|as soon as|every time|each time|after|before|from|until|unless|wenn|falls"
    r"|sobald|immer wenn"
    r"|ab|si|quand|dès|lorsque|chaque fois|cuando|cada vez|siempre que|en cuanto|se|quando|ogni volta|appena"
    r"|assim que"
    r"|sempre que|als|wanneer|zodra|telkens|vanaf)\b"
)
_ASSENT = re.compile(
    r"\W*(?:(?:yes|yeah|yep|yup|ok(?:ay)?|right|exactly|correct|sure|indeed|true|absolutely|of course"
    r"|that's (?:right|it|correct|true)"
    r"|you(?:'re| are) right|i agree|agreed|fine|ja|genau|stimmt|richtig|oui|exact(?:ement)?|c'est ça"
    r"|d'accord|sí|si|exacto|claro"
    r"|correcto|sì|esatto|giusto|sim|exato|isso|certo|klopt|precies|inderdaad|please|thanks|thank you|do it"
    r"|user|no|nope|nein|non)\W*)+"
)
_DENIALS = frozenset(
    """no not never none nothing nobody neither nor without nicht kein keine keinen nie niemals ohne pas
    jamais sans nunca jamás sin ni não sem non mai senza""".split()
)
LONGEST = 1_000
"""Characters of a sentence that are read around a quote."""
LEAST_SHARED = 0.5
LEAST_OF_QUOTE = 1 / 3
_NAME = re.compile(r"(?<=[^\s.!?:]\s)[A-Z][\w'-]+")


@dataclass(frozen=True)
class Evidence:
    """Folded: all own words, the sentences that hold the quote, and the part of them that says the fact."""

    own: str
    sentence: str
    part: str


def of(text: str, quote: str, own: str) -> Evidence | None:
    """What the fact rests on; None if the quote is no piece of the own words, which are visible text."""
    piece = fold(quote)
    sentences = [folded for each in _SENTENCE_END.split(own) if (folded := fold(each))]
    # Sentences are parted by a mark that stands for a blank: a quote may reach over several.
    whole = " ".join(sentences)
    place = whole.find(piece) if piece else -1
    if place < 0:
        return None
    begin, start = 0, 0
    held: list[str] = []
    for sentence in sentences:
        end = begin + len(sentence)
        if begin < place + len(piece) and place < end:
            if not held:
                start = begin
            held.append(sentence)
        begin = end + 1
    joined = " ".join(held)
    first = max(0, place - start - LONGEST // 2)
    window = joined[first : first + LONGEST]
    return Evidence(whole, window, _part(text, held if len(joined) <= LONGEST else [window]))


def _part(text: str, sentences: list[str]) -> str:
    """The one part that says all that the sentences say of the fact; else all of them."""
    told = frozenset(lexical.tokens(text))
    parts = [part for sentence in sentences for part in _parts(sentence)]
    if len(parts) < 2 or not told:
        return " ".join(sentences)
    shared = [_shared(told, part) for part in parts]
    everything = _shared(told, " ".join(sentences))
    best = max(range(len(parts)), key=lambda each: len(shared[each]))
    return parts[best] if shared[best] and len(shared[best]) == len(everything) else " ".join(sentences)


def _parts(sentence: str) -> list[str]:
    if _CONDITION.match(sentence):
        return [sentence]
    return [part for each in _JOINT.split(sentence) if (part := each.strip())]


def _shared(told: frozenset[str], text: str) -> list[str]:
    others = lexical.tokens(text)
    return [one for one in told if any(is_one_word(one, other) for other in others)]


def says_no_more(text: str, quote: str) -> bool:
    """Whether every word of the text is one of the quote's, whatever its ending, and no denial comes or goes.
    Stop words do not count, so that "I am a vegetarian" can become "Is a vegetarian"."""
    if _DENIALS.intersection(words(text)) != _DENIALS.intersection(words(quote)):
        return False
    if strange_ids(text, quote):
        return False
    quoted = lexical.tokens(quote)
    return all(any(is_one_word(token, other) for other in quoted) for token in lexical.tokens(text))


def shares(text: str, evidence: Evidence) -> tuple[float, float]:
    """How much of the fact's words all own words say, and how much the quoted sentences: 0 to 1."""
    told = frozenset(lexical.tokens(text))
    if not told:
        told = frozenset(fold(text).split())
        shared = len(told & set(evidence.own.split())) / max(len(told), 1)
        return (shared, shared) if shared else (1.0, 1.0)
    return len(_shared(told, evidence.own[: 16 * LONGEST])) / len(told), len(
        _shared(told, evidence.sentence)
    ) / len(told)


def strange_names(text: str, own: str) -> bool:
    """Whether the fact names, within it, somebody or something that the own words do not name."""
    return any(fold(name).removesuffix("'s") not in own for name in _NAME.findall(text) if len(name) > 1)


def strange_ids(text: str, said: str) -> bool:
    """Whether the fact holds an id that the message does not hold."""
    return not set(ids_in([text])) <= set(ids_in([said]))


def is_assent(folded: str) -> bool:
    """Whether words do nothing but agree."""
    return bool(_ASSENT.fullmatch(folded[:200]))


def is_one_word(one: str, other: str) -> bool:
    """Whether two stems are equal, or differ in an ending of at most two letters that the stemmer does not
    know (German "wohne", "wohnt")."""
    if one == other:
        return True
    same = max(3, len(one) - 2, len(other) - 2)
    return one.isalpha() and other.isalpha() and one[:same] == other[:same]
