"""The rows of one partition in their own order, for an export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from noted.store import keys
from noted.store.tables import EXPIRY, MEMORY, VERDICTS

if TYPE_CHECKING:
    from noted.conversation.episode import Episode
    from noted.conversation.turn import Conversation, Turn
    from noted.facts.fact import GivenVerdict
    from noted.store.conversation_codec import ConversationCodec
    from noted.store.database import Database
    from noted.store.episode_codec import EpisodeCodec
    from noted.store.fact_codec import FactCodec
    from noted.store.writes import Row

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Kept(Generic[Thing]):
    """A thing and the end of its row."""

    thing: Thing
    expires_at: datetime | None


class Holdings:
    """The rows of one partition. What is read `after` a place goes on behind the row that had it; every page
    is read, and what has ended is left out."""

    def __init__(
        self, database: Database, conversations: ConversationCodec, episodes: EpisodeCodec, facts: FactCodec
    ) -> None:
        self._database = database
        self._partition = facts.partition
        self._conversations = conversations
        self._episodes = episodes
        self._facts = facts

    def threads(self, after: str | None = None) -> Iterator[tuple[str, Kept[Turn] | Kept[Conversation]]]:
        """Every turn, oldest first in its conversation, and the conversation behind its turns."""
        for row in self._database.query(MEMORY.name, self._partition, prefix=keys.THREADS, after=after):
            if row["sk"].endswith(keys.STATE):
                yield row["sk"], Kept(self._conversations.conversation(row), _end(row))
            else:
                yield row["sk"], Kept(self._conversations.turn(row), _end(row))

    def turn_ids(self, conversation_id: str) -> Iterator[str]:
        """The ids of a conversation's turns, those of turns that have ended too."""
        for _, sort_key in self._database.keys(
            MEMORY.name, self._partition, keys.thread(conversation_id) + "tn_"
        ):
            yield keys.read_turn(sort_key)[1]

    def episodes(self, after: str | None = None) -> Iterator[tuple[str, Episode]]:
        """Every episode, that of the oldest conversation first."""
        rows = self._database.query(MEMORY.name, self._partition, prefix=keys.EPISODES, after=after)
        return ((row["sk"], self._episodes.episode(row)) for row in rows)

    def verdicts(self, after: str | None = None) -> Iterator[GivenVerdict]:
        """Every verdict, by fact and then oldest first, behind those on the fact `after`."""
        behind = f"{keys.verdicts(after)}~" if after else None
        rows = self._database.query(VERDICTS.name, self._partition, prefix=keys.VERDICTS_PREFIX, after=behind)
        return map(self._facts.verdict, rows)


def _end(row: Row) -> datetime | None:
    return datetime.fromtimestamp(row[EXPIRY], UTC) if EXPIRY in row else None
