"""The description of the interface: valid, whole, and true of what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from noted.api.routes import ROUTES
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    Json,
    begin,
    correct,
    erase,
    facts,
    judge,
    learn,
    look_up,
    ok,
    recall,
    say,
    tell,
)
from tests.api.requests import BODIES, EVERY_SCOPE, MISSING, one_of_each, send
from tests.api.schemas import Schemas

PROBLEM = "application/problem+json"


@pytest.fixture
def document(service: ServiceUnderTest) -> Json:
    """The description as anyone gets it."""
    response = httpx.get(f"{service.url}/openapi.json", trust_env=False)
    assert response.headers["content-type"] == "application/json"
    described: Json = response.json()
    return described


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Method, path and description of each operation."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield method.upper(), path, operation


def references(value: Any) -> Iterator[str]:
    """Every `$ref` in a document."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def test_it_describes_every_route_and_no_other(document: Json) -> None:
    described = {(method, path) for method, path, _ in operations(document)}
    assert described == {(route.method, route.path) for route in ROUTES}


def test_it_is_openapi_3_1(document: Json) -> None:
    assert document["openapi"].startswith("3.1.")
    assert document.keys() <= {"openapi", "info", "paths", "components", "servers", "security", "tags"}
    assert {"title", "version"} <= document["info"].keys()
    schemas = Schemas(document)
    for reference in references(document):
        assert reference.startswith("#/components/schemas/")
        assert schemas.resolved(reference)
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    [scheme] = document["components"]["securitySchemes"].values()
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    for method, path, operation in operations(document):
        assert set(operation) <= {
            *(
                "summary",
                "description",
                "operationId",
                "parameters",
                "requestBody",
                "responses",
                "security",
                "tags",
            ),
        }
        placed = [(parameter["in"], parameter["name"]) for parameter in operation.get("parameters", [])]
        assert len(set(placed)) == len(placed)
        assert {name for place, name in placed if place == "path"} == set(re.findall(r"{(\w+)}", path))
        assert all(p["required"] for p in operation.get("parameters", []) if p["in"] == "path")
        assert all("schema" in parameter for parameter in operation.get("parameters", []))
        assert ("requestBody" in operation) == ((method, path) in BODIES)
        assert all(re.fullmatch(r"[1-5]\d\d|default", status) for status in operation["responses"])
        assert all(response["description"] for response in operation["responses"].values())


def test_it_says_which_calls_need_a_token(document: Json) -> None:
    scopes = {(route.method, route.path): route.scope for route in ROUTES}
    for method, path, operation in operations(document):
        scope = scopes[method, path]
        assert operation["security"] == ([{"token": [scope]}] if scope else [])


def test_it_says_which_answers_can_be_streamed(document: Json) -> None:
    turns = "/v1/conversations/{conversation_id}/turns"
    streamed = {
        (method, path, status): response["content"]
        for method, path, operation in operations(document)
        for status, response in operation["responses"].items()
        if "text/event-stream" in response["content"]
    }
    assert streamed.keys() == {("POST", turns, "201"), ("POST", f"{turns}:retry", "201")}
    for content in streamed.values():
        assert content.keys() == {"application/json", "text/event-stream"}


def closed(value: Any) -> Any:
    """A document whose objects have the properties that are named and no others."""
    if isinstance(value, list):
        return [closed(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: closed(each) for name, each in value.items()}
    return {"additionalProperties": False, **found} if isinstance(found.get("properties"), dict) else found


def wrong(document: Json, route: tuple[str, str], response: httpx.Response) -> list[str]:
    """What is wrong with a reply, by the description of its route; so is a field that is not described."""
    method, path = route
    document = closed(document)
    responses = document["paths"][path][method.lower()]["responses"]
    described = responses.get(str(response.status_code), responses["default"])
    content_type = response.headers["content-type"]
    assert content_type in described["content"], (route, response.text)
    assert (content_type == PROBLEM) == response.is_error
    return list(Schemas(document).wrong(response.json(), described["content"][content_type]["schema"]))


def test_the_examples_of_these_tests_are_as_it_says(document: Json) -> None:
    schemas = Schemas(document)
    for (method, path), body in BODIES.items():
        described = document["paths"][path][method.lower()]["requestBody"]["content"]["application/json"]
        assert list(schemas.wrong(body, described["schema"])) == []
        assert list(schemas.wrong(body | {"unknown": 1}, described["schema"])) != []


def test_every_reply_is_as_it_says(service: ServiceUnderTest, document: Json) -> None:
    alice = service.client("alice", EVERY_SCOPE)
    ids = one_of_each(service, "alice")
    service.standin.reply("extraction", service.standin.facts("Lives in Porto", quote="I live in Porto"))
    # What destroys comes last, and the erasure of everything last of all.
    order = sorted(ROUTES, key=lambda route: (route.method == "DELETE", route.path == "/v1/memory"))
    for route in order:
        place = (route.method, route.path)
        for known in (ids, MISSING):
            if known is MISSING and "{" not in route.path:
                continue
            response = send(alice, route, known)
            # Who asked for the erasure of the organisation cannot approve it.
            refused_itself = known is MISSING or route.path.endswith("/approvals")
            assert response.is_error == refused_itself, (place, response.text)
            assert wrong(document, place, response) == []
        if place in BODIES:
            refused = alice.request(route.method, route.path.format(**ids), json={"unknown": 1})
            assert wrong(document, place, refused) == []


def test_the_replies_of_a_full_memory_are_as_it_says(service: ServiceUnderTest, document: Json) -> None:
    alice = service.client("alice")
    turn = learn(service, alice, "I like jazz and tea", "Likes jazz", "Likes tea")
    [jazz, tea] = facts(alice)
    judge(alice, jazz, "rejected", note="No")
    new = correct(alice, tea, "Likes green tea")
    tell(alice, "Plans to retire at 55", kind="goal", valid_until="2999-01-01T00:00:00Z")
    erasure = erase(alice, f"/v1/facts/{jazz['fact_id']}")
    say(alice, begin(alice), "What did I tell you?")
    turns = "/v1/conversations/{conversation_id}/turns"
    read: dict[str, str] = {
        "/v1/facts": "/v1/facts?status=all",
        "/v1/facts/{fact_id}": f"/v1/facts/{new['fact_id']}",
        "/v1/erasures/{erasure_id}": f"/v1/erasures/{erasure['erasure_id']}",
        "/v1/conversations": "/v1/conversations?limit=1",
        turns: turns.format(**turn),
        f"{turns}/{{turn_id}}/saved": turn["saved_url"],
    }
    for path, address in read.items():
        assert wrong(document, ("GET", path), alice.get(address)) == []
    found = alice.post("/v1/recall", json={"query": "tea", "since": "2020-01-01T00:00:00Z"})
    assert ok(found)["items"]
    assert wrong(document, ("POST", "/v1/recall"), found) == []
    batch = {"facts": [{"text": "Has a cat", "kind": "fact"}, {"text": "Why?", "kind": "fact"}, 7]}
    assert wrong(document, ("POST", "/v1/facts:batch"), alice.post("/v1/facts:batch", json=batch)) == []
    assert look_up(alice, new)["history"]["supersedes"]
    assert recall(alice, "nothing of this kind", kinds=["goal"], as_of="2001-01-01T00:00:00Z")["items"] == []
