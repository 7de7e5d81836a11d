"""The HTTP API in the template: which routes there are, who may call them, and what serves them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from noted.api.routes import ROUTES, Route

pytestmark = pytest.mark.xdist_group("infra")

OPEN = {"GET /v1/health", "GET /openapi.json"}
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


def test_only_health_and_the_description_are_open(routes: dict[str, Any]) -> None:
    assert {name for name, route in routes.items() if route["AuthorizationType"] != "JWT"} == OPEN
    assert {name for name, route in routes.items() if "AuthorizerId" not in route} == OPEN
    assert {name for name, route in routes.items() if not route.get("AuthorizationScopes")} == OPEN


@EACH_ROUTE
def test_a_route_asks_for_exactly_its_scope(routes: dict[str, Any], route: Route) -> None:
    expected = [route.scope] if route.scope else []
    assert routes[key(route)].get("AuthorizationScopes", []) == expected


def test_erasing_for_others_asks_for_a_scope_that_no_user_has(routes: dict[str, Any]) -> None:
    asked = {name: tuple(route.get("AuthorizationScopes", [])) for name, route in routes.items()}
    admin = {name for name in asked if " /v1/admin/" in name}
    assert admin == {"POST /v1/admin/erasures", "GET /v1/admin/erasures/{subject_request_id}"}
    assert {name for name, scopes in asked.items() if scopes == ("memory:erase",)} == admin


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


def test_the_api_is_served_at_its_root(resources: Callable[[str], dict[str, Any]]) -> None:
    (stage,) = resources("ApiGatewayV2::Stage").values()
    assert stage["Properties"]["StageName"] == "$default"
    assert stage["Properties"]["AutoDeploy"] is True
