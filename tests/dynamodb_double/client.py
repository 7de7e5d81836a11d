"""The calls of a DynamoDB client, over tables in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from tests.dynamodb_double import expressions
from tests.dynamodb_double.errors import Exceptions, cancelled, condition_failed, refusal
from tests.dynamodb_double.expressions import Change, Compiled, Invalid, Test, Words, words_of
from tests.dynamodb_double.tables import PAGE_BYTES, Key, Table, new_id, table_of
from tests.dynamodb_double.values import Item, Value, size

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ITEM_BYTES = 400 * 1024
TRANSACTION_BYTES = 4 * 1024 * 1024
_CONDITION = {
    *("TableName", "ConditionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues"),
    *("ReturnValuesOnConditionCheckFailure",),
}
_READ = {"TableName", "ConsistentRead", "ProjectionExpression", "ExpressionAttributeNames"}
_PAGE = {*_READ, "ExpressionAttributeValues", "FilterExpression", "Limit", "ExclusiveStartKey"}
# What each call understands. Anything else is refused, so that no test passes on what is left out here.
_KNOWN = {
    "get_item": {*_READ, "Key"},
    "put_item": {*_CONDITION, "Item"},
    "update_item": {*_CONDITION, "Key", "UpdateExpression", "ReturnValues"},
    "delete_item": {*_CONDITION, "Key"},
    "query": {*_PAGE, "KeyConditionExpression", "ScanIndexForward", "IndexName", "Select"},
    "scan": _PAGE,
    "batch_get_item": {"RequestItems"},
    "batch_write_item": {"RequestItems"},
    "transact_write_items": {"TransactItems"},
}


@dataclass(frozen=True)
class Operation:
    """One call, as hooks see it: the client's method and its parameters."""

    name: str
    parameters: Mapping[str, Any]


Hook = Callable[[Operation], None]
Snapshot = dict[str, Table]


def _nothing(_: Operation) -> None:
    """The hook of a double that nobody watches."""


