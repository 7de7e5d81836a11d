"""The tables in the template, against the design and against the description that the local server uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from noted.store.tables import TABLES as DESCRIBED
from noted.store.tables import definition

pytestmark = pytest.mark.xdist_group("infra")

# Days of point-in-time recovery: what a backup of the keys holds could open rows that were erased, so the
# least there is; and the ledger is what every restore is checked against, so the most.
RECOVERY_DAYS = {"control": 7, "memory": 7, "verdicts": 7, "keys": 1, "ledger": 35}
INDEXES = {"control": ("open_jobs", "open_job", "due"), "memory": ("outbox", "outbox", "outbox_since")}
TABLES = pytest.mark.parametrize("name", sorted(RECOVERY_DAYS))


@pytest.fixture(scope="session")
def tables(resources: Callable[[str], dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tables by their name without the prefix."""
    found = [*resources("DynamoDB::GlobalTable").values(), *resources("DynamoDB::Table").values()]
    return {table["Properties"]["TableName"].removeprefix("noted-"): table for table in found}


def replica(table: dict[str, Any]) -> dict[str, Any]:
    """The table in its one Region."""
    (only,) = table["Properties"]["Replicas"]
    assert only["Region"] == "eu-central-1"
    return dict(only)


def test_there_are_the_five_tables_and_no_other(tables: dict[str, Any]) -> None:
    assert tables.keys() == RECOVERY_DAYS.keys()


@TABLES
def test_a_table_has_the_keys_and_indexes_that_the_local_server_creates(
    tables: dict[str, Any], name: str
) -> None:
    properties = tables[name]["Properties"]
    (described,) = (table for table in DESCRIBED if table.name == name)
    expected = definition(described, "noted")

    def by_name(attributes: list[dict[str, str]]) -> dict[str, str]:
        return {attribute["AttributeName"]: attribute["AttributeType"] for attribute in attributes}

    assert properties["TableName"] == expected["TableName"]
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["KeySchema"] == expected["KeySchema"]
    assert properties.get("GlobalSecondaryIndexes") == expected.get("GlobalSecondaryIndexes")
    assert by_name(properties["AttributeDefinitions"]) == by_name(expected["AttributeDefinitions"])


@TABLES
def test_rows_are_keyed_by_pk_and_sk(tables: dict[str, Any], name: str) -> None:
    assert tables[name]["Properties"]["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]


@TABLES
def test_indexes_are_sparse_and_hold_keys_only(tables: dict[str, Any], name: str) -> None:
    found = [
        (index["IndexName"], *(key["AttributeName"] for key in index["KeySchema"]), index["Projection"])
        for index in tables[name]["Properties"].get("GlobalSecondaryIndexes", [])
    ]
    expected = [(*INDEXES[name], {"ProjectionType": "KEYS_ONLY"})] if name in INDEXES else []
    assert found == expected


@TABLES
def test_rows_end_at_expires_at(tables: dict[str, Any], name: str) -> None:
    assert tables[name]["Properties"]["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }


@TABLES
def test_a_table_can_be_restored_for_as_many_days_as_designed(tables: dict[str, Any], name: str) -> None:
    assert replica(tables[name])["PointInTimeRecoverySpecification"] == {
        "PointInTimeRecoveryEnabled": True,
        "RecoveryPeriodInDays": RECOVERY_DAYS[name],
    }


@TABLES
def test_a_table_is_encrypted_under_a_key_of_dynamodbs_own(tables: dict[str, Any], name: str) -> None:
    # Texts are sealed before, under keys that the wrapping key of this account opens (test_keys.py).
    assert tables[name]["Properties"]["SSESpecification"] == {"SSEEnabled": False}


@TABLES
def test_the_tables_can_be_told_apart_by_their_tags_and_the_keys_ask_not_to_be_backed_up(
    tables: dict[str, Any], name: str
) -> None:
    tags = {tag["Key"]: tag["Value"] for tag in replica(tables[name])["Tags"]}
    common = {"application": "noted", "environment": "prod"}
    assert tags == common | ({"backup": "never"} if name == "keys" else {})


def test_nothing_here_backs_a_table_up(template: dict[str, Any]) -> None:
    assert not any("AWS::Backup" in each["Type"] for each in template["Resources"].values())


@TABLES
def test_no_stream_carries_rows_away(tables: dict[str, Any], name: str) -> None:
    assert "StreamSpecification" not in tables[name]["Properties"]
    assert "KinesisStreamSpecification" not in replica(tables[name])


@TABLES
def test_a_table_outlives_the_stack_and_cannot_be_deleted_by_mistake(
    tables: dict[str, Any], name: str
) -> None:
    assert replica(tables[name])["DeletionProtectionEnabled"] is True
    assert tables[name]["DeletionPolicy"] == "Retain"
    assert tables[name]["UpdateReplacePolicy"] == "Retain"


# As cdk.json says it, and as the command line's -c does.
@pytest.mark.parametrize("unprotected", [False, "false"])
def test_without_deletion_protection_the_stack_leaves_nothing_behind_but_the_accounts_log_role(
    synthesise: Callable[..., dict[str, Any]], unprotected: object
) -> None:
    template = synthesise(deletion_protection=unprotected)
    kept = {
        resource["Type"]
        for resource in template["Resources"].values()
        if resource.get("DeletionPolicy") == "Retain"
    }
    tables = [resource for resource in template["Resources"].values() if "DynamoDB" in resource["Type"]]
    assert kept == {"AWS::IAM::Role", "AWS::ApiGateway::Account"}
    assert [replica(table)["DeletionProtectionEnabled"] for table in tables] == [False] * 5


def test_a_second_deployment_has_tables_of_its_own(synthesise: Callable[..., dict[str, Any]]) -> None:
    template = synthesise(prefix="staging")
    names = {
        resource["Properties"]["TableName"]
        for resource in template["Resources"].values()
        if "DynamoDB" in resource["Type"]
    }
    assert names == {f"staging-{name}" for name in RECOVERY_DAYS}
