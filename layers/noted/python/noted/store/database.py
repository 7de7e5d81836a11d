"""DynamoDB as the rest of the store uses it: every page read on, expired rows left out, conflicting
transactions tried again."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import Binary, TypeDeserializer
from botocore.exceptions import BotoCoreError, ClientError

from noted.clock import Clock
from noted.errors import Unavailable
from noted.store.tables import EXPIRY, PARTITION_KEY, SORT_KEY, Index
from noted.store.writes import Condition, Row, Write, conditional, item_of, key_of, updating

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# DynamoDB's limits on one transaction, one batch of writes and one of reads.
_TRANSACTION_ITEMS = 100
_BATCH_ITEMS = 25
_BATCH_READS = 100
_CONFLICT_TRIES = 8

_deserialize = TypeDeserializer().deserialize


class ConditionFailed(Exception):
    """A write's condition did not hold. `rows` has, for each write whose condition failed, its number in the
    transaction and the row that was there (None if there was none)."""

    def __init__(self, rows: Mapping[int, Row | None]) -> None:
        super().__init__("condition failed")
        self.rows = dict(rows)


class Database:
    """The tables of one deployment. `prefix` is the deployment's; `clock` decides what has expired."""

    def __init__(self, client: DynamoDBClient, prefix: str, clock: Clock) -> None:
        self._client = client
        self._prefix = prefix
        self._clock = clock

    def get(self, table: str, partition: str, sort_key: str) -> Row | None:
        """One row, strongly consistent; None if it is absent or expired. One read unit per 4 KB."""
        with _Guarded():
            answer = self._client.get_item(
                TableName=self._name(table), Key=key_of(partition, sort_key), ConsistentRead=True
            )
        row = row_of(answer.get("Item"))
        return row if row and self._current(row) else None

    def batch(
        self, table: str, partition: str, sort_keys: Sequence[str], *, consistent: bool = True
    ) -> dict[str, Row]:
        """Those of some rows, all different, that are there and unexpired, by sort key. One read unit per
        4 KB of each row, half of it where `consistent` is False and a row may be as it was a moment ago."""
        name, found = self._name(table), dict[str, Row]()
        for start in range(0, len(sort_keys), _BATCH_READS):
            wanted = [key_of(partition, key) for key in sort_keys[start : start + _BATCH_READS]]
            pending: Any = {name: {"Keys": wanted, "ConsistentRead": consistent}}
            attempt = 0
            while pending:
                with _Guarded():
                    answer = self._client.batch_get_item(RequestItems=pending)
                rows = filter(None, map(row_of, answer.get("Responses", {}).get(name, [])))
                found |= {row[SORT_KEY]: row for row in rows if self._current(row)}
                pending = answer.get("UnprocessedKeys")
                if pending:
                    time.sleep(_pause(attempt))
                    attempt = min(attempt + 1, 7)
        return found

    def query(
        self,
        table: str,
        partition: str,
        *,
        prefix: str = "",
        after: str | None = None,
        descending: bool = False,
        page_size: int | None = None,
    ) -> Iterator[Row]:
        """Rows of a partition whose sort key begins with `prefix`, strongly consistent, unexpired, read on to
        the end however many pages that takes. The caller may stop early; `page_size` then bounds what a page
        reads. `after` is the sort key to go on behind. One read unit per 4 KB of what is read."""
        parameters = self._query(table, partition, prefix) | {"ScanIndexForward": not descending}
        if page_size:
            parameters["Limit"] = page_size
        if after:
            parameters["ExclusiveStartKey"] = key_of(partition, after)
        return (row for row in self._rows(parameters) if self._current(row))

    def keys(self, table: str, partition: str, prefix: str = "") -> Iterator[tuple[str, str]]:
        """The keys of such rows, expired ones too; nothing else of a row leaves the database."""
        parameters = self._query(table, partition, prefix) | {"ProjectionExpression": "pk, sk"}
        return ((row[PARTITION_KEY], row[SORT_KEY]) for row in self._rows(parameters))

    def keys_where(
        self, table: str, partition: str, prefix: str, attribute: str, value: str
    ) -> Iterator[tuple[str, str]]:
        """Such keys, of the rows alone in which a plain attribute has a value. All rows are read and paid
        for."""
        parameters = self._query(table, partition, prefix) | {
            "ProjectionExpression": "pk, sk",
            "FilterExpression": "#attribute = :value",
            "ExpressionAttributeNames": {"#attribute": attribute},
        }
        parameters["ExpressionAttributeValues"][":value"] = {"S": value}
        return ((row[PARTITION_KEY], row[SORT_KEY]) for row in self._rows(parameters))

    def exists(self, table: str, partition: str, sort_key: str) -> bool:
        """Whether a row is there, expired or not."""
        with _Guarded():
            answer = self._client.get_item(
                TableName=self._name(table),
                Key=key_of(partition, sort_key),
                ConsistentRead=True,
                ProjectionExpression="pk",
            )
        return "Item" in answer

    def _query(self, table: str, partition: str, prefix: str) -> dict[str, Any]:
        values = {":pk": {"S": partition}} | ({":sk": {"S": prefix}} if prefix else {})
        return {
            "TableName": self._name(table),
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk" + (" AND begins_with(sk, :sk)" if prefix else ""),
            "ExpressionAttributeValues": values,
        }

    def _rows(self, parameters: dict[str, Any]) -> Iterator[Row]:
        while True:
            with _Guarded():
                answer = self._client.query(**parameters)
            yield from filter(None, map(row_of, answer["Items"]))
            if "LastEvaluatedKey" not in answer:
                return
            parameters["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def due(self, table: str, index: Index, partition: str, until: int, limit: int) -> list[tuple[str, str]]:
        """Keys of up to `limit` rows of a sparse index that are due by `until` (whole seconds), oldest first.
        Eventually consistent: what is missed now is found by the next look."""
        with _Guarded():
            answer = self._client.query(
                TableName=self._name(table),
                IndexName=index.name,
                KeyConditionExpression="#p = :p AND #s <= :s",
                ExpressionAttributeNames={"#p": index.partition, "#s": index.sort},
                ExpressionAttributeValues={":p": {"S": partition}, ":s": {"N": str(until)}},
                Limit=limit,
            )
        return [(item[PARTITION_KEY]["S"], item[SORT_KEY]["S"]) for item in answer["Items"]]

    def put(self, table: str, row: Row, condition: Condition | None = None) -> None:
        """Writes one row. Raises ConditionFailed with the row that was there."""
        self._single("put_item", table, {"Item": item_of(row)}, condition)

    def update(
        self,
        table: str,
        partition: str,
        sort_key: str,
        expression: str,
        *,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        condition: Condition | None = None,
    ) -> Row:
        """Updates one row and returns it as it is afterwards. Raises ConditionFailed."""
        parameters = updating(partition, sort_key, expression, names, values) | {"ReturnValues": "ALL_NEW"}
        return row_of(self._single("update_item", table, parameters, condition).get("Attributes")) or {}

    def delete(self, table: str, partition: str, sort_key: str, condition: Condition | None = None) -> None:
        """Deletes one row; absent is fine. Raises ConditionFailed."""
        self._single("delete_item", table, {"Key": key_of(partition, sort_key)}, condition)

    def delete_all(self, table: str, keys: Sequence[tuple[str, str]]) -> None:
        """Deletes rows by key, in batches, until nothing is left unprocessed."""
        name = self._name(table)
        for start in range(0, len(keys), _BATCH_ITEMS):
            pending: Any = {
                name: [{"DeleteRequest": {"Key": key_of(*key)}} for key in keys[start : start + _BATCH_ITEMS]]
            }
            attempt = 0
            while pending:
                with _Guarded():
                    pending = self._client.batch_write_item(RequestItems=pending).get("UnprocessedItems")
                if pending:
                    time.sleep(_pause(attempt))
                    attempt = min(attempt + 1, 7)

    def transact(self, writes: Sequence[Write]) -> None:
        """All of the writes or none, tried again while another transaction holds one of the rows. Raises
        ConditionFailed, or Unavailable when the rows stay contended."""
        if len(writes) > _TRANSACTION_ITEMS:
            raise ValueError("too many writes for one transaction")
        items: Any = [
            {write.action: dict(write.parameters) | {"TableName": self._name(write.table)}}
            for write in writes
        ]
        for attempt in range(_CONFLICT_TRIES):
            try:
                with _Guarded(passing=("TransactionCanceledException", "TransactionInProgressException")):
                    self._client.transact_write_items(TransactItems=items)
                return
            except ClientError as error:
                reasons = error.response.get("CancellationReasons", [])
                failed = {
                    number: row_of(reason.get("Item"))
                    for number, reason in enumerate(reasons)
                    if reason.get("Code") == "ConditionalCheckFailed"
                }
                if failed:
                    raise ConditionFailed(failed) from None
                if not all(reason.get("Code") in _RETRYABLE for reason in reasons):
                    raise Unavailable("The memory cannot be written at the moment.") from None
            time.sleep(_pause(attempt))
        raise Unavailable("The memory is busy.", retry_after=1)

    def _single(
        self, operation: str, table: str, parameters: Mapping[str, Any], condition: Condition | None
    ) -> Any:
        request = {"TableName": self._name(table)} | dict(parameters) | conditional(parameters, condition)
        for attempt in range(_CONFLICT_TRIES):
            try:
                with _Guarded(passing=("ConditionalCheckFailedException", "TransactionConflictException")):
                    return getattr(self._client, operation)(**request)
            except ClientError as error:
                if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                    raise ConditionFailed({0: row_of(error.response.get("Item"))}) from None
            time.sleep(_pause(attempt))
        raise Unavailable("The memory is busy.", retry_after=1)

    def _name(self, table: str) -> str:
        return f"{self._prefix}-{table}"

    def _current(self, row: Row) -> bool:
        expiry = row.get(EXPIRY)
        return expiry is None or expiry > self._clock.now().timestamp()


_RETRYABLE = ("None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


def row_of(item: Any) -> Row | None:
    """An item as a row; None for none."""
    if not item:
        return None
    return {name: _plain(_deserialize(value)) for name, value in item.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Binary):
        return bytes(value.value)  # type: ignore[attr-defined]  # its stub leaves the attribute out
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, (str, bool, bytes)) or value is None:
        return value
    return int(value)


def _pause(attempt: int) -> float:
    """Full jitter between nothing and 25 ms doubled with every attempt, in seconds."""
    return random.uniform(0, 0.025 * 2**attempt)


class _Guarded:
    """Turns a failure of the database into `Unavailable`, without its text; codes in `passing` go through."""

    def __init__(self, passing: Sequence[str] = ()) -> None:
        self._passing = passing

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, ClientError):
            if error.response.get("Error", {}).get("Code") in self._passing:
                return
            raise Unavailable("The memory cannot be reached at the moment.") from error
        if isinstance(error, BotoCoreError):
            raise Unavailable("The memory cannot be reached at the moment.") from error
