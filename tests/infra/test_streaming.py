"""The API that streams, in the template: its routes, who may call them, and what serves them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra.layers import _build_library
from tests.infra.test_permissions import text

pytestmark = pytest.mark.xdist_group("infra")

TURNS = "/v1/conversations/{conversation_id}/turns"
STREAMS = {f"POST {TURNS}", f"POST {TURNS}:retry"}

Resources = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="session")
def methods(resources: Resources) -> dict[str, dict[str, Any]]:
    """The methods' properties by method and path."""
    parts = resources("ApiGateway::Resource")

    def path(resource: dict[str, Any]) -> str:
        parent = resource["Properties"]["ParentId"].get("Ref")
        before = path(parts[parent]) if parent else ""
        return f"{before}/{resource['Properties']['PathPart']}"

    found = {}
    for method in resources("ApiGateway::Method").values():
        properties = method["Properties"]
        found[f"{properties['HttpMethod']} {path(parts[properties['ResourceId']['Ref']])}"] = properties
    return found


def test_the_answers_stream_and_nothing_else_does(methods: dict[str, Any]) -> None:
    assert methods.keys() == STREAMS


def test_every_call_passes_the_authorizer(methods: dict[str, Any], resources: Resources) -> None:
    ((authorizer_id, _),) = resources("ApiGateway::Authorizer").items()
    for method in methods.values():
        assert method["AuthorizationType"] == "CUSTOM"
        assert method["AuthorizerId"] == {"Ref": authorizer_id}
        assert method.get("ApiKeyRequired", False) is False


def test_the_authorizer_sees_every_request_and_no_decision_is_kept(
    resources: Resources, functions: dict[str, str]
) -> None:
    (authorizer,) = resources("ApiGateway::Authorizer").values()
    properties = authorizer["Properties"]
    assert properties["Type"] == "REQUEST"
    assert properties["IdentitySource"] == "method.request.header.Authorization"
    # A decision that is kept outlives the token it was made for.
    assert properties["AuthorizerResultTtlInSeconds"] == 0
    assert functions["authorizer"] in str(properties["AuthorizerUri"])


def test_the_authorizer_knows_the_issuer_and_the_audience_of_the_settings(
    resources: Resources, functions: dict[str, str]
) -> None:
    properties = resources("Lambda::Function")[functions["authorizer"]]["Properties"]
    assert properties["Environment"]["Variables"] == {
        # For the name of its metric.
        "NOTED_TABLE_PREFIX": "noted",
        "NOTED_TOKEN_ISSUER": "https://login.example.org/realm",
        "NOTED_TOKEN_AUDIENCE": "memory-clients",
    }


def test_a_call_invokes_the_function_with_a_streamed_response(
    methods: dict[str, Any], functions: dict[str, str]
) -> None:
    for method in methods.values():
        integration = method["Integration"]
        assert integration["Type"] == "AWS_PROXY"
        assert integration["ResponseTransferMode"] == "STREAM"
        assert text(integration["Uri"]) == (
            "arn:aws:apigateway:eu-central-1:lambda:path/2021-11-15/functions/"
            f"${{{functions['stream']}.Arn}}/response-streaming-invocations"
        )


def test_calls_are_throttled_and_written_down_without_who_made_them(resources: Resources) -> None:
    (stage,) = (each["Properties"] for each in resources("ApiGateway::Stage").values())
    assert [
        (each["ResourcePath"], each["HttpMethod"], each["ThrottlingRateLimit"], each["ThrottlingBurstLimit"])
        for each in stage["MethodSettings"]
    ] == [("/*", "*", 7, 14)]
    # Execution logs would hold whole requests.
    assert all(
        each.get("LoggingLevel", "OFF") == "OFF" and not each.get("DataTraceEnabled")
        for each in stage["MethodSettings"]
    )
    written = stage["AccessLogSetting"]
    assert json.loads(written["Format"]) == {
        "request_id": "$context.requestId",
        "route": "$context.httpMethod $context.resourcePath",
        "status": "$context.status",
        "latency_ms": "$context.responseLatency",
    }
    [group] = [
        each["Properties"]
        for name, each in resources("Logs::LogGroup").items()
        if f"'{name}'" in str(written["DestinationArn"])
    ]
    assert group["RetentionInDays"] == 14


