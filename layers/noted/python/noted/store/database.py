"""DynamoDB as the rest of the store uses it: every page read on, expired rows left out, conflicting
transactions tried again."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import Binary, TypeDeserializer
from botocore.exceptions import BotoCoreError, ClientError

from noted import metrics
from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import Unavailable
from noted.store.limits import LIMITED, limited_expiry
from noted.store.own_writes import is_signed, signature, signed, size_of
from noted.store.tables import EXPIRY, PARTITION_KEY, SORT_KEY, Index
from noted.store.writes import Condition, Row, Write, conditional, item_of, key_of, updating

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.clock import Clock
    from noted.retention import Limit

# DynamoDB's limits on one transaction, one batch of writes and one of reads.
_TRANSACTION_ITEMS = 100
_BATCH_ITEMS = 25
_BATCH_READS = 100
_TRANSACTION_BYTES = 4_000_000
_CONFLICT_TRIES = 5
# Rounds of one batch of which DynamoDB takes nothing at all.
_FRUITLESS_ROUNDS = 8

_deserialize = TypeDeserializer().deserialize


class ConditionFailed(Exception):
    """A write's condition did not hold. `rows` has, for each write whose condition failed, its number in the
    transaction and the row that was there (None if there was none)."""

    def __init__(self, rows: Mapping[int, Row | None]) -> None:
        super().__init__("condition failed")
        self.rows = dict(rows)


class ForeignRow(Exception):
    """The database gave a row that was not asked for: another partition's, or another place's. Nothing of it
    goes further."""

    def __init__(self) -> None:
        super().__init__("a row that was not asked for")


class Database:
    """The tables of one deployment. `prefix` is the deployment's; `clock` decides what has expired.

    Whatever comes back from the database is compared with what was asked for, so that no filter that was
    forgotten and no fault beneath can hand one user's row to another: every read and every write that gives a
    row back raises ForeignRow then.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        prefix: str,
        clock: Clock,
        limit: Limit | None = None,
        deadline: Deadline = NO_DEADLINE,
    ) -> None:
        """`limit` ends what a user keeps sooner than its rows say; past `deadline` nothing is asked of the
        database any more, which ends every loop over it."""
        self._client = client
        self._prefix = prefix
        self._clock = clock
        self._limit = limit if limit and not limit.is_none else None
        self._deadline = deadline

    def within(self, limit: Limit) -> Database:
        """The same tables for a user who wants what they keep to end sooner: no read gives what has."""
        return Database(self._client, self._prefix, self._clock, limit, self._deadline)

    def get(self, table: str, partition: str, sort_key: str) -> Row | None:
        """One row, strongly consistent; None if it is absent or expired. One read unit per 4 KB."""
        with self._guarded():
            answer = self._client.get_item(
                TableName=self._name(table), Key=key_of(partition, sort_key), ConsistentRead=True
            )
        row = row_of(answer.get("Item"))
        return row if row and self._current(table, at_place(row, partition, (sort_key,))) else None

    def batch(
        self, table: str, partition: str, sort_keys: Sequence[str], *, consistent: bool = True
    ) -> dict[str, Row]:
        """Those of some rows, all different, that are there and unexpired, by sort key. One read unit per
        4 KB of each row, half of it where `consistent` is False and a row may be as it was a moment ago."""
        places = [(partition, key) for key in sort_keys]
        return {key: row for (_, key), row in self.rows(table, places, consistent=consistent).items()}

    def rows(
        self, table: str, places: Sequence[tuple[str, str]], *, consistent: bool = True
    ) -> dict[tuple[str, str], Row]:
        """The same for rows of several partitions, by partition and sort key."""
        name, found = self._name(table), dict[tuple[str, str], Row]()
        for start in range(0, len(places), _BATCH_READS):
            wanted_places = places[start : start + _BATCH_READS]
            wanted = [key_of(*place) for place in wanted_places]
            pending: Any = {name: {"Keys": wanted, "ConsistentRead": consistent}}
            attempt = 0
            while pending:
                with self._guarded():
                    answer = self._client.batch_get_item(RequestItems=pending)
                rows = filter(None, map(row_of, answer.get("Responses", {}).get(name, [])))
                own = [(asked_for(row, wanted_places), row) for row in rows]
                found |= {place: row for place, row in own if self._current(table, row)}
                left = answer.get("UnprocessedKeys") or {}
                attempt = self._before_the_rest(pending, left, attempt)
                pending = left
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
        rows = self._rows(parameters, partition, prefix)
        return (row for row in rows if self._current(table, row))

    def keys(self, table: str, partition: str, prefix: str = "") -> Iterator[tuple[str, str]]:
        """The keys of such rows, expired ones too; nothing else of a row leaves the database."""
        parameters = self._query(table, partition, prefix) | {"ProjectionExpression": "pk, sk"}
        rows = self._rows(parameters, partition, prefix)
        return ((row[PARTITION_KEY], row[SORT_KEY]) for row in rows)

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
        rows = self._rows(parameters, partition, prefix)
        return ((row[PARTITION_KEY], row[SORT_KEY]) for row in rows)

    def count(self, table: str, partition: str) -> int:
        """How many rows a partition has, expired ones too; none of them leaves the database. One read unit
        per 8 KB: what was written a moment ago need not be counted."""
        parameters = self._query(table, partition, "") | {"Select": "COUNT", "ConsistentRead": False}
        counted = 0
        while True:
            with self._guarded():
                answer = self._client.query(**parameters)
            counted += answer["Count"]
            if "LastEvaluatedKey" not in answer:
                return counted
            parameters["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def plain(self, table: str, partition: str, sort_key: str, *attributes: str) -> Row | None:
        """Some attributes of one row that lie open in it, strongly consistent, expired or not; None where the
        row is absent."""
        names = {f"#{number}": name for number, name in enumerate(attributes)}
        aliases: Any = {"ExpressionAttributeNames": names} if names else {}
        with self._guarded():
            answer = self._client.get_item(
                TableName=self._name(table),
                Key=key_of(partition, sort_key),
                ConsistentRead=True,
                ProjectionExpression=", ".join(("pk", "sk", *names)),
                **aliases,
            )
        row = row_of(answer.get("Item"))
        return at_place(row, partition, (sort_key,)) if row else None

    def exists(self, table: str, partition: str, sort_key: str) -> bool:
        """Whether a row is there, expired or not."""
        return self.plain(table, partition, sort_key) is not None

    def _query(self, table: str, partition: str, prefix: str) -> dict[str, Any]:
        values = {":pk": {"S": partition}} | ({":sk": {"S": prefix}} if prefix else {})
        return {
            "TableName": self._name(table),
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk" + (" AND begins_with(sk, :sk)" if prefix else ""),
            "ExpressionAttributeValues": values,
        }

    def _rows(self, parameters: dict[str, Any], partition: str, prefix: str) -> Iterator[Row]:
        while True:
            with self._guarded():
                answer = self._client.query(**parameters)
            for row in filter(None, map(row_of, answer["Items"])):
                if not str(row.get(SORT_KEY)).startswith(prefix):
                    raise ForeignRow
                yield at_place(row, partition)
            if "LastEvaluatedKey" not in answer:
                return
            parameters["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def due(self, table: str, index: Index, partition: str, until: int, limit: int) -> list[tuple[str, str]]:
        """Keys of up to `limit` rows of a sparse index that are due by `until` (whole seconds), oldest first.
        Eventually consistent: what is missed now is found by the next look."""
        with self._guarded():
            answer = self._client.query(
                TableName=self._name(table),
                IndexName=index.name,
                KeyConditionExpression="#p = :p AND #s <= :s",
                ExpressionAttributeNames={"#p": index.partition, "#s": index.sort},
                ExpressionAttributeValues={":p": {"S": partition}, ":s": {"N": str(until)}},
                Limit=limit,
            )
        return [(item[PARTITION_KEY]["S"], item[SORT_KEY]["S"]) for item in answer["Items"]]

    def indexed(self, table: str, index: Index, partition: str, beginning: str) -> Iterator[str]:
        """The tables' partitions, of those that begin like this, that one partition of a sparse index has
        entries of; one for each entry. Eventually consistent; one read unit per 8 KB of what is in the
        index's partition, whosever it is."""
        parameters: dict[str, Any] = {
            "TableName": self._name(table),
            "IndexName": index.name,
            "KeyConditionExpression": "#p = :p",
            "FilterExpression": "begins_with(pk, :beginning)",
            "ExpressionAttributeNames": {"#p": index.partition},
            "ExpressionAttributeValues": {":p": {"S": partition}, ":beginning": {"S": beginning}},
        }
        while True:
            with _Guarded():
                answer = self._client.query(**parameters)
            for item in answer["Items"]:
                if not item[PARTITION_KEY]["S"].startswith(beginning):
                    raise ForeignRow
                yield item[PARTITION_KEY]["S"]
            if "LastEvaluatedKey" not in answer:
                return
            parameters["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

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
        row = row_of(self._single("update_item", table, parameters, condition).get("Attributes"))
        return at_place(row, partition, (sort_key,)) if row else {}

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
                with self._guarded():
                    left = self._client.batch_write_item(RequestItems=pending).get("UnprocessedItems") or {}
                attempt = self._before_the_rest(pending, left, attempt)
                pending = left

    def transact(self, writes: Sequence[Write]) -> None:
        """All of the writes or none, tried again while another transaction holds one of the rows. Raises
        ConditionFailed, or Unavailable when the rows stay contended.

        Where the acknowledgement of a try was lost, the next one fails on the conditions that the first has
        ended itself. Every row says by whom it was written, so that is known, and counts as done."""
        by = signature()
        items: Any = [
            {write.action: signed(write.parameters, by) | {"TableName": self._name(write.table)}}
            for write in writes
        ]
        if len(items) > _TRANSACTION_ITEMS or sum(map(size_of, items)) > _TRANSACTION_BYTES:
            raise ValueError("too many writes for one transaction")
        for attempt in range(_CONFLICT_TRIES):
            try:
                with self._guarded("TransactionCanceledException", "TransactionInProgressException"):
                    self._client.transact_write_items(TransactItems=items)
                return
            except ClientError as error:
                reasons = error.response.get("CancellationReasons", [])
                failed = {
                    number: _found_at(reason.get("Item"), writes[number].parameters)
                    for number, reason in enumerate(reasons)
                    if reason.get("Code") == "ConditionalCheckFailed"
                }
                if any(is_signed(row, by) for row in failed.values()):
                    return
                if failed:
                    raise ConditionFailed(failed) from None
                if not all(reason.get("Code") in _RETRYABLE for reason in reasons):
                    raise Unavailable("The memory cannot be written at the moment.") from None
            self._after_conflict(attempt)
        raise Unavailable("The memory is busy.", retry_after=1)

    def _single(
        self, operation: str, table: str, parameters: Mapping[str, Any], condition: Condition | None
    ) -> Any:
        by = signature()
        own = signed(parameters, by) if condition else dict(parameters)
        request = {"TableName": self._name(table)} | own | conditional(own, condition)
        for attempt in range(_CONFLICT_TRIES):
            try:
                with self._guarded("ConditionalCheckFailedException", "TransactionConflictException"):
                    return getattr(self._client, operation)(**request)
            except ClientError as error:
                if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                    row = _found_at(error.response.get("Item"), parameters)
                    if is_signed(row, by):
                        return {"Attributes": error.response.get("Item")}
                    raise ConditionFailed({0: row}) from None
            self._after_conflict(attempt)
        raise Unavailable("The memory is busy.", retry_after=1)

    def _after_conflict(self, attempt: int) -> None:
        metrics.write(metrics.WRITE_CONFLICTS, self._clock.now(), {"WriteConflicts": 1})
        time.sleep(_pause(attempt))

    def _guarded(self, *passing: str) -> _Guarded:
        self._deadline.check()
        return _Guarded(passing)

    def _before_the_rest(self, sent: Any, left: Any, attempt: int) -> int:
        """Waits before what was left of a batch is sent again; gives the rounds without any success. Raises
        Unavailable after too many."""
        if not left:
            return 0
        attempt = attempt + 1 if left == sent else 0
        if attempt == _FRUITLESS_ROUNDS:
            raise Unavailable("The memory is busy.", retry_after=1)
        time.sleep(_pause(attempt))
        return attempt

    def _name(self, table: str) -> str:
        return f"{self._prefix}-{table}"

    def _current(self, table: str, row: Row) -> bool:
        """Whether a row has not ended. One that its user's limit ends sooner tells that end from then on."""
        now = self._clock.now()
        if self._limit and table in LIMITED:
            end = limited_expiry(row, self._limit)
            if end is not None:
                row[EXPIRY] = end
        expiry = row.get(EXPIRY)
        return expiry is None or expiry > now.timestamp()


_RETRYABLE = ("None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


def at_place(row: Row, partition: str, sort_keys: Sequence[str] | None = None) -> Row:
    """The row, if it is of that partition, and at one of those sort keys if they are given. Raises
    ForeignRow."""
    if row.get(PARTITION_KEY) != partition:
        raise ForeignRow
    if sort_keys is not None and row.get(SORT_KEY) not in sort_keys:
        raise ForeignRow
    return row


def asked_for(row: Row, places: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The place of a row, if it is one of those. Raises ForeignRow."""
    place = (row.get(PARTITION_KEY, ""), row.get(SORT_KEY, ""))
    if place not in places:
        raise ForeignRow
    return place


def _found_at(item: Any, parameters: Mapping[str, Any]) -> Row | None:
    """What a failed condition found where a write was to go."""
    row, place = row_of(item), parameters.get("Key") or parameters["Item"]
    if row is None:
        return None
    return at_place(row, place[PARTITION_KEY]["S"], (place[SORT_KEY]["S"],))


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
    """Full jitter between nothing and 50 ms doubled with every attempt, in seconds."""
    return random.uniform(0, 0.05 * 2**attempt)


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
