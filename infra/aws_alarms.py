"""Alarms on what AWS measures of the parts of a deployment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_

from infra.alerts import Alerts, Condition, measured, summed
from infra.watched import Watched

_MINUTE, _FIVE_MINUTES, _DAY = Duration.minutes(1), Duration.minutes(5), Duration.days(1)
_FAILING_PERCENT = 5
# With fewer requests in five minutes one failure would be a rate of many percent.
_FEWEST_REQUESTS = 20
# Of a function's timeout.
_NEAR = 0.9
_OLD_MESSAGE_SECONDS = 900
# How long a schedule may be silent, as periods of a length. What is not here is called each minute.
_EACH_MINUTE = (_FIVE_MINUTES, 3)
_LESS_OFTEN = {"model_retention": (_DAY, 2)}


def watch_parts(alerts: Alerts, watched: Watched) -> None:
    """The queue, the functions, both APIs, and the tables."""
    _watch_queue(alerts, watched)
    for name, function in watched.functions.items():
        if name == "model_retention":
            _watch_model_retention(alerts, function)
        else:
            _watch_function(alerts, name, function)
    _watch_apis(alerts, watched)
    _watch_tables(alerts, watched)


def watch_schedules(
    alerts: Alerts, schedules: Mapping[str, events.Rule], others: Iterable[events.Rule]
) -> None:
    """The rules themselves, since a function is called by others too. EventBridge says nothing of a rule that
    calls nobody, and counts a call that was refused among those that it made: so refusals of these and of the
    `others` are an alarm of their own."""
    for name, rule in schedules.items():
        period, periods = _LESS_OFTEN.get(name, _EACH_MINUTE)
        alerts.when(
            f"{name}-stopped",
            "schedule-stopped",
            f"The schedule of the function {name} stands still.",
            # What is missing would count only once there is no older data near it.
            cloudwatch.MathExpression(
                expression="FILL(calls, 0)",
                using_metrics={"calls": _of_rule(rule, "Invocations", period)},
                period=period,
            ),
            Condition(
                periods=periods, below=True, silent_for=Duration.minutes(period.to_minutes() * periods)
            ),
        )
    refused = [_of_rule(rule, "FailedInvocations", _FIVE_MINUTES) for rule in (*schedules.values(), *others)]
    alerts.when(
        "calls-refused",
        "schedule-stopped",
        "EventBridge could not call a function that it should.",
        summed(refused, _FIVE_MINUTES),
    )


def _watch_queue(alerts: Alerts, watched: Watched) -> None:
    waiting = watched.dead_letters.metric_approximate_number_of_messages_visible(
        period=_MINUTE, statistic="Maximum"
    )
    alerts.when(
        "dead-letters", "dead-letters", "Work failed for good and waits among the dead letters.", waiting
    )
    alerts.when(
        "extraction-age",
        "extraction-age",
        "What users said waits for its extraction for more than a quarter of an hour.",
        watched.queue.metric_approximate_age_of_oldest_message(period=_FIVE_MINUTES, statistic="Maximum"),
        Condition(_OLD_MESSAGE_SECONDS, periods=2),
    )


def _watch_function(alerts: Alerts, name: str, function: lambda_.Function) -> None:
    # To refuse a token is an error of the authorizer, as Lambda counts: `tokens-unchecked` tells of faults.
    if name != "authorizer":
        alerts.when(
            f"{name}-errors",
            "function-errors",
            f"The function {name} fails.",
            function.metric_errors(period=_FIVE_MINUTES),
            Condition(3),
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
        Condition(_NEAR * function.timeout.to_milliseconds(), periods=3),
    )


def _watch_model_retention(alerts: Alerts, function: lambda_.Function) -> None:
    alerts.when(
        "model-retention",
        "model-retention",
        "Bedrock keeps what models are told, or it could not be found out.",
        # Its errors are its findings, and it looks once a day.
        function.metric_errors(period=_DAY),
        Condition(periods=2, within=True),
    )


def _watch_apis(alerts: Alerts, watched: Watched) -> None:
    http, streaming = {"ApiId": watched.http_api}, {"ApiName": watched.streaming_api}
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
            Condition(_FAILING_PERCENT, periods=2),
        )


def _watch_tables(alerts: Alerts, watched: Watched) -> None:
    """Two alarms, since an expression takes ten metrics at most. What is told of a table leaves out its
    indexes."""
    places = [
        {"TableName": made.table_name, **index}
        for table, made in watched.tables.items()
        for index in ({}, *({"GlobalSecondaryIndexName": index.name} for index in table.indexes))
    ]
    for kind in ("Read", "Write"):
        alerts.when(
            f"{kind.lower()}s-throttled",
            "tables-throttled",
            f"DynamoDB refuses {kind.lower()}s, since there are too many of them in one place.",
            summed(
                [
                    measured("AWS/DynamoDB", f"{kind}ThrottleEvents", "Sum", _FIVE_MINUTES, place)
                    for place in places
                ],
                _FIVE_MINUTES,
            ),
            Condition(10),
        )


def _of_rule(rule: events.Rule, name: str, period: Duration) -> cloudwatch.Metric:
    return measured("AWS/Events", name, "Sum", period, {"RuleName": rule.rule_name})
