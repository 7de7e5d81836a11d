"""Everything that one user has in one generation, as the stores of its parts."""

from __future__ import annotations

from noted.clock import Clock
from noted.identity import Principal
from noted.preferences import Preferences
from noted.privacy.sealing import KeySource, Sealer
from noted.retention import Retention
from noted.store import keys
from noted.store.activity import Activity
from noted.store.codec import Codec
from noted.store.conversations import Conversations
from noted.store.database import Database
from noted.store.episodes import Episodes
from noted.store.facts import Facts
from noted.store.fence import Fence
from noted.store.holdings import Holdings
from noted.store.idempotency import Idempotency
from noted.store.index import FactIndex
from noted.store.index_cache import IndexCache
from noted.store.index_rows import Progress
from noted.store.preferences import SETTINGS
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
        codec = Codec(partition, self.sealer)
        self.index = FactIndex(database, principal, generation, codec, self.sealer, cache, clock, progress)
        fence = Fence(database, generation, self.index)
        self.conversations = Conversations(database, codec, fence, retention)
        self.facts = Facts(database, codec, fence, retention, preferences)
        self.activity = Activity(database, partition, retention)
        self.episodes = Episodes(database, codec, fence)
        self.holdings = Holdings(database, codec)
        self.idempotency = Idempotency(database, partition, retention, clock)
