"""The list of a user's facts, newest first, a page at a time."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from noted.facts.fact import Fact, Kind, Status
from noted.privacy.masking import unmasked


@dataclass(frozen=True)
class Wanted:
    """Which facts are listed: the live ones or all, of one kind or both, and those that have
    `text` in theirs, whatever its case."""

    live_only: bool = True
    kind: Kind | None = None
    text: str | None = None


def page(
    facts: Sequence[Fact], statuses: Mapping[str, Status], wanted: Wanted, limit: int, after: str | None
) -> tuple[list[Fact], str | None]:
    """The first `limit` wanted facts behind the id `after`, and the id to go on behind, None at the end.

    `facts` come newest first; ids sort by time, so what is added meanwhile moves nobody's page.
    """
    needle = _folded(wanted.text) if wanted.text else ""
    chosen = [
        fact
        for fact in facts
        if (after is None or fact.fact_id < after)
        and (not wanted.live_only or statuses[fact.fact_id] is Status.LIVE)
        and (wanted.kind is None or fact.kind == wanted.kind)
        and needle in _folded(unmasked(fact.text, fact.entities))
    ]
    taken = chosen[:limit]
    return taken, taken[-1].fact_id if len(chosen) > limit else None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
