"""The key that signs receipts of erasures."""

from __future__ import annotations

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.keys import deny_deletion
from infra.settings import DeploymentSettings


class ReceiptKey(kms.Key):
    """A key pair on P-256 whose private half never leaves KMS. It is not replaced: receipts are kept for
    three years, and are checked against the keys that the service publishes. Like the wrapping key, a
    protected deployment denies its deletion to everybody."""

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        protected = settings.deletion_protection
        super().__init__(
            scope,
            construct_id,
            description="Signs receipts of erasures. Without it, old ones are checked by kept keys.",
            key_spec=kms.KeySpec.ECC_NIST_P256,
            key_usage=kms.KeyUsage.SIGN_VERIFY,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )
        if protected:
            deny_deletion(self)

    def allow(self, function: lambda_.Function) -> None:
        """Lets a function sign, and publish the public half."""
        function.add_environment("NOTED_RECEIPT_KEY", self.key_arn)
        function.add_to_role_policy(
            iam.PolicyStatement(actions=["kms:GetPublicKey", "kms:Sign"], resources=[self.key_arn])
        )
