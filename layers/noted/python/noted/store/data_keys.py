"""The data key of one user and generation: fetched when something is first opened or sealed, made when
something is first sealed, and never made again.

That a generation has a key is written into the user's META row in the transaction that stores the key. So a
late writer of a generation that is over makes none, and a key that has gone is told from one that never was.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from noted.clock import Clock, timestamp
from noted.errors import EpochChanged, KeyLost
from noted.privacy.sealing import Use
from noted.privacy.wrapping import KEY_BYTES, CannotUnwrap, KeyWrapper
from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.tables import CONTROL, KEYS
from noted.store.writes import ABSENT, Condition, put, update

if TYPE_CHECKING:
    from noted.identity import Principal
    from noted.store.key_cache import KeyCache

KEYED = "keyed"


class DataKey:
    """The key of one user and generation.

    `keyed`: META says that the generation has a key. `writing`: this request writes, so that what it compares
    by must still be equal tomorrow; a request that only reads makes no key, and compares by one that is
    forgotten."""

    def __init__(
        self,
        database: Database,
        principal: Principal,
        generation: int,
        wrapper: KeyWrapper,
        cache: KeyCache,
        clock: Clock,
        *,
        keyed: bool,
        writing: bool,
    ) -> None:
        self._database = database
        self._principal = principal
        self._generation = generation
        self._partition = keys.partition(principal, generation)
        self._wrapper = wrapper
        self._cache = cache
        self._clock = clock
        self._keyed = keyed
        self._writing = writing
        self._known: bytes | None = None
        self._forgotten: bytes | None = None

    def __call__(self, use: Use) -> bytes:
        """32 bytes. At most one read unit and one call of the wrapper a request; to make it, one transaction
        of two writes.

        Raises KeyLost, EpochChanged when the generation is over, and Unavailable."""
        if self._known is None:
            self._known = self._kept() or self._stored()
        if self._known is not None:
            return self._known
        if use is Use.SEAL or (use is Use.COMPARE and self._writing):
            self._known = self._made()
            return self._known
        if self._forgotten is None:
            self._forgotten = secrets.token_bytes(KEY_BYTES)
        return self._forgotten

    def _kept(self) -> bytes | None:
        return self._cache.get(self._principal.owner, self._generation, self._clock.now())

    def _stored(self) -> bytes | None:
        row = self._database.get(KEYS.name, self._partition, keys.KEY)
        if row is None:
            if self._keyed:
                raise KeyLost
            return None
        try:
            key = self._wrapper.unwrap(row["wrapped"], self._partition)
        except CannotUnwrap:
            raise KeyLost from None
        return self._keeping(key)

    def _made(self) -> bytes:
        key, wrapped = self._wrapper.new(self._partition)
        current = Condition(
            f"generation = :generation AND (attribute_not_exists({KEYED}) OR {KEYED} <> :generation)",
            values={":generation": self._generation},
        )
        marked = update(
            CONTROL.name,
            keys.owner(self._principal),
            keys.META,
            f"SET {KEYED} = :generation",
            values={":generation": self._generation},
            condition=current,
        )
        row = {
            "pk": self._partition,
            "sk": keys.KEY,
            "wrapped": wrapped,
            "created_at": timestamp(self._clock.now()),
        }
        try:
            self._database.transact([marked, put(KEYS.name, row, ABSENT)])
        except ConditionFailed as failure:
            meta = failure.rows.get(0)
            if 0 in failure.rows and (meta is None or meta["generation"] != self._generation):
                self._wrapper.destroy(self._partition)
                raise EpochChanged from None
            # Another request of this user made it first; or this one did, and its acknowledgement was lost.
            self._keyed = True
            stored = self._stored()
            if stored is None:
                raise KeyLost from None
            return stored
        return self._keeping(key)

    def _keeping(self, key: bytes) -> bytes:
        self._cache.put(self._principal.owner, self._generation, key, self._clock.now())
        return key
