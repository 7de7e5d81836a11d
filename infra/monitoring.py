"""What an operator is told, and what they look at first."""

from __future__ import annotations

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.alerts import Alerts
from infra.aws_alarms import watch_parts, watch_schedules
from infra.dashboard import Dashboard
from infra.endangered import KeyEndangered
from infra.own_alarms import watch_service
from infra.settings import DeploymentSettings
from infra.watched import Watched


class Monitoring(Construct):
    """A dashboard, which costs nothing while an account has three at most, and alarms, which cost 10 cents a
    month for each metric that they look at, unless the settings do without."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, watched: Watched
    ) -> None:
        super().__init__(scope, construct_id)
        alarms: list[cloudwatch.Alarm] = []
        if settings.alarms:
            alerts = Alerts(self, "Alerts", settings)
            watch_service(alerts, settings)
            watch_parts(alerts, watched)
            endangered = KeyEndangered(self, "KeyEndangered", watched.keys, watched.functions["erasure"])
            watch_schedules(alerts, watched.schedules, [endangered])
            alarms = alerts.alarms
        Dashboard(self, "Dashboard", settings.prefix, watched, alarms)
