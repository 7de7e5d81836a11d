"""What a client and a deployer need to know of a deployment, under names of their own."""

from __future__ import annotations

from aws_cdk import CfnOutput
from constructs import Construct


def tell(scope: Construct, name: str, description: str, value: str) -> None:
    """Adds an output to the stack that is called `name`, wherever in the stack it is told."""
    CfnOutput(scope, name, description=description, value=value).override_logical_id(name)
