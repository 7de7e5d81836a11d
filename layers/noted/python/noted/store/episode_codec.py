"""Episodes as rows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from noted.clock import instant, timestamp
from noted.conversation.episode import Episode
from noted.store import keys
from noted.store.codec import CONTENT, Codec, joined, parted
from noted.store.tables import EXPIRY

if TYPE_CHECKING:
    from noted.store.writes import Row


class EpisodeCodec(Codec):
    """The episodes of one partition."""

    def episode_row(self, episode: Episode) -> Row:
        """One row a conversation."""
        sort_key = keys.episode(episode.conversation_id)
        content = {
            "episode_id": episode.episode_id,
            "text": episode.text,
            "began_at": timestamp(episode.began_at),
            "ended_at": timestamp(episode.ended_at),
            "created_at": timestamp(episode.created_at),
            "embedder": episode.embedder,
        }
        sealed = self.sealer.seal(
            joined(json.dumps(content, ensure_ascii=False).encode(), episode.words, episode.vector),
            self.place(sort_key, CONTENT),
        )
        return self.row(
            sort_key,
            episode.expires_at,
            conversation_id=episode.conversation_id,
            kept_at=timestamp(episode.created_at),
            content=sealed,
            vault=self.vault(episode.entities, sort_key),
        )

    def episode(self, row: Row) -> Episode:
        """Reads an episode."""
        opened = self.sealer.open(row[CONTENT], self.place(row["sk"], CONTENT))
        plain, tokens, vector = parted(opened)
        content = json.loads(plain)
        return Episode(
            episode_id=content["episode_id"],
            conversation_id=row["conversation_id"],
            text=content["text"],
            began_at=instant(content["began_at"]),
            ended_at=instant(content["ended_at"]),
            created_at=instant(content["created_at"]),
            expires_at=datetime.fromtimestamp(row[EXPIRY], UTC),
            words=tokens or None,
            vector=vector or None,
            embedder=content["embedder"],
            entities=self.entities(row),
        )
