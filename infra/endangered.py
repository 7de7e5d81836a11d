"""Who lays hands on a key is heard, and said by a function."""

from __future__ import annotations

from collections.abc import Iterable

from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledged import acknowledge


class KeyEndangered(events.Rule):
    """CloudTrail tells EventBridge of such calls in an account that has a trail (docs/monitoring.md). The
    function says it as a metric, so that the topic stays closed to everything but alarms."""

    def __init__(
        self, scope: Construct, construct_id: str, keys: Iterable[kms.Key], function: lambda_.Function
    ) -> None:
        keys = list(keys)
        super().__init__(
            scope,
            construct_id,
            description="Somebody schedules the deletion of a key, or disables it",
            event_pattern=events.EventPattern(
                source=["aws.kms"],
                detail_type=["AWS API Call via CloudTrail"],
                detail={
                    "eventSource": ["kms.amazonaws.com"],
                    "eventName": ["ScheduleKeyDeletion", "DisableKey"],
                    "$or": [
                        {"resources": {"ARN": [key.key_arn for key in keys]}},
                        {
                            "requestParameters": {
                                "keyId": [value for key in keys for value in (key.key_arn, key.key_id)]
                            }
                        },
                    ],
                },
            ),
            targets=[
                targets.LambdaFunction(
                    function, event=events.RuleTargetInput.from_object({"noted": "key-endangered"})
                )
            ],
        )
        acknowledge(
            self,
            "EventBridge tries for a day to hand the call to Lambda, which tries it three times, or for six "
            "hours where there is no room to run it. That EventBridge gave up is an alarm (calls-refused), "
            "and a key waits for its deletion for a week at least.",
            "Serverless-EventBusDLQ",
        )
