"""Everything that one user has in one generation, as the stores of its parts."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from noted.preferences import Preferences
from noted.privacy.sealing import KeySource, Sealer
from noted.store import keys
from noted.store.fact_codec import FactCodec
from noted.store.fence import Fence
from noted.store.index import FactIndex
from noted.store.index_rows import Progress
from noted.store.preferences import SETTINGS

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.identity import Principal
    from noted.retention import Retention
    from noted.store.activity import Activity
    from noted.store.conversations import Conversations
    from noted.store.database import Database
    from noted.store.episodes import Episodes
    from noted.store.facts import Facts
    from noted.store.holdings import Holdings
    from noted.store.idempotency import Idempotency
    from noted.store.index_cache import IndexCache
    from noted.store.snapshots import Snapshots
    from noted.store.writes import Row


class Memory:
    """One partition. Its sealer's key belongs to this user and generation alone; `retention` is what the user
    has left of the service's."""

    def __init__(
        self,
        database: Database,
        principal: Principal,
        generation: int,
        key: KeySource,
        retention: Retention,
        clock: Clock,
        cache: IndexCache,
        meta: Row | None = None,
    ) -> None:
        """`meta` is the row that says where the user stands, if it has been read for this generation."""
        preferences = Preferences.of(meta.get(SETTINGS) if meta else None, generation)
        progress = Progress.of(meta, generation) if meta else None
        database = database.within(preferences.limit)
        retention = retention.within(preferences.retention_days)
        self.principal = principal
        self.generation = generation
        self.retention = retention
        partition = keys.partition(principal, generation)
        self.sealer = Sealer(key)
        self._fact_codec = FactCodec(partition, self.sealer)
        self.index = FactIndex(
            database, principal, generation, self._fact_codec, self.sealer, cache, clock, progress
        )
        self._database = database
        self._partition = partition
        self._preferences = preferences
        self._clock = clock
        self._fence = Fence(database, generation, self.index)

    # A request asks for one or two of these, and a function that starts imports no more than them.

    @cached_property
    def conversations(self) -> Conversations:
        """What was said."""
        from noted.store.conversation_codec import ConversationCodec
        from noted.store.conversations import Conversations

        codec = ConversationCodec(self._partition, self.sealer)
        return Conversations(self._database, codec, self._fact_codec, self._fence, self.retention)

    @cached_property
    def facts(self) -> Facts:
        """What is known, and the verdicts on it."""
        from noted.store.facts import Facts

        return Facts(self._database, self._fact_codec, self._fence, self.retention, self._preferences)

    @cached_property
    def snapshots(self) -> Snapshots:
        """What conversations were told of it when they began."""
        from noted.store.snapshots import Snapshots

        return Snapshots(self._database, self._fact_codec, self.index, self.facts, self._clock)

    @cached_property
    def activity(self) -> Activity:
        """What was done with it."""
        from noted.store.activity import Activity

        return Activity(self._database, self._partition, self.retention)

    @cached_property
    def episodes(self) -> Episodes:
        """What conversations were about."""
        from noted.store.episode_codec import EpisodeCodec
        from noted.store.episodes import Episodes

        return Episodes(self._database, EpisodeCodec(self._partition, self.sealer), self._fence)

    @cached_property
    def holdings(self) -> Holdings:
        """Everything there is, as it is told to its owner."""
        from noted.store.conversation_codec import ConversationCodec
        from noted.store.episode_codec import EpisodeCodec
        from noted.store.holdings import Holdings

        conversations = ConversationCodec(self._partition, self.sealer)
        episodes = EpisodeCodec(self._partition, self.sealer)
        return Holdings(self._database, conversations, episodes, self._fact_codec)

    @cached_property
    def idempotency(self) -> Idempotency:
        """Which requests were answered with what."""
        from noted.store.idempotency import Idempotency

        return Idempotency(self._database, self._partition, self.retention, self._clock)
