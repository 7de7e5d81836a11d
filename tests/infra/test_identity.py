"""Who issues tokens: a user pool that the stack makes, or an issuer that there is; and that both gateways
accept these tokens and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")


@pytest.fixture(scope="session")
def made(browsers: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    """What there is of Cognito in the deployment with a user pool, by logical id."""

    def of_type(kind: str) -> dict[str, Any]:
        return {
            name: each
            for name, each in browsers["Resources"].items()
            if each["Type"] == f"AWS::Cognito::{kind}"
        }

    return of_type


@pytest.fixture(scope="session")
def clients(made: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """The properties of the clients by their name."""
    found = made("UserPoolClient").values()
    return {each["Properties"]["ClientName"]: each["Properties"] for each in found}


def scopes(client: dict[str, Any], pool: Callable[[str], dict[str, Any]]) -> set[str]:
    """The scopes that a client may ask for, as they stand in a token."""
    ((server_id, server),) = pool("UserPoolResourceServer").items()
    words = set()
    for scope in client["AllowedOAuthScopes"]:
        if isinstance(scope, str):
            words.add(scope)
        else:
            [reference, name] = scope["Fn::Join"][1]
            assert reference == {"Ref": server_id}
            words.add(server["Properties"]["Identifier"] + name)
    return words


def test_an_issuer_that_there_is_needs_no_user_pool(template: dict[str, Any]) -> None:
    assert not any("Cognito" in each["Type"] for each in template["Resources"].values())
    assert template["Outputs"]["Issuer"]["Value"] == "https://login.example.org/realm"


def test_nobody_lets_themselves_in_and_an_address_of_mail_is_the_name(
    made: Callable[[str], dict[str, Any]],
) -> None:
    (pool,) = (each["Properties"] for each in made("UserPool").values())
    assert pool["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}
    assert pool["UsernameAttributes"] == ["email"]
    assert pool["Policies"]["PasswordPolicy"]["MinimumLength"] == 12
    # A choice of a second factor that nobody can make is none: its set-up takes a scope that no app gets.
    assert pool["MfaConfiguration"] == "OFF"
    assert "EnabledMfas" not in pool


def test_the_scopes_are_those_of_the_service(made: Callable[[str], dict[str, Any]]) -> None:
    (server,) = (each["Properties"] for each in made("UserPoolResourceServer").values())
    assert server["Identifier"] == "noted"
    assert {scope["ScopeName"] for scope in server["Scopes"]} == {
        "memory:read",
        "memory:write",
        "memory:erase",
    }


def test_an_app_logs_people_in_without_a_secret_and_may_not_erase_for_others(
    clients: dict[str, Any], made: Callable[[str], dict[str, Any]]
) -> None:
    app = clients["noted-app"]
    assert app["GenerateSecret"] is False
    assert app["AllowedOAuthFlows"] == ["code"]
    assert scopes(app, made) == {"openid", "noted/memory:read", "noted/memory:write"}
    assert app["CallbackURLs"] == ["https://app.example.org/", "http://localhost:8788/"]
    assert app["ExplicitAuthFlows"] == ["ALLOW_REFRESH_TOKEN_AUTH"]
    assert app["PreventUserExistenceErrors"] == "ENABLED"


def test_a_compliance_system_proves_itself_by_a_secret_and_may_only_erase(
    clients: dict[str, Any], made: Callable[[str], dict[str, Any]]
) -> None:
    desk = clients["noted-compliance"]
    assert desk["GenerateSecret"] is True
    assert desk["AllowedOAuthFlows"] == ["client_credentials"]
    assert scopes(desk, made) == {"noted/memory:erase"}
    assert desk["ExplicitAuthFlows"] == ["ALLOW_REFRESH_TOKEN_AUTH"]
    assert "CallbackURLs" not in desk


def test_an_access_token_is_good_for_a_quarter_of_an_hour(clients: dict[str, Any]) -> None:
    for client in clients.values():
        unit = client["TokenValidityUnits"]["AccessToken"]
        assert (client["AccessTokenValidity"], unit) == (15, "minutes")


def test_both_gateways_accept_tokens_of_this_pool_for_these_clients_alone(
    browsers: dict[str, Any], made: Callable[[str], dict[str, Any]], functions: dict[str, str]
) -> None:
    (pool_id,) = made("UserPool")
    issuer = {"Fn::GetAtt": [pool_id, "ProviderURL"]}
    client_ids = set(made("UserPoolClient"))
    [authorizer] = [
        each["Properties"]["JwtConfiguration"]
        for each in browsers["Resources"].values()
        if each["Type"] == "AWS::ApiGatewayV2::Authorizer"
    ]
    assert authorizer["Issuer"] == issuer
    assert {each["Ref"] for each in authorizer["Audience"]} == client_ids
    settings = browsers["Resources"][functions["authorizer"]]["Properties"]["Environment"]["Variables"]
    assert settings["NOTED_TOKEN_ISSUER"] == issuer
    joined = settings["NOTED_TOKEN_AUDIENCE"]["Fn::Join"][1]
    assert {each["Ref"] for each in joined if isinstance(each, dict)} == client_ids
    assert [each for each in joined if isinstance(each, str)] == [" "]


def test_a_pool_to_try_out_goes_with_the_stack_and_one_in_use_stays(
    made: Callable[[str], dict[str, Any]], synthesise: Callable[..., dict[str, Any]]
) -> None:
    (pool,) = made("UserPool").values()
    assert pool["DeletionPolicy"] == "Delete"
    assert pool["Properties"]["DeletionProtection"] == "INACTIVE"
    # As a new deployer has it: users' rows are found by ids that hang on the pool.
    [kept] = [
        each
        for each in synthesise(identity="cognito", token_issuer=None, token_audience=None)[
            "Resources"
        ].values()
        if each["Type"] == "AWS::Cognito::UserPool"
    ]
    assert (kept["DeletionPolicy"], kept["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert kept["Properties"]["DeletionProtection"] == "ACTIVE"


def test_all_that_a_client_needs_is_told(browsers: dict[str, Any]) -> None:
    assert browsers["Outputs"].keys() >= {
        "Address",
        "StreamingAddress",
        "ReceiptKeys",
        "Issuer",
        "UserPoolId",
        "AppClientId",
        "ComplianceClientId",
        "LoginAddress",
        "TokenAddress",
    }
    for name, path in (("LoginAddress", "/oauth2/authorize"), ("TokenAddress", "/oauth2/token")):
        assert str(browsers["Outputs"][name]["Value"]["Fn::Join"][1][-1]).endswith(path)
