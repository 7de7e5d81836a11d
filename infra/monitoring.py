"""What an operator is told, and what they look at first."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.alerts import Alerts, measured
from infra.dashboard import Dashboard
from infra.settings import DeploymentSettings
from infra.watched import Watched
from noted import metrics

_MINUTE, _FIVE_MINUTES, _DAY = Duration.minutes(1), Duration.minutes(5), Duration.days(1)
_SLOW_MILLISECONDS = 15_000
_FAILING_PERCENT = 5
# With fewer requests in five minutes one failure would be a rate of many percent.
_FEWEST_REQUESTS = 20
# Of a function's timeout.
_NEAR = 0.9
_OLD_MESSAGE_SECONDS = 900
_SCHEDULED = ("extraction", "erasure")

# What the service itself says, and the section of the runbook.
_SAID = (
    (
        metrics.ERASURE_OVERDUE,
        "erasure-overdue",
        "An erasure is not finished a day after it was asked for.",
    ),
    (
        metrics.FOUND_LATE,
        "erased-rows-found",
        "Rows were found a day after the receipt of their erasure.",
    ),
    (
        metrics.RESTORED,
        "tables-restored",
        "A table was restored: nothing is served until the ledger has been replayed.",
    ),
    (
        metrics.COMPLIANCE_BREAKER,
        "compliance-breaker",
        "So much was erased in an organisation today that erasures on behalf of others are held up.",
    ),
    (
        metrics.KEY_ENDANGERED,
        "key-endangered",
        "Somebody schedules the deletion of a key, or disables it. Without it memory is unreadable.",
    ),
)


class Monitoring(Construct):
    """A dashboard, which costs nothing while an account has three at most, and alarms, which cost 10 cents a
    month for each metric that they look at, unless the settings do without."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, watched: Watched
    ) -> None:
        super().__init__(scope, construct_id)
        self._settings = settings
        self._watched = watched
        self._namespace = metrics.namespace(settings.prefix)
        alarms: list[cloudwatch.Alarm] = []
        if settings.alarms:
            alerts = Alerts(self, "Alerts", settings)
            self._say(alerts)
            self._watch_work(alerts)
            self._watch_functions(alerts)
            self._watch_apis(alerts)
            self._watch_tables(alerts)
            self._watch_keys()
            if settings.daily_cost_alarm_usd:
                self._watch_cost(alerts)
            alarms = alerts.alarms
        Dashboard(self, "Dashboard", settings.prefix, watched, alarms)

    def _say(self, alerts: Alerts) -> None:
        for family, section, description in _SAID:
            [name] = family.units
            metric = measured(self._namespace, name, "Sum", _FIVE_MINUTES)
            alerts.when(section, section, description, metric)

    def _watch_work(self, alerts: Alerts) -> None:
        waiting = self._watched.dead_letters.metric_approximate_number_of_messages_visible(
            period=_MINUTE, statistic="Maximum"
        )
        alerts.when(
            "dead-letters", "dead-letters", "Work failed for good and waits among the dead letters.", waiting
        )
        age = self._watched.queue.metric_approximate_age_of_oldest_message(
            period=_FIVE_MINUTES, statistic="Maximum"
        )
        alerts.when(
            "extraction-age",
            "extraction-age",
            "What users said waits for its extraction for more than a quarter of an hour.",
            age,
            _OLD_MESSAGE_SECONDS,
            periods=2,
        )
        for name in _SCHEDULED:
            alerts.when(
                f"{name}-stopped",
                "schedule-stopped",
                f"The function {name} was not called for a quarter of an hour: its schedule stands still.",
                self._watched.functions[name].metric_invocations(period=_FIVE_MINUTES),
                periods=3,
                below=True,
                silence=True,
            )

    def _watch_functions(self, alerts: Alerts) -> None:
        for name, function in self._watched.functions.items():
            if name == "model_retention":
                # Its errors are its findings, and it is called once a day.
                alerts.when(
                    "model-retention",
                    "model-retention",
                    "Bedrock keeps what models are told, or it could not be found out.",
                    function.metric_errors(period=_FIVE_MINUTES),
                )
                continue
            alerts.when(
                f"{name}-errors",
                "function-errors",
                f"The function {name} fails.",
                function.metric_errors(period=_FIVE_MINUTES),
                3,
            )
            alerts.when(
                f"{name}-throttles",
                "function-throttles",
                f"The function {name} is called more often than it may run.",
                function.metric_throttles(period=_FIVE_MINUTES),
            )
            if function.timeout is None:
                raise TypeError(f"{name} has no timeout")
            alerts.when(
                f"{name}-duration",
                "function-duration",
                f"The function {name} runs nearly into its timeout.",
                function.metric_duration(period=_FIVE_MINUTES, statistic="Maximum"),
                _NEAR * function.timeout.to_milliseconds(),
                periods=3,
            )

    def _watch_apis(self, alerts: Alerts) -> None:
        http, streaming = {"ApiId": self._watched.http_api}, {"ApiName": self._watched.streaming_api}
        for name, dimensions, failed in (("api", http, "5xx"), ("streaming-api", streaming, "5XXError")):
            alerts.when(
                f"{name}-failing",
                "api-failing",
                f"The {name} answers {_FAILING_PERCENT} % of requests or more with an error of its own.",
                cloudwatch.MathExpression(
                    expression=f"IF(requests >= {_FEWEST_REQUESTS}, 100 * FILL(failed, 0) / requests, 0)",
                    using_metrics={
                        "failed": measured("AWS/ApiGateway", failed, "Sum", _FIVE_MINUTES, dimensions),
                        "requests": measured("AWS/ApiGateway", "Count", "Sum", _FIVE_MINUTES, dimensions),
                    },
                    period=_FIVE_MINUTES,
                ),
                _FAILING_PERCENT,
                periods=2,
            )
            alerts.when(
                f"{name}-slow",
                "api-slow",
                f"One answer of the {name} in twenty takes {_SLOW_MILLISECONDS // 1000} s or longer.",
                measured("AWS/ApiGateway", "Latency", "p95", _FIVE_MINUTES, dimensions),
                _SLOW_MILLISECONDS,
                periods=3,
            )

    def _watch_tables(self, alerts: Alerts) -> None:
        throttled = {
            f"m{number}": measured(
                "AWS/DynamoDB", name, "Sum", _FIVE_MINUTES, {"TableName": table.table_name}
            )
            for number, (table, name) in enumerate(
                (table, name)
                for table in self._watched.tables
                for name in ("ReadThrottleEvents", "WriteThrottleEvents")
            )
        }
        alerts.when(
            "tables-throttled",
            "tables-throttled",
            "DynamoDB refuses reads or writes, since there are too many of them in one place.",
            # DynamoDB tells nothing of a table that was not throttled, and what is missing adds nothing.
            cloudwatch.MathExpression(
                expression=f"SUM([{', '.join(throttled)}])", using_metrics=throttled, period=_FIVE_MINUTES
            ),
            10,
        )

    def _watch_keys(self) -> None:
        """CloudTrail tells EventBridge of such calls in an account that has a trail (docs/monitoring.md). The
        function says it as a metric, so that the topic stays closed to everything but alarms."""
        keys = list(self._watched.keys)
        named = [value for key in keys for value in (key.key_arn, key.key_id)]
        endangered = events.Rule(
            self,
            "KeyEndangered",
            description="Somebody schedules the deletion of a key, or disables it",
            event_pattern=events.EventPattern(
                source=["aws.kms"],
                detail_type=["AWS API Call via CloudTrail"],
                detail={
                    "eventSource": ["kms.amazonaws.com"],
                    "eventName": ["ScheduleKeyDeletion", "DisableKey"],
                    "$or": [
                        {"resources": {"ARN": [key.key_arn for key in keys]}},
                        {"requestParameters": {"keyId": named}},
                    ],
                },
            ),
            targets=[
                targets.LambdaFunction(
                    self._watched.functions["erasure"],
                    event=events.RuleTargetInput.from_object({"noted": "key-endangered"}),
                )
            ],
        )
        acknowledge(
            endangered,
            "EventBridge tries for a day to call the function, and a key waits for its deletion for a week "
            "at least.",
            "Serverless-EventBusDLQ",
        )

    def _watch_cost(self, alerts: Alerts) -> None:
        settings = self._settings
        tokens, terms = dict[str, cloudwatch.IMetric](), list[str]()
        for model in sorted({settings.model, settings.extraction_model} & settings.prices.keys()):
            whole, output, read, written = settings.prices[model]
            # What the cache gave and took is counted in the input as well.
            prices = (whole, output, read - whole, written - whole)
            for name, price in zip(metrics.TOKENS, prices, strict=True):
                term = f"m{len(tokens)}"
                tokens[term] = measured(self._namespace, name, "Sum", _DAY, {"model": model})
                terms.append(f"{term} * {round(price, 6)}")
        alerts.when(
            "daily-cost",
            "daily-cost",
            f"Language models cost {settings.daily_cost_alarm_usd} USD a day or more.",
            cloudwatch.MathExpression(
                # A model that was not called has no metrics, and adds nothing.
                expression=f"SUM([{', '.join(terms)}]) / 1000000",
                using_metrics=tokens,
                period=_DAY,
            ),
            settings.daily_cost_alarm_usd,
        )
