"""What a deployment makes first. What outlives one that is rolled back stands in the way of the next: tables
have fixed names, and neither they nor keys nor a pool can be deleted while they are protected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

COGNITO = {"identity": "cognito", "token_issuer": None, "token_audience": None}


def referred(value: Any) -> Iterator[str]:
    """The logical ids to which a part of a template refers."""
    if isinstance(value, list):
        for each in value:
            yield from referred(each)
    elif isinstance(value, dict):
        if "Ref" in value:
            yield value["Ref"]
        if "Fn::GetAtt" in value:
            yield value["Fn::GetAtt"][0]
        for each in value.values():
            yield from referred(each)


def before(template: dict[str, Any], name: str) -> set[str]:
    """Which kinds of resources CloudFormation makes before one: those that it names, and that these name."""
    resources, found, left = template["Resources"], set[str](), [name]
    while left:
        each = resources[left.pop()]
        named = {*each.get("DependsOn", ()), *referred(each.get("Properties", {}))} & resources.keys()
        left += named - found
        found |= named
    return {resources[each]["Type"] for each in found}


def lasting(template: dict[str, Any]) -> dict[str, str]:
    """What a rollback leaves, with its kind."""
    return {
        name: each["Type"]
        for name, each in template["Resources"].items()
        if each.get("DeletionPolicy") == "Retain"
    }


@pytest.mark.parametrize("identity", [{}, COGNITO], ids=["oidc", "cognito"])
def test_the_model_retention_resource_comes_before_anything_that_outlives_a_rollback(
    synthesise: Callable[..., dict[str, Any]], identity: dict[str, Any]
) -> None:
    template = synthesise(page=True, gateway_log_role=True, **identity)
    kept = lasting(template)
    kinds = {
        "AWS::DynamoDB::GlobalTable",
        "AWS::SecretsManager::Secret",
        "AWS::KMS::Key",
        "AWS::S3::Bucket",
        "AWS::IAM::Role",
        "AWS::ApiGateway::Account",
    }
    assert set(kept.values()) == kinds | ({"AWS::Cognito::UserPool"} if identity else set())
    without = {kind for name, kind in kept.items() if "Custom::ModelRetention" not in before(template, name)}
    assert without == set()


def test_an_issuer_that_cannot_be_reached_fails_a_deployment_before_there_are_tables_keys_and_a_secret(
    template: dict[str, Any],
) -> None:
    protected = {"AWS::DynamoDB::GlobalTable", "AWS::KMS::Key", "AWS::SecretsManager::Secret"}
    found = [name for name, kind in lasting(template).items() if kind in protected]
    assert len(found) == 5 + 2 + 1
    for name in found:
        assert "AWS::ApiGatewayV2::Authorizer" in before(template, name)
