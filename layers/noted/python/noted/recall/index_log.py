"""The log of the index: what changed of a user's facts since their segments were written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from noted.privacy.entities import in_words
from noted.recall.index_bytes import joined, parted
from noted.recall.index_columns import Columns, Rare

if TYPE_CHECKING:
    from noted.facts.fact import Fact


@dataclass(frozen=True)
class Changes:
    """What one transaction does to facts: those that it stores, or stores anew in the place of one with the
    same id, and the attributes that it sets of others, in the form in which rows have them."""

    added: tuple[Fact, ...] = ()
    altered: Mapping[str, Rare] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.added) + len(self.altered)

    def pack(self) -> bytes:
        """The stored form, without texts."""
        from noted.recall import lexical

        words = [
            fact.words or lexical.pack(lexical.tokens(in_words(fact.text, with_letters=True)))
            for fact in self.added
        ]
        told = {
            "added": len(self.added),
            "embedders": [fact.embedder for fact in self.added],
            "altered": {fact_id: dict(attributes) for fact_id, attributes in self.altered.items()},
        }
        columns = Columns.of(self.added).pack()
        return joined(
            [json.dumps(told).encode(), columns, *words, *(fact.vector or b"" for fact in self.added)]
        )

    @classmethod
    def unpack(cls, whole: bytes) -> Changes:
        """Reads the stored form. Raises ValueError when damaged."""
        head, packed, *rest = parted(whole)
        told = json.loads(head)
        count = told["added"]
        columns = Columns.unpack(packed, count)
        added = tuple(
            replace(columns.fact(place), words=words, vector=vector or None, embedder=embedder)
            for place, (words, vector, embedder) in enumerate(
                zip(rest[:count], rest[count:], told["embedders"], strict=True)
            )
        )
        return cls(added, told["altered"])


@dataclass
class Log:
    """Changes put together: each fact that was added, as it was added, and what was set of it and of others
    afterwards, by id."""

    added: dict[str, Fact] = field(default_factory=dict)
    altered: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, several: Iterable[Changes]) -> Log:
        """The log of changes in write order: the last of two has its way."""
        log = cls()
        for changes in several:
            for fact in changes.added:
                log.added[fact.fact_id] = fact
                log.altered.pop(fact.fact_id, None)
            for fact_id, attributes in changes.altered.items():
                log.altered.setdefault(fact_id, {}).update(attributes)
        return log
