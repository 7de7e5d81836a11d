"""All that is held on a user, one thing after another, so that an export is made in parts of any size and
none of it is ever stored.

A position names the last thing that was told; the next part goes on behind it. The order is that of the rows,
which nothing that is added later changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from noted.conversation.episode import Episode
from noted.conversation.turn import Conversation, Turn
from noted.facts.fact import Fact, GivenVerdict, Status
from noted.facts.live import statuses
from noted.store.activity import Act
from noted.store.holdings import Kept
from noted.store.ledger import Entry, Ledger

if TYPE_CHECKING:
    from noted.store.memory import Memory

_THREADS, _EPISODES, _FACTS, _ACTIVITY, _ERASURES = "threads", "episodes", "facts", "activity", "erasures"
SECTIONS = (_THREADS, _EPISODES, _FACTS, _ACTIVITY, _ERASURES)
_PAGE = 100


@dataclass(frozen=True)
class Position:
    """Behind what an export goes on: a section, and a place in it, None for its beginning."""

    section: str = _THREADS
    after: str | None = None


@dataclass(frozen=True)
class Judged:
    """A fact with the status that it has among the others, and all verdicts on it, oldest first."""

    fact: Fact
    status: Status
    verdicts: tuple[GivenVerdict, ...] = ()


Held = Kept[Conversation] | Kept[Turn] | Episode | Judged | GivenVerdict | Act | Entry


def held(memory: Memory, ledger: Ledger, now: datetime, start: Position) -> Iterator[tuple[Position, Held]]:
    """What is held on a user behind a position, each thing with its own: conversations, each behind its
    turns; episodes; facts with their verdicts, and verdicts whose fact is gone; acts; erasures."""
    for section in SECTIONS[SECTIONS.index(start.section) :]:
        after = start.after if section == start.section else None
        for place, thing in _section(section, memory, ledger, now, after):
            yield Position(section, place), thing


def _section(
    section: str, memory: Memory, ledger: Ledger, now: datetime, after: str | None
) -> Iterator[tuple[str, Held]]:
    match section:
        case "threads":
            yield from memory.holdings.threads(after)
        case "episodes":
            yield from memory.holdings.episodes(after)
        case "facts":
            yield from _facts(memory, now, after)
        case "activity":
            yield from _acts(memory, ledger, after)
        case _:
            yield from ((each.erasure_id, each) for each in ledger.entries(after))


def _facts(memory: Memory, now: datetime, after: str | None) -> Iterator[tuple[str, Held]]:
    stored = memory.facts.stored()
    standing = statuses(stored.facts, now)
    facts = sorted((*stored.facts, *stored.copies), key=lambda fact: fact.fact_id)
    verdicts = memory.holdings.verdicts(after)
    verdict = next(verdicts, None)
    for fact in facts:
        if after is not None and fact.fact_id <= after:
            continue
        while verdict and verdict.fact_id < fact.fact_id:
            yield verdict.fact_id, verdict
            verdict = next(verdicts, None)
        own = []
        while verdict and verdict.fact_id == fact.fact_id:
            own.append(verdict)
            verdict = next(verdicts, None)
        # A copy has no standing of its own: it says what the fact says that it stands in for.
        status = standing.get(fact.fact_id) or standing[fact.copy_of or ""]
        yield fact.fact_id, Judged(fact, status, tuple(own))
    while verdict:
        yield verdict.fact_id, verdict
        verdict = next(verdicts, None)


def _acts(memory: Memory, ledger: Ledger, after: str | None) -> Iterator[tuple[str, Held]]:
    while True:
        page = memory.activity.page(_PAGE, after, ledger.reference)
        # A part that ends within a page reads that page again.
        for act in page.items:
            yield act.activity_id[3:], act
        after = page.after
        if after is None:
            return