class DynamoDBDouble:
    """Every call is atomic. `before` and `after` are called around each: what they raise is what the caller
    gets, before anything was done or when it was; what they call on this client happens in between.
    `batch_items` is how many entries of a batch are worked off before the rest is handed back."""

    def __init__(self) -> None:
        self.exceptions = Exceptions()
        self.meta = _Meta()
        self.before: Hook = _nothing
        self.after: Hook = _nothing
        self.batch_items = 100
        self._tables: Snapshot = {}
        self._lock = threading.RLock()

    # For tests

    def copy(self) -> Snapshot:
        """All tables as they are, as a backup has them."""
        with self._lock:
            return {name: table.copy() for name, table in self._tables.items()}

    def restore(self, snapshot: Snapshot, *names: str) -> None:
        """Puts new tables in the place of the named ones, of all if none is named, with the rows of a
        snapshot: as with a real restore, each has another id."""
        with self._lock:
            self._tables |= {name: replace(snapshot[name].copy(), id=new_id()) for name in names or snapshot}

    def rows(self) -> Iterator[tuple[str, Key, Item]]:
        """Every row of every table, as it lies there: expired ones too, and no hook is told."""
        for name, table in sorted(self._tables.items()):
            for key, stored in table.all():
                yield name, key, stored.item

    # Tables

    def create_table(self, **parameters: Any) -> dict[str, Any]:
        with self._lock:
            if parameters["TableName"] in self._tables:
                raise refusal("CreateTable", "ResourceInUseException")
            self._tables[parameters["TableName"]] = table_of(parameters)
        return {}

    def describe_table(self, **parameters: Any) -> dict[str, Any]:
        table = self._table("DescribeTable", parameters)
        return {"Table": {"TableName": parameters["TableName"], "TableId": table.id}}

    def get_waiter(self, name: str) -> _Waiter:
        return _Waiter(name)

    def get_paginator(self, name: str) -> _Paginator:
        return _Paginator(getattr(self, name))

    def close(self) -> None:
        """Nothing is open."""

    # Items

    def get_item(self, **parameters: Any) -> dict[str, Any]:
        with self._called("get_item", parameters), _refusing("GetItem"):
            found = self._table("GetItem", parameters).get(_key("GetItem", parameters["Key"]))
            chosen = _chosen(parameters)
        return {} if found is None else {"Item": chosen(found)}

    def put_item(self, **parameters: Any) -> dict[str, Any]:
        self._single("PutItem", "put_item", parameters)
        return {}

    def update_item(self, **parameters: Any) -> dict[str, Any]:
        wanted = parameters.get("ReturnValues", "NONE")
        if wanted not in ("NONE", "ALL_NEW"):
            raise NotImplementedError(f"ReturnValues={wanted}")
        item = self._single("UpdateItem", "update_item", parameters)
        return {"Attributes": dict(item)} if wanted == "ALL_NEW" and item else {}

    def delete_item(self, **parameters: Any) -> dict[str, Any]:
        self._single("DeleteItem", "delete_item", parameters)
        return {}

    def query(self, **parameters: Any) -> dict[str, Any]:
        with self._called("query", parameters), _refusing("Query"):
            table = self._table("Query", parameters)
            compiled = expressions.key_condition(parameters["KeyConditionExpression"])
            words = words_of(parameters, compiled.used, _filter_words(parameters))
            bounds = {
                words.name(name): (operator, words.value(value)) for name, operator, value in compiled.meaning
            }
            if "IndexName" in parameters:
                rows = _of_index(table, parameters, bounds)
            else:
                operator, limit = bounds.get("sk", (None, {"S": ""}))
                start = parameters.get("ExclusiveStartKey")
                if start and operator and not expressions.within(start["sk"], operator, limit):
                    raise Invalid("the starting key is outside of what is asked for")
                rows = (
                    ((stored.item["pk"]["S"], stored.item["sk"]["S"]), stored.item, stored.size)
                    for stored in table.sorted(
                        bounds["pk"][1]["S"],
                        operator,
                        limit,
                        start["sk"]["S"] if start else None,
                        forward=parameters.get("ScanIndexForward", True),
                    )
                )
            return _page(rows, parameters)

    def scan(self, **parameters: Any) -> dict[str, Any]:
        with self._called("scan", parameters), _refusing("Scan"):
            words_of(parameters, _filter_words(parameters))
            start = parameters.get("ExclusiveStartKey")
            after = _key("Scan", start) if start else ("", "")
            rows = (
                (key, stored.item, stored.size)
                for key, stored in self._table("Scan", parameters).all()
                if key > after
            )
            return _page(rows, parameters)

    # Batches and transactions

    def batch_get_item(self, **parameters: Any) -> dict[str, Any]:
        found: dict[str, list[Item]] = {}
        left: dict[str, Any] = {}
        with self._called("batch_get_item", parameters):
            requests = parameters["RequestItems"]
            keys = [(table, key) for table, request in requests.items() for key in request["Keys"]]
            _check_batch("BatchGetItem", [(table, _key("BatchGetItem", key)) for table, key in keys], 100)
            for number, (table, key) in enumerate(keys):
                if number >= self.batch_items:
                    left.setdefault(table, {**requests[table], "Keys": []})["Keys"].append(key)
                    continue
                item = self._tables[table].get(_key("BatchGetItem", key))
                found.setdefault(table, []).extend([dict(item)] if item is not None else [])
        return {"Responses": found, "UnprocessedKeys": left}

    def batch_write_item(self, **parameters: Any) -> dict[str, Any]:
        left: dict[str, list[Any]] = {}
        with self._called("batch_write_item", parameters):
            requests = [
                (table, each) for table, entries in parameters["RequestItems"].items() for each in entries
            ]
            if any(each.keys() != {"DeleteRequest"} for _, each in requests):
                raise NotImplementedError("a batch that puts")
            keys = [(table, _key("BatchWriteItem", each["DeleteRequest"]["Key"])) for table, each in requests]
            _check_batch("BatchWriteItem", keys, 25)
            for number, ((table, key), (_, request)) in enumerate(zip(keys, requests, strict=True)):
                if number >= self.batch_items:
                    left.setdefault(table, []).append(request)
                else:
                    self._tables[table].delete(key)
        return {"UnprocessedItems": left}

    def transact_write_items(self, **parameters: Any) -> dict[str, Any]:
        with self._called("transact_write_items", parameters), _refusing("TransactWriteItems"):
            entries = [
                (action, each) for entry in parameters["TransactItems"] for action, each in entry.items()
            ]
            if not 1 <= len(entries) <= 100:
                raise refusal("TransactWriteItems", "ValidationException")
            places = [(each["TableName"], _target("TransactWriteItems", each)) for _, each in entries]
            if len(set(places)) < len(places):
                raise refusal("TransactWriteItems", "ValidationException")
            reasons, writes, failed = list[dict[str, Any]](), list[_Write](), False
            for (action, each), (table, key) in zip(entries, places, strict=True):
                before = self._table("TransactWriteItems", each).get(key)
                reason, after = _outcome(action, each, key, before, failed=failed)
                reasons.append(reason)
                failed = failed or reason["Code"] != "None"
                writes.append(_Write(self._tables[table], key, before, after))
            if failed:
                raise cancelled(reasons)
            if sum(size(write.after) for write in writes if write.after is not None) > TRANSACTION_BYTES:
                raise refusal("TransactWriteItems", "ValidationException", "the items are more than 4 MB")
            for write in writes:
                write.apply()
        return {}

    # How

    def _single(self, operation: str, method: str, parameters: dict[str, Any]) -> Item | None:
        with self._called(method, parameters), _refusing(operation):
            table, key = self._table(operation, parameters), _target(operation, parameters)
            before = table.get(key)
            after, holds = _written(parameters, key, before)
            if not holds:
                asked = parameters.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
                raise condition_failed(operation, before if asked else None)
            if operation == "DeleteItem":
                after = None
            _Write(table, key, before, after).apply()
            return after

    @contextmanager
    def _called(self, name: str, parameters: Mapping[str, Any]) -> Iterator[None]:
        unknown = parameters.keys() - _KNOWN[name]
        if unknown:
            raise NotImplementedError(f"{name} with {', '.join(sorted(unknown))}")
        self.meta.events.tell(name, parameters)
        operation = Operation(name, parameters)
        self.before(operation)
        with self._lock:
            yield
        self.after(operation)

    def _table(self, operation: str, parameters: Mapping[str, Any]) -> Table:
        try:
            return self._tables[parameters["TableName"]]
        except KeyError:
            raise refusal(operation, "ResourceNotFoundException") from None


