"""What every row of one partition has in common, and what is sealed in it.

Rows hold what code has to compare in plain, and what a person said sealed, bound to its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from noted.clock import instant, timestamp
from noted.privacy.sealing import Place
from noted.store.tables import EXPIRY, MEMORY

if TYPE_CHECKING:
    from noted.privacy.sealing import Sealer
    from noted.store.writes import Row

CONTENT = "content"
VAULT = "vault"


def expiry(moment: datetime | None) -> int | None:
    """Whole seconds since 1970, rounded up: a row is never gone before its time."""
    return math.ceil(moment.timestamp()) if moment else None


class Codec:
    """The rows of one partition. The kinds of rows are its subclasses."""

    def __init__(self, partition: str, sealer: Sealer) -> None:
        self.partition = partition
        self.sealer = sealer

    def vault(self, entities: Mapping[str, str], sort_key: str) -> bytes | None:
        """What masking took out of a row's texts, sealed; None if that is nothing."""
        if not entities:
            return None
        return self.sealer.vault.seal_json(dict(entities), self.place(sort_key, VAULT))

    def entities(self, row: Row) -> dict[str, str]:
        """What masking took out of a row's texts, by entity id."""
        sealed = row.get(VAULT)
        return self.sealer.vault.open_json(sealed, self.place(row["sk"], VAULT)) if sealed else {}

    def row(self, sort_key: str, expires_at: datetime | None, **attributes: object) -> Row:
        """A row of these attributes; what is None is left out when it is written."""
        return {"pk": self.partition, "sk": sort_key, EXPIRY: expiry(expires_at), **attributes}

    def place(self, sort_key: str, attribute: str, table: str = MEMORY.name) -> Place:
        """Where a sealed value lies, to which it is bound."""
        return Place(table, self.partition, sort_key, attribute)


def joined(content: bytes, words: bytes | None, vector: bytes | None) -> bytes:
    """One value of what a search reads together: text, words and vector, each with its length."""
    first, second = content, words or b""
    lengths = len(first).to_bytes(4, "big") + len(second).to_bytes(4, "big")
    return lengths + first + second + (vector or b"")


def parted(joined: bytes) -> tuple[bytes, bytes, bytes]:
    """Text, words and vector of such a value; empty where there was none."""
    first = 8 + int.from_bytes(joined[:4], "big")
    second = first + int.from_bytes(joined[4:8], "big")
    return joined[8:first], joined[first:second], joined[second:]


def timestamp_or_none(moment: datetime | None) -> str | None:
    """A moment as rows hold it."""
    return timestamp(moment) if moment else None


def instant_or_none(text: str | None) -> datetime | None:
    """The moment that a row holds."""
    return instant(text) if text else None
