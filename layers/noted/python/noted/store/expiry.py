"""Deletes expired rows where no time to live runs on the service's own clock: on one machine. In the cloud
DynamoDB does it. Either way every read leaves expired rows out, so this only frees the space."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from noted.store.tables import EXPIRY, TABLES

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def delete_expired(client: DynamoDBClient, prefix: str, now: datetime) -> int:
    """Deletes the rows of all users whose time ended before `now`; returns how many."""
    deleted = 0
    for table in TABLES:
        scan: dict[str, Any] = {
            "TableName": f"{prefix}-{table.name}",
            "ProjectionExpression": "pk, sk",
            "FilterExpression": "#expiry <= :now",
            "ExpressionAttributeNames": {"#expiry": EXPIRY},
            "ExpressionAttributeValues": {":now": {"N": str(int(now.timestamp()))}},
        }
        for page in client.get_paginator("scan").paginate(**scan):
            for key in page["Items"]:
                # The condition keeps a row that was refreshed since it was read.
                try:
                    client.delete_item(
                        TableName=scan["TableName"],
                        Key=key,
                        ConditionExpression="#expiry <= :now",
                        ExpressionAttributeNames=scan["ExpressionAttributeNames"],
                        ExpressionAttributeValues=scan["ExpressionAttributeValues"],
                    )
                    deleted += 1
                except client.exceptions.ConditionalCheckFailedException:
                    continue
    return deleted
