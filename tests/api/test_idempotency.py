"""`Idempotency-Key`: the same request sent again is answered again and done once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    begin,
    facts,
    held,
    ok,
    pages,
    problem,
    record,
    rows,
    say,
    stored_turns,
    turns_of,
    wrong_fields,
)
from tests.api.requests import BODIES, one_of_each, routes, send

KEY = "4f6d8c1a-0001"


def test_the_same_request_is_answered_the_same_and_done_once(service: ServiceUnderTest) -> None:
    ids = one_of_each(service, "alice")
    alice = service.client("alice")
    for number, route in enumerate(routes("memory:write", "POST")):
        key = f"{KEY}-{number}"
        first = send(alice, route, ids, **{"Idempotency-Key": key})
        assert first.is_success, first.text
        service.queue.drain()
        stored = rows(service, "alice")
        calls = {purpose: len(made) for purpose, made in service.standin.calls.items()}
        again = send(alice, route, ids, **{"Idempotency-Key": key})
        assert (again.status_code, again.json()) == (first.status_code, first.json())
        service.queue.drain()
        assert {purpose: len(made) for purpose, made in service.standin.calls.items()} == calls
        # Nothing but the user's place in their write order has moved.
        moved = [row for row in rows(service, "alice") if row not in stored]
        assert [row["sk"]["S"] for row in moved] == ["META"]


def test_without_a_key_everything_is_done_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    first, second = say(alice, conversation, "Hello"), say(alice, conversation, "Hello")
    assert first["turn_id"] != second["turn_id"]
    assert len(stored_turns(alice, conversation)) == 2


def test_the_same_key_with_another_request_is_422(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation, other = begin(alice), begin(alice)
    headers = {"Idempotency-Key": KEY}
    body = {"message": "Hello", "remember": False}
    turn = ok(alice.post(turns_of(conversation), json=body, headers=headers), 201)
    for address, changed in (
        (turns_of(conversation), body | {"message": "Good night"}),
        (turns_of(conversation), body | {"remember": True}),
        (turns_of(other), body),
        (turns_of(conversation) + ":record", {"user": "Hello", "assistant": "Hi"}),
        ("/v1/facts", {"text": "Has a cat", "kind": "fact"}),
        ("/v1/conversations", {}),
    ):
        response = alice.post(address, json=changed, headers=headers)
        assert wrong_fields(response) == {"Idempotency-Key"}, address
    assert stored_turns(alice, conversation) == [turn]
    assert stored_turns(alice, other) == []
    assert facts(alice) == []
    assert len(pages(alice, "/v1/conversations")) == 2


def test_requests_with_the_same_key_at_the_same_time_do_the_work_once(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)

    def attempt(_: int) -> tuple[int, str]:
        response = alice.post(
            turns_of(conversation),
            json={"message": "Hello", "remember": False},
            headers={"Idempotency-Key": KEY},
        )
        if response.status_code == 409:
            problem(response, 409, "conflict")
            assert int(response.headers["retry-after"]) > 0
            return 409, ""
        return response.status_code, ok(response, 201)["turn_id"]

    with ThreadPoolExecutor(6) as pool, held(service.standin, "answer", "Hi") as answer:
        first = pool.submit(attempt, 0)
        answer.wait_for_call()
        # While one is being answered, the others are told to come back.
        assert list(pool.map(attempt, range(5))) == [(409, "")] * 5
        answer.release()
        done = first.result()
        assert done[0] == 201
        assert set(pool.map(attempt, range(6))) == {done}
    assert len(service.standin.calls["answer"]) == 1
    assert [turn["turn_id"] for turn in stored_turns(alice, conversation)] == [done[1]]


def test_a_race_for_a_key_has_one_winner(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    headers = {"Idempotency-Key": KEY}
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(
                lambda _: alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers=headers), range(8)
            )
        )
    told = {answer.json()["fact_id"] for answer in answers if answer.status_code == 201}
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert [fact["fact_id"] for fact in facts(alice)] == [*told]


def test_after_a_failure_the_key_can_be_used_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    headers = {"Idempotency-Key": KEY}
    service.standin.reply("answer", 500, 500, "Hi")
    body = {"message": "Hello", "remember": False}
    problem(alice.post(turns_of(conversation), json=body, headers=headers), 503, "unavailable")
    # It stays with the request that it was first sent with.
    changed = alice.post(turns_of(conversation), json=body | {"message": "Good night"}, headers=headers)
    assert wrong_fields(changed) == {"Idempotency-Key"}
    turn = ok(alice.post(turns_of(conversation), json=body, headers=headers), 201)
    assert turn["answer"] == "Hi"
    assert ok(alice.post(turns_of(conversation), json=body, headers=headers), 201) == turn
    assert stored_turns(alice, conversation) == [turn]


def test_a_request_that_was_refused_uses_up_no_key(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    headers = {"Idempotency-Key": KEY}
    for wrong in ({"text": "Is it far?", "kind": "fact"}, {"text": ""}):
        assert alice.post("/v1/facts", json=wrong, headers=headers).status_code == 422
    fact = ok(alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers=headers), 201)
    assert facts(alice) == [fact]


def test_a_key_belongs_to_its_user(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    headers = {"Idempotency-Key": KEY}
    hers = ok(alice.post("/v1/facts", json={"text": "Has a cat", "kind": "fact"}, headers=headers), 201)
    his = ok(bob.post("/v1/facts", json={"text": "Has a dog", "kind": "fact"}, headers=headers), 201)
    assert facts(alice) == [hers]
    assert facts(bob) == [his]
    same = ok(bob.post("/v1/facts", json={"text": "Has a dog", "kind": "fact"}, headers=headers), 201)
    assert same == his


def test_a_key_is_forgotten_with_everything_else(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    headers = {"Idempotency-Key": KEY}
    ok(alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers=headers), 201)
    ok(alice.delete("/v1/memory"), 202)
    fact = ok(alice.post("/v1/facts", json={"text": "Has a dog", "kind": "fact"}, headers=headers), 201)
    assert facts(alice) == [fact]


def test_a_key_is_good_for_24_hours(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    record(alice, conversation, "Hello", remember=False)
    ok(alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers={"Idempotency-Key": KEY}), 201)
    [mark] = [row for row in rows(service, "alice") if row["sk"]["S"].startswith("IDEM#")]
    now = service.runtime.clock.now().timestamp()
    assert 0 <= int(mark["expires_at"]["N"]) - now - 24 * 3600 + 60 <= 61
    assert KEY not in str(mark)  # a key is whatever a client thought of


def test_a_key_is_1_to_255_printable_characters(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    for key in ("", "two words", "x" * 256, "tab\there"):
        response = alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers={"Idempotency-Key": key})
        assert wrong_fields(response) == {"Idempotency-Key"}
    assert facts(alice) == []
    long = {"Idempotency-Key": "x" * 255}
    fact = ok(alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers=long), 201)
    assert ok(alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers=long), 201) == fact
