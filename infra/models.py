"""The right to call a model of Bedrock."""

from __future__ import annotations

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from infra.settings import BEDROCK

# The geographies of inference profiles, and the Regions that each may route a call to.
_GEOGRAPHIES = {
    "apac": "ap-*",
    "au": "ap-southeast-*",
    "ca": "ca-*",
    "eu": "eu-*",
    "jp": "ap-northeast-*",
    "us": "us-*",
    "us-gov": "us-gov-*",
}


def allow_model(function: lambda_.Function, stack: Stack, model: str) -> None:
    """Lets a function call `model` (of the form `bedrock:<id>`; any other needs no right) and no other model.

    A profile needs two rights: to the profile itself, and, through this profile alone, to the model in the
    Regions of its geography.
    """
    if not model.startswith(BEDROCK):
        return
    model_id = model.removeprefix(BEDROCK)
    geography, _, routed_id = model_id.partition(".")
    if geography not in _GEOGRAPHIES:
        _allow(function, [_foundation_model(stack, stack.region, model_id)])
        return
    profile = stack.format_arn(service="bedrock", resource="inference-profile", resource_name=model_id)
    _allow(function, [profile])
    regions = (stack.region, _GEOGRAPHIES[geography])
    _allow(function, [_foundation_model(stack, region, routed_id) for region in regions], profile)


def _foundation_model(stack: Stack, region: str, model_id: str) -> str:
    return stack.format_arn(
        service="bedrock", region=region, account="", resource="foundation-model", resource_name=model_id
    )


def _allow(function: lambda_.Function, resources: list[str], profile: str | None = None) -> None:
    function.add_to_role_policy(
        iam.PolicyStatement(
            actions=["bedrock:InvokeModel"],
            resources=resources,
            conditions={"StringEquals": {"bedrock:InferenceProfileArn": profile}} if profile else None,
        )
    )
