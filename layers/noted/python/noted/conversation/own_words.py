"""Whether a statement is a person's own: said by them and not quoted, and told in no other words.

A model that was talked into something by a page or a tool can name any piece of a message as its ground.
These rules hold what it states to what that piece says.
"""

from __future__ import annotations

import re

from noted.facts.words import words
from noted.privacy.entities import ids_in
from noted.recall import lexical
from noted.text.characters import blotted

# What stands between marks like these, on a quoted line or in a fence is somebody else's, unless it is short:
# a title or a word in quotation marks belongs to the sentence around it. No mark reaches over the next one of
# its kind, so that a message of nothing but marks takes no longer than any other.
_QUOTATION = re.compile(
    r"(?P<fence>```.*?(?:```|\Z))|(?P<line>^[ \t]*>[^\n]*)"
    r"|(?P<marks>\"[^\"]*\"|\u201c[^\u201c\u201d]*\u201d"
    r"|\u201e[^\u201c-\u201e]*[\u201c\u201d]|\u00ab[^\u00ab\u00bb]*\u00bb"
    r"|(?<![^\W_])['\u2018](?=\S)(?:[^'\u2018\u2019]|(?<=\w)['\u2019](?=\w))*['\u2019](?![^\W_]))",
    re.DOTALL | re.MULTILINE,
)
_SHORT_QUOTATION_WORDS = 5
_DENIALS = frozenset(
    """no not never none nothing nobody neither nor without nicht kein keine keinen nie niemals ohne pas
    jamais sans nunca jamás sin ni não sem non mai senza""".split()
)


def without_quotations(message: str) -> str:
    """The message with what it quotes overwritten: fences, lines that start with `>`, and more than five
    words in quotation marks. Every other character keeps its place."""
    quotations = [
        match.span()
        for match in _QUOTATION.finditer(message)
        if not match["marks"] or len(match["marks"].split()) > _SHORT_QUOTATION_WORDS
    ]
    return blotted(message, quotations)


def says_no_more(text: str, quote: str) -> bool:
    """Whether every word of the text is one of the quote's, whatever its ending, and no denial comes or goes.
    Stop words do not count, so that "I am a vegetarian" can become "Is a vegetarian"."""
    if _DENIALS.intersection(words(text)) != _DENIALS.intersection(words(quote)):
        return False
    if not set(ids_in([text])) <= set(ids_in([quote])):
        return False
    quoted = lexical.tokens(quote)
    return all(any(_is_one_word(token, other) for other in quoted) for token in lexical.tokens(text))


def _is_one_word(one: str, other: str) -> bool:
    """Whether two stems are equal, or differ in an ending of at most two letters that the stemmer does not
    know (German "wohne", "wohnt")."""
    if one == other:
        return True
    same = max(3, len(one) - 2, len(other) - 2)
    return one.isalpha() and other.isalpha() and one[:same] == other[:same]
