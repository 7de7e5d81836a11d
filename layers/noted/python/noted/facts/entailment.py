"""Whether two texts of one kind say the same, or one of them all that the other says and more.

Only what the words settle for certain is settled here, since a fact that is taken for a repeat is not kept a
second time. What is uncertain is two facts: a model may still join them, and if it does not, one row too many
is the smaller harm. So "Has a dog" is held by "Has a brown dog named Rex", while "Is allergic to nuts" and
"Is allergic to pine nuts", "Eats fish" and "Eats fish at weddings", "Likes milk" and "Likes milk chocolate"
stay two.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from noted.facts import wording
from noted.facts.words import words
from noted.text.characters import is_unspaced
from noted.text.folding import plain

Words = tuple[str, ...]

# Longer texts are no single statements, and the search over their alignments would be long too.
_MOST_WORDS = 40
_MOST_DESCRIBING = 3
_MOST_ADDED = 8
_MOST_NAMES = 3


class Relation(StrEnum):
    """What a text says beside another one: the same, all of it and more (`RICHER`), a part of it (`POORER`),
    or something else."""

    SAME = "same"
    RICHER = "richer"
    POORER = "poorer"
    OTHER = "other"


def relation(one: str, other: str) -> Relation:
    """What the first text says beside the second."""
    first, second = words(one), words(other)
    if not first or not second or max(len(first), len(second)) > _MOST_WORDS:
        return Relation.SAME if first == second and first else Relation.OTHER
    if first == second:
        return Relation.SAME
    if len(first) == len(second):
        return Relation.SAME if _is_reordered(first, second) else Relation.OTHER
    if len(first) > len(second):
        return Relation.RICHER if _says_all(first, second, one, other) else Relation.OTHER
    return Relation.POORER if _says_all(second, first, other, one) else Relation.OTHER


def _is_reordered(one: Words, other: Words) -> bool:
    """Whether the order of the words is all that differs, and tells nothing: "In Porto lives", or "a cat and
    a dog" for "a dog and a cat". "Prefers tea to coffee" is not "Prefers coffee to tea"."""
    if Counter(one) != Counter(other) or any(is_unspaced(word[0]) for word in one):
        return False
    if not wording.LOADED.isdisjoint(one):
        return False
    return _is_moved(one, other) or _is_moved(other, one) or _is_swapped(one, other)


def _is_moved(one: Words, other: Words) -> bool:
    """Whether the second has at its end the phrase with a preposition that opens the first."""
    return one[0] in wording.PREPOSITIONS and any(
        one[cut:] + one[:cut] == other for cut in range(2, len(one))
    )


def _is_swapped(one: Words, other: Words) -> bool:
    """Whether two neighbours of one "and" or "or" have changed places."""
    for place, word in enumerate(one):
        if word not in wording.AND_OR:
            continue
        for start in range(place):
            for end in range(place + 2, len(one) + 1):
                swapped = one[:start] + one[place + 1 : end] + (word,) + one[start:place] + one[end:]
                if swapped == other:
                    return True
    return False


def _says_all(richer: Words, poorer: Words, richer_text: str, poorer_text: str) -> bool:
    # Of a denial or of "only", more words take away: who never eats raw fish may well eat fish.
    bounded = wording.DENIALS | wording.EXCLUSIVE | wording.RESERVATIONS
    if not bounded.isdisjoint(poorer):
        return False
    if any(is_unspaced(word[0]) for word in (*richer, *poorer)):
        return False
    if _names_follow(richer_text, poorer_text, richer[len(poorer) :]) and richer[: len(poorer)] == poorer:
        return True
    return _aligned(richer, poorer, 0, 0)


def _aligned(richer: Words, poorer: Words, place: int, matched: int) -> bool:
    """Whether the rest of the poorer text stands in the rest of the richer one, and whatever the richer has
    in between only describes."""
    if matched == len(poorer):
        return _only_adds(poorer, richer[place:])
    if place == len(richer):
        return False
    if _alike(richer[place], poorer[matched]) and _aligned(richer, poorer, place + 1, matched + 1):
        return True
    for length in range(1, _MOST_DESCRIBING + 1):
        after = place + length
        if (
            after < len(richer)
            and _alike(richer[after], poorer[matched])
            and _describes(poorer, matched, richer[place:after])
            and _aligned(richer, poorer, after + 1, matched + 1)
        ):
            return True
    return False


def _alike(one: str, other: str) -> bool:
    return one == other or {one, other} == {"a", "an"}


def _describes(poorer: Words, matched: int, between: Words) -> bool:
    """Whether words between "a" and the thing say what it is like. After a form of "be" they may say that it
    is none: a vice president is no president."""
    if matched < 2 or poorer[matched - 1] not in wording.INDEFINITE | wording.COUNTS:
        return False
    return poorer[matched - 2] not in wording.COPULAS and all(map(_is_free, between))


def _only_adds(poorer: Words, more: Words) -> bool:
    """Whether what follows the poorer text adds to it: nothing, another thing after an "and", or what an
    indefinite thing is like."""
    if not more:
        return True
    if len(more) > _MOST_ADDED or not all(_is_free(word) for word in more if not _is_number(word)):
        return False
    if more[0] in wording.AND and len(more) > 1:
        return not _is_number(poorer[-1]) and (poorer[-1], more[1]) not in wording.FIXED_PAIRS
    if more[0] not in wording.DESCRIBES or len(more) < 2 or any(map(_is_number, more)):
        return False
    counted = wording.INDEFINITE | wording.COUNTS
    # The determiner, with at most one word between it and the thing, must belong to the last thing named.
    return any(word in counted for word in poorer[-3:-1])


def _names_follow(richer_text: str, poorer_text: str, more: Words) -> bool:
    """Whether only names follow, after a comma: "Lives in Porto, Portugal"."""
    richer, poorer = plain(richer_text).strip(), plain(poorer_text).strip().rstrip(".!,; ")
    if not richer.startswith(poorer) or not richer[len(poorer) :].startswith(","):
        return False
    names = richer[len(poorer) + 1 :].rstrip(".!").split()
    return 1 <= len(names) == len(more) <= _MOST_NAMES and all(
        name[0].isupper() and _is_free(word) for name, word in zip(names, more, strict=True)
    )


def _is_free(word: str) -> bool:
    return word not in wording.LOADED and not _is_number(word) and word[0].isalpha()


def _is_number(word: str) -> bool:
    return any(map(str.isdigit, word)) or word in wording.COUNTS
