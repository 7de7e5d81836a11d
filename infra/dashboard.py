"""The first page of an operator: whether users are served, what it costs, and whether promises are kept."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.alerts import RUNBOOK, measured
from infra.watched import Watched
from noted.metrics import (
    BREAKER_OPENINGS,
    DROPPED_FACTS,
    ERASURES,
    EXTRACTIONS,
    MODEL_CALLS,
    RECALLS,
    RECEIPTS,
    TURNS,
    UNCHECKED_TOKENS,
    WRITE_CONFLICTS,
    Family,
    namespace,
)

_FIVE_MINUTES = Duration.minutes(5)
_WIDTH = 8


class Dashboard(Construct):
    """Rows of three, the most urgent first."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        prefix: str,
        watched: Watched,
        alarms: Sequence[cloudwatch.Alarm],
    ) -> None:
        super().__init__(scope, construct_id)
        self._namespace = namespace(prefix)
        http, streaming = {"ApiId": watched.http_api}, {"ApiName": watched.streaming_api}
        queue, dead_letters = watched.queue, watched.dead_letters
        gateway = "AWS/ApiGateway"
        board = cloudwatch.Dashboard(self, "Board", dashboard_name=prefix)
        if alarms:
            board.add_widgets(
                cloudwatch.AlarmStatusWidget(
                    title=f"Alarms: what each means is in {RUNBOOK}", alarms=list(alarms), width=24, height=4
                )
            )
        board.add_widgets(
            _graph("Turns by route", self._each(TURNS, "Turns")),
            _graph(
                "Errors of the service",
                measured(gateway, "5xx", "Sum", _FIVE_MINUTES, http),
                measured(gateway, "5XXError", "Sum", _FIVE_MINUTES, streaming),
            ),
            _graph(
                "Turns by route, p95, and all requests, p50 and p95, ms",
                self._each(TURNS, "TurnDuration", "p95"),
                *(
                    measured(gateway, "Latency", statistic, _FIVE_MINUTES, dimensions)
                    for dimensions in (http, streaming)
                    for statistic in ("p50", "p95")
                ),
            ),
        )
        board.add_widgets(
            _graph(
                "Extraction: oldest message, s",
                queue.metric_approximate_age_of_oldest_message(period=_FIVE_MINUTES, statistic="Maximum"),
            ),
            _graph(
                "Messages waiting and dead",
                queue.metric_approximate_number_of_messages_visible(period=_FIVE_MINUTES),
                dead_letters.metric_approximate_number_of_messages_visible(period=_FIVE_MINUTES),
            ),
            _graph("Erasures: age of those under way, s", self._one(ERASURES, "ErasureAge", "Maximum")),
        )
        board.add_widgets(
            _graph("Recall by source, p95, ms", self._each(RECALLS, "RecallDuration", "p95")),
            _graph("Recalls that did without something", self._each(RECALLS, "DegradedRecalls")),
            _graph("Turns that did without something", self._each(TURNS, "DegradedTurns")),
        )
        board.add_widgets(
            _graph("Turns extracted, by outcome", self._each(EXTRACTIONS, "ExtractedTurns")),
            _graph("Facts dropped, by rule", self._each(DROPPED_FACTS, "FactsDropped")),
            _graph("Receipts by scope", self._each(RECEIPTS, "Receipts")),
        )
        board.add_widgets(
            _graph("Input tokens by purpose", self._each(MODEL_CALLS, "InputTokens")),
            _graph("Of them read from the cache", self._each(MODEL_CALLS, "CacheReadTokens")),
            _graph("Output tokens by purpose", self._each(MODEL_CALLS, "OutputTokens")),
        )
        board.add_widgets(
            _graph("Model calls by outcome", self._each(MODEL_CALLS, "Calls")),
            _graph("Breakers opened", self._each(BREAKER_OPENINGS, "BreakerOpenings")),
            _graph("Write conflicts", self._one(WRITE_CONFLICTS, "WriteConflicts")),
        )
        functions = watched.functions.values()
        board.add_widgets(
            _graph(
                "Functions: errors",
                # A refused token is an error of the authorizer: what it fails at is a metric of its own.
                *(
                    each.metric_errors(period=_FIVE_MINUTES)
                    for name, each in watched.functions.items()
                    if name != "authorizer"
                ),
                self._one(UNCHECKED_TOKENS, "UncheckedTokens"),
            ),
            _graph(
                "Functions: throttles", *(each.metric_throttles(period=_FIVE_MINUTES) for each in functions)
            ),
            _graph(
                "Functions: longest run, ms",
                *(each.metric_duration(period=_FIVE_MINUTES, statistic="Maximum") for each in functions),
            ),
        )

    def _one(self, family: Family, name: str, statistic: str = "Sum") -> cloudwatch.Metric:
        if family.dimensions or name not in family.units:
            raise ValueError(f"no metric {name} without dimensions")
        return measured(self._namespace, name, statistic, _FIVE_MINUTES)

    def _each(self, family: Family, name: str, statistic: str = "Sum") -> cloudwatch.MathExpression:
        """A line for each value of the dimensions that there is."""
        if name not in family.units:
            raise ValueError(f"no metric {name}")
        schema = ",".join((self._namespace, *family.dimensions))
        search = f"SEARCH('{{{schema}}} MetricName=\"{name}\"', '{statistic}', 300)"
        return cloudwatch.MathExpression(expression=search, label="", period=_FIVE_MINUTES)


def _graph(title: str, *lines: cloudwatch.IMetric) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(lines), width=_WIDTH, height=6)
