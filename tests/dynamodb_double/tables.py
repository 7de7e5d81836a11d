"""The rows of one table and its sparse indexes."""

from __future__ import annotations

import uuid
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.dynamodb_double.expressions import within
from tests.dynamodb_double.values import Item, Value, size

Key = tuple[str, str]
# How many bytes one page of a query or scan reads.
PAGE_BYTES = 1024 * 1024


def new_id() -> str:
    """An id that no other table has."""
    return str(uuid.uuid4())


@dataclass
class Stored:
    """An item, which is never changed in place, and its size in bytes."""

    item: Item
    size: int


@dataclass
class Partition:
    """The items of one partition; `order` has their sort keys as they sort."""

    items: dict[str, Stored] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def copy(self) -> Partition:
        return Partition(dict(self.items), list(self.order))


@dataclass
class Index:
    """A sparse index: only rows that have both of its attributes are in it."""

    partition: str
    sort: str
    rows: dict[str, dict[Key, Item]] = field(default_factory=dict)

    def entry(self, item: Item | None) -> str | None:
        """The partition of the index in which an item is, None for none."""
        if item is None or "S" not in item.get(self.partition, {}) or "N" not in item.get(self.sort, {}):
            return None
        return str(item[self.partition]["S"])

    def place(self, key: Key, item: Item) -> tuple[int, Key]:
        """Where a row stands in its partition of the index."""
        return int(item[self.sort]["N"]), key

    def copy(self) -> Index:
        return Index(self.partition, self.sort, {name: dict(rows) for name, rows in self.rows.items()})


@dataclass
class Table:
    """Partitions by their key, and indexes by name; `id` tells it from any other table of its name."""

    indexes: dict[str, Index] = field(default_factory=dict)
    partitions: dict[str, Partition] = field(default_factory=dict)
    id: str = field(default_factory=new_id)

    def get(self, key: Key) -> Item | None:
        partition = self.partitions.get(key[0])
        stored = partition.items.get(key[1]) if partition else None
        return stored.item if stored else None

    def put(self, key: Key, item: Item) -> None:
        partition = self.partitions.setdefault(key[0], Partition())
        before = partition.items.get(key[1])
        if before is None:
            insort(partition.order, key[1])
        partition.items[key[1]] = Stored(item, size(item))
        self._reindex(key, before.item if before else None, item)

    def delete(self, key: Key) -> None:
        partition = self.partitions.get(key[0])
        if partition is None or key[1] not in partition.items:
            return
        self._reindex(key, partition.items.pop(key[1]).item, None)
        del partition.order[bisect_left(partition.order, key[1])]
        if not partition.order:
            del self.partitions[key[0]]

    def sorted(
        self, partition: str, operator: str | None, limit: Value, after: str | None, *, forward: bool
    ) -> Iterator[Stored]:
        """Items of a partition whose sort key keeps to a bound, in order, behind a sort key."""
        found = self.partitions.get(partition)
        if found is None:
            return
        order, low, high = found.order, 0, len(found.order)
        if operator == "begins_with":
            low = bisect_left(order, limit["S"])
        if after is not None and forward:
            low = max(low, bisect_right(order, after))
        if after is not None and not forward:
            high = bisect_left(order, after)
        keys = order[low:high] if forward else reversed(order[low:high])
        for key in keys:
            if operator is None or within({"S": key}, operator, limit):
                yield found.items[key]
            elif operator == "begins_with" and forward:
                return

    def indexed(self, name: str, partition: str) -> list[tuple[Key, Item]]:
        """The rows of one partition of an index, in its order."""
        index = self.indexes[name]
        rows = index.rows.get(partition, {})
        return sorted(rows.items(), key=lambda row: index.place(*row))

    def all(self) -> Iterator[tuple[Key, Stored]]:
        """Every item, by partition and sort key."""
        for name, partition in sorted(self.partitions.items()):
            for sort_key in partition.order:
                yield (name, sort_key), partition.items[sort_key]

    def copy(self) -> Table:
        return Table(
            {name: index.copy() for name, index in self.indexes.items()},
            {name: partition.copy() for name, partition in self.partitions.items()},
            self.id,
        )

    def _reindex(self, key: Key, before: Item | None, after: Item | None) -> None:
        for index in self.indexes.values():
            was, now = index.entry(before), index.entry(after)
            if was is not None and was != now:
                del index.rows[was][key]
            if now is not None and after is not None:
                index.rows.setdefault(now, {})[key] = after


def table_of(definition: dict[str, Any]) -> Table:
    """An empty table, from the parameters of CreateTable."""
    indexes = {
        each["IndexName"]: Index(*(part["AttributeName"] for part in each["KeySchema"]))
        for each in definition.get("GlobalSecondaryIndexes", ())
    }
    return Table(indexes)
