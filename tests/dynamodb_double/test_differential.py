"""The double against Amazon's own engine: whatever is asked of both, both give the same answer, and both hold
the same rows afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from local.dynamodb import DynamoDBLocal
from noted.store.tables import create_tables
from tests.dynamodb_double import DynamoDBDouble, as_client

ATTRIBUTES = ["aa", "bb", "outbox", "outbox_since"]
TABLES = ["memory", "control"]

texts = st.sampled_from(["", "a", "ab", "b", "é", "ü\U0001f600"])
numbers = st.sampled_from(["-3", "0", "7", "12"])
scalars: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"S": texts}),
    st.fixed_dictionaries({"N": numbers}),
    st.fixed_dictionaries({"B": texts.map(str.encode)}),
    st.fixed_dictionaries({"BOOL": st.booleans()}),
)
values: st.SearchStrategy[dict[str, Any]] = st.one_of(
    scalars,
    st.fixed_dictionaries({"L": st.lists(scalars, max_size=2)}),
    st.fixed_dictionaries({"M": st.fixed_dictionaries({"x": scalars})}),
)
# An index takes no value of another type than its own, so these two attributes keep to it.
typed: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "outbox": st.fixed_dictionaries({"S": st.sampled_from(["s0", "s1"])}),
    "outbox_since": st.fixed_dictionaries({"N": numbers}),
}
keys = st.fixed_dictionaries(
    {
        "pk": st.fixed_dictionaries({"S": st.sampled_from(["p", "q"])}),
        "sk": st.fixed_dictionaries({"S": st.sampled_from(["a", "ab", "b", "é"])}),
    }
)


class Words:
    """Names and values of a request, given out while its expressions are written."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def name(self, attribute: str) -> str:
        self.names[f"#{attribute}"] = attribute
        return f"#{attribute}"

    def value(self, value: Any) -> str:
        token = f":v{len(self.values)}"
        self.values[token] = value
        return token

    def parameters(self) -> dict[str, Any]:
        given = {"ExpressionAttributeNames": self.names, "ExpressionAttributeValues": self.values}
        return {name: words for name, words in given.items() if words}


Write = Callable[[Words], str]

attributes = st.sampled_from([*ATTRIBUTES, "pk"])


@st.composite
def predicates(draw: st.DrawFn) -> Write:
    """One test of an attribute."""
    name, other = draw(attributes), draw(st.sampled_from(["aa", "bb"]))
    kind = draw(
        st.sampled_from(["attribute_exists", "attribute_not_exists", "begins_with", "equal", "order"])
    )
    if kind in ("attribute_exists", "attribute_not_exists"):
        return lambda words: f"{kind}({words.name(name)})"
    if kind == "begins_with":
        text = draw(texts)
        return lambda words: f"begins_with({words.name(name)}, {words.value({'S': text})})"
    ordered = kind == "order"
    sign = draw(st.sampled_from(["<", "<=", ">", ">="] if ordered else ["=", "<>"]))
    if name != other and draw(st.booleans()):
        return lambda words: f"{words.name(name)} {sign} {words.name(other)}"
    value = draw(scalars.filter(lambda value: "BOOL" not in value) if ordered else values)
    return lambda words: f"{words.name(name)} {sign} {words.value(value)}"


@st.composite
def conditions(draw: st.DrawFn) -> Write:
    """One to four predicates, joined and denied, with and without brackets."""
    built = draw(predicates())
    for _ in range(draw(st.integers(0, 3))):
        built = _joined(
            built, draw(predicates()), draw(st.sampled_from(["AND", "OR", "(AND)", "(OR)", "NOT"]))
        )
    return built


def _joined(one: Write, other: Write, word: str) -> Write:
    if word == "NOT":
        return lambda words: f"NOT ({one(words)}) AND NOT {other(words)}"
    if word.startswith("("):
        return lambda words: f"({one(words)}) {word.strip('()')} ({other(words)})"
    return lambda words: f"{one(words)} {word} {other(words)}"


