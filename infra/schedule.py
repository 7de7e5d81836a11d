"""Work that a function does each minute without being called."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledged import acknowledge

_REASON = "A call that is lost or fails is not to be repeated: the next minute's does the same work."


class EachMinute(events.Rule):
    """Calls a function each minute with `{"noted": work}`, once for each piece of work. A call that Lambda
    does not take is not repeated: the one of the next minute does the same work."""

    def __init__(self, scope: Construct, construct_id: str, function: lambda_.Function, *works: str) -> None:
        minute = Duration.minutes(1)
        super().__init__(
            scope,
            construct_id,
            description=f"{', '.join(works)}, each minute",
            schedule=events.Schedule.rate(minute),
            targets=[
                targets.LambdaFunction(
                    function,
                    event=events.RuleTargetInput.from_object({"noted": work}),
                    retry_attempts=0,
                    max_event_age=minute,
                )
                for work in works
            ],
        )
        acknowledge(self, _REASON, "Serverless-EventBusDLQ")


def called_once(function: lambda_.Function) -> None:
    """Has Lambda forget a call that fails, or that it could not begin within a minute. For a function that is
    called by its schedule alone, and by nobody else whose call must not be lost."""
    function.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(1))
    acknowledge(function, _REASON, "Serverless-LambdaAsyncFailureDestination")
