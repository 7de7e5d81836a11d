"""What a verified token must say of itself before a call is made for its user, and who is shut out."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import pytest

from noted.api import bearer
from noted.api.routes import ERASE, READ, ROUTES, WRITE, Route
from noted.errors import StaleLogin, Unauthenticated
from noted.identity import TokenRules, principal_of, require_access_token, require_recent_login
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store import keys
from noted.store.tables import create_tables
from tests.dynamodb_double import DynamoDBDouble, as_client
from tests.store.builders import NOON, SECRETS, WRAPPER, FixedClock, principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ISSUER = "https://issuer.test"
ANYONE = TokenRules()


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"token_use": "access"},
        {"typ": "Bearer"},
        {"typ": "at+jwt"},
        {"typ": "application/at+jwt"},
        {"azp": "anything", "client_id": "other"},
    ],
)
def test_an_access_token_is_accepted_however_its_issuer_calls_it(claims: dict[str, object]) -> None:
    require_access_token(claims, ANYONE)


@pytest.mark.parametrize(
    "claims",
    [
        {"token_use": "id"},
        {"token_use": "refresh"},
        {"token_use": ""},
        {"token_use": ["access"]},
        {"typ": "ID"},
        {"typ": "Refresh"},
        {"typ": "Logout"},
        {"at_hash": "x"},
        {"token_use": "access", "c_hash": "x"},
    ],
)
def test_a_token_of_another_kind_is_refused(claims: dict[str, object]) -> None:
    with pytest.raises(Unauthenticated):
        require_access_token(claims, ANYONE)


@pytest.mark.parametrize(
    "claims,accepted",
    [
        ({"azp": "web"}, True),
        ({"client_id": "ios"}, True),
        ({"azp": "web", "client_id": "ios"}, True),
        ({"azp": "web", "client_id": "partner"}, False),
        ({"azp": "partner"}, False),
        ({"azp": "Web"}, False),
        ({"azp": "web2"}, False),
        ({"azp": ["web"]}, False),
        ({"azp": ""}, False),
        ({}, False),
    ],
)
def test_where_clients_are_listed_no_other_ones_tokens_are_accepted(
    claims: dict[str, object], accepted: bool
) -> None:
    rules = TokenRules(clients=frozenset({"web", "ios"}))
    if accepted:
        require_access_token(claims, rules)
    else:
        with pytest.raises(Unauthenticated):
            require_access_token(claims, rules)


NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    "said,accepted",
    [
        (None, True),
        (int(NOW), True),
        (str(int(NOW) - 600), True),
        # As a gateway may write a number.
        ("1.7999995E9", True),
        (int(NOW) - 601, False),
        ("1799999399", False),
        (int(NOW) + 60, True),
        (int(NOW) + 61, False),
        ("", False),
        ("yesterday", False),
        ("nan", False),
        ("inf", False),
        ("-inf", False),
        (True, False),
        (["1800000000"], False),
    ],
)
def test_an_erasure_asks_for_a_login_of_the_last_ten_minutes_where_the_token_tells(
    said: object, accepted: bool
) -> None:
    claims = {} if said is None else {"auth_time": said}
    if accepted:
        require_recent_login(claims, ANYONE, NOW)
    else:
        with pytest.raises(StaleLogin):
            require_recent_login(claims, ANYONE, NOW)


def test_the_age_of_a_login_is_the_deployers_to_set() -> None:
    rules = TokenRules(erasure_auth_age_seconds=60)
    require_recent_login({"auth_time": NOW - 60}, rules, NOW)
    with pytest.raises(StaleLogin):
        require_recent_login({"auth_time": NOW - 61}, rules, NOW)


def test_settings_are_read_from_the_environment() -> None:
    environment = {"NOTED_TOKEN_CLIENTS": "web, ios", "NOTED_ERASURE_AUTH_AGE_SECONDS": "120"}
    assert Settings.from_environment(environment).token_rules == TokenRules(frozenset({"web", "ios"}), 120)
    assert Settings.from_environment({}).token_rules == ANYONE == TokenRules(frozenset(), 600)
    for wrong in ("0", "-1", "ten", "1.5"):
        with pytest.raises(ValueError, match="NOTED_ERASURE_AUTH_AGE_SECONDS"):
            Settings.from_environment({"NOTED_ERASURE_AUTH_AGE_SECONDS": wrong})


@pytest.mark.parametrize("subject", ["alice#1x", "USER#bob#FACT", "a" * 255])
def test_a_subject_cannot_reach_into_a_key(subject: str) -> None:
    # Printable without blanks, so a subject: but no letter of it is in the key.
    made = principal_of({"sub": subject, "iss": ISSUER}, SECRETS)
    assert subject not in made.owner
    assert made.owner.count("#") == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": ""},
        {"sub": "a b"},
        {"sub": "a\0"},
        {"sub": "a" * 256},
        {"sub": 7},
        {"sub": ["alice"]},
        {"sub": None},
        {"sub": "älice"},
        {"sub": "alice", "iss": ""},
        {"sub": "alice", "org": "a b"},
        {"sub": "alice", "org": "[acme 7]"},
        {"sub": "alice", "org": 7},
        {"sub": "alice", "org": "a" * 256},
    ],
)
def test_a_subject_or_an_organisation_of_another_form_is_nobody(claims: dict[str, object]) -> None:
    with pytest.raises(Unauthenticated):
        principal_of({"iss": ISSUER} | claims, SECRETS)


def test_no_two_subjects_issuers_or_organisations_merge() -> None:
    said = [
        {"sub": "user1"},
        {"sub": "user10"},
        {"sub": "USER1"},
        {"sub": "user1", "org": "acme"},
        {"sub": "user1", "org": "Acme"},
        {"sub": "user1", "iss": f"{ISSUER}/"},
        {"sub": "1", "org": "user"},
        {"sub": "acme", "org": "user1"},
    ]
    assert len({principal_of({"iss": ISSUER} | each, SECRETS).owner for each in said}) == len(said)


# At the function, as the gateway calls it.


class Functions:
    """The functions over a database in memory."""

    def __init__(self, **settings: Any) -> None:
        self.double = DynamoDBDouble()
        self.client: DynamoDBClient = as_client(self.double)
        create_tables(self.client, "tokens")
        parts: dict[str, Any] = {
            "secrets": lambda: SECRETS,
            "dynamodb": lambda: self.client,
            "queue": lambda: None,
            "key_wrapper": lambda: WRAPPER,
            "receipt_signer": lambda: None,
            "clock": FixedClock(),
            "environment": {},
        }
        self._runtime = Runtime(Settings(table_prefix="tokens", **settings), **parts)

    def call(self, route: Route, body: object = None, **claims: object) -> dict[str, Any]:
        """The result of one route for Alice, whose token says this besides."""
        usual = {"sub": "alice", "iss": ISSUER, "scope": f"{READ} {WRITE} {ERASE}"}
        event = {
            "routeKey": f"{route.method} {route.path}",
            "pathParameters": dict.fromkeys(("conversation_id", "fact_id", "turn_id"), "nothing"),
            "headers": {},
            "body": json.dumps(body or {}),
            "requestContext": {
                "timeEpoch": int(NOON.timestamp() * 1000),
                "authorizer": {"jwt": {"claims": usual | claims}},
            },
        }
        built = import_module(f"functions.{route.function}.handler").build(self._runtime)
        return cast("dict[str, Any]", built(event, None))

    def rows(self) -> list[str]:
        """All rows, but for what is written down of refused calls on behalf of others."""
        return sorted(str(row) for row in self.double.rows() if not row[1][0].startswith("AUDIT#"))

    def set_state(self, state: str) -> None:
        """What an operator does."""
        self.client.put_item(
            TableName="tokens-control",
            Item={
                "pk": {"S": keys.owner(principal("alice"))},
                "sk": {"S": keys.META},
                "generation": {"N": "3"},
                "sequence": {"N": "1"},
                "state": {"S": state},
            },
        )


OF_USERS = [route for route in ROUTES if route.scope]


def test_an_id_token_is_401_on_every_route_and_touches_no_table() -> None:
    functions = Functions()
    before = functions.rows()
    for route in OF_USERS:
        for claims in ({"token_use": "id"}, {"typ": "ID"}, {"at_hash": "x"}):
            assert functions.call(route, **claims)["statusCode"] == 401, route
    assert functions.rows() == before


def test_a_client_that_is_not_listed_is_401_on_every_route() -> None:
    functions = Functions(token_rules=TokenRules(clients=frozenset({"web"})))
    for route in OF_USERS:
        assert functions.call(route, azp="partner")["statusCode"] == 401, route
        assert functions.call(route)["statusCode"] == 401, route
    profile = next(route for route in ROUTES if (route.method, route.path) == ("GET", "/v1/profile"))
    assert functions.call(profile, azp="web")["statusCode"] == 200


def test_every_route_that_destroys_asks_for_a_recent_login_and_no_other_does() -> None:
    functions = Functions()
    before = functions.rows()
    old = str(int(NOON.timestamp()) - 601)
    for route in OF_USERS:
        reply = functions.call(route, auth_time=old)
        stale = reply["statusCode"] == 401
        assert stale is route.erases, route
        if stale:
            assert json.loads(reply["body"])["type"].endswith(":stale-login")
            challenge = reply["headers"]["WWW-Authenticate"]
            assert challenge == 'Bearer error="insufficient_user_authentication", max_age=600'
    assert {route.path for route in OF_USERS if route.method == "DELETE"} <= {
        route.path for route in OF_USERS if route.erases
    }
    destroying = [route for route in OF_USERS if route.erases]
    fresh = Functions()
    for route in destroying:
        fresh.call(route, auth_time=old)
    assert fresh.rows() == before


def test_a_token_that_tells_of_no_login_may_erase() -> None:
    route = next(route for route in ROUTES if (route.method, route.path) == ("DELETE", "/v1/memory"))
    assert Functions().call(route)["statusCode"] == 202
    recent = str(int(NOON.timestamp()) - 600)
    assert Functions().call(route, auth_time=recent)["statusCode"] == 202


def test_who_is_blocked_is_403_and_nothing_of_theirs_is_told_or_changed() -> None:
    functions = Functions()
    profile = next(route for route in ROUTES if (route.method, route.path) == ("GET", "/v1/profile"))
    functions.set_state("active")
    assert functions.call(profile)["statusCode"] == 200
    functions.set_state("blocked")
    content = [row for row in functions.rows() if "tokens-memory" in row]
    told = ("/v1/conversations", "/v1/facts", "/v1/profile", "/v1/memory", "/v1/episodes")
    for route in OF_USERS:
        if route.path in told and route.method != "POST":
            reply = functions.call(route)
            assert (route.path, reply["statusCode"]) == (route.path, 403)
            assert "Memory-Epoch" not in reply["headers"]
    tell = next(route for route in ROUTES if (route.method, route.path) == ("POST", "/v1/facts"))
    assert functions.call(tell, {"text": "Has a cat", "kind": "fact"})["statusCode"] == 403
    assert [row for row in functions.rows() if "tokens-memory" in row] == content


@pytest.mark.parametrize(
    "scope",
    [
        *("memory:readall", "xmemory:read", "memory:write", "", "MEMORY:READ"),
        *("other/memory:read", "noted/memory:write", "noted/noted/memory:read"),
    ],
)
def test_a_scope_is_a_whole_word(scope: str) -> None:
    profile = next(route for route in ROUTES if (route.method, route.path) == ("GET", "/v1/profile"))
    assert Functions().call(profile, scope=scope)["statusCode"] == 403


def test_a_scope_may_stand_behind_the_name_of_this_service_as_cognito_puts_it() -> None:
    profile = next(route for route in ROUTES if (route.method, route.path) == ("GET", "/v1/profile"))
    assert Functions().call(profile, scope="openid noted/memory:read")["statusCode"] == 200


def test_scopes_may_stand_in_a_list_of_their_own() -> None:
    profile = next(route for route in ROUTES if (route.method, route.path) == ("GET", "/v1/profile"))
    handed_on = bearer.as_text(["memory:write", "memory:read"])
    functions = Functions()
    claims = {"scp": handed_on}
    event_claims = {"sub": "alice", "iss": ISSUER, **claims}
    event = {
        "routeKey": "GET /v1/profile",
        "requestContext": {"authorizer": {"jwt": {"claims": event_claims}}},
    }
    built = import_module("functions.recall.handler").build(functions._runtime)
    assert built(event, None)["statusCode"] == 200
    assert functions.call(profile, scope="", scp=handed_on)["statusCode"] == 403
