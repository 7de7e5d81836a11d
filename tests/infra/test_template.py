"""What holds of the whole template, whatever resources there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

# What lets somebody in from outside, and what is let in by it: the two gateways, and nothing beside them.
DOORS = {
    "AWS::ApiGateway::RestApi",
    "AWS::ApiGatewayV2::Api",
    "AWS::Cognito::UserPoolDomain",
}
# What else there is that could be one, would send rows away, or would keep a copy of them.
NEVER = {
    "AWS::ApiGatewayV2::ApiMapping",
    "AWS::Backup::BackupPlan",
    "AWS::Backup::BackupSelection",
    "AWS::DynamoDB::Table",
    "AWS::EC2::Instance",
    "AWS::ElasticLoadBalancingV2::LoadBalancer",
    "AWS::Events::EventBusPolicy",
    "AWS::IAM::AccessKey",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::User",
    "AWS::Kinesis::Stream",
    "AWS::KinesisFirehose::DeliveryStream",
    "AWS::Lambda::LayerVersionPermission",
    "AWS::Lambda::Url",
    "AWS::Logs::SubscriptionFilter",
    "AWS::Pipes::Pipe",
}


@pytest.fixture(params=["template", "browsers"])
def resources(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The resources of a protected deployment, and of one to try out."""
    return dict(request.getfixturevalue(request.param)["Resources"])


def statements(value: Any) -> Iterator[dict[str, Any]]:
    """Every statement of every policy that is somewhere in a value."""
    if isinstance(value, dict):
        if "Effect" in value:
            yield value
        for each in value.values():
            yield from statements(each)
    elif isinstance(value, list):
        for each in value:
            yield from statements(each)


def test_everybody_is_refused_things_and_allowed_none(resources: dict[str, Any]) -> None:
    found = list(statements(resources))
    to_everybody = [each for each in found if each.get("Principal") in ("*", {"AWS": "*"})]
    assert len(found) > 20
    assert to_everybody
    assert {each["Effect"] for each in to_everybody} == {"Deny"}


def test_no_right_is_all_but_something(resources: dict[str, Any]) -> None:
    excluding = {"NotAction", "NotResource", "NotPrincipal"}
    assert not any(each.keys() & excluding for each in statements(resources))


def test_a_service_that_takes_a_role_or_a_function_is_named(resources: dict[str, Any]) -> None:
    trusts = [
        statement
        for each in resources.values()
        if each["Type"] == "AWS::IAM::Role"
        for statement in each["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    ]
    services = {each["Principal"]["Service"] for each in trusts}
    assert services <= {"lambda.amazonaws.com", "apigateway.amazonaws.com"}
    assert {each["Action"] for each in trusts} == {"sts:AssumeRole"}


def test_there_is_no_door_but_the_gateways_and_the_login(resources: dict[str, Any]) -> None:
    kinds = {each["Type"] for each in resources.values()}
    assert kinds & NEVER == set()
    assert {kind for kind in kinds if kind in DOORS} >= {"AWS::ApiGateway::RestApi", "AWS::ApiGatewayV2::Api"}
    sources = [each for each in resources.values() if each["Type"] == "AWS::Lambda::EventSourceMapping"]
    assert len(sources) == 1


def test_every_method_that_is_no_preflight_asks_for_a_token(resources: dict[str, Any]) -> None:
    methods = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::ApiGateway::Method"]
    asking = {each["HttpMethod"]: each["AuthorizationType"] for each in methods}
    assert asking.pop("OPTIONS", "NONE") == "NONE"
    assert set(asking.values()) == {"CUSTOM"}


def test_what_can_be_encrypted_under_a_key_of_the_account_or_of_the_service_is(
    resources: dict[str, Any],
) -> None:
    for each in resources.values():
        properties = each.get("Properties", {})
        if each["Type"] == "AWS::SQS::Queue":
            assert properties["SqsManagedSseEnabled"] is True
        if each["Type"] == "AWS::SNS::Topic":
            assert properties["KmsMasterKeyId"]
        if each["Type"] == "AWS::KMS::Key" and "KeySpec" not in properties:
            assert properties["EnableKeyRotation"] is True


def test_no_variable_of_a_function_is_a_secret(resources: dict[str, Any]) -> None:
    names = {
        name
        for each in resources.values()
        if each["Type"] == "AWS::Lambda::Function"
        for name in each["Properties"].get("Environment", {"Variables": {}})["Variables"]
    }
    telling = ("PASSWORD", "TOKEN", "CREDENTIAL", "SECRET", "API_KEY")
    # The address of the secret, and whose tokens are taken.
    public = {"NOTED_SECRET_ARN", "NOTED_TOKEN_ISSUER", "NOTED_TOKEN_AUDIENCE", "NOTED_TOKEN_CLIENTS"}
    assert {name for name in names if any(word in name for word in telling)} <= public
