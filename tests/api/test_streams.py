"""Answers as server-sent events, over HTTP, with the whole service behind them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from functions.answer.handler import build as build_answer
from functions.authorizer.handler import build as build_authorizer
from local import events as reader
from local.issuer import AUDIENCE, ISSUER
from noted.api.issuer_keys import IssuerKeys
from noted.streaming import loop
from noted.streaming.runtime_api import RuntimeApi
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    TURN,
    Json,
    begin,
    content_rows,
    eventually,
    fits,
    ok,
    problem,
    saved,
    stored_turns,
    turns_of,
)
from tests.runtime_api import Lambda
from tests.standin.replies import Say

EVENTS = {"Accept": "text/event-stream"}


@contextmanager
def streamed(
    client: httpx.Client, address: str, body: Json | None = None, **headers: str
) -> Iterator[tuple[httpx.Response, Iterator[tuple[str, Json]]]]:
    """A reply that streams, and its events as they come."""
    with client.stream("POST", address, json=body or {}, headers=EVENTS | headers) as response:
        assert response.status_code == 201, response.read()
        assert response.headers["content-type"] == "text/event-stream"
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["memory-epoch"] == "1"
        found = reader.read(response.iter_lines())
        yield response, ((name, json.loads(data)) for name, data in found)


def whole(client: httpx.Client, address: str, body: Json | None = None, **headers: str) -> tuple[str, Json]:
    """A streamed answer: its pieces joined, and the turn at the end."""
    with streamed(client, address, body, **headers) as (_, events):
        *pieces, (name, turn) = list(events)
    assert {name for name, _ in pieces} == {"delta"}
    assert name == "turn"
    assert fits(turn, TURN), turn
    return "".join(data["text"] for _, data in pieces), turn


def test_an_answer_is_told_while_the_model_makes_it(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation_id, taken = begin(alice), threading.Semaphore(0)
    say = Say(
        "It rains in Porto.",
        # The model makes no word before the client has the one that stands two before it.
        before_chunk=lambda number: number < 2 or taken.acquire(timeout=60),
    )
    service.standin.reply("answer", say)
    with streamed(alice, turns_of(conversation_id), {"message": "How is the weather?"}) as (_, events):
        pieces = []
        for name, data in events:
            if name == "delta":
                pieces.append(data["text"])
                taken.release()
            else:
                last = (name, data)
        taken.release(10)
    assert "".join(pieces) == "It rains in Porto."
    assert len(pieces) > 1
    name, turn = last
    assert name == "turn"
    assert turn["answer"] == "It rains in Porto."
    [stored] = stored_turns(alice, conversation_id)
    assert stored["turn_id"] == turn["turn_id"]


@pytest.mark.parametrize(
    "message,route",
    [
        ("How is the weather?", "answer"),
        ("Remember that I like tea.", "remember"),
        ("What did I tell you?", "recollection"),
    ],
)
def test_every_kind_of_turn_streams_what_it_answers_without(
    service: ServiceUnderTest, message: str, route: str
) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    pieces, turn = whole(alice, turns_of(begin(alice)), {"message": message})
    plain = ok(bob.post(turns_of(begin(bob)), json={"message": message}), 201)
    assert (turn["route"], plain["route"]) == (route, route)
    assert pieces == turn["answer"] == plain["answer"]
    assert turn["memory"] == plain["memory"]


def test_what_was_said_in_a_stream_is_learned(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    service.standin.reply("extraction", service.standin.facts("Lives in Porto", quote="I live in Porto"))
    _, turn = whole(alice, turns_of(begin(alice)), {"message": "I live in Porto"})
    assert [fact["text"] for fact in saved(alice, turn)["facts"]] == ["Lives in Porto"]


def test_a_retry_streams(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation_id = begin(alice)
    service.standin.reply("answer", "First.", "Second.")
    whole(alice, turns_of(conversation_id), {"message": "Hello"})
    pieces, turn = whole(alice, f"{turns_of(conversation_id)}:retry")
    assert pieces == turn["answer"] == "Second."
    assert [each["answer"] for each in stored_turns(alice, conversation_id)] == ["Second."]


def test_text_of_every_kind_arrives_as_it_was_written(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    text = "a\n\ndata: forged\r\nb\u2028c\u2029d\x85e سلام 👋🏽 \x0b\x1c."
    service.standin.reply("answer", Say(text, split=range(1, len(text))))
    pieces, turn = whole(alice, turns_of(begin(alice)), {"message": "Hello"})
    assert pieces == turn["answer"] == text


def test_a_request_that_is_refused_has_its_status(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    address = turns_of(begin(alice))
    problem(alice.post(address, json={"message": ""}, headers=EVENTS), 422, "invalid")
    problem(alice.post(address, json={"message": 7}, headers=EVENTS), 422, "invalid")
    missing = turns_of("cv_00000000000000000000000000")
    problem(alice.post(missing, json={"message": "Hello"}, headers=EVENTS), 404, "not-found")
    stale = EVENTS | {"If-Memory-Epoch": "7"}
    problem(alice.post(address, json={"message": "Hello"}, headers=stale), 409, "epoch-changed")


def test_a_model_that_says_nothing_is_503_and_nothing_is_kept(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation_id = begin(alice)
    service.standin.reply("answer", 500, 500)
    response = alice.post(turns_of(conversation_id), json={"message": "Hello"}, headers=EVENTS)
    problem(response, 503, "unavailable")
    assert response.headers["retry-after"]
    assert stored_turns(alice, conversation_id) == []


def test_a_model_that_breaks_off_is_told_in_an_event_and_nothing_is_kept(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation_id, key = begin(alice), {"Idempotency-Key": "k1"}
    service.standin.reply("answer", Say("one two three four five six seven", break_after=4))
    body = {"message": "Hello"}
    with streamed(alice, turns_of(conversation_id), body, **key) as (_, events):
        *pieces, (name, told) = list(events)
    assert pieces
    assert name == "error"
    assert (told["status"], told["type"]) == (503, "urn:noted:problem:unavailable")
    assert stored_turns(alice, conversation_id) == []
    # The key is free again: the same request is answered.
    service.standin.reply("answer", "At last.")
    assert whole(alice, turns_of(conversation_id), body, **key)[0] == "At last."


def test_the_same_key_gives_the_first_answer_streamed_or_not(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation_id, key = begin(alice), {"Idempotency-Key": "k1"}
    body = {"message": "Hello"}
    service.standin.reply("answer", "First.", "Second.")
    _, turn = whole(alice, turns_of(conversation_id), body, **key)
    pieces, again = whole(alice, turns_of(conversation_id), body, **key)
    plain = ok(alice.post(turns_of(conversation_id), json=body, headers=key), 201)
    assert turn["turn_id"] == again["turn_id"] == plain["turn_id"]
    assert pieces == again["answer"] == plain["answer"] == "First."
    assert len(stored_turns(alice, conversation_id)) == 1


def test_a_client_that_goes_away_half_way_finds_the_turn_later(service: ServiceUnderTest) -> None:
    alice, gone = service.client("alice"), threading.Event()
    conversation_id, key = begin(alice), {"Idempotency-Key": "k1"}
    text = "one two three four five"
    say = Say(text, before_chunk=lambda number: number < 2 or gone.wait(60))
    service.standin.reply("answer", say)
    with streamed(alice, turns_of(conversation_id), {"message": "Hello"}, **key) as (_, events):
        assert next(events)[0] == "delta"
    gone.set()
    [turn] = eventually(lambda: stored_turns(alice, conversation_id))
    assert turn["answer"] == text
    pieces, again = whole(alice, turns_of(conversation_id), {"message": "Hello"}, **key)
    assert (pieces, again["turn_id"]) == (text, turn["turn_id"])
    assert len(service.standin.calls["answer"]) == 1


def test_an_erasure_takes_what_an_answer_that_was_being_told_still_wrote(service: ServiceUnderTest) -> None:
    alice, erased = service.client("alice"), threading.Event()
    say = Say("one two three four five", before_chunk=lambda number: number < 2 or erased.wait(60))
    service.standin.reply("answer", say)
    with streamed(alice, turns_of(begin(alice)), {"message": "Hello"}) as (_, events):
        assert next(events)[0] == "delta"
        accepted = ok(alice.delete("/v1/memory"), 202)
        assert ok(alice.get(accepted["status_url"]))["status"] == "running"
        erased.set()
        assert list(events)[-1][0] in ("turn", "error")
    assert eventually(lambda: ok(alice.get(accepted["status_url"]))["status"] == "complete")
    assert content_rows(service, "alice") == []


@pytest.mark.parametrize(
    "accept", [None, "*/*", "application/json", "text/event-stream;q=0.5, application/json"]
)
def test_who_does_not_ask_for_events_gets_json(service: ServiceUnderTest, accept: str | None) -> None:
    alice = service.client("alice")
    headers = {"Accept": accept} if accept else {}
    response = alice.post(turns_of(begin(alice)), json={"message": "Hello"}, headers=headers)
    assert fits(ok(response, 201), TURN)


def test_other_calls_answer_json_whatever_is_asked_for(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    ok(alice.post("/v1/conversations", json={}, headers=EVENTS), 201)
    ok(alice.get("/v1/facts", headers=EVENTS))


# The way in the cloud: an authorizer, a REST API's event, the client of the Runtime API, the same handler.


def test_in_the_cloud_the_same_user_gets_the_same_stream(service: ServiceUnderTest) -> None:
    alice, token = service.client("alice"), service.token("alice")
    conversation_id, route = begin(alice), "/v1/conversations/{conversation_id}/turns"
    published = {
        f"{ISSUER}/.well-known/openid-configuration": {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys"},
        f"{ISSUER}/keys": service.issuer.key_set(),
    }
    request = {
        "resource": route,
        "httpMethod": "POST",
        "multiValueHeaders": {
            "Authorization": [f"Bearer {token}"],
            "Accept": ["text/event-stream"],
            "Idempotency-Key": ["k1"],
        },
    }
    keys = IssuerKeys(ISSUER, fetch=published.__getitem__)
    authorize = build_authorizer(ISSUER, frozenset({AUDIENCE}), keys)
    arn = f"arn:aws:execute-api:eu-west-1:1:api/stream/POST{turns_of(conversation_id)}"
    decision = authorize(request | {"type": "REQUEST", "methodArn": arn}, None)
    body = json.dumps({"message": "How is the weather?"})
    event = request | {
        "path": turns_of(conversation_id),
        "pathParameters": {"conversation_id": conversation_id},
        "requestContext": {"authorizer": decision["context"]},
        "body": body,
        "isBase64Encoded": False,
    }
    taken = threading.Semaphore(0)
    say = Say("It rains in Porto.", before_chunk=lambda number: number < 2 or taken.acquire(timeout=60))
    service.standin.reply("answer", say)
    aws, handler = Lambda(), build_answer(service.runtime)
    running = threading.Thread(target=loop.serve, args=(RuntimeApi(aws.host), handler, {}), daemon=True)
    running.start()
    aws.invoke(event)
    sent = aws.accept()
    head = json.loads(sent.chunk()[:-8])
    assert head["statusCode"] == 201
    assert head["headers"]["Content-Type"] == "text/event-stream"
    assert head["headers"]["Memory-Epoch"] == "1"
    text = b""
    while chunk := sent.chunk():
        # The model makes its next word only now that this one is here.
        taken.release()
        text += chunk
    sent.trailers()
    sent.answer(202)
    running.join(60)
    aws.close()
    *pieces, (name, data) = reader.read(text.decode().splitlines())
    turn = json.loads(data)
    assert name == "turn"
    assert "".join(json.loads(piece)["text"] for _, piece in pieces) == turn["answer"] == "It rains in Porto."
    # Who came through one API is the same user at the other, and a key means the same request.
    assert [each["turn_id"] for each in stored_turns(alice, conversation_id)] == [turn["turn_id"]]
    headers = {"Idempotency-Key": "k1", "Content-Type": "application/json"}
    again = ok(alice.post(turns_of(conversation_id), content=body, headers=headers), 201)
    assert again["turn_id"] == turn["turn_id"]
