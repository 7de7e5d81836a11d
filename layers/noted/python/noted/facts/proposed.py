"""A fact as a model proposes it: not checked, not stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.facts.fact import Category, Kind


@dataclass(frozen=True)
class ProposedFact:
    """`quote` is the piece of the user's words that the text rests on, said in the turn with number `turn`,
    counted from 1 over the turns that the model was given. `valid_from` and `valid_until` are dates as the
    model wrote them; `profile_field` names the field of the structured profile that the fact fills. The last
    two are the write gate's: why the fact is to be held, and which special category it gives away."""

    kind: Kind
    text: str
    quote: str
    category: Category = "other"
    turn: int = 1
    valid_from: str | None = None
    valid_until: str | None = None
    profile_field: str | None = None
    held_because: str | None = None
    special_category: str | None = None
