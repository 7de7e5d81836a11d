"""The check of tokens before the API that streams, with an issuer whose keys it has to look up."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jwt
import pytest

from functions.authorizer.handler import CheckFailedError, UnauthorizedError, build
from local.issuer import AUDIENCE, ISSUER, Issuer
from noted.api.issuer_keys import IssuerKeys, fetched

TURNS = "/v1/conversations/{conversation_id}/turns"
ARN = "arn:aws:execute-api:eu-west-1:123456789012:api1/stream/POST/v1/conversations/cv_1/turns"
CONFIGURATION, KEYS = f"{ISSUER}/.well-known/openid-configuration", f"{ISSUER}/keys"

HOUR, DAY = 3600.0, 24 * 3600.0


class Cloud:
    """An issuer, what it publishes, and the authorizer that reads it. Time stands until a test moves it."""

    def __init__(self, folder: Path) -> None:
        self.now = 1_800_000_000.0
        self.issuer = Issuer(folder, now=lambda: self.now)
        self.published: dict[str, Callable[[], Mapping[str, Any]]] = {
            CONFIGURATION: lambda: {"issuer": ISSUER, "jwks_uri": KEYS},
            KEYS: self.issuer.key_set,
        }
        self.fetched: list[str] = []
        keys = IssuerKeys(ISSUER, fetch=self._fetch, now=lambda: self.now)
        self._authorize = build(ISSUER, frozenset({AUDIENCE, "desk"}), keys, now=lambda: self.now)

    def decide(self, token: str | None, path: str = TURNS, **changes: Any) -> dict[str, Any]:
        """What the gateway is told about a request with this token."""
        headers = {} if token is None else {"Authorization": [f"Bearer {token}"]}
        event = {
            "type": "REQUEST",
            "methodArn": ARN,
            "resource": path,
            "httpMethod": "POST",
            "multiValueHeaders": headers,
            **changes,
        }
        return self._authorize(event, None)

    def allows(self, *arguments: Any, **changes: Any) -> bool:
        [statement] = self.decide(*arguments, **changes)["policyDocument"]["Statement"]
        assert statement["Action"] == "execute-api:Invoke"
        assert statement["Effect"] in ("Allow", "Deny")
        return bool(statement["Effect"] == "Allow")

    def _fetch(self, address: str) -> Mapping[str, Any]:
        self.fetched.append(address)
        return self.published[address]()


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    return Cloud(tmp_path / "issuer")


def forged(cloud: Cloud, changes: dict[str, Any]) -> str:
    """A token of the issuer with other claims; one of None is left out."""
    token = cloud.issuer.token("alice")
    claims = jwt.decode(token, options={"verify_signature": False}) | changes
    (key_file,) = cloud.issuer._folder.iterdir()
    header = {"kid": jwt.get_unverified_header(token)["kid"]}
    payload = json.dumps({name: value for name, value in claims.items() if value is not None})
    return jwt.PyJWS().encode(payload.encode(), key_file.read_text(), algorithm="RS256", headers=header)


def down() -> Mapping[str, Any]:
    raise OSError


def test_a_verified_token_opens_this_api_and_its_claims_are_handed_on(cloud: Cloud) -> None:
    decision = cloud.decide(cloud.issuer.token("alice"))
    assert decision["policyDocument"] == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Action": "execute-api:Invoke",
                "Effect": "Allow",
                "Resource": "arn:aws:execute-api:eu-west-1:123456789012:api1/stream/*",
            }
        ],
    }
    claims = json.loads(decision["context"]["claims"])
    assert claims == {
        "sub": "alice",
        "iss": ISSUER,
        "scope": "memory:read memory:write",
        "token_use": "access",
    }
    # The gateway may log it.
    assert "alice" not in decision["principalId"]


def test_a_claim_is_handed_on_as_the_other_api_does(cloud: Cloud) -> None:
    # A user has one identity, whichever of the two they come through.
    signed = forged(cloud, {"org": ["acme", 7]})
    assert json.loads(cloud.decide(signed)["context"]["claims"])["org"] == "[acme 7]"


@pytest.mark.parametrize("path", [TURNS, f"{TURNS}:retry"])
def test_a_route_asks_for_its_scope(cloud: Cloud, path: str) -> None:
    assert cloud.allows(cloud.issuer.token("alice", ["memory:write"]), path)
    assert not cloud.allows(cloud.issuer.token("alice", ["memory:read", "memory:erase"]), path)
    assert not cloud.allows(cloud.issuer.token("alice", []), path)


@pytest.mark.parametrize(
    "changes", [{"resource": "/"}, {"resource": "/v1/health"}, {"httpMethod": "GET"}, {"httpMethod": None}]
)
def test_what_is_no_route_with_that_scope_is_closed(cloud: Cloud, changes: dict[str, Any]) -> None:
    assert not cloud.allows(cloud.issuer.token("alice", ["memory:write"]), **changes)


def test_what_is_denied_hands_nothing_on(cloud: Cloud) -> None:
    assert cloud.decide(cloud.issuer.token("alice", ["memory:read"]))["context"] == {}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        None,
        {"Authorization": []},
        {"Authorization": [""]},
        {"Authorization": ["Bearer"]},
        {"Authorization": ["Basic {token}"]},
        {"Authorization": ["{token}"]},
        {"Authorization": ["Bearer {token}", "Bearer {token}"]},
        {"Authorization": ["Bearer {token}x"]},
        {"Authorization": ["Bearer garbage"]},
    ],
)
def test_what_proves_nothing_is_unauthorized(cloud: Cloud, headers: dict[str, list[str]] | None) -> None:
    token = cloud.issuer.token("alice")
    sent = headers and {
        name: [value.replace("{token}", token) for value in values] for name, values in headers.items()
    }
    with pytest.raises(UnauthorizedError) as refused:
        cloud.decide(None, multiValueHeaders=sent)
    # By this very text the gateway knows that it is a 401.
    assert str(refused.value) == "Unauthorized"


def test_the_header_has_any_case(cloud: Cloud) -> None:
    headers = {"authorization": [f"bearer {cloud.issuer.token('alice')}"]}
    assert cloud.allows(None, multiValueHeaders=headers)


def test_a_token_is_refused_from_the_second_it_expires(cloud: Cloud) -> None:
    token = cloud.issuer.token("alice", ttl=60)
    cloud.now += 59
    assert cloud.allows(token)
    cloud.now += 1
    with pytest.raises(UnauthorizedError):
        cloud.decide(token)


def test_another_issuers_token_is_refused(cloud: Cloud, tmp_path: Path) -> None:
    other = Issuer(tmp_path / "other", now=lambda: cloud.now)
    with pytest.raises(UnauthorizedError):
        cloud.decide(other.token("alice"))


# The issuer's keys.


def test_the_keys_are_asked_for_once_in_five_minutes(cloud: Cloud) -> None:
    token = cloud.issuer.token("alice", ttl=3600)
    for _ in range(5):
        assert cloud.allows(token)
    assert cloud.fetched == [CONFIGURATION, KEYS]
    cloud.now += 301
    assert cloud.allows(token)
    assert len(cloud.fetched) == 4


def test_a_new_key_is_found_when_a_token_names_it(cloud: Cloud) -> None:
    assert cloud.allows(cloud.issuer.token("alice"))
    old = set(cloud.issuer.keys())
    cloud.now += 31 * DAY
    token = cloud.issuer.token("alice")
    assert set(cloud.issuer.keys()) - old
    cloud.fetched.clear()
    cloud.published[KEYS] = cloud.issuer.key_set
    assert cloud.allows(token)
    assert cloud.fetched == [CONFIGURATION, KEYS]


def test_the_old_key_and_the_new_one_are_good_while_they_overlap(cloud: Cloud) -> None:
    assert cloud.allows(cloud.issuer.token("alice"))
    cloud.now += 29 * DAY
    old = cloud.issuer.token("alice", ttl=int(7 * DAY))
    cloud.now += 2 * DAY
    fresh = cloud.issuer.token("alice")
    assert jwt.get_unverified_header(fresh)["kid"] != jwt.get_unverified_header(old)["kid"]
    assert cloud.allows(fresh)
    assert cloud.allows(old)


def test_made_up_key_ids_do_not_make_it_ask_again_and_again(cloud: Cloud) -> None:
    assert cloud.allows(cloud.issuer.token("alice"))
    cloud.now += 11
    cloud.fetched.clear()
    headers = [json.dumps({"alg": "RS256", "kid": f"made-up-{number}"}).encode() for number in range(20)]
    forged = [f"{base64.urlsafe_b64encode(header).decode().rstrip('=')}.e30.AAAA" for header in headers]
    for token in forged:
        with pytest.raises(UnauthorizedError):
            cloud.decide(token)
    assert cloud.fetched == [CONFIGURATION, KEYS]


def test_an_issuer_that_is_down_is_not_felt_for_two_hours(cloud: Cloud) -> None:
    token = cloud.issuer.token("alice", ttl=int(DAY))
    assert cloud.allows(token)
    cloud.published[CONFIGURATION] = down
    cloud.now += 2 * HOUR - 1
    assert cloud.allows(token)
    cloud.now += 11
    with pytest.raises(UnauthorizedError):
        cloud.decide(token)


def test_without_keys_nobody_gets_in_and_no_call_is_an_error_of_the_server(cloud: Cloud) -> None:
    cloud.published[KEYS] = down
    with pytest.raises(UnauthorizedError):
        cloud.decide(cloud.issuer.token("alice"))
    cloud.published[KEYS] = cloud.issuer.key_set
    cloud.now += 11
    assert cloud.allows(cloud.issuer.token("alice"))


def unchecked(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Why tokens could not be checked, as it was said."""
    told = [vars(record) for record in caplog.records if record.name == "noted.metrics"]
    for each in told:
        assert each["UncheckedTokens"] == 1
        [directive] = each["_aws"]["CloudWatchMetrics"]
        assert directive == {"Dimensions": [[]], "Metrics": [{"Name": "UncheckedTokens", "Unit": "Count"}]}
        assert each["levelno"] == logging.ERROR
    return [each["error_type"] for each in told]


