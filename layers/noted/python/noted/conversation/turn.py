"""A conversation, its turns and its running summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.models.seam import Purpose, Usage

# What code writes beside a summary's text, and no model may.
PINNED = "Word for word from those turns, oldest first; a later line may correct an earlier one:"
UNSUMMARISED = "of those turns only the lines below are kept"
DROPPED = "more such lines had no room"


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
class Summary:
    """What was said in the turns that have left the window, up to the one whose id is `covers_through`.

    `text` is a model's, in lines; `pinned` are lines of those turns, oldest first, which hold what the text
    lost. Of `unsummarised` turns nothing but pinned lines is kept, and for `dropped` such lines there was no
    room. `memorable`: long-term memory may learn from every turn that is in it. The texts are masked as those
    of a turn.
    """

    text: str
    pinned: tuple[str, ...]
    covers_through: str
    unsummarised: int = 0
    dropped: int = 0
    memorable: bool = True
    entities: Mapping[str, str] = field(default_factory=dict)

    @property
    def block(self) -> str:
        """The summary as one flat text for a prompt, or for the user."""
        lines = [self.text] if self.text else []
        if self.unsummarised:
            lines.append(f"Of {self.unsummarised} {UNSUMMARISED}.")
        if self.pinned:
            lines += [PINNED, *(f"- {line}" for line in self.pinned)]
        if self.dropped:
            lines.append(f"({self.dropped} {DROPPED}.)")
        return "\n".join(lines)


@dataclass(frozen=True)
class Conversation:
    """`snapshot` names the facts that were live when the conversation began, in the order in which they are
    told. It names them only, so a fact that is rejected, corrected or erased is gone from it at once.
    `window_from` is the id of the first turn that is still replayed, None for all of them; what was said
    before it is in `summary`. `compacting`: turns are to leave the window, and a job for it is on its way.
    `beyond`: so many turns wait for that job that the oldest were not read with it."""

    conversation_id: str
    created_at: datetime
    incognito: bool
    timezone: str
    snapshot: tuple[str, ...] = ()
    window_from: str | None = None
    summary: Summary | None = None
    compacting: bool = False
    beyond: bool = False


@dataclass(frozen=True)
class Turn:
    """One message and its answer. `said_at` is when the user said it, which for a recorded turn is earlier
    than `created_at`; `recalled` names the facts that this message brought back.

    The texts are masked: `entities` holds, by its id, what each id in them stands for. `figures` names the
    labels in the answer that tools filled in when it was given. `revision` counts how often the answer was
    replaced by another one. `usage` is what its model calls cost, by purpose.
    """

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
    usage: Mapping[Purpose, Usage] = field(default_factory=dict)
    entities: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    revision: int = 0


class ExtractionStatus(StrEnum):
    """How far the extraction of a turn is."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Extraction:
    """What came of a turn's extraction: ids of the facts kept, the number dropped by each rule, the special
    categories that a fact would have needed consent for, what its model calls cost, by purpose, and for a
    failure the type of the error, never its text."""

    status: ExtractionStatus
    facts: tuple[str, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    error_type: str | None = None
    usage: Mapping[Purpose, Usage] = field(default_factory=dict)
    asks: tuple[str, ...] = ()
