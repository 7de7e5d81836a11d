"""The guards over every extraction: a prompt slips, code does not.

A proposed fact is dropped when it reads as a question, holds a placeholder that is not this user's or a field
that no tool filled, does not rest on the user's own words or on words of theirs that ask, or states a number
that those words do not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from noted.facts.asked import is_asked
from noted.facts.words import words
from noted.text.characters import is_unspaced
from noted.text.dates import named_months, relates_to_now
from noted.text.figures import Figure, claims, figures
from noted.text.folding import fold, plain
from noted.text.questions import reads_as_question

if TYPE_CHECKING:
    from noted.facts.proposed import ProposedFact


class Guard(StrEnum):
    """Why a proposed fact is dropped, in the order in which the guards are asked."""

    EMPTY = "empty"
    QUESTION = "question"
    PLACEHOLDER = "placeholder"
    FIELD = "field"
    QUOTE = "quote"
    NUMBER = "number"


# <PERSON_A>, and the same bent: other case, blanks inside, the brackets that a typed token is escaped with.
_PLACEHOLDER = re.compile(
    r"[<\u2039]\s*(?:[A-Z]+|[A-Za-z]+(?:_[A-Za-z0-9]+)+)\s*[>\u203a]|\[\s*(?i:earlier)\s[^\[\]]*\]"
    r"|\u27e6[^\u27e6\u27e7]*\u27e7"
)
_BRACKETED = re.compile(r"\[\s*(?P<name>[A-Za-z_][\w.-]*)\s*\]")
_DOTTED = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)+")

_DATED_YEAR = re.compile(
    r"(?:in|since|from|until|till|by|before|after|during|early|late|mid|of|spring|summer|autumn|fall"
    r"|winter|year"
    r"|im|seit|ab|bis|jahr|en|desde|hasta|año|depuis|dal|nel|em|ano)[ -]$|\($"
)
_YEARS = range(1900, 2101)


def failing(
    fact: ProposedFact,
    said: str,
    *,
    own_tokens: Collection[str] = (),
    filled_fields: Collection[str] = (),
    known_fields: Collection[str] = (),
) -> Guard | None:
    """The first guard that the fact fails, or None. That its words ask instead of stating it, is looked at
    once they are known to be the user's.

    `said` is what the user typed in the fact's turn. `own_tokens` are this user's placeholders, written as
    they stand in a text (<PERSON_A>); `filled_fields` are the names of the fields that tools filled in the
    answer (account.balance). A bracketed dotted name is a field; `known_fields` names fields without a dot.
    """
    if not words(fact.text):
        return Guard.EMPTY
    if reads_as_question(fact.text):
        return Guard.QUESTION
    if any(token not in own_tokens for token in _PLACEHOLDER.findall(plain(fact.text))):
        return Guard.PLACEHOLDER
    if any(field not in filled_fields for field in _fields(fact.text, known_fields)):
        return Guard.FIELD
    if not is_slice(fact.quote, said):
        return Guard.QUOTE
    if is_asked(fact.text, fact.quote, said):
        return Guard.QUESTION
    if not _states_no_new_number(fact.text, fact.quote):
        return Guard.NUMBER
    return None


def passed(
    facts: Sequence[ProposedFact],
    said: Mapping[int, str],
    *,
    own_tokens: Collection[str] = (),
    filled_fields: Collection[str] = (),
    known_fields: Collection[str] = (),
) -> tuple[list[ProposedFact], list[tuple[ProposedFact, Guard]]]:
    """The facts that pass every guard, and the others with the guard that each fails.

    `said` holds what the user typed, by the number of the turn. A fact of any other turn has no words to rest
    on, so it fails the guard of its quote.
    """
    kept: list[ProposedFact] = []
    dropped: list[tuple[ProposedFact, Guard]] = []
    for fact in facts:
        guard = failing(
            fact,
            said.get(fact.turn, ""),
            own_tokens=own_tokens,
            filled_fields=filled_fields,
            known_fields=known_fields,
        )
        if guard is None:
            kept.append(fact)
        else:
            dropped.append((fact, guard))
    return kept, dropped


def is_slice(quote: str, said: str) -> bool:
    """Whether the quote is a piece of what was said: whole words, and no number cut in two.

    Case, Unicode form, typographic quotes, apostrophes and dashes, and runs of blanks do not matter. An empty
    quote is no piece.
    """
    piece, whole = fold(quote), fold(said)
    start = whole.find(piece) if piece else -1
    uncut = [figure for figure in figures(whole) if not figure.dates] if start >= 0 else []
    while start >= 0:
        if not _cuts(whole, start, start + len(piece), uncut):
            return True
        start = whole.find(piece, start + 1)
    return False


def _cuts(whole: str, start: int, end: int, uncut: list[Figure]) -> bool:
    inside_word = any(
        0 < edge < len(whole) and _is_one_word(whole[edge - 1], whole[edge]) for edge in (start, end)
    )
    return inside_word or any(figure.start < edge < figure.end for figure in uncut for edge in (start, end))


def _is_one_word(before: str, after: str) -> bool:
    """Whether no word ends between the two characters. Korean writes its particles to the word."""
    return all(
        character.isalnum() and not is_unspaced(character) and not "\uac00" <= character <= "\ud7a3"
        for character in (before, after)
    )


def _fields(text: str, known_fields: Collection[str]) -> list[str]:
    names = [match["name"] for match in _BRACKETED.finditer(plain(text))]
    return [name for name in names if _DOTTED.fullmatch(name) or name in known_fields]


def _states_no_new_number(text: str, quote: str) -> bool:
    known = claims([quote])
    return all(
        figure.is_token or figure.is_stated(known) or _is_resolved_date(figure, text, quote)
        for figure in figures(text)
    )


def _is_resolved_date(figure: Figure, text: str, quote: str) -> bool:
    """Whether the figure is a date, or the year of one, that the quote leaves to be resolved.

    The quote must say when ("last week", "next May", "on 14 May"), and what it does give of the date must be
    the same in the text. Which day it was is not counted here: that needs the time at which it was said.
    """
    folded = fold(quote)
    months = named_months(folded)
    given = frozenset(date for other in figures(quote) for date in other.dates)
    if figure.dates:
        if given:
            return any(date.agrees_with(found) for date in given for found in figure.dates)
        if months:
            return any(found.month in months for found in figure.dates)
        return relates_to_now(folded)
    is_year = any(isinstance(claim, Fraction) and claim in _YEARS for claim in figure.claims)
    visible = plain(text)
    is_dated = _DATED_YEAR.search(visible[: figure.start].casefold()) or visible[figure.end :].startswith(
        "年"
    )
    return is_year and bool(is_dated) and (relates_to_now(folded) or bool(months or given))
