"""All that is held on a user, as they get it: one JSON document, in parts of the same form where it is
large."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from noted.api.replies.activity import ActivityReply, act
from noted.api.replies.common import Reply, Time
from noted.api.replies.conversations import (
    ConversationDetailReply,
    EpisodeReply,
    UsageReply,
    conversation_detail,
    episode,
    usage,
)
from noted.api.replies.erasures import ErasureReply, erasure
from noted.api.replies.memory import FactReply, ProfileReply, VerdictReply, fact, verdict
from noted.api.replies.preferences import SettingsReply
from noted.conversation.episode import Episode
from noted.conversation.turn import Conversation, Turn
from noted.exporting import Held, Judged, Position
from noted.facts.fact import GivenVerdict
from noted.privacy.masking import unmasked
from noted.store.activity import Act
from noted.store.holdings import Kept

# Lambda answers at most 6 MB, in which this document is a JSON string: each of its quotation marks is two
# bytes.
PART_BYTES = 3_000_000


class ExportedConversation(ConversationDetailReply):
    """A conversation with its running summary, and when it ends."""

    expires_at: Time | None


class ExportedTurn(Reply):
    """A turn as its user typed and read it, with labels for the figures that a tool filled in. `said_at` is
    when it was said, `created_at` when it was stored; `pasted` is what the user did not type."""

    turn_id: str
    conversation_id: str
    created_at: Time
    said_at: Time
    route: Literal["answer", "remember", "recollection"]
    message: str
    answer: str
    pasted: list[str]
    recalled: list[str] = Field(description="Ids of the facts that the message recalled.")
    memory: Literal["queued", "saved", "nothing", "skipped"]
    degraded: list[str]
    usage: UsageReply
    expires_at: Time | None


class ExportedEpisode(EpisodeReply):
    """An episode, and when it ends."""

    expires_at: Time


class ExportedFact(FactReply):
    """A fact in any status with every verdict on it, oldest first. `copy_of`: it says in another conversation
    what that fact says, and counts once that one is erased."""

    profile_field: str | None
    copy_of: str | None
    verdicts: list[VerdictReply]


class ExportReply(Reply):
    """All that is held on the user at an instant, or a part of it. `next` is the address of the next part,
    null with the last; parts are put together by joining their lists. Settings and profile are in the first
    part alone. `verdicts` are those whose fact is gone."""

    format: Literal["noted-export"] = "noted-export"
    version: Literal["1"] = "1"
    exported_at: Time
    memory_epoch: int
    settings: SettingsReply | None = None
    profile: ProfileReply | None = None  # type: ignore[valid-type]  # it is made from a table of fields
    conversations: list[ExportedConversation] = Field(default=[])
    turns: list[ExportedTurn] = Field(default=[])
    episodes: list[ExportedEpisode] = Field(default=[])
    facts: list[ExportedFact] = Field(default=[])
    verdicts: list[VerdictReply] = Field(default=[])
    activity: list[ActivityReply] = Field(default=[])
    erasures: list[ErasureReply] = Field(default=[])
    next: str | None = None


def export(
    document: ExportReply, things: Iterator[tuple[Position, Held]], most_bytes: int = PART_BYTES
) -> Position | None:
    """Puts things into the lists of a document until it is as large as a part may be; gives the position of
    the last one if there are more behind it. A part holds one thing at least."""
    size, last = 0, None
    for position, thing in things:
        told = _told(thing)
        size += len(told.model_dump_json().encode())
        if last is not None and size > most_bytes:
            return last
        _list(document, told).append(told)
        last = position
    return None


def _list(document: ExportReply, told: BaseModel) -> list[BaseModel]:
    lists: dict[type[BaseModel], list[BaseModel]] = {
        ExportedConversation: document.conversations,  # type: ignore[dict-item]
        ExportedTurn: document.turns,  # type: ignore[dict-item]
        ExportedEpisode: document.episodes,  # type: ignore[dict-item]
        ExportedFact: document.facts,  # type: ignore[dict-item]
        VerdictReply: document.verdicts,  # type: ignore[dict-item]
        ActivityReply: document.activity,  # type: ignore[dict-item]
        ErasureReply: document.erasures,  # type: ignore[dict-item]
    }
    return lists[type(told)]


def _told(thing: Held) -> BaseModel:
    if isinstance(thing, Kept):
        if isinstance(thing.thing, Turn):
            return _turn(thing.thing, thing.expires_at)
        return _conversation(thing.thing, thing.expires_at)
    if isinstance(thing, Episode):
        return ExportedEpisode(**vars(episode(thing)), expires_at=thing.expires_at)
    if isinstance(thing, Judged):
        return _fact(thing)
    if isinstance(thing, GivenVerdict):
        return verdict(thing)
    return act(thing) if isinstance(thing, Act) else erasure(thing)


def _conversation(value: Conversation, expires_at: datetime | None) -> ExportedConversation:
    return ExportedConversation(**vars(conversation_detail(value)), expires_at=expires_at)


def _turn(value: Turn, expires_at: datetime | None) -> ExportedTurn:
    return ExportedTurn(
        turn_id=value.turn_id,
        conversation_id=value.conversation_id,
        created_at=value.created_at,
        said_at=value.said_at,
        route=value.route.value,
        message=unmasked(value.message, value.entities),
        answer=unmasked(value.answer, value.entities),
        pasted=[unmasked(each, value.entities) for each in value.pasted],
        recalled=list(value.recalled),
        memory=value.memory.value,
        degraded=list(value.degraded),
        usage=usage(value.usage),
        expires_at=expires_at,
    )


def _fact(value: Judged) -> ExportedFact:
    return ExportedFact(
        **vars(fact(value.fact, value.status)),
        profile_field=value.fact.profile_field,
        copy_of=value.fact.copy_of,
        verdicts=[verdict(each) for each in value.verdicts],
    )
