"""What was recalled, as clients get it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from noted.api.replies.common import Reply, Time
from noted.api.replies.memory import FactReply, fact
from noted.conversation.placeholders import told
from noted.facts.profile import as_told
from noted.privacy.masking import unmasked
from noted.recall.block import render

if TYPE_CHECKING:
    from noted.recall.search import Recalled


class WhyReply(Reply):
    """What made a score."""

    semantic: float
    lexical: float
    recency: float
    importance: float
    time: float


class FoundReply(Reply):
    """A fact that was recalled."""

    fact: FactReply
    score: float
    why: WhyReply


class TimeRange(Reply):
    """The range of time that a query named or was held to, half open; null where it has no end."""

    since: Time | None
    until: Time | None


class RecallReply(Reply):
    """What was recalled, best first, and the block that puts it into a prompt (empty: nothing)."""

    items: list[FoundReply]
    time_range: TimeRange | None
    block: str
    degraded: list[str]


def recalled(value: Recalled, now: datetime) -> RecallReply:
    """What a query brought back."""
    facts = as_told([each.fact for each in value.items], now)
    block = render((kind, unmasked(text, fact.entities)) for fact in facts for kind, text in [told(fact)])
    return RecallReply(
        items=[
            FoundReply(
                fact=fact(each.fact, each.fact.status(now)), score=each.score, why=WhyReply(**vars(each.why))
            )
            for each in value.items
        ],
        time_range=TimeRange(since=value.time.since, until=value.time.until) if value.time else None,
        block=block or "",
        degraded=list(value.degraded),
    )
