"""The right to call a model of Bedrock, and the one of Comprehend that finds names."""

from __future__ import annotations

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

from infra.acknowledged import acknowledge_pattern
from infra.checks import BEDROCK

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


def allow_model(function: lambda_.Function, stack: Stack, model: str, *, streams: bool) -> None:
    """Lets a function call `model` (of the form `bedrock:<id>`; any other needs no right) and no other model;
    `streams`: also for an answer that comes in pieces.

    A profile needs two rights: to the profile itself, and, through this profile alone, to the model in the
    Regions of its geography.
    """
    if not model.startswith(BEDROCK):
        return
    model_id = model.removeprefix(BEDROCK)
    actions = ["bedrock:InvokeModel", *(["bedrock:InvokeModelWithResponseStream"] if streams else [])]
    geography, _, routed_id = model_id.partition(".")
    if geography not in _GEOGRAPHIES:
        _allow(function, actions, [_foundation_model(stack, stack.region, model_id)])
        return
    profile = stack.format_arn(service="bedrock", resource="inference-profile", resource_name=model_id)
    _allow(function, actions, [profile])
    regions = (stack.region, _GEOGRAPHIES[geography])
    routed = [_foundation_model(stack, region, routed_id) for region in regions]
    _allow(function, actions, routed, profile)
    acknowledge_pattern(
        function.role,
        routed[1],
        "A profile routes a call to any Region of its geography, and the right holds through it alone.",
    )


def allow_names(function: lambda_.Function) -> None:
    """Lets a function have names found by Amazon Comprehend. The action knows no resources."""
    _allow(function, ["comprehend:DetectPiiEntities"], ["*"])
    acknowledge_pattern(function.role, "*", "DetectPiiEntities knows no resource that could be named.")


def _foundation_model(stack: Stack, region: str, model_id: str) -> str:
    return stack.format_arn(
        service="bedrock", region=region, account="", resource="foundation-model", resource_name=model_id
    )


def _allow(
    function: lambda_.Function, actions: list[str], resources: list[str], profile: str | None = None
) -> None:
    function.add_to_role_policy(
        iam.PolicyStatement(
            actions=actions,
            resources=resources,
            conditions={"StringEquals": {"bedrock:InferenceProfileArn": profile}} if profile else None,
        )
    )
