"""Conversations, turns, episodes, and what was kept from a turn, as clients get them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from noted.api.replies.common import Reply, Time
from noted.api.replies.memory import FactReply, facts
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Turn
from noted.models.seam import Purpose, Usage, total
from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.masking import unmasked

if TYPE_CHECKING:
    from noted.conversation.episode import Episode
    from noted.conversation.outcome import Taken
    from noted.facts.fact import Fact


class ConversationReply(Reply):
    """A conversation."""

    conversation_id: str
    created_at: Time
    incognito: bool
    timezone: str


class ConversationDetailReply(ConversationReply):
    """A conversation with its running summary, null while there is none."""

    summary: str | None = None


class TokensReply(Reply):
    """What model calls cost, in tokens."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    model_calls: int


class EpisodeReply(Reply):
    """What a conversation that has rested was about."""

    episode_id: str
    conversation_id: str
    summary: str
    began_at: Time
    ended_at: Time
    created_at: Time


class UsageReply(TokensReply):
    """What all model calls of a turn cost, and those of each purpose alone."""

    by_purpose: dict[Purpose, TokensReply]


class TurnReply(Reply):
    """A turn."""

    turn_id: str
    conversation_id: str
    created_at: Time
    route: Literal["answer", "remember", "recollection"]
    message: str
    answer: str
    recalled: list[FactReply]
    memory: Literal["queued", "saved", "nothing", "skipped"]
    saved_url: str
    usage: UsageReply
    degraded: list[str]


class SavedReply(Reply):
    """What was kept from a turn. `dropped` counts, by rule, what the model proposed and code refused; `asks`
    names the special categories of personal data for which a fact was not kept, since the user has not
    consented to them; `usage` is what the calls behind the answer cost."""

    status: ExtractionStatus
    facts: list[FactReply]
    dropped: dict[str, int]
    asks: list[SpecialCategory]
    error_type: str | None
    usage: UsageReply


def conversation(value: Conversation) -> ConversationReply:
    """A conversation."""
    return ConversationReply(
        conversation_id=value.conversation_id,
        created_at=value.created_at,
        incognito=value.incognito,
        timezone=value.timezone,
    )


def conversation_detail(value: Conversation) -> ConversationDetailReply:
    """A conversation with its running summary as the user reads it."""
    summary = value.summary
    told = unmasked(summary.block, summary.entities) if summary else None
    return ConversationDetailReply(**vars(conversation(value)), summary=told)


def episode(value: Episode) -> EpisodeReply:
    """What a conversation was about, as the user reads it."""
    return EpisodeReply(
        episode_id=value.episode_id,
        conversation_id=value.conversation_id,
        summary=unmasked(value.text, value.entities),
        began_at=value.began_at,
        ended_at=value.ended_at,
        created_at=value.created_at,
    )


def usage(by_purpose: Mapping[Purpose, Usage]) -> UsageReply:
    """What the model calls of a turn cost."""
    return UsageReply(
        **vars(total(by_purpose.values())),
        by_purpose={purpose: TokensReply(**vars(each)) for purpose, each in by_purpose.items()},
    )


def turn(value: Turn, recalled: Iterable[Fact], now: datetime) -> TurnReply:
    """A turn as it is stored, masked and with labels for figures, with the facts that its message
    recalled."""
    return TurnReply(
        turn_id=value.turn_id,
        conversation_id=value.conversation_id,
        created_at=value.created_at,
        route=value.route.value,
        message=value.message,
        answer=value.answer,
        recalled=facts(recalled, now),
        memory=value.memory.value,
        saved_url=f"/v1/conversations/{value.conversation_id}/turns/{value.turn_id}/saved",
        usage=usage(value.usage),
        degraded=list(value.degraded),
    )


def taken(value: Taken, now: datetime) -> TurnReply:
    """A turn as the user reads it when it is answered."""
    reply = turn(value.turn, value.recalled, now)
    message = unmasked(value.turn.message, value.turn.entities)
    return reply.model_copy(update={"message": message, "answer": value.shown})


def saved(value: Extraction, kept: Iterable[Fact], now: datetime) -> SavedReply:
    """What was kept from a turn."""
    return SavedReply(
        status=value.status,
        facts=facts(kept, now),
        dropped=value.dropped,
        asks=[SpecialCategory(each) for each in value.asks],
        error_type=value.error_type,
        usage=usage(value.usage),
    )
