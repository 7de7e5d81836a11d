"""What a function keeps from one call to the next, all of it bounded and for five minutes at most."""

from __future__ import annotations

from dataclasses import dataclass, field

from noted.store.index_cache import IndexCache
from noted.store.key_cache import KeyCache


@dataclass(frozen=True)
class Caches:
    """Opened indexes and data keys, of all users that one function has served."""

    indexes: IndexCache = field(default_factory=IndexCache)
    keys: KeyCache = field(default_factory=KeyCache)
