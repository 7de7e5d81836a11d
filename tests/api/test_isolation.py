"""Two users over HTTP, by the description of the interface: whatever id, cursor or key of one the other
sends, in whatever place, it is answered like one that never existed, and changes nothing. A route that is
added, or an id that is added to one, is tried by itself, or fails here until it is known what it is."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from noted import ids
from noted.api.openapi import document
from noted.api.routes import ROUTES, Route
from noted.identity import Principal
from noted.store.queue import EpisodeJob, ExtractionJob, Job, SummaryJob
from tests.api.helpers import (
    Json,
    begin,
    erase,
    facts,
    ok,
    pages,
    principal,
    problem,
    recall,
    record,
    rows,
    say,
    tell,
    texts,
    turns_of,
    wrong_fields,
)
from tests.api.requests import BODIES, EVERY_SCOPE, MISSING, one_of_each
from tests.api.schemas import Schemas
from tests.cases.helpers import logged

if TYPE_CHECKING:
    from tests.api.conftest import ServiceUnderTest

# Words that nobody but Bob says: no embedder and no stemmer makes another word of them.
CANARIES = ("quaggafoal", "thylacinepup", "zebrasuke")
ID = re.compile(r"\b[a-z]{2}_[0-9A-HJKMNP-TV-Z]{26}\b")

# Ids that a client makes itself, for a request that it may send again: of one that was never sent there is
# nothing to be told. And what all clients of an organisation see of each other.
MADE_BY_CLIENTS = {
    ("POST", "/v1/admin/erasures", "subject_request_id"),
    ("POST", "/v1/admin/organisation-erasures", "request_id"),
}
OF_THE_ORGANISATION = {"request_id"}
# An export holds ids as an import takes them: they are read as the importer's own. What becomes of them is
# tried below, whole.
CARRIED = {("POST", "/v1/import")}
# Lists that a compliance system is given of its organisation: they are no user's.
NOT_OF_A_USER = {"/v1/admin/users"}


@dataclass(frozen=True)
class Field:
    """One id of one route: in its path, its query string or its body."""

    route: Route
    place: str
    name: str


def id_like(name: str) -> bool:
    """Whether a name is one of an id or of a position in a list, whatever it is an id of."""
    return bool(re.search(r"(^|_)ids?$|cursor$|^subject$", name))


def id_fields(described: Json) -> Iterator[Field]:
    """Every id that the description of the interface has, at every route."""
    schemas = Schemas(described)
    for route in ROUTES:
        operation = described["paths"][route.path][route.method.lower()]
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "path" or id_like(parameter["name"]):
                yield Field(route, parameter["in"], parameter["name"])
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        for name in named_in(content.get("schema", {}), schemas) if content else ():
            if id_like(name):
                yield Field(route, "body", name)


def named_in(schema: Mapping[str, Any], schemas: Schemas) -> set[str]:
    """The names of all properties of a body, at any depth."""
    if "$ref" in schema:
        return named_in(schemas.resolved(schema["$ref"]), schemas)
    inner = [*schema.get("anyOf", []), *schema.get("properties", {}).values()]
    inner += [
        each for each in (schema.get("items"), schema.get("additionalProperties")) if isinstance(each, dict)
    ]
    return set(schema.get("properties", ())).union(*(named_in(each, schemas) for each in inner))


def test_every_id_of_the_interface_is_known_here() -> None:
    for field in id_fields(document()):
        known = {*MISSING, "cursor", "subject"}
        if (field.route.method, field.route.path) not in CARRIED:
            assert field.name in known, f"{field}: say in tests/api/requests.py what id this is"
    sent = {(field.route.method, field.route.path, field.name) for field in id_fields(document())}
    assert sent >= MADE_BY_CLIENTS
    assert sent >= {("POST", "/v1/recall", "conversation_id"), ("GET", "/v1/facts", "cursor")}


class Heard:
    """A client that keeps all that it was answered."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.texts: list[str] = []
        client.event_hooks = {"response": [self._keep]}

    def _keep(self, response: httpx.Response) -> None:
        response.read()
        self.texts.append(f"{response.headers} {response.text}")


def send(client: httpx.Client, field: Field, own: Mapping[str, str], value: str) -> httpx.Response:
    """A route's good request with one's own ids, but for this one."""
    route, body = field.route, BODIES.get((field.route.method, field.route.path))
    path = route.path.format(**(dict(own) | ({field.name: value} if field.place == "path" else {})))
    query = {field.name: value} if field.place == "query" else {}
    if field.place == "body":
        body = (body or {}) | {field.name: value}
    return client.request(route.method, path, params=query, json=body)


