"""A conversation and its turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from noted.models.seam import Usage


class Route(StrEnum):
    """Which way a message went."""

    ANSWER = "answer"
    REMEMBER = "remember"
    RECOLLECTION = "recollection"


class Kept(StrEnum):
    """What long-term memory does with a turn, known when it is answered."""

    QUEUED = "queued"
    SAVED = "saved"
    NOTHING = "nothing"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Conversation:
    """`snapshot` names the facts that were live when the conversation began, in the order in which they are
    told. It names them only, so a fact that is rejected, corrected or erased is gone from it at once.
    `window_from` is the id of the first turn that is still replayed, None for all of them."""

    conversation_id: str
    created_at: datetime
    incognito: bool
    timezone: str
    snapshot: tuple[str, ...] = ()
    window_from: str | None = None


@dataclass(frozen=True)
class Turn:
    """One message and its answer. `said_at` is when the user said it, which for a recorded turn is earlier
    than `created_at`; `recalled` names the facts that this message brought back."""

    turn_id: str
    conversation_id: str
    created_at: datetime
    said_at: datetime
    route: Route
    message: str
    answer: str
    memory: Kept
    pasted: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


class ExtractionStatus(StrEnum):
    """How far the extraction of a turn is."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Extraction:
    """What came of a turn's extraction: ids of the facts kept, the number dropped by each guard, and for a
    failure the type of the error, never its text."""

    status: ExtractionStatus
    facts: tuple[str, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    error_type: str | None = None