def test_that_tokens_cannot_be_checked_is_said_and_that_one_is_refused_is_not(
    cloud: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    token = cloud.issuer.token("alice", ["memory:read"])
    assert not cloud.allows(token)
    for refused in (None, f"{token}x", forged(cloud, {"aud": "other"})):
        with pytest.raises(UnauthorizedError):
            cloud.decide(refused)
    assert unchecked(caplog) == []
    cloud.published[KEYS] = down
    cloud.now += 2 * HOUR + 1
    with pytest.raises(UnauthorizedError):
        cloud.decide(cloud.issuer.token("alice"))
    assert unchecked(caplog) == ["KeysUnavailableError"]


def test_a_check_that_fails_by_itself_ends_with_the_type_of_its_error_alone(
    cloud: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    # An event that is none of the gateway's. The runtime prints how a function ends.
    with pytest.raises(CheckFailedError) as failed:
        cloud.decide(cloud.issuer.token("alice"), methodArn="alice likes tea")
    assert str(failed.value) == "ValueError"
    assert failed.value.__suppress_context__
    assert unchecked(caplog) == ["ValueError"]


def test_what_it_says_is_a_metric_of_its_deployment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from functions.authorizer import handler

    root, ours = logging.getLogger(), [logging.getLogger(name) for name in ("noted", "local")]
    before = root.handlers[:], root.level, [logger.level for logger in ours]
    for name, value in {
        "TOKEN_ISSUER": "http://not-https",
        "TOKEN_AUDIENCE": "a",
        "TABLE_PREFIX": "shop",
    }.items():
        monkeypatch.setenv(f"NOTED_{name}", value)
    header = base64.urlsafe_b64encode(b'{"alg": "RS256", "kid": "one"}').decode().rstrip("=")
    event = {"multiValueHeaders": {"Authorization": [f"Bearer {header}.e30.AAAA"]}}
    handler._built.cache_clear()
    try:
        with pytest.raises(UnauthorizedError):
            handler.handler(event, None)
    finally:
        root.handlers[:], root.level = before[:2]
        for logger, level in zip(ours, before[2], strict=True):
            logger.setLevel(level)
        handler._built.cache_clear()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    [said] = [line for line in lines if "UncheckedTokens" in line]
    assert [each["Namespace"] for each in said["_aws"]["CloudWatchMetrics"]] == ["Noted/shop"]


def test_a_configuration_of_another_issuer_is_not_believed(cloud: Cloud) -> None:
    cloud.published[CONFIGURATION] = lambda: {"issuer": "https://other.example", "jwks_uri": KEYS}
    with pytest.raises(UnauthorizedError):
        cloud.decide(cloud.issuer.token("alice"))


def test_keys_of_other_kinds_and_uses_are_passed_over(cloud: Cloud) -> None:
    def published() -> Mapping[str, Any]:
        [key] = cloud.issuer.key_set()["keys"]
        strange = [
            {"kty": "EC", "kid": "ec", "crv": "P-256", "x": "AA", "y": "AA"},
            {"kty": "oct", "kid": key["kid"], "k": "AAAA"},
            key | {"kid": "encryption", "use": "enc"},
            {"kty": "RSA", "kid": "broken"},
            {name: value for name, value in key.items() if name != "kid"},
        ]
        return {"keys": [*strange, key]}

    token = cloud.issuer.token("alice")
    cloud.published[KEYS] = published
    assert cloud.allows(token)


@pytest.mark.parametrize("address", ["http://issuer.example/keys", "file:///etc/hostname", "ftp://x/", ""])
def test_keys_are_fetched_over_https_alone(address: str) -> None:
    with pytest.raises(ValueError, match="https"):
        fetched(address)


@pytest.mark.parametrize(
    "scope,allowed",
    [
        ("noted/memory:write", True),
        ("openid noted/memory:read noted/memory:write", True),
        # Another service's scope of the same name, and a name before the name.
        ("other/memory:write", False),
        ("noted/noted/memory:write", False),
        ("noted/memory:read", False),
        ("noted", False),
    ],
)
def test_a_scope_may_stand_behind_the_name_of_this_service_as_cognito_puts_it(
    cloud: Cloud, scope: str, allowed: bool
) -> None:
    # Its access tokens say which client got them, and no audience.
    token = forged(cloud, {"aud": None, "client_id": "desk", "scope": scope, "token_use": "access"})
    assert cloud.allows(token) is allowed


def test_a_token_without_an_audience_must_be_of_a_client_that_is_named(cloud: Cloud) -> None:
    assert cloud.allows(forged(cloud, {"aud": None, "client_id": "desk"}))
    for changes in ({"client_id": "desk2"}, {"client_id": ""}, {"client_id": ["other"]}, {}):
        with pytest.raises(UnauthorizedError):
            cloud.decide(forged(cloud, {"aud": None, **changes}))
    # The audience decides where there is one.
    with pytest.raises(UnauthorizedError):
        cloud.decide(forged(cloud, {"aud": "other", "client_id": "desk"}))
