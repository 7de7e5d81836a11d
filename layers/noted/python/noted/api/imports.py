"""What clients send to have an export taken back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from noted.api.requests.common import (
    FACT_CHARACTERS,
    MESSAGE_CHARACTERS,
    FactText,
    Instant,
    Message,
    Request,
    SaidAt,
    Timezone,
)
from noted.facts.fact import Category, Kind
from noted.facts.profile_schema import FIELDS

# An embedder takes some 30 ms for a text, and the gateway waits 29 seconds.
MOST_ITEMS = 100

_Items = Annotated[list[Any], Field(max_length=MOST_ITEMS)]
_Unread = Annotated[list[Any], Field(description="Not taken.")]
_CONVERSATION = Annotated[str, StringConstraints(pattern="^cv_[0-9A-HJKMNP-TV-Z]{26}$")]
_TURN = Annotated[str, StringConstraints(pattern="^tn_[0-9A-HJKMNP-TV-Z]{26}$")]
_FACT = Annotated[str, StringConstraints(pattern="^ft_[0-9A-HJKMNP-TV-Z]{26}$")]
_PROFILE_FIELD = Annotated[str, StringConstraints(pattern=f"^({'|'.join(FIELDS)})$")]


class ImportRequest(Request):
    """`POST /v1/import`: an export, or a part of one with at most a hundred of each thing. Its conversations,
    turns and facts are judged one by one; the rest is not taken."""

    format: Literal["noted-export"]
    version: Literal["1"]
    exported_at: Any = None
    memory_epoch: Any = None
    settings: Any = None
    profile: Any = None
    conversations: _Items = Field(default_factory=list)
    turns: _Items = Field(default_factory=list)
    facts: _Items = Field(default_factory=list)
    episodes: _Unread = Field(default_factory=list)
    verdicts: _Unread = Field(default_factory=list)
    activity: _Unread = Field(default_factory=list)
    erasures: _Unread = Field(default_factory=list)
    next: Any = None


class _Imported(BaseModel):
    """An item of an export. What of it is worked out anew, or told for the reader alone, counts for
    nothing."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)


class ImportedConversation(_Imported):
    """A conversation."""

    conversation_id: _CONVERSATION
    created_at: SaidAt
    incognito: bool = False
    timezone: Timezone = "UTC"


class ImportedTurn(_Imported):
    """A turn."""

    turn_id: _TURN
    conversation_id: _CONVERSATION
    created_at: SaidAt
    said_at: SaidAt
    route: Literal["answer", "remember", "recollection"] = "answer"
    message: Message
    answer: Annotated[str, StringConstraints(max_length=2 * MESSAGE_CHARACTERS)]
    pasted: Annotated[list[str], Field(max_length=20)] = []


class ImportedVerdict(_Imported):
    """A verdict."""

    verdict: Literal["confirmed", "rejected", "inaccurate"]
    at: SaidAt
    note: Annotated[str, StringConstraints(max_length=FACT_CHARACTERS)] | None = None


class ImportedFact(_Imported):
    """A fact."""

    fact_id: _FACT
    kind: Kind
    category: Category = "other"
    text: FactText
    status: Literal["live", "held", "rejected", "inaccurate", "superseded", "expired"] = "live"
    provenance: Literal["said", "confirmed"] = "said"
    created_at: SaidAt
    last_confirmed_at: SaidAt | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    supersedes: _FACT | None = None
    superseded_by: _FACT | None = None
    profile_field: _PROFILE_FIELD | None = None
    copy_of: str | None = None
    verdicts: Annotated[list[ImportedVerdict], Field(max_length=20)] = []
