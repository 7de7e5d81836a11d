"""Attribute values as DynamoDB compares, adds and measures them. A value is what the client sends, such as
`{"S": "Porto"}`; values are never changed in place, so items can share them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

Value = Mapping[str, Any]
Item = dict[str, Any]

_ORDERED = ("S", "N", "B")


def same(one: Value, other: Value) -> bool:
    """Whether two values are equal; numbers by value, not by how they are written."""
    [(kind, first)], [(other_kind, second)] = one.items(), other.items()
    if kind != other_kind:
        return False
    if kind == "N":
        return bool(first == second or Decimal(first) == Decimal(second))
    if kind == "L":
        return len(first) == len(second) and all(map(same, first, second))
    if kind == "M":
        return bool(first.keys() == second.keys()) and all(same(first[name], second[name]) for name in first)
    return bool(first == second)


def compared(one: Value, other: Value) -> int | None:
    """Below 0, 0 or above 0 as the first sorts before, with or behind the second; None if they have no
    order."""
    [(kind, first)], [(other_kind, second)] = one.items(), other.items()
    if kind != other_kind or kind not in _ORDERED:
        return None
    if kind == "N":
        first, second = Decimal(first), Decimal(second)
    return int(first > second) - int(first < second)


def added(one: Value, other: Value, sign: int = 1) -> Value:
    """The sum, or with -1 the difference, of two numbers. Raises TypeError for anything else."""
    if "N" not in one or "N" not in other:
        raise TypeError
    return {"N": str(Decimal(one["N"]) + sign * Decimal(other["N"]))}


def size(item: Mapping[str, Value]) -> int:
    """What an item counts against DynamoDB's limits, in bytes: its names and its values."""
    return sum(_text(name) + _measured(value) for name, value in item.items())


def _measured(value: Value) -> int:
    [(kind, content)] = value.items()
    if kind == "S":
        return _text(content)
    if kind == "B":
        return len(content)
    if kind == "N":
        return len(content.strip("-0.")) // 2 + 2
    if kind == "L":
        return 3 + sum(1 + _measured(each) for each in content)
    if kind == "M":
        return 3 + sum(1 + _text(name) + _measured(each) for name, each in content.items())
    return 1


def _text(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
