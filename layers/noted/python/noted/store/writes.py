"""Rows, and writes to them as DynamoDB takes them, alone or in a transaction.

Rows go in and out with the types str, int, bool, bytes, list and dict; a None is not stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb.types import TypeSerializer

from noted.store.tables import PARTITION_KEY, SORT_KEY

Row = dict[str, Any]

_serialize = TypeSerializer().serialize


@dataclass(frozen=True)
class Condition:
    """A condition expression with its names and values."""

    expression: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


ABSENT = Condition("attribute_not_exists(pk)")
PRESENT = Condition("attribute_exists(pk)")


@dataclass(frozen=True)
class Write:
    """One write of a transaction, over one row of one table."""

    action: str
    table: str
    parameters: Mapping[str, Any]


def put(table: str, row: Row, condition: Condition | None = None) -> Write:
    """A put within a transaction."""
    parameters = {"Item": item_of(row)}
    return Write("Put", table, parameters | conditional(parameters, condition))


def update(
    table: str,
    partition: str,
    sort_key: str,
    expression: str,
    *,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, Any] | None = None,
    condition: Condition | None = None,
) -> Write:
    """An update within a transaction."""
    parameters = updating(partition, sort_key, expression, names, values)
    return Write("Update", table, parameters | conditional(parameters, condition))


def delete(table: str, partition: str, sort_key: str, condition: Condition | None = None) -> Write:
    """A delete within a transaction. What was there does not come back, whether its condition holds or not:
    who deletes need not see it."""
    parameters = {"Key": key_of(partition, sort_key)}
    return Write("Delete", table, parameters | conditional(parameters, condition, tells=False))


def check(table: str, partition: str, sort_key: str, condition: Condition) -> Write:
    """A condition on a row that the transaction does not write."""
    parameters = {"Key": key_of(partition, sort_key)}
    return Write("ConditionCheck", table, parameters | conditional(parameters, condition))


def updating(
    partition: str,
    sort_key: str,
    expression: str,
    names: Mapping[str, str] | None,
    values: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The key and the update of one row, as parameters of an operation."""
    parameters: dict[str, Any] = {"Key": key_of(partition, sort_key), "UpdateExpression": expression}
    if names:
        parameters["ExpressionAttributeNames"] = dict(names)
    if values:
        parameters["ExpressionAttributeValues"] = {name: _serialize(value) for name, value in values.items()}
    return parameters


def conditional(
    parameters: Mapping[str, Any], condition: Condition | None, *, tells: bool = True
) -> dict[str, Any]:
    """A condition on top of an operation's parameters: their names and values with its own. `tells`: where it
    does not hold, the row that was there is given back."""
    if condition is None:
        return {}
    names = dict(parameters.get("ExpressionAttributeNames", {})) | dict(condition.names)
    values = dict(parameters.get("ExpressionAttributeValues", {})) | {
        name: _serialize(value) for name, value in condition.values.items()
    }
    merged: dict[str, Any] = {"ConditionExpression": condition.expression}
    if tells:
        merged["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    if names:
        merged["ExpressionAttributeNames"] = names
    if values:
        merged["ExpressionAttributeValues"] = values
    return merged


def key_of(partition: str, sort_key: str) -> dict[str, Any]:
    """The key of a row."""
    return {PARTITION_KEY: {"S": partition}, SORT_KEY: {"S": sort_key}}


def item_of(row: Row) -> dict[str, Any]:
    """A row as an item: what is None is left out."""
    return {name: _serialize(value) for name, value in row.items() if value is not None}
