"""Read units of DynamoDB, counted from what came back.

A strongly consistent read costs one unit for each 4 KB begun, an eventually consistent one half of that: of
each item of a GetItem or a BatchGetItem (one at least, also for an item that is not there), and of the sum of
all items of a Query's page. Queries with a projection are not counted rightly, since what was left out is
paid for; recall has none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_UNIT = 4_096


@dataclass
class Counted:
    """Read units so far, the calls that they were for, and the processor time of the database's client in
    these calls, in seconds."""

    read: float = 0.0
    calls: int = 0
    client_seconds: float = 0.0


class Units:
    """Counts what a client of boto3 reads."""

    def __init__(self, client: Any) -> None:
        self._counting: Counted | None = None
        self._consistent = False
        self._keys = 0
        self._began = 0.0
        client.meta.events.register("before-parameter-build.dynamodb", self._asked)
        client.meta.events.register("after-call.dynamodb", self._answered)

    @contextmanager
    def counted(self) -> Iterator[Counted]:
        """Counts while it is open."""
        self._counting = Counted()
        try:
            yield self._counting
        finally:
            self._counting = None

    def _asked(self, params: Mapping[str, Any], **_: Any) -> None:
        self._began = time.process_time()
        tables = params.get("RequestItems", {}).values()
        options = [params, *(each for each in tables if isinstance(each, dict))]
        self._consistent = any(each.get("ConsistentRead") for each in options)
        self._keys = sum(len(each.get("Keys", ())) for each in options)

    def _answered(self, model: Any, parsed: Mapping[str, Any], **_: Any) -> None:
        if self._counting is None:
            return
        self._counting.client_seconds += time.process_time() - self._began
        self._counting.calls += 1
        share = 1.0 if self._consistent else 0.5
        if model.name == "GetItem":
            self._counting.read += share * _units(size(parsed.get("Item", {})))
        elif model.name == "BatchGetItem":
            items = [item for table in parsed["Responses"].values() for item in table]
            absent = self._keys - len(items)
            self._counting.read += share * (sum(_units(size(item)) for item in items) + absent)
        elif model.name == "Query":
            self._counting.read += share * _units(sum(map(size, parsed["Items"])))


def size(item: Mapping[str, Any]) -> int:
    """The bytes of an item, names included, as DynamoDB's guide counts them."""
    return sum(len(name.encode()) + _value(value) for name, value in item.items())


def _value(typed: Mapping[str, Any]) -> int:
    [(kind, value)] = typed.items()
    if kind == "S":
        return len(value.encode())
    if kind == "B":
        return len(value)
    if kind == "N":
        return math.ceil(len(value.lstrip("-0.").replace(".", "")) / 2) + 1
    if kind == "L":
        return 3 + sum(1 + _value(each) for each in value)
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + _value(each) for name, each in value.items())
    return 1


def _units(count: int) -> int:
    return max(1, math.ceil(count / _UNIT))
