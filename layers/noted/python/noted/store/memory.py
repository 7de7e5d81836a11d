"""Everything that one user has in one generation, as the stores of its parts."""

from __future__ import annotations

from noted.clock import Clock
from noted.identity import Principal, Secrets
from noted.privacy.sealing import Sealer
from noted.retention import Retention
from noted.store import keys
from noted.store.codec import Codec
from noted.store.conversations import Conversations
from noted.store.database import Database
from noted.store.episodes import Episodes
from noted.store.facts import Facts
from noted.store.fence import Fence
from noted.store.idempotency import Idempotency
from noted.store.index import FactIndex
from noted.store.index_cache import IndexCache
from noted.store.index_rows import Progress


class Memory:
    """One partition. Its sealer's key belongs to this user and generation alone."""

    def __init__(
        self,
        database: Database,
        principal: Principal,
        generation: int,
        secrets: Secrets,
        retention: Retention,
        clock: Clock,
        cache: IndexCache,
        progress: Progress | None = None,
    ) -> None:
        self.principal = principal
        self.generation = generation
        partition = keys.partition(principal, generation)
        self.sealer = Sealer(secrets.key(f"content of {partition}"))
        codec = Codec(partition, self.sealer)
        self.index = FactIndex(database, principal, generation, codec, self.sealer, cache, clock, progress)
        fence = Fence(database, generation, self.index)
        self.conversations = Conversations(database, codec, fence, retention)
        self.facts = Facts(database, codec, fence, retention)
        self.episodes = Episodes(database, codec, fence)
        self.idempotency = Idempotency(database, partition, retention, clock)
