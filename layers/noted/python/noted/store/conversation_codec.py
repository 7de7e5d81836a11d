"""Conversations, their turns, and what became of each turn's extraction, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from noted.clock import instant, timestamp
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Kept, Route, Summary, Turn
from noted.models.seam import Purpose, Usage
from noted.store import keys
from noted.store.codec import CONTENT, VAULT, Codec
from noted.store.tables import OUTBOX

if TYPE_CHECKING:
    from noted.store.writes import Row

_SUMMARY = "summary"


class ConversationCodec(Codec):
    """The conversations of one partition."""

    def conversation_row(self, conversation: Conversation, expires_at: datetime) -> Row:
        """The state of a conversation, behind its turns."""
        return self.row(
            keys.state(conversation.conversation_id),
            expires_at,
            conversation_id=conversation.conversation_id,
            created_at=timestamp(conversation.created_at),
            incognito=conversation.incognito,
            timezone=conversation.timezone,
            snapshot=list(conversation.snapshot),
            window_from=conversation.window_from,
        )

    def header_row(self, conversation: Conversation, expires_at: datetime) -> Row:
        """What the list of conversations shows."""
        return self.row(
            keys.header(conversation.conversation_id),
            expires_at,
            conversation_id=conversation.conversation_id,
            created_at=timestamp(conversation.created_at),
            incognito=conversation.incognito,
            timezone=conversation.timezone,
        )

    def conversation(self, row: Row) -> Conversation:
        """Reads either of the two."""
        is_state = row["sk"] == keys.state(row["conversation_id"])
        return Conversation(
            conversation_id=row["conversation_id"],
            created_at=instant(row["created_at"]),
            incognito=row["incognito"],
            timezone=row["timezone"],
            snapshot=tuple(row.get("snapshot", ())),
            window_from=row.get("window_from"),
            summary=self._summary(row) if _SUMMARY in row else None,
            compacting=is_state and OUTBOX.partition in row,
        )

    def summary(self, conversation_id: str, summary: Summary) -> Row:
        """The attributes by which a conversation's state holds its running summary."""
        sort_key = keys.state(conversation_id)
        content = {
            "text": summary.text,
            "pinned": list(summary.pinned),
            "covers_through": summary.covers_through,
            "unsummarised": summary.unsummarised,
            "dropped": summary.dropped,
            "memorable": summary.memorable,
        }
        return {
            _SUMMARY: self.sealer.seal_json(content, self.place(sort_key, _SUMMARY)),
            VAULT: self.vault(summary.entities, sort_key),
        }

    def _summary(self, row: Row) -> Summary:
        content = self.sealer.open_json(row[_SUMMARY], self.place(row["sk"], _SUMMARY))
        return Summary(**content | {"pinned": tuple(content["pinned"]), "entities": self.entities(row)})

    def turn_row(self, turn: Turn, expires_at: datetime) -> Row:
        """A turn without its outbox mark."""
        sort_key = keys.turn(turn.conversation_id, turn.turn_id)
        content = {"message": turn.message, "answer": turn.answer, "pasted": list(turn.pasted)}
        return self.row(
            sort_key,
            expires_at,
            turn_id=turn.turn_id,
            conversation_id=turn.conversation_id,
            created_at=timestamp(turn.created_at),
            said_at=timestamp(turn.said_at),
            route=str(turn.route),
            memory=str(turn.memory),
            recalled=list(turn.recalled),
            degraded=list(turn.degraded),
            usage=_usage_row(turn.usage),
            figures=list(turn.figures),
            revision=turn.revision,
            content=self.sealer.seal_json(content, self.place(sort_key, CONTENT)),
            vault=self.vault(turn.entities, sort_key),
        )

    def turn(self, row: Row) -> Turn:
        """Reads a turn."""
        content = self.sealer.open_json(row[CONTENT], self.place(row["sk"], CONTENT))
        return Turn(
            turn_id=row["turn_id"],
            conversation_id=row["conversation_id"],
            created_at=instant(row["created_at"]),
            said_at=instant(row["said_at"]),
            route=Route(row["route"]),
            message=content["message"],
            answer=content["answer"],
            memory=Kept(row["memory"]),
            pasted=tuple(content["pasted"]),
            recalled=tuple(row["recalled"]),
            degraded=tuple(row["degraded"]),
            usage=_usage(row["usage"]),
            entities=self.entities(row),
            figures=tuple(row["figures"]),
            revision=row["revision"],
        )

    def extraction_row(self, turn_id: str, extraction: Extraction, expires_at: datetime) -> Row:
        """The mark that a turn has been extracted. It holds ids and counts."""
        return self.row(
            keys.extraction(turn_id),
            expires_at,
            status=str(extraction.status),
            facts=list(extraction.facts),
            dropped=dict(extraction.dropped),
            error_type=extraction.error_type,
            usage=_usage_row(extraction.usage),
            asks=list(extraction.asks),
        )

    def extraction(self, row: Row) -> Extraction:
        """Reads such a mark."""
        return Extraction(
            status=ExtractionStatus(row["status"]),
            facts=tuple(row["facts"]),
            dropped=row["dropped"],
            error_type=row.get("error_type"),
            usage=_usage(row["usage"]),
            asks=tuple(row.get("asks", ())),
        )


def _usage_row(usage: Mapping[Purpose, Usage]) -> Row:
    return {str(purpose): asdict(each) for purpose, each in usage.items()}


def _usage(row: Row) -> dict[Purpose, Usage]:
    return {Purpose(name): Usage(**each) for name, each in row.items()}
