"""The key that wraps users' data keys."""

from __future__ import annotations

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.settings import DeploymentSettings
from noted.store.kms import SERVICE

# What `noted.store.kms.context` binds each data key to.
_CONTEXT = ("service", "organisation", "user", "generation")


class WrappingKey(kms.Key):
    """One symmetric key, rotated by KMS each year: an old data key still opens then, since KMS keeps what
    wrapped it. Without this key nobody's memory opens, so a protected deployment denies its deletion to
    everybody: who means it deploys without the protection first."""

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        protected = settings.deletion_protection
        super().__init__(
            scope,
            construct_id,
            alias=f"alias/{settings.prefix}",
            description="Wraps the data keys of users. Losing it makes everybody's memory unreadable.",
            enable_key_rotation=True,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )
        if protected:
            deny_deletion(self)

    def allow(self, function: lambda_.Function, *, creating: bool) -> None:
        """Lets a function open the data keys of users, and make new ones if it is `creating`: only with the
        whole context, and never one that another service wrapped."""
        function.add_environment("NOTED_KMS_KEY", self.key_arn)
        function.add_to_role_policy(
            iam.PolicyStatement(
                actions=["kms:Decrypt", *(["kms:GenerateDataKey"] if creating else [])],
                resources=[self.key_arn],
                conditions={
                    "StringEquals": {"kms:EncryptionContext:service": SERVICE},
                    "Null": {f"kms:EncryptionContext:{name}": "false" for name in _CONTEXT},
                },
            )
        )


def deny_deletion(key: kms.Key) -> None:
    """Nobody schedules the deletion of the key or disables it. Its policy can still be set, so this can be
    taken off again."""
    key.add_to_resource_policy(
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["kms:ScheduleKeyDeletion", "kms:DisableKey"],
            resources=["*"],
        )
    )
