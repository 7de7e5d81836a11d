"""Episodes, and the marks of conversations that are to get one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noted.errors import EpochChanged, MemoryPaused
from noted.store import keys, marks
from noted.store.database import ConditionFailed, Database
from noted.store.pages import Page, page_of
from noted.store.tables import MEMORY, OUTBOX
from noted.store.writes import Condition, Write, put, update

if TYPE_CHECKING:
    from noted.conversation.episode import Episode
    from noted.store.episode_codec import EpisodeCodec
    from noted.store.fence import Fence


class Episodes:
    """The episodes of one partition."""

    def __init__(self, database: Database, codec: EpisodeCodec, fence: Fence) -> None:
        self._database = database
        self._codec = codec
        self._fence = fence

    def all(self) -> list[Episode]:
        """Every episode, that of the newest conversation first. One read unit per 4 KB."""
        rows = self._database.query(MEMORY.name, self._codec.partition, prefix=keys.EPISODES, descending=True)
        return [self._codec.episode(row) for row in rows]

    def page(self, limit: int, after: str | None) -> Page[Episode]:
        """Episodes, that of the newest conversation first."""
        rows = self._database.query(
            MEMORY.name,
            self._codec.partition,
            prefix=keys.EPISODES,
            after=after,
            descending=True,
            page_size=limit + 1,
        )
        taken, last = page_of(rows, limit)
        return Page([self._codec.episode(row) for row in taken], last)

    def last_use(self, conversation_id: str) -> str | None:
        """What a conversation that waits for its episode was last used by; None if it waits for none, or is
        not there."""
        row = self._database.get(MEMORY.name, self._codec.partition, keys.header(conversation_id))
        return row["last_use"] if row and OUTBOX.partition in row else None

    def write(self, episode: Episode, last_use: str) -> bool:
        """Stores an episode in the place of the one before and takes the mark off: only while nobody has used
        the conversation since, it waits for its episode, the generation is current and memory on. False: one
        of them was not so, and nothing was written."""
        unmarking = self._unmarking(episode.conversation_id, last_use)
        try:
            self._fence.transact(
                [put(MEMORY.name, self._codec.episode_row(episode)), unmarking], learning=True
            )
        except (ConditionFailed, EpochChanged, MemoryPaused):
            return False
        return True

    def forget(self, conversation_id: str, last_use: str) -> None:
        """Takes the mark off a conversation that gets no episode, unless it was used since."""
        try:
            self._database.transact([self._unmarking(conversation_id, last_use)])
        except ConditionFailed:
            return

    def _unmarking(self, conversation_id: str, last_use: str) -> Write:
        return update(
            MEMORY.name,
            self._codec.partition,
            keys.header(conversation_id),
            marks.UNMARK,
            condition=Condition(
                f"last_use = :seen AND {marks.MARKED.expression}", values={":seen": last_use}
            ),
        )