def answer(response: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """All of a reply but when it was given."""
    # A gateway numbers its requests.
    own = ("date", "apigw-requestid")
    headers = {name: value for name, value in response.headers.items() if name not in own}
    return response.status_code, response.content, headers


def a_life(service: ServiceUnderTest, subject: str, words: tuple[str, ...]) -> dict[str, str]:
    """Makes a user with two of everything that is listed; gives the ids of one of each."""
    client = service.client(subject, EVERY_SCOPE)
    made = one_of_each(service, subject) if subject == "bob" else own_ids(service, subject)
    for word in words:
        tell(client, f"Owns a {word}")
        say(client, made["conversation_id"], f"I keep a {word} at home")
        record(client, begin(client), f"I saw a {word}")
    service.queue.drain()
    return made


def own_ids(service: ServiceUnderTest, subject: str) -> dict[str, str]:
    """One of each, but for what a compliance system asks: the other user asked first."""
    client = service.client(subject)
    conversation = begin(client)
    turn = say(client, conversation, "I live in Porto", remember=False)
    erased = erase(client, f"/v1/facts/{tell(client, 'Has a goldfish')['fact_id']}")
    return MISSING | {
        "conversation_id": conversation,
        "turn_id": turn["turn_id"],
        "fact_id": tell(client, "Lives in Porto")["fact_id"],
        "erasure_id": erased["erasure_id"],
    }


def test_nothing_of_anothers_is_found_told_or_changed_whatever_is_sent(
    service: ServiceUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "noted")
    bobs = a_life(service, "bob", CANARIES)
    alices = a_life(service, "alice", ("teapot", "ladder"))
    bob = service.client("bob", EVERY_SCOPE)
    heard = Heard(service.client("alice", EVERY_SCOPE))
    alice = heard.client
    cursors = {
        route.path: bob.get(route.path.format(**bobs), params={"limit": "1"}).json().get("next_cursor")
        for route in ROUTES
        if route.method == "GET" and (route.scope or "").startswith("memory:")
    }
    other_cursor = next(filter(None, cursors.values()))
    made_by_bob = with_keys(bob, bobs)
    service.queue.drain()
    asked_before = {purpose: len(calls) for purpose, calls in service.standin.calls.items()}
    before = rows(service, "bob")

    for field in id_fields(document()):
        place = (field.route.method, field.route.path)
        if place in CARRIED or field.name == "subject" or field.name in OF_THE_ORGANISATION:
            continue
        if field.name == "cursor":
            theirs = send(alice, field, alices, cursors.get(field.route.path) or other_cursor)
            if field.route.path in NOT_OF_A_USER:
                continue
            problem(theirs, 400, "malformed")
            assert answer(theirs) == answer(send(alice, field, alices, "AAAA")), field
            continue
        theirs = send(alice, field, alices, bobs[field.name])
        problem(theirs, 404, "not-found")
        if (*place, field.name) not in MADE_BY_CLIENTS:
            assert answer(theirs) == answer(send(alice, field, alices, MISSING[field.name])), field
            assert answer(theirs) == answer(send(alice, field, alices, ids_bent(bobs[field.name]))), field
    assert rows(service, "bob") == before

    # An idempotency key is its user's: the same key and body do each user's own work.
    for path, made in with_keys(alice, alices).items():
        assert not made & made_by_bob[path], path
    look_around(alice)
    service.queue.drain()
    said = "\n".join(heard.texts)
    assert not set(ID.findall(said)) & (set(bobs.values()) - set(MISSING.values()))
    asked = "\n".join(
        call.prompt
        for purpose, calls in service.standin.calls.items()
        for call in calls[asked_before.get(purpose, 0) :]
    )
    told = logged(caplog)
    for word in CANARIES:
        assert word not in said
        assert word not in asked
        assert word not in told
    # The words are there to be found.
    assert len(pages(bob, "/v1/facts", q=CANARIES[0])) >= 1


def ids_bent(value: str) -> str:
    """The same id in a form that none has."""
    return value.swapcase() if value.swapcase() != value else "nope"


def with_keys(client: httpx.Client, own: Mapping[str, str]) -> dict[str, set[str]]:
    """Makes every call that takes an idempotency key, each with a key that anybody may use; gives the ids
    in each answer."""
    described, found = document()["paths"], {}
    for route in ROUTES:
        operation = described[route.path][route.method.lower()]
        parameters, body = operation.get("parameters", []), BODIES.get((route.method, route.path))
        keyed = any(each["name"] == "Idempotency-Key" for each in parameters)
        if not keyed or "/admin/" in route.path or ("requestBody" in operation and body is None):
            continue
        headers = {"Idempotency-Key": f"key-of-{route.path}"}
        reply = client.request(route.method, route.path.format(**own), json=body, headers=headers)
        assert reply.is_success, (route, reply.text)
        found[route.path] = set(ID.findall(reply.text))
    return found


def look_around(client: httpx.Client) -> None:
    """Everything that a user can look at."""
    for route in ROUTES:
        if route.method == "GET" and "{" not in route.path and "/admin/" not in route.path and route.scope:
            assert client.get(route.path).is_success
    everything = {"include_history": True, "limit": 100}
    assert recall(client, "What do I own and keep at home?", **everything)["items"]
    conversation = begin(client)
    ok(
        client.post(
            turns_of(conversation).removesuffix("turns") + "context", json={"message": "What do I own?"}
        )
    )
    assert say(client, conversation, "What do I own?")["recalled"]
    say(client, conversation, "What did I tell you?")


# What a body may not say.

NAMING = ("user_id", "user", "u", "sub", "principal", "owner", "org", "pk", "tenant")
ASSIGNING: Mapping[str, Any] = {
    "provenance": "confirmed",
    "source": "confirmed",
    "gen": 0,
    "generation": 0,
    "ttl": 0,
    "expires_at": 0,
    "sequence": 99,
    "status": "live",
    "held": False,
}


def test_a_body_names_no_user_and_sets_nothing_of_the_services_own(service: ServiceUnderTest) -> None:
    alice = service.client("alice", EVERY_SCOPE)
    own = own_ids(service, "alice")
    ok(service.client("bob").post("/v1/facts", json={"text": "Lives in Oslo", "kind": "fact"}), 201)
    service.queue.drain()
    before = rows(service, "bob")
    schemas = Schemas(document())
    for route in ROUTES:
        body = BODIES.get((route.method, route.path))
        if body is None:
            continue
        content = document()["paths"][route.path][route.method.lower()]["requestBody"]["content"]
        known = named_in(content["application/json"]["schema"], schemas)
        extra = dict.fromkeys(NAMING, "bob") | dict(ASSIGNING)
        unknown = {name: value for name, value in extra.items() if name not in known}
        refused = alice.request(route.method, route.path.format(**own), json=body | unknown)
        assert wrong_fields(refused) >= unknown.keys(), route
    # In the query string and in headers it is nobody's either.
    for address in ("/v1/facts", "/v1/conversations", "/v1/episodes"):
        named = alice.get(address, params={"user_id": "bob"}, headers={"X-User-Id": "bob"})
        assert named.json() == alice.get(address).json()
    assert rows(service, "bob") == before
    assert "Lives in Oslo" not in texts(facts(alice))


# What the queue says is trusted no further than to look it up under the user that it names.


def test_a_forged_message_does_nothing(service: ServiceUnderTest) -> None:
    service.standin.reply("extraction", service.standin.facts("Lives in Oslo", quote="I live in Oslo"))
    bob, alice = service.client("bob"), service.client("alice")
    theirs = say(bob, begin(bob), "I live in Oslo")
    mine = say(alice, begin(alice), "I live in Porto")
    service.queue.drain()
    asked = {purpose: len(calls) for purpose, calls in service.standin.calls.items()}
    before = rows(service)
    for job in forged(principal(service, "alice"), theirs, mine):
        service.queue.send(job.body(), job.principal.owner)
    for body in ("{}", "[]", "bob", '{"u":"bob","g":0,"t":"x"}', ExtractionJobs.bent(theirs)):
        service.queue.send(body, "bob")
    service.queue.drain()
    assert {purpose: len(calls) for purpose, calls in service.standin.calls.items()} == asked
    assert rows(service) == before


class ExtractionJobs:
    """Bodies that are almost messages."""

    @staticmethod
    def bent(turn: Json) -> str:
        """One whose user is a subject and no id."""
        named = f'"c":"{turn["conversation_id"]}","t":"{turn["turn_id"]}"'
        return f'{{"v":1,"o":"o_{"a" * 26}","u":"bob","g":1,{named}}}'


def forged(alice: Principal, theirs: Json, mine: Json) -> Iterator[Job]:
    """Messages that name one user and another's things, a generation that is not, or what was never said."""
    cv, tn = theirs["conversation_id"], theirs["turn_id"]
    yield ExtractionJob(alice, 1, cv, tn)
    yield ExtractionJob(alice, 1, mine["conversation_id"], tn)
    yield ExtractionJob(alice, 1, cv, mine["turn_id"])
    yield ExtractionJob(alice, 0, mine["conversation_id"], mine["turn_id"])
    yield ExtractionJob(alice, 2, mine["conversation_id"], mine["turn_id"])
    yield ExtractionJob(alice, 1, mine["conversation_id"], ids.ordered(ids.TURN, 99))
    yield SummaryJob(alice, 1, cv)
    yield EpisodeJob(alice, 1, cv)
    nobody = Principal("o_" + "a" * 26, "u_" + "a" * 26)
    yield ExtractionJob(nobody, 1, cv, tn)
    yield SummaryJob(nobody, 1, cv)
    yield EpisodeJob(nobody, 1, cv)
