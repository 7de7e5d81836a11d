"""The five tables, described once: the stack, the local runner and the tests build them from here.

All are on demand and keyed by the strings `pk` and `sk`; `expires_at` (whole seconds since 1970) is their
time to live. DynamoDB deletes late, so every read filters on it as well. The two indexes are sparse, hold
keys only and no text: they find work that was left undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PARTITION_KEY = "pk"
SORT_KEY = "sk"
EXPIRY = "expires_at"


@dataclass(frozen=True)
class Index:
    """A sparse index, keys only, over two attributes: a string partition and a number that sorts."""

    name: str
    partition: str
    sort: str


@dataclass(frozen=True)
class Table:
    """`recovery_days` is the window of point-in-time recovery; `purpose` is for the person who reads."""

    name: str
    purpose: str
    recovery_days: int
    indexes: tuple[Index, ...] = ()


# Verdicts keep to the memory table's window. Keys get the smallest window there is: what a backup of this
# table holds could open erased rows again. The ledger is what a restore is checked against.
OUTBOX = Index("outbox", partition="outbox", sort="outbox_since")
OPEN_JOBS = Index("open_jobs", partition="open_job", sort="due")
CONTROL = Table("control", "one META row a user: generation, state, sequence; erasure jobs", 7, (OPEN_JOBS,))
MEMORY = Table("memory", "conversations, turns, facts, marks of work done and to do", 7, (OUTBOX,))
VERDICTS = Table("verdicts", "one row a verdict, append-only", 7)
KEYS = Table("keys", "one wrapped data key per user and generation", 1)
LEDGER = Table("ledger", "receipts of erasures, without personal data", 35)
TABLES = (CONTROL, MEMORY, VERDICTS, KEYS, LEDGER)


def create_tables(client: DynamoDBClient, prefix: str) -> None:
    """Creates the tables named `<prefix>-<name>` that are not there yet, and waits until they are usable.

    Time to live is left off: where this runs, the runner's own clock decides what has expired.
    """
    for table in TABLES:
        try:
            client.create_table(**definition(table, prefix))
        except client.exceptions.ResourceInUseException:
            continue
    for table in TABLES:
        client.get_waiter("table_exists").wait(
            TableName=f"{prefix}-{table.name}", WaiterConfig={"Delay": 1, "MaxAttempts": 30}
        )


def definition(table: Table, prefix: str) -> Any:
    """The parameters of DynamoDB's CreateTable for one table."""
    attributes = {PARTITION_KEY: "S", SORT_KEY: "S"}
    for index in table.indexes:
        attributes |= {index.partition: "S", index.sort: "N"}
    parameters: dict[str, Any] = {
        "TableName": f"{prefix}-{table.name}",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()
        ],
        "KeySchema": _key_schema(PARTITION_KEY, SORT_KEY),
    }
    if table.indexes:
        parameters["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index.name,
                "KeySchema": _key_schema(index.partition, index.sort),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for index in table.indexes
        ]
    return parameters


def _key_schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]