class _KeyChanged(Invalid):
    """An update of a key: in a transaction, the one mistake that does not refuse it as a whole."""


@dataclass(frozen=True)
class _Write:
    """What becomes of one row."""

    table: Table
    key: Key
    before: Item | None
    after: Item | None

    def apply(self) -> None:
        if self.after is None:
            self.table.delete(self.key)
        elif self.after is not self.before:
            self.table.put(self.key, self.after)


class _Events:
    """The one event of botocore's that tests of the store listen to: the parameters of a call."""

    def __init__(self) -> None:
        self._listeners: list[tuple[str, Callable[..., object]]] = []

    def register(self, event: str, listener: Callable[..., object]) -> None:
        kind, _, call = event.partition(".dynamodb.")
        if kind != "provide-client-params":
            raise NotImplementedError(event)
        self._listeners.append((call.lower(), listener))

    def tell(self, name: str, parameters: Mapping[str, Any]) -> None:
        for call, listener in self._listeners:
            if call == name.replace("_", ""):
                listener(params=parameters)


class _Meta:
    endpoint_url = "memory:"

    def __init__(self) -> None:
        self.events = _Events()


class _Waiter:
    def __init__(self, name: str) -> None:
        self._name = name

    def wait(self, **_: Any) -> None:
        """Tables are usable at once."""


