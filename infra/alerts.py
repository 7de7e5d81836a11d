"""Alarms, and where they are told. Each names the section of docs/runbook.md that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.outputs import tell
from infra.settings import DeploymentSettings

RUNBOOK = "docs/runbook.md"
_CLOUDWATCH = "cloudwatch.amazonaws.com"


@dataclass(frozen=True)
class Condition:
    """When there is an alarm: a metric is at or over `threshold`, or `below` it, for so many `periods` on
    end, or, `within` them, in one of them.

    No data is no alarm. Where that is what it is about, `silent_for` says how long a deployment may be silent
    when it is new. `ends`: the end is told as well, since it says more than that time has passed.
    """

    threshold: float = 1
    periods: int = 1
    within: bool = False
    below: bool = False
    silent_for: Duration | None = None
    ends: bool = True


_ONCE = Condition()


class Alerts(Construct):
    """A topic to which nobody but the alarms of this deployment may publish. It has a key of its own, since
    CloudWatch may not use the one that AWS keeps for topics."""

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        self._prefix = settings.prefix
        self.alarms: list[cloudwatch.Alarm] = []
        ours = {"StringEquals": {"aws:SourceAccount": stack.account}}
        key = kms.Key(
            self,
            "Key",
            description="Encrypts what alarms say, until it is delivered",
            enable_key_rotation=True,
            removal_policy=RemovalPolicy.DESTROY,
        )
        key.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal(_CLOUDWATCH)],
                actions=["kms:Decrypt", "kms:GenerateDataKey*"],
                resources=["*"],
                conditions=ours,
            )
        )
        topic = sns.Topic(
            self, "Topic", topic_name=f"{settings.prefix}-alarms", master_key=key, enforce_ssl=True
        )
        alarms = f"arn:{stack.partition}:cloudwatch:{stack.region}:{stack.account}:alarm:{settings.prefix}-*"
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal(_CLOUDWATCH)],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={**ours, "ArnLike": {"aws:SourceArn": alarms}},
            )
        )
        # A forged alarm sends people the wrong way, so it is not enough that nobody else is allowed to here.
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                effect=iam.Effect.DENY,
                principals=[iam.AnyPrincipal()],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"Bool": {"aws:PrincipalIsAWSService": "false"}},
            )
        )
        if settings.alarm_email:
            topic.add_subscription(subscriptions.EmailSubscription(settings.alarm_email))
            acknowledge(
                topic,
                "SNS itself tries a mailbox again; an alarm stays to be seen.",
                "Serverless-SNSRedrivePolicy",
            )
        self._action = actions.SnsAction(topic)
        tell(self, "AlarmTopic", "Where alarms are told; anything can be subscribed to it", topic.topic_arn)

    def when(
        self,
        name: str,
        section: str,
        description: str,
        metric: cloudwatch.IMetric,
        condition: Condition = _ONCE,
    ) -> None:
        """An alarm, told when it is raised."""
        operators = cloudwatch.ComparisonOperator
        missing = cloudwatch.TreatMissingData
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{self._prefix}-{name}",
            alarm_description=f"{description} What to do: {RUNBOOK}#{section}",
            metric=metric,
            comparison_operator=operators.LESS_THAN_THRESHOLD
            if condition.below
            else operators.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            threshold=condition.threshold,
            evaluation_periods=condition.periods,
            datapoints_to_alarm=1 if condition.within else None,
            treat_missing_data=missing.BREACHING if condition.silent_for else missing.NOT_BREACHING,
        )
        alarm.add_alarm_action(self._action)
        if condition.ends:
            alarm.add_ok_action(self._action)
        if condition.silent_for:
            _warm_up(alarm, condition.silent_for)
        self.alarms.append(alarm)


def _warm_up(alarm: cloudwatch.Alarm, silent_for: Duration) -> None:
    # Without it the alarm would be raised while the deployment that makes it is still under way.
    resource = alarm.node.default_child
    if not isinstance(resource, cloudwatch.CfnAlarm):
        raise TypeError("an alarm has no resource")
    resource.warm_up_configuration = cloudwatch.CfnAlarm.WarmUpConfigurationProperty(
        warm_up_period_duration_in_minutes=silent_for.to_minutes()
    )


def measured(
    namespace: str,
    name: str,
    statistic: str,
    period: Duration,
    dimensions: dict[str, str] | None = None,
) -> cloudwatch.Metric:
    """A metric by its names."""
    return cloudwatch.Metric(
        namespace=namespace,
        metric_name=name,
        statistic=statistic,
        period=period,
        dimensions_map=dimensions,
    )


def summed(lines: Sequence[cloudwatch.IMetric], period: Duration) -> cloudwatch.MathExpression:
    """The sum of metrics that are told of only where there is something to tell. What is missing is filled
    in, since alarms on metrics of DynamoDB stay as they are while there is no data, whatever is asked for
    (the reference of PutMetricAlarm)."""
    named = {f"m{number}": line for number, line in enumerate(lines)}
    filled = ", ".join(f"FILL({name}, 0)" for name in named)
    return cloudwatch.MathExpression(expression=f"SUM([{filled}])", using_metrics=named, period=period)
