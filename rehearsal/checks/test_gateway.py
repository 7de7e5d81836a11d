"""What the gateway lets through, and what it answers itself."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from local.issuer import Issuer
from noted.api.routes import READ, ROUTES, WRITE
from rehearsal.deployment import Deployment
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import begin, ok, say, tell, turns_of

PAGE = "https://app.example.com"


@pytest.fixture
def anyone(deployment: Deployment) -> Iterator[httpx.Client]:
    """A client without a token."""
    tls = ssl.create_default_context(cafile=deployment.authority)
    with httpx.Client(base_url=deployment.url, verify=tls, trust_env=False, timeout=60) as client:
        yield client


Forge = Callable[[Issuer], str]


def forged(**changes: object) -> Forge:
    """A token that the issuer signed, with claims that it would not have given."""

    def forge(issuer: Issuer) -> str:
        usual = jwt.decode(issuer.token("alice"), options={"verify_signature": False})
        key = issuer._signing_key(int(time.time()))
        claims = {name: value for name, value in (usual | changes).items() if value is not None}
        return jwt.encode(claims, key.private, algorithm="RS256", headers={"kid": key.kid})

    return forge


def of_another_key(issuer: Issuer) -> str:
    claims = jwt.decode(issuer.token("alice"), options={"verify_signature": False})
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": next(iter(issuer.keys()))})


def unsigned(issuer: Issuer) -> str:
    claims = jwt.decode(issuer.token("alice"), options={"verify_signature": False})
    return jwt.encode(claims, "", algorithm="none", headers={"kid": next(iter(issuer.keys()))})


BAD: dict[str, Forge] = {
    "expired": forged(exp=1_700_000_000, iat=1_600_000_000, nbf=1_600_000_000),
    "not yet": forged(nbf=4_000_000_000),
    "another audience": forged(aud="other"),
    "another issuer": forged(iss="https://127.0.0.1:1"),
    "another key": of_another_key,
    "no signature": unsigned,
    "no token": lambda _: "nonsense",
}


@pytest.mark.parametrize("forge", BAD.values(), ids=BAD.keys())
def test_a_token_that_proves_nothing_reaches_no_function(
    forge: Forge, anyone: httpx.Client, service: ServiceUnderTest, deployment: Deployment
) -> None:
    headers = {"Authorization": f"Bearer {forge(service.issuer)}"}
    assert anyone.get("/v1/facts", headers=headers).status_code == 401
    streaming = f"{deployment.streaming_url}{turns_of('cv_00000000000000000000000000')}"
    assert anyone.post(streaming, json={"message": "Hi"}, headers=headers).status_code == 401


def test_an_id_token_is_refused_by_the_function(anyone: httpx.Client, service: ServiceUnderTest) -> None:
    token = forged(token_use="id")(service.issuer)
    assert anyone.get("/v1/facts", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_every_route_asks_for_its_scope(anyone: httpx.Client, service: ServiceUnderTest) -> None:
    other = {"Authorization": f"Bearer {service.token('alice', ['openid'])}"}
    for route in ROUTES:
        address = route.path.replace("{", "").replace("}", "")
        without = anyone.request(route.method, address).status_code
        wrong = anyone.request(route.method, address, headers=other).status_code
        assert (without, wrong) == ((401, 403) if route.scope else (without, without)), route
        assert route.scope or without == 200, route


def test_a_path_that_is_no_route_reaches_no_function(anyone: httpx.Client) -> None:
    assert anyone.get("/v1/nothing").status_code == 404


def test_the_streaming_api_asks_for_its_scope(service: ServiceUnderTest, deployment: Deployment) -> None:
    address = f"{deployment.streaming_url}{turns_of('cv_00000000000000000000000000')}"
    reader = service.client("alice", [READ])
    assert reader.post(address, json={"message": "Hi"}).status_code == 403


def test_the_pages_of_the_settings_may_call_and_no_others(anyone: httpx.Client) -> None:
    asking = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    allowed = anyone.options("/v1/facts", headers={"Origin": PAGE, **asking})
    assert allowed.headers["access-control-allow-origin"] == PAGE
    foreign = anyone.options("/v1/facts", headers={"Origin": "https://evil.example", **asking})
    assert "access-control-allow-origin" not in foreign.headers


def test_two_organisations_never_meet(service: ServiceUnderTest) -> None:
    ours, theirs = service.client("alice"), service.client("alice")
    token = service.issuer.token("alice", [READ, WRITE], organisation="other")
    theirs.headers["Authorization"] = f"Bearer {token}"
    fact, conversation = tell(ours, "Likes jazz"), begin(ours)
    say(ours, conversation, "What did I tell you?")
    assert theirs.get(f"/v1/facts/{fact['fact_id']}").status_code == 404
    assert theirs.get(turns_of(conversation)).status_code == 404
    assert ok(theirs.get("/v1/facts"))["items"] == []


def test_what_is_stored_is_sealed_and_holds_no_name(
    service: ServiceUnderTest, deployment: Deployment
) -> None:
    alice = service.client("alice")
    tell(alice, "Likes Porvarian jazz")
    say(alice, begin(alice), "I met Zebulon yesterday")
    database = deployment.emulator.client("dynamodb")
    for name in ("control", "memory", "verdicts", "keys", "ledger"):
        for page in database.get_paginator("scan").paginate(TableName=deployment.table(name)):
            stored = repr(page["Items"])
            assert "Porvarian" not in stored
            assert "Zebulon" not in stored
