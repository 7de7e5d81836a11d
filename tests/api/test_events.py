"""Answers as server-sent events, over HTTP: pieces as the model writes them, then the turn."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from noted.conversation import replies
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    TURN,
    Json,
    begin,
    eventually,
    fits,
    problem,
    saved,
    say,
    stored_turns,
    tell,
    texts,
    turns_of,
)
from tests.standin.replies import Say

EVENTS = {"Accept": "text/event-stream"}
PHONE = "+44 20 7946 0958"


@contextmanager
def streaming(
    client: httpx.Client, path: str, body: Json, **headers: str
) -> Iterator[Iterator[tuple[str, Json]]]:
    """The events of a call, as they arrive."""
    with client.stream("POST", path, json=body, headers={**EVENTS, **headers}) as response:
        assert response.status_code == 201, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["memory-epoch"] == "1"

        def events() -> Iterator[tuple[str, Json]]:
            name = ""
            for line in response.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))

        yield events()


def streamed(client: httpx.Client, path: str, body: Json, **headers: str) -> list[tuple[str, Json]]:
    """All events of a call."""
    with streaming(client, path, body, **headers) as events:
        return list(events)


def told(events: list[tuple[str, Json]]) -> str:
    """The pieces of an answer, joined."""
    return "".join(data["text"] for name, data in events if name == "delta")


def test_pieces_come_while_the_model_is_still_writing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    go_on = threading.Event()

    def wait(chunk: int) -> None:
        if chunk == 2:
            assert go_on.wait(30)

    service.standin.reply("answer", Say("Take an umbrella along.", before_chunk=wait))
    with streaming(alice, turns_of(conversation), {"message": "It rains"}) as events:
        first = [next(events), next(events)]
        go_on.set()
        rest = list(events)
    assert [name for name, _ in first] == ["delta", "delta"]
    assert told([*first, *rest]) == "Take an umbrella along."
    assert [name for name, _ in rest if name != "delta"] == ["turn"]
    turn = rest[-1][1]
    assert fits(turn, TURN)
    assert turn["answer"] == "Take an umbrella along."
    assert stored_turns(alice, conversation) == [turn]
    assert turn["usage"]["model_calls"] == 1
    assert turn["usage"]["output_tokens"] > 0


def test_a_token_cut_anywhere_reaches_the_user_whole(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    answer = "Call <PHONE_A>, 3 < 4 [sic]."
    for cut in range(1, len(answer)):
        service.standin.reply("answer", Say(answer, split=[cut]))
        events = streamed(alice, turns_of(begin(alice)), {"message": f"I am at {PHONE}", "remember": False})
        assert told(events) == f"Call {PHONE}, 3 < 4 [sic]."
        assert events[-1][1]["answer"] == told(events)
        for name, data in events[:-1]:
            assert name == "delta"
            assert "<P" not in data["text"]


def test_a_fixed_reply_is_one_piece_and_comes_when_it_is_true(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    service.standin.reply("extraction", service.standin.facts("Lives in Porto", quote="I live in Porto"))
    events = streamed(alice, turns_of(begin(alice)), {"message": "Remember that I live in Porto"})
    assert [name for name, _ in events] == ["delta", "turn"]
    assert told(events) == replies.NOTED
    assert texts(saved(alice, events[-1][1])["facts"]) == ["Lives in Porto"]


def test_the_recollection_comes_checked(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto")
    service.standin.reply("recollection", "You live at number 17.")
    events = streamed(alice, turns_of(begin(alice)), {"message": "What did I tell you?"})
    assert [name for name, _ in events] == ["delta", "turn"]
    assert told(events).endswith("- Lives in Porto")


def test_the_same_key_tells_the_same_answer_and_does_nothing_twice(
    service: ServiceUnderTest,
) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "First.", "Second.")
    key = {"Idempotency-Key": "k"}
    one, two = (
        streamed(alice, turns_of(conversation), {"message": f"My phone is {PHONE}"}, **key) for _ in range(2)
    )
    assert told(one) == told(two) == "First."
    assert one[-1] == two[-1]
    assert len(stored_turns(alice, conversation)) == 1


def test_what_is_wrong_before_the_first_piece_has_its_status(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    problem(alice.post(turns_of(conversation), json={"message": " "}, headers=EVENTS), 422, "invalid")
    gone = turns_of("cv_" + "0" * 26)
    problem(alice.post(gone, json={"message": "Hi"}, headers=EVENTS), 404, "not-found")
    service.standin.reply("answer", 500)
    problem(alice.post(turns_of(conversation), json={"message": "Hi"}, headers=EVENTS), 503, "unavailable")
    assert stored_turns(alice, conversation) == []


def test_an_answer_that_breaks_off_ends_in_an_error_and_leaves_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", Say("One two three four", break_after=2), "Whole.")
    key = {"Idempotency-Key": "k"}
    events = streamed(alice, turns_of(conversation), {"message": "Count"}, **key)
    assert events[0][0] == "delta"
    assert [name for name, _ in events].count("error") == 1
    assert events[-1][0] == "error"
    assert events[-1][1]["status"] == 503
    assert stored_turns(alice, conversation) == []
    again = streamed(alice, turns_of(conversation), {"message": "Count"}, **key)
    assert told(again) == "Whole."
    assert len(stored_turns(alice, conversation)) == 1


def test_a_client_that_goes_away_finds_its_turn_later(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    go_on = threading.Event()

    def wait(chunk: int) -> None:
        if chunk == 1:
            assert go_on.wait(30)

    service.standin.reply("answer", Say("One two three four", before_chunk=wait))
    with streaming(service.client("alice"), turns_of(conversation), {"message": "Count"}) as events:
        next(events)
    go_on.set()
    [turn] = eventually(lambda: stored_turns(alice, conversation))
    assert turn["answer"] == "One two three four"


def test_a_retry_streams_too(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "Poor.", "Good enough.")
    turn = say(alice, conversation, "Hello")
    events = streamed(alice, turns_of(conversation) + ":retry", {})
    assert told(events) == "Good enough."
    assert events[-1][1]["turn_id"] == turn["turn_id"]


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/event-stream;q=0.1, application/json"])
def test_json_is_for_those_who_do_not_ask_for_events(service: ServiceUnderTest, accept: str) -> None:
    alice = service.client("alice")
    reply = alice.post(turns_of(begin(alice)), json={"message": "Hi"}, headers={"Accept": accept})
    assert reply.headers["content-type"] == "application/json"