class _Paginator:
    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

    def paginate(self, **parameters: Any) -> Iterator[dict[str, Any]]:
        while True:
            page = self._call(**parameters)
            yield page
            if "LastEvaluatedKey" not in page:
                return
            parameters["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def as_client(double: DynamoDBDouble) -> DynamoDBClient:
    """The double for code that is written for boto3's client."""
    return cast("DynamoDBClient", double)


@contextmanager
def _refusing(operation: str) -> Iterator[None]:
    try:
        yield
    except (Invalid, TypeError) as error:
        raise refusal(operation, "ValidationException", str(error)) from None


def _key(operation: str, given: Mapping[str, Value]) -> Key:
    try:
        key = given["pk"]["S"], given["sk"]["S"]
    except KeyError:
        raise refusal(operation, "ValidationException", "the key does not match the schema") from None
    if not (key[0] and key[1]):
        raise refusal(operation, "ValidationException", "a key is empty")
    return key


def _target(operation: str, parameters: Mapping[str, Any]) -> Key:
    if "Key" in parameters and parameters["Key"].keys() != {"pk", "sk"}:
        raise refusal(operation, "ValidationException", "the key does not match the schema")
    return _key(operation, parameters["Key"] if "Key" in parameters else parameters["Item"])


def _read(
    parameters: Mapping[str, Any],
) -> tuple[Compiled[Test] | None, Compiled[tuple[Change, ...]] | None, Words]:
    """The condition and the update of a write, and what their words mean. Raises Invalid."""
    condition, update = parameters.get("ConditionExpression"), parameters.get("UpdateExpression")
    test = expressions.condition(condition) if condition else None
    changes = expressions.update(update) if update else None
    return test, changes, words_of(parameters, *(each.used for each in (test, changes) if each))


def _written(parameters: Mapping[str, Any], key: Key, before: Item | None) -> tuple[Item | None, bool]:
    """The row as a write makes it, and whether the write's condition holds. A check and a deletion leave it
    as it is. Raises Invalid, TypeError."""
    test, changes, words = _read(parameters)
    if test and not test.meaning(before or {}, words):
        return before, False
    if changes is None:
        after = parameters.get("Item", before)
        after = dict(after) if after is not None and after is not before else before
    else:
        after = dict(before) if before else {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
        made = [change(before or {}, words) for change in changes.meaning]
        names = [name for name, _ in made]
        if {"pk", "sk"} & set(names):
            raise _KeyChanged("an attribute is part of the key")
        if len(set(names)) < len(names):
            raise Invalid("two paths overlap")
        for name, value in made:
            if value is None:
                after.pop(name, None)
            else:
                after[name] = value
    if after is not None and after is not before and size(after) > ITEM_BYTES:
        raise Invalid("item size has exceeded the maximum allowed size")
    return after, True


def _outcome(
    action: str, parameters: Mapping[str, Any], key: Key, before: Item | None, *, failed: bool
) -> tuple[dict[str, Any], Item | None]:
    """The reason that one item of a transaction gives for its cancellation, and the row as it makes it.
    `failed`: a condition before it did not hold, so nothing is worked out any more but conditions. Raises
    Invalid, TypeError."""
    _read(parameters)
    try:
        after, holds = _written(parameters, key, before)
    except _KeyChanged as error:
        return {"Code": "ValidationError", "Message": str(error)}, before
    except (Invalid, TypeError):
        if not failed:
            raise
        return {"Code": "None"}, before
    if holds:
        return {"Code": "None"}, None if action == "Delete" else after
    reason: dict[str, Any] = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    if before is not None and parameters.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD":
        reason["Item"] = dict(before)
    return reason, before


def _check_batch(operation: str, places: list[tuple[str, Key]], most: int) -> None:
    if not 1 <= len(places) <= most or len(set(places)) < len(places):
        raise refusal(operation, "ValidationException")


def _filter_words(parameters: Mapping[str, Any]) -> frozenset[str]:
    used = frozenset[str]()
    if "FilterExpression" in parameters:
        used |= expressions.condition(parameters["FilterExpression"]).used
    if "ProjectionExpression" in parameters:
        used |= expressions.projection(parameters["ProjectionExpression"]).used
    return used


def _chosen(parameters: Mapping[str, Any]) -> Callable[[Item], Item]:
    """What a read returns of an item."""
    if "ProjectionExpression" not in parameters:
        return dict
    compiled = expressions.projection(parameters["ProjectionExpression"])
    words = Words(parameters.get("ExpressionAttributeNames", {}), {})
    names = [words.name(each) for each in compiled.meaning]
    return lambda item: {name: item[name] for name in names if name in item}


def _page(rows: Iterator[tuple[Key, Item, int]], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """As many rows as one page reads: up to `Limit`, or to the one that goes beyond a megabyte."""
    chosen, most = _chosen(parameters), parameters.get("Limit")
    text = parameters.get("FilterExpression")
    keep = expressions.condition(text).meaning if text else None
    words = Words(
        parameters.get("ExpressionAttributeNames", {}), parameters.get("ExpressionAttributeValues", {})
    )
    counts_only = parameters.get("Select") == "COUNT"
    items, count, read, kept = list[Item](), 0, 0, 0
    for key, item, bytes_ in rows:
        count, read = count + 1, read + bytes_
        if keep is None or keep(item, words):
            kept += 1
            if not counts_only:
                items.append(chosen(item))
        if count == most or read > PAGE_BYTES:
            last = item if "IndexName" in parameters else {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
            found = {"Items": items, "LastEvaluatedKey": last}
            break
    else:
        found = {"Items": items}
    if counts_only:
        del found["Items"]
    return {**found, "Count": kept, "ScannedCount": count}


def _of_index(
    table: Table, parameters: Mapping[str, Any], bounds: Mapping[str, tuple[str, Value]]
) -> Iterator[tuple[Key, Item, int]]:
    """The keys of an index's rows, which is all that it holds."""
    if parameters.get("ConsistentRead"):
        raise Invalid("an index is never read consistently")
    if not parameters.get("ScanIndexForward", True):
        raise NotImplementedError("an index from its end")
    index = table.indexes[parameters["IndexName"]]
    held = ("pk", "sk", index.partition, index.sort)
    operator, limit = bounds.get(index.sort, (">", {"N": "-1"}))
    rows = table.indexed(parameters["IndexName"], bounds[index.partition][1]["S"])
    if start := parameters.get("ExclusiveStartKey"):
        after = index.place(_key("Query", start), start)
        rows = [row for row in rows if index.place(*row) > after]
    for key, item in rows:
        if expressions.within(item[index.sort], operator, limit):
            entry = {name: item[name] for name in held}
            yield key, entry, size(entry)
