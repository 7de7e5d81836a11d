"""That what was deployed is what the template says, after what the emulator leaves out was set."""

from __future__ import annotations

import pytest

from noted.store.tables import EXPIRY, TABLES, Table
from rehearsal.deployment import Deployment


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_tables_expire_and_recover(table: Table, deployment: Deployment) -> None:
    database, name = deployment.emulator.client("dynamodb"), deployment.table(table.name)
    expiry = database.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "ENABLED", "AttributeName": EXPIRY}
    backups = database.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    described = database.describe_table(TableName=name)["Table"]
    indexes = {index["IndexName"]: index for index in described.get("GlobalSecondaryIndexes", ())}
    assert indexes.keys() == {index.name for index in table.indexes}


def test_logs_are_kept_for_days_and_not_for_ever(deployment: Deployment) -> None:
    groups = deployment.emulator.client("logs").describe_log_groups()["logGroups"]
    ours = [group for group in groups if deployment.stack in group["logGroupName"]]
    assert len(ours) >= 7
    assert {group.get("retentionInDays") for group in ours} <= {1, 3, 5, 7, 14}


def test_no_log_holds_what_users_said(deployment: Deployment) -> None:
    """Runs last, so that there is something in the logs."""
    logs = deployment.emulator.client("logs")
    for group in logs.describe_log_groups()["logGroups"]:
        written = logs.filter_log_events(logGroupName=group["logGroupName"])["events"]
        lines = "\n".join(event["message"] for event in written)
        assert not any(said in lines for said in ("jazz", "Porto", "Braga", "Zebulon")), group["logGroupName"]
