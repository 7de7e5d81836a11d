"""The HTTP API in the template: which routes there are, who may call them, and what serves them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from noted.api.routes import ROUTES, Route

pytestmark = pytest.mark.xdist_group("infra")

OPEN = {"GET /v1/health", "GET /openapi.json", "GET /v1/receipt-keys"}
# Each of these costs money with a provider of models, at once or behind the queue.
COSTLY = {
    "POST /v1/conversations/{conversation_id}/turns",
    "POST /v1/conversations/{conversation_id}/turns:retry",
    "POST /v1/conversations/{conversation_id}/turns:record",
    "POST /v1/conversations/{conversation_id}/context",
    "POST /v1/recall",
    "POST /v1/facts",
    "POST /v1/facts:batch",
    "PATCH /v1/facts/{fact_id}",
    "PATCH /v1/profile",
    "POST /v1/import",
}
EACH_ROUTE = pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")


@pytest.fixture(scope="session")
def routes(resources: Callable[[str], dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The routes' properties by method and path."""
    found = [route["Properties"] for route in resources("ApiGatewayV2::Route").values()]
    by_key = {route["RouteKey"]: route for route in found}
    assert len(by_key) == len(found)
    return by_key


def key(route: Route) -> str:
    return f"{route.method} {route.path}"


def test_there_is_every_route_of_the_service_and_no_other(routes: dict[str, Any]) -> None:
    assert routes.keys() == {key(route) for route in ROUTES}


def test_only_health_the_description_and_the_keys_of_receipts_are_open(routes: dict[str, Any]) -> None:
    assert {name for name, route in routes.items() if route["AuthorizationType"] != "JWT"} == OPEN
    assert {name for name, route in routes.items() if "AuthorizerId" not in route} == OPEN
    assert {name for name, route in routes.items() if not route.get("AuthorizationScopes")} == OPEN


@EACH_ROUTE
def test_a_route_asks_for_exactly_its_scope(routes: dict[str, Any], route: Route) -> None:
    expected = {route.scope} if route.scope else set()
    if " /v1/admin/" in key(route):
        # The function refuses who lacks it, and writes that down; without any scope nobody gets so far.
        expected = {"memory:erase", "memory:read", "memory:write"}
    # As any issuer says it, and as Cognito does, which puts the name of the resource server before it.
    accepted = routes[key(route)].get("AuthorizationScopes", [])
    assert sorted(accepted) == sorted([*expected, *(f"noted/{scope}" for scope in expected)])
    # The gateway takes no more than ten.
    assert len(accepted) <= 10


def test_erasing_for_others_asks_for_a_scope_that_no_user_has() -> None:
    assert {route.path for route in ROUTES if route.scope == "memory:erase"} == {
        "/v1/admin/erasures",
        "/v1/admin/erasures/{subject_request_id}",
        "/v1/admin/organisation-erasures",
        "/v1/admin/organisation-erasures/{request_id}",
        "/v1/admin/organisation-erasures/{request_id}/approvals",
        "/v1/admin/users",
        "/v1/admin/activity",
    }
    assert all(route.scope == "memory:erase" for route in ROUTES if route.path.startswith("/v1/admin/"))


def test_tokens_are_checked_for_the_issuer_and_the_audience_of_the_settings(
    routes: dict[str, Any], resources: Callable[[str], dict[str, Any]]
) -> None:
    ((authorizer_id, authorizer),) = resources("ApiGatewayV2::Authorizer").items()
    assert authorizer["Properties"]["AuthorizerType"] == "JWT"
    assert authorizer["Properties"]["IdentitySource"] == ["$request.header.Authorization"]
    assert authorizer["Properties"]["JwtConfiguration"] == {
        "Issuer": "https://login.example.org/realm",
        "Audience": ["memory-clients"],
    }
    named = {str(route["AuthorizerId"]) for name, route in routes.items() if name not in OPEN}
    assert named == {str({"Ref": authorizer_id})}


@EACH_ROUTE
def test_a_route_reaches_its_function(
    routes: dict[str, Any],
    resources: Callable[[str], dict[str, Any]],
    functions: dict[str, str],
    route: Route,
) -> None:
    prefix, target = routes[key(route)]["Target"]["Fn::Join"][1]
    integration = resources("ApiGatewayV2::Integration")[target["Ref"]]["Properties"]
    assert prefix == "integrations/"
    assert integration["IntegrationType"] == "AWS_PROXY"
    assert integration["PayloadFormatVersion"] == "2.0"
    assert integration["IntegrationUri"] == {"Fn::GetAtt": [functions[route.function], "Arn"]}