@st.composite
def updates(draw: st.DrawFn, *, safe: bool) -> Write:
    """An update of some attributes: each set, removed or added to. `safe`: one that every item can take."""
    chosen = draw(st.lists(st.sampled_from(ATTRIBUTES), min_size=1, max_size=3, unique=True))
    clauses: dict[str, list[Write]] = {}
    for name in chosen:
        kind = draw(st.sampled_from(["SET", "SET", "REMOVE", "ADD", "APPEND", "DEFAULT", "PLUS"]))
        if safe and kind in ("APPEND", "PLUS", "ADD"):
            kind = "ADD" if name == "outbox_since" else "SET"
        value = draw(typed.get(name, values))
        number = {"N": draw(numbers)}
        if name == "outbox" and kind in ("ADD", "APPEND", "PLUS"):
            kind = "SET"
        if name == "outbox_since" and kind == "APPEND":
            kind = "ADD"
        clause = kind if kind in ("REMOVE", "ADD") else "SET"
        clauses.setdefault(clause, []).append(_changed(kind, name, value, number))
    return lambda words: " ".join(
        f"{clause} {', '.join(change(words) for change in changes)}" for clause, changes in clauses.items()
    )


def _changed(kind: str, name: str, value: Any, number: Any) -> Write:
    def written(words: Words) -> str:
        path = words.name(name)
        if kind == "REMOVE":
            return path
        if kind == "ADD":
            return f"{path} {words.value(number)}"
        if kind == "APPEND":
            return f"{path} = list_append({path}, {words.value({'L': [number]})})"
        if kind == "DEFAULT":
            return f"{path} = if_not_exists({path}, {words.value(value)})"
        if kind == "PLUS":
            return f"{path} = {path} + {words.value(number)}"
        return f"{path} = {words.value(value)}"

    return written


@st.composite
def items(draw: st.DrawFn) -> dict[str, Any]:
    """A row with some attributes."""
    chosen = draw(st.lists(st.sampled_from(ATTRIBUTES), max_size=3, unique=True))
    return draw(keys) | {name: draw(typed.get(name, values)) for name in chosen}


@st.composite
def writes(draw: st.DrawFn, *, safe: bool = False) -> tuple[str, dict[str, Any]]:
    """A write of one row, as a client method and its parameters but for the table."""
    words, parameters = Words(), dict[str, Any]()
    method = draw(st.sampled_from(["put_item", "update_item", "delete_item", "condition_check"]))
    parameters |= {"Item": draw(items())} if method == "put_item" else {"Key": draw(keys)}
    if method == "update_item":
        parameters["UpdateExpression"] = draw(updates(safe=safe))(words)
    if method == "condition_check" or draw(st.booleans()):
        parameters["ConditionExpression"] = draw(conditions())(words)
        parameters["ReturnValuesOnConditionCheckFailure"] = draw(st.sampled_from(["ALL_OLD", "NONE"]))
    return method, parameters | words.parameters()


