"""What carries erasures to their end after they have been accepted."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.schedule import EachMinute


class Erasure(Construct):
    """An accepted erasure is a row that says when its next step is due; each minute what is due is done."""

    def __init__(self, scope: Construct, construct_id: str, function: lambda_.Function) -> None:
        super().__init__(scope, construct_id)
        EachMinute(self, "RunErasures", function, "run-erasures")
