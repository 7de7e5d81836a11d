"""The queue between an answer and the work that follows it, and what becomes of messages that fail."""

from __future__ import annotations

from collections.abc import Iterable

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.schedule import EachMinute, called_once
from infra.settings import DeploymentSettings
from noted.settings import Settings

_BATCH_SIZE = 5


class Extraction(Construct):
    """Messages hold ids only. The worker gets them at least once, in any order, and reports each failure for
    itself; after its last try a message goes to the dead letters, which raise an alarm."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        settings: DeploymentSettings,
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
        acknowledge(dead_letters, "These are the dead letters.", "Serverless-SQSRedrivePolicy")
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
        # What Lambda's own policy for such workers has (AWSLambdaSQSQueueExecutionRole), and no more.
        queue.grant(worker, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
        worker.add_event_source_mapping(
            "Queue",
            event_source_arn=queue.queue_arn,
            batch_size=_BATCH_SIZE,
            # Keeps a flood of turns from taking functions and the model's quota away from answers.
            max_concurrency=settings.extraction_concurrency,
            report_batch_item_failures=True,
        )
        acknowledge(
            worker,
            "Lambda has no such destination for SQS: what fails goes to the dead letters of the queue.",
            "Serverless-LambdaEventSourceMappingDestination",
        )
        senders = list(senders)
        _refuse_others(queue, senders)
        for sender in senders:
            queue.grant(sender, "sqs:SendMessage")
            sender.add_environment("NOTED_QUEUE_URL", queue.queue_url)
        self.schedule = EachMinute(self, "SweepOutbox", worker, "sweep-outbox", "sweep-episodes", "reindex")
        called_once(worker)
        # The worker redrives them, when it is told to.
        dead_letters.grant(worker, "sqs:ReceiveMessage", "sqs:DeleteMessage")
        worker.add_environment("NOTED_DEAD_LETTERS_URL", dead_letters.queue_url)
        self.queue, self.dead_letters = queue, dead_letters


def _refuse_others(queue: sqs.Queue, senders: Iterable[lambda_.Function]) -> None:
    """Nobody else sends, whatever rights they have elsewhere: not an administrator by mistake, not a role
    that was taken over. What was lost is sent again by the sweep of the outbox."""
    roles = [sender.role.role_arn for sender in senders if sender.role]
    queue.add_to_resource_policy(
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["sqs:SendMessage"],
            resources=[queue.queue_arn],
            conditions={"ArnNotEquals": {"aws:PrincipalArn": roles}},
        )
    )


def _visibility(timeout: Duration) -> Duration:
    """Six times the worker's timeout, as Lambda asks for, since a throttled batch is tried again within it;
    and once more, since the time counts from when a message is received, not from when the worker begins."""
    return Duration.seconds(7 * int(timeout.to_seconds()))