@st.composite
def reads(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A query of a partition or of the index, in pages."""
    words, parameters = Words(), dict[str, Any]()
    if draw(st.booleans()):
        parameters["IndexName"] = "outbox"
        shard, since = (
            words.value({"S": draw(st.sampled_from(["s0", "s1"]))}),
            words.value({"N": draw(numbers)}),
        )
        parameters["KeyConditionExpression"] = (
            f"{words.name('outbox')} = {shard} AND {words.name('outbox_since')} <= {since}"
        )
    else:
        parameters |= {"ConsistentRead": True, "ScanIndexForward": draw(st.booleans())}
        condition = f"pk = {words.value({'S': draw(st.sampled_from(['p', 'q']))})}"
        if draw(st.booleans()):
            condition += f" AND begins_with(sk, {words.value({'S': draw(st.sampled_from(['a', 'b', 'é']))})})"
        parameters["KeyConditionExpression"] = condition
        if draw(st.booleans()):
            parameters["FilterExpression"] = draw(
                conditions().filter(lambda condition: "#pk" not in condition(Words()))
            )(words)
        if draw(st.booleans()):
            parameters["Limit"] = draw(st.integers(1, 4))
        if draw(st.booleans()):
            parameters["ExclusiveStartKey"] = draw(keys)
            parameters["ExclusiveStartKey"]["pk"] = words.values[":v0"]
    if draw(st.booleans()):
        parameters["ProjectionExpression"] = "pk, sk"
    return "query", parameters | words.parameters()


def _place(entry: tuple[str, tuple[str, dict[str, Any]]]) -> tuple[str, ...]:
    table, (_, parameters) = entry
    key = parameters.get("Key") or parameters["Item"]
    return table, key["pk"]["S"], key["sk"]["S"]


# Where two things are wrong with a transaction, DynamoDB may tell either: here only conditions fail.
transactions = st.lists(
    st.tuples(st.sampled_from(TABLES), writes(safe=True)), min_size=1, max_size=4, unique_by=_place
)
steps = st.one_of(
    st.builds(lambda write: ("single", write), writes()),
    st.builds(lambda entries: ("transaction", entries), transactions),
    st.builds(lambda read: ("read", read), reads()),
    st.builds(lambda chosen: ("get", chosen), st.lists(keys, min_size=1, max_size=5)),
    st.builds(lambda chosen: ("delete", chosen), st.lists(keys, min_size=1, max_size=5)),
)

# DynamoDB Local tells what a deletion consumed although nobody asks.
_NOT_ASKED_FOR = ("ResponseMetadata", "ConsumedCapacity")
_ACTIONS = {
    "put_item": "Put",
    "update_item": "Update",
    "delete_item": "Delete",
    "condition_check": "ConditionCheck",
}


def asked(client: Any, prefix: str, step: tuple[str, Any]) -> Any:
    """What a client says to a step: its answer, or its refusal, without what is only for people."""
    kind, what = step
    table = f"{prefix}-memory"
    try:
        if kind == "single":
            method, parameters = what
            if method == "condition_check":
                return None
            wanted = {"ReturnValues": "ALL_NEW"} if method == "update_item" else {}
            answer = getattr(client, method)(TableName=table, **parameters, **wanted)
        elif kind == "transaction":
            entries = [
                {_ACTIONS[method]: {"TableName": f"{prefix}-{name}", **parameters}}
                for name, (method, parameters) in what
            ]
            answer = client.transact_write_items(TransactItems=entries)
        elif kind == "read":
            answer = client.query(TableName=table, **what[1])
            if "IndexName" in what[1]:
                # Rows of an index that sort alike come in any order.
                answer["Items"] = sorted(map(repr, map(normal, answer["Items"])))
        elif kind == "get":
            answer = client.batch_get_item(RequestItems={table: {"Keys": what, "ConsistentRead": True}})
            answer = {"Responses": sorted(map(repr, map(normal, answer["Responses"].get(table, ()))))}
        else:
            requests = [{"DeleteRequest": {"Key": key}} for key in what]
            answer = client.batch_write_item(RequestItems={table: requests})
    except ClientError as error:
        reasons = [
            (reason.get("Code"), normal(reason.get("Item")))
            for reason in error.response.get("CancellationReasons", ())
        ]
        return error.response["Error"]["Code"], normal(error.response.get("Item")), reasons
    return normal({name: part for name, part in answer.items() if name not in _NOT_ASKED_FOR})


def normal(value: Any) -> Any:
    """A value in which the order of attributes does not matter."""
    if isinstance(value, dict):
        return {name: normal(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [normal(each) for each in value]
    return value


def everything(client: Any, prefix: str) -> list[Any]:
    """All rows of both tables."""
    return [
        sorted(repr(normal(row)) for row in client.scan(TableName=f"{prefix}-{table}")["Items"])
        for table in TABLES
    ]


@pytest.fixture
def amazon(dynamodb_local: DynamoDBLocal) -> Iterator[Any]:
    client = boto3.client("dynamodb", region_name="eu-west-1", endpoint_url=dynamodb_local.endpoint)
    yield client
    client.close()


@pytest.fixture
def both(amazon: Any, table_prefix: str) -> tuple[list[Any], str]:
    """DynamoDB Local and the double, with the five tables in each."""
    clients = [amazon, as_client(DynamoDBDouble())]
    for client in clients:
        create_tables(client, table_prefix)
    return clients, table_prefix


def agree(both: tuple[list[Any], str], step: tuple[str, Any]) -> Any:
    clients, prefix = both
    first, second = (asked(client, prefix, step) for client in clients)
    assert second == first
    return first


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(given_steps=st.lists(steps, min_size=8, max_size=30))
def test_whatever_is_asked_both_answer_alike(
    both: tuple[list[Any], str], given_steps: list[tuple[str, Any]]
) -> None:
    clients, prefix = both
    for client in clients:
        for table in TABLES:
            for row in client.scan(TableName=f"{prefix}-{table}")["Items"]:
                client.delete_item(TableName=f"{prefix}-{table}", Key={"pk": row["pk"], "sk": row["sk"]})
    for step in given_steps:
        agree(both, step)
    assert everything(clients[1], prefix) == everything(clients[0], prefix)


def row(sort_key: str, size: int = 1) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": sort_key}, "aa": {"S": "x" * size}}


def put(sort_key: str, size: int = 1) -> tuple[str, Any]:
    return "put_item", {"Item": row(sort_key, size)}


@pytest.mark.parametrize("size", [409_580, 409_592, 409_593, 409_700])
def test_both_take_items_up_to_the_same_size(both: tuple[list[Any], str], size: int) -> None:
    agree(both, ("single", put("a", size)))
    agree(both, ("transaction", [("memory", put("b", size))]))


def test_both_refuse_an_update_that_makes_an_item_too_large(both: tuple[list[Any], str]) -> None:
    agree(both, ("single", put("a", 400_000)))
    grown = {
        "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}},
        "UpdateExpression": "SET bb = :more",
        "ExpressionAttributeValues": {":more": {"S": "y" * 10_000}},
    }
    assert agree(both, ("single", ("update_item", grown)))[0] == "ValidationException"


def test_both_refuse_a_transaction_of_more_than_four_megabytes(both: tuple[list[Any], str]) -> None:
    for count, size in ((10, 400_000), (11, 400_000)):
        agree(both, ("transaction", [("memory", put(f"k{number}", size)) for number in range(count)]))


@pytest.mark.parametrize("count", [100, 101])
def test_both_take_as_many_items_in_a_transaction(both: tuple[list[Any], str], count: int) -> None:
    agree(both, ("transaction", [("memory", put(f"k{number}")) for number in range(count)]))


@pytest.mark.parametrize("kind, count", [("get", 100), ("get", 101), ("delete", 25), ("delete", 26)])
def test_both_take_as_many_items_in_a_batch(both: tuple[list[Any], str], kind: str, count: int) -> None:
    agree(both, (kind, [{"pk": {"S": "p"}, "sk": {"S": f"k{number}"}} for number in range(count)]))


def test_both_cut_a_query_after_a_megabyte(both: tuple[list[Any], str]) -> None:
    for number in range(7):
        agree(both, ("single", put(f"k{number}", 300_000)))
    read: dict[str, Any] = {
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "p"}},
    }
    page = agree(both, ("read", ("query", read)))
    while "LastEvaluatedKey" in page:
        read["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        page = agree(both, ("read", ("query", read)))


def test_both_read_an_index_in_order_and_as_far_as_asked(both: tuple[list[Any], str]) -> None:
    for number, since in enumerate([12, -3, 7, 100]):
        marked = row(f"k{number}") | {"outbox": {"S": "s0"}, "outbox_since": {"N": str(since)}}
        agree(both, ("single", ("put_item", {"Item": marked})))
    read = {
        "IndexName": "outbox",
        "KeyConditionExpression": "outbox = :s AND outbox_since <= :n",
        "ExpressionAttributeValues": {":s": {"S": "s0"}, ":n": {"N": "50"}},
        "Limit": 2,
    }
    pages = [client.query(TableName=f"{both[1]}-memory", **read) for client in both[0]]
    for page in pages:
        page.pop("ResponseMetadata", None)
    assert pages[1] == pages[0]
    assert [each["sk"]["S"] for each in pages[1]["Items"]] == ["k1", "k2"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"ExpressionAttributeNames": {"#a": "aa"}},
        {"ExpressionAttributeValues": {":a": {"S": "a"}}},
        {"ConditionExpression": "aa = :missing"},
        {"ConditionExpression": "#missing = aa"},
        {"ConditionExpression": "attribute_exists(aa"},
        {"ConditionExpression": "aa == bb"},
        {"Item": {"pk": {"S": "p"}}},
        {"Item": {"pk": {"S": ""}, "sk": {"S": "a"}}},
        {"Item": {"pk": {"N": "1"}, "sk": {"S": "a"}}},
    ],
)
def test_both_refuse_what_is_wrong(both: tuple[list[Any], str], wrong: dict[str, Any]) -> None:
    assert agree(both, ("single", ("put_item", {"Item": row("a"), **wrong})))[0] == "ValidationException"


@pytest.mark.parametrize(
    "expression",
    ["SET sk = :v", "SET aa = :v, aa = :v", "SET aa = missing + :v", "ADD aa :v", "SET aa", "PUT aa = :v"],
)
def test_both_refuse_a_wrong_update(both: tuple[list[Any], str], expression: str) -> None:
    agree(both, ("single", put("a")))
    parameters: dict[str, Any] = {
        "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}},
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {":v": {"N": "1"}},
    }
    agree(both, ("single", ("update_item", parameters)))
    agree(both, ("transaction", [("memory", ("update_item", parameters))]))


def test_both_refuse_two_writes_of_one_item(both: tuple[list[Any], str]) -> None:
    agree(both, ("transaction", [("memory", put("a")), ("memory", put("a"))]))
    agree(both, ("delete", [{"pk": {"S": "p"}, "sk": {"S": "a"}}] * 2))
    agree(both, ("get", [{"pk": {"S": "p"}, "sk": {"S": "a"}}] * 2))
