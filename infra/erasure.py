"""What carries erasures to their end after they have been accepted."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.receipts import ReceiptKey
from infra.schedule import EachMinute
from infra.settings import DeploymentSettings


class Erasure(Construct):
    """An accepted erasure is a row that says when its next step is due; each minute what is due is done, and
    where a table was restored, what was erased since its backup is erased again."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, function: lambda_.Function
    ) -> None:
        super().__init__(scope, construct_id)
        # Lambda tries a call of it again that fails: beside the schedule's there is one that comes once, when
        # somebody lays hands on a key. A run more does no harm, since each job is leased.
        self.schedule = EachMinute(self, "RunErasures", function, "run-erasures")
        self.receipt_key = ReceiptKey(self, "ReceiptKey", settings)
        self.receipt_key.allow(function)
        function.add_environment("NOTED_ERASURE_CONNECTORS", settings.erasure_connectors)
