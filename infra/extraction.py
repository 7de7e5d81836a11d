"""The queue between an answer and the work that follows it, and what becomes of messages that fail."""

from __future__ import annotations

from collections.abc import Iterable

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.schedule import EachMinute
from noted.settings import Settings

_BATCH_SIZE = 5
# Keeps a flood of turns from taking the account's functions and the model's quota away from answers.
_MAX_CONCURRENCY = 10


class Extraction(Construct):
    """Messages hold ids only. The worker gets them at least once, in any order, and reports each failure for
    itself; after its last try a message goes to the dead letters, which raise an alarm."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        worker: lambda_.Function,
        worker_timeout: Duration,
        senders: Iterable[lambda_.Function],
    ) -> None:
        super().__init__(scope, construct_id)
        dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
        )
        queue = sqs.Queue(
            self,
            "Queue",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=_visibility(worker_timeout),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=dead_letters, max_receive_count=Settings.max_receives
            ),
        )
        worker.add_event_source(
            event_sources.SqsEventSource(
                queue,
                batch_size=_BATCH_SIZE,
                max_concurrency=_MAX_CONCURRENCY,
                report_batch_item_failures=True,
            )
        )
        for sender in senders:
            queue.grant(sender, "sqs:SendMessage")
            sender.add_environment("NOTED_QUEUE_URL", queue.queue_url)
        EachMinute(self, "SweepOutbox", worker, "sweep-outbox", "sweep-episodes", "reindex")
        cloudwatch.Alarm(
            self,
            "DeadLettersAlarm",
            alarm_description="Work that follows an answer failed for good and waits among the dead letters.",
            metric=dead_letters.metric_approximate_number_of_messages_visible(
                period=Duration.minutes(1), statistic="Maximum"
            ),
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            threshold=1,
            evaluation_periods=1,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )


def _visibility(timeout: Duration) -> Duration:
    """Six times the worker's timeout, as Lambda asks for, since a throttled batch is tried again within it;
    and once more, since the time counts from when a message is received, not from when the worker begins."""
    return Duration.seconds(7 * int(timeout.to_seconds()))