def test_the_gateway_has_a_role_to_write_its_log_unless_the_account_gave_it_one(
    resources: Resources, browsers: dict[str, Any]
) -> None:
    ((account, role),) = resources("ApiGateway::Account").items()
    (stage,) = resources("ApiGateway::Stage").values()
    assert account in stage["DependsOn"]
    assert role["Properties"]["CloudWatchRoleArn"]
    assert not any(each["Type"] == "AWS::ApiGateway::Account" for each in browsers["Resources"].values())


@pytest.mark.parametrize("protected", [True, False])
def test_the_role_of_the_account_stays_for_the_other_apis_of_the_account(
    synthesise: Callable[..., dict[str, Any]], protected: bool
) -> None:
    made = synthesise(deletion_protection=protected, gateway_log_role=True)["Resources"]
    [account] = [each for each in made.values() if each["Type"] == "AWS::ApiGateway::Account"]
    role = made[account["Properties"]["CloudWatchRoleArn"]["Fn::GetAtt"][0]]
    for each in (account, role):
        assert (each["DeletionPolicy"], each["UpdateReplacePolicy"]) == ("Retain", "Retain")


def test_pages_of_the_named_origins_may_call_and_the_function_tells_browsers_so(
    functions: dict[str, str], resources: Resources, browsers: dict[str, Any]
) -> None:
    def origins(template: dict[str, Any]) -> str | None:
        function = template["Resources"][functions["stream"]]["Properties"]
        return dict(function["Environment"]["Variables"]).get("NOTED_CORS_ORIGINS")

    assert origins({"Resources": resources("Lambda::Function")}) is None
    assert origins(browsers) == "https://app.example.org http://localhost:3000"
    methods = [each for each in browsers["Resources"].values() if each["Type"] == "AWS::ApiGateway::Method"]
    asking = [each["Properties"] for each in methods if each["Properties"]["HttpMethod"] == "OPTIONS"]
    assert asking
    # A browser asks without a token; what answers is the gateway itself.
    assert {each["Integration"]["Type"] for each in asking} == {"MOCK"}
    refusals = {
        each["Properties"]["ResponseType"]
        for each in browsers["Resources"].values()
        if each["Type"] == "AWS::ApiGateway::GatewayResponse"
    }
    assert refusals == {"DEFAULT_4XX", "DEFAULT_5XX"}
    assert resources("ApiGateway::GatewayResponse") == {}


def test_only_this_api_may_call_its_two_functions(resources: Resources, functions: dict[str, str]) -> None:
    ((api_id, api),) = resources("ApiGateway::RestApi").items()
    assert api["Properties"]["EndpointConfiguration"] == {"Types": ["REGIONAL"]}
    for name in ("stream", "authorizer"):
        permissions = [
            permission["Properties"]
            for permission in resources("Lambda::Permission").values()
            if permission["Properties"]["FunctionName"] == {"Fn::GetAtt": [functions[name], "Arn"]}
        ]
        assert permissions
        for permission in permissions:
            assert permission["Action"] == "lambda:InvokeFunction"
            assert permission["Principal"] == "apigateway.amazonaws.com"
            assert f"${{{api_id}}}/" in text(permission["SourceArn"])


def test_its_address_is_told(template: dict[str, Any], resources: Resources) -> None:
    (api_id,), (stage_id,) = resources("ApiGateway::RestApi"), resources("ApiGateway::Stage")
    address = text(template["Outputs"]["StreamingAddress"]["Value"])
    assert address == (f"https://${{{api_id}}}.execute-api.eu-central-1.${{AWS::URLSuffix}}/${{{stage_id}}}")


def test_the_function_starts_what_the_layer_brings(
    resources: Resources, functions: dict[str, str], tmp_path: Path
) -> None:
    variables = resources("Lambda::Function")[functions["stream"]]["Properties"]["Environment"]["Variables"]
    _build_library(tmp_path / "layer")
    program = tmp_path / "layer" / Path(variables["AWS_LAMBDA_EXEC_WRAPPER"]).relative_to("/opt")
    assert os.access(program, os.X_OK)
    assert (tmp_path / "layer" / "python" / "noted" / "streaming" / "__main__.py").is_file()
