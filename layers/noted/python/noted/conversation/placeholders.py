"""Placeholders in texts that a client had masked itself, before they came here.

Such a client's letters begin anew with each turn, so `<PERSON_A>` of an older turn may be somebody else than
`<PERSON_A>` now. What is older is renamed before a model reads it; what is stored stays as it came. Values
that are masked here have ids instead, and need none of this.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from noted.privacy.letters import HEADS

if TYPE_CHECKING:
    from noted.facts.fact import Fact, Kind

# A letter or a number behind any capitals; two letters only behind a type that is known, or <USER_ID> would
# be one. Markup has no underscore.
_PLACEHOLDER = re.compile(
    rf"<(?P<name>[A-Z]+(?:_[A-Z]+)*_(?:[A-Z]|\d{{1,3}})|(?:{'|'.join(HEADS)})_[A-C][A-Z])>"
)


def renamed(text: str) -> str:
    """A text of an older turn, with `[earlier PERSON_A]` for `<PERSON_A>`. A renamed text stays as it is."""
    return _PLACEHOLDER.sub(r"[earlier \g<name>]", text)


def renamed_fact(text: str, source: str) -> str:
    """A fact, with `[earlier PERSON_A_kqzx]` for `<PERSON_A>`: the letters at the end are those of the turn
    it comes from, so that `<PERSON_A>` of two turns does not read as one person. `source` is that turn's
    id."""
    if not _PLACEHOLDER.search(text):
        return text
    return _PLACEHOLDER.sub(rf"[earlier \g<name>_{_mark(source)}]", text)


def told(fact: Fact) -> tuple[Kind, str]:
    """A fact as a block tells it beside a message."""
    return fact.kind, renamed_fact(fact.text, _source(fact))


def told_alone(facts: Sequence[Fact], question: str) -> list[tuple[Kind, str]]:
    """Facts as they are told beside nothing but a question: with placeholders as they came, save those that
    the question holds too, or facts of different turns."""
    sources: dict[str, set[str]] = {}
    for fact in facts:
        for match in _PLACEHOLDER.finditer(fact.text):
            sources.setdefault(match.group(), set()).add(_source(fact))
    ambiguous = {token for token, turns in sources.items() if len(turns) > 1 or token in question}
    return [
        told(fact) if any(token in fact.text for token in ambiguous) else (fact.kind, fact.text)
        for fact in facts
    ]


def _source(fact: Fact) -> str:
    return fact.source.turn_id if fact.source else fact.fact_id


def _mark(source: str) -> str:
    """Four letters that tell turns apart: two of 50 meet with a chance of 1 in 370. Not secret."""
    number = int.from_bytes(hashlib.sha256(source.encode()).digest()[:8])
    letters = ""
    for _ in range(4):
        number, place = divmod(number, 26)
        letters += chr(ord("a") + place)
    return letters