def test_this_api_may_call_the_functions_of_its_routes_and_no_other_api_may(
    resources: Callable[[str], dict[str, Any]], functions: dict[str, str]
) -> None:
    ((api_id, _),) = resources("ApiGatewayV2::Api").items()
    permissions = [
        permission["Properties"]
        for permission in resources("Lambda::Permission").values()
        if permission["Properties"]["Principal"] == "apigateway.amazonaws.com"
        and permission["Properties"]["FunctionName"]["Fn::GetAtt"][0]
        not in (functions["stream"], functions["authorizer"])
    ]
    called = {permission["FunctionName"]["Fn::GetAtt"][0] for permission in permissions}
    assert called == {functions[route.function] for route in ROUTES}
    assert all({"Ref": api_id} in permission["SourceArn"]["Fn::Join"][1] for permission in permissions)


@pytest.fixture(scope="session")
def stage(resources: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """The one stage, as a resource."""
    (only,) = resources("ApiGatewayV2::Stage").values()
    return dict(only)


def test_the_api_is_served_at_its_root(stage: dict[str, Any]) -> None:
    assert stage["Properties"]["StageName"] == "$default"
    assert stage["Properties"]["AutoDeploy"] is True


def test_every_route_is_throttled_and_one_that_has_models_called_more(
    stage: dict[str, Any], resources: Callable[[str], dict[str, Any]]
) -> None:
    assert stage["Properties"]["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": 60,
        "ThrottlingBurstLimit": 120,
    }
    slower = {"ThrottlingRateLimit": 7, "ThrottlingBurstLimit": 14}
    assert stage["Properties"]["RouteSettings"] == dict.fromkeys(COSTLY, slower)
    # The gateway refuses a stage that names a route which has not been made yet.
    made_before = {
        resources("ApiGatewayV2::Route")[name]["Properties"]["RouteKey"]
        for name in stage["DependsOn"]
        if name in resources("ApiGatewayV2::Route")
    }
    assert made_before == COSTLY


def test_the_log_of_requests_tells_nothing_of_who_asked_or_for_what(
    stage: dict[str, Any], resources: Callable[[str], dict[str, Any]]
) -> None:
    written = stage["Properties"]["AccessLogSettings"]
    assert json.loads(written["Format"]) == {
        "request_id": "$context.requestId",
        "route": "$context.routeKey",
        "status": "$context.status",
        "latency_ms": "$context.responseLatency",
    }
    [group, _] = written["DestinationArn"]["Fn::GetAtt"]
    assert resources("Logs::LogGroup")[group]["Properties"]["RetentionInDays"] == 14


def test_no_page_of_another_origin_may_call_unless_it_is_named(
    resources: Callable[[str], dict[str, Any]], browsers: dict[str, Any]
) -> None:
    (api,) = resources("ApiGatewayV2::Api").values()
    assert "CorsConfiguration" not in api["Properties"]
    [api] = [each for each in browsers["Resources"].values() if each["Type"] == "AWS::ApiGatewayV2::Api"]
    allowed = api["Properties"]["CorsConfiguration"]
    assert allowed["AllowOrigins"] == ["https://app.example.org", "http://localhost:3000"]
    assert allowed["AllowMethods"] == ["DELETE", "GET", "PATCH", "POST", "PUT"]
    assert {"Authorization", "Content-Type", "Idempotency-Key", "If-Memory-Epoch"} <= {
        *allowed["AllowHeaders"]
    }
    assert "Memory-Epoch" in allowed["ExposeHeaders"]
    # No cookies: a page proves who its user is by a token.
    assert "AllowCredentials" not in allowed


def test_its_address_and_that_of_the_keys_of_receipts_are_told(
    template: dict[str, Any], resources: Callable[[str], dict[str, Any]]
) -> None:
    (api_id,) = resources("ApiGatewayV2::Api")
    endpoint = {"Fn::GetAtt": [api_id, "ApiEndpoint"]}
    assert template["Outputs"]["Address"]["Value"] == endpoint
    assert template["Outputs"]["ReceiptKeys"]["Value"] == {"Fn::Join": ["", [endpoint, "/v1/receipt-keys"]]}
