"""The service's secret: the keys for users' ids, cursors and the ledger are derived from it."""

from __future__ import annotations

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.settings import DeploymentSettings


class ServiceSecret(secretsmanager.Secret):
    """64 random letters and digits, about 380 bits.

    It is never replaced: every user's rows are found by ids that are derived from it, so whoever loses it has
    lost them all. For that reason nothing below `generate_secret_string` may ever change: CloudFormation
    would generate another.
    """

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        super().__init__(
            scope,
            construct_id,
            description="Users' ids, cursors and the ledger hang on it. Losing it orphans all data.",
            generate_secret_string=secretsmanager.SecretStringGenerator(
                password_length=64, exclude_punctuation=True
            ),
            removal_policy=RemovalPolicy.RETAIN if settings.deletion_protection else RemovalPolicy.DESTROY,
        )
        acknowledge(
            self,
            "Users' rows are found by ids that are derived from it: another secret would lose them all.",
            "AwsSolutions-SMG4",
        )

    def allow(self, function: lambda_.Function) -> None:
        """Lets a function read the secret."""
        function.add_to_role_policy(
            iam.PolicyStatement(actions=["secretsmanager:GetSecretValue"], resources=[self.secret_arn])
        )
