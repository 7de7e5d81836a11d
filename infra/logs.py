"""Logs: what a deployment writes down, and for how long. What an erasure promises of logs holds for all."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.settings import DeploymentSettings

_RETENTION = {
    1: logs.RetentionDays.ONE_DAY,
    3: logs.RetentionDays.THREE_DAYS,
    5: logs.RetentionDays.FIVE_DAYS,
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
}


class Log(logs.LogGroup):
    """A log group that keeps for as long as the settings say, and goes with the stack."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, log_group_name: str
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            log_group_name=log_group_name,
            retention=_RETENTION[settings.log_retention_days],
            removal_policy=RemovalPolicy.DESTROY,
        )


class AccessLog(Log):
    """One line a request of an API. A name of AWS's own beginning: log groups that begin so share one policy,
    of which there is only one page a Region."""

    def __init__(self, scope: Construct, settings: DeploymentSettings, api: str) -> None:
        super().__init__(scope, "AccessLog", settings, f"/aws/vendedlogs/{settings.prefix}-{api}")


def access_line(route: str) -> str:
    """The format of a line; `route`: how the API calls the route, which must be its pattern and not the path,
    since there are ids in a path. No claim, no address, no query and no header: nothing tells who it was."""
    line: Mapping[str, str] = {
        "request_id": "$context.requestId",
        "route": route,
        "status": "$context.status",
        "latency_ms": "$context.responseLatency",
    }
    return json.dumps(line)
