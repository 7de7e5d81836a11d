"""What a client is told when something is wrong: a problem that names it, and nothing that a user said."""

from __future__ import annotations

import json
from http import HTTPMethod

import httpx

from noted.api.routes import READ, WRITE
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    Json,
    begin,
    facts,
    ok,
    problem,
    recall,
    record,
    rows,
    say,
    stored_turns,
    tell,
    texts,
    turns_of,
    wrong_fields,
)
from tests.api.requests import BODIES, EVERY_SCOPE, MISSING, one_of_each, routes, routes_with_ids, send
from tests.standin import Say

CANARY = "xylophone"


def post_raw(client: httpx.Client, address: str, content: bytes) -> httpx.Response:
    return client.post(address, content=content, headers={"Content-Type": "application/json"})


def test_every_route_that_takes_a_body_has_an_example_here() -> None:
    written = {
        (route.method, route.path)
        for scope in EVERY_SCOPE
        for route in routes(scope)
        if route.method in (HTTPMethod.POST, HTTPMethod.PATCH, HTTPMethod.PUT)
        # It says everything by its address.
        and not route.path.endswith((":retry", "/approvals"))
    }
    assert written == BODIES.keys()


def test_what_is_not_json_is_400(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    ids = one_of_each(service, "alice")
    before = rows(service, "alice")
    for route in [*routes(WRITE, "POST"), *routes(WRITE, "PATCH"), *routes(READ, "POST")]:
        for content in (
            b"{",
            b'{"message": "' + CANARY.encode(),
            b"{\"message\": 'xylophone'}",
            b"xylophone",
            b'{"message": "xylophone \xff"}',
            b'{"message": "xylophone \\ud800"}',
            b'{"message": "xylophone\n"}',
            b"[" * 100_000,
        ):
            response = alice.request(
                route.method,
                route.path.format(**ids),
                content=content,
                headers={"Content-Type": "application/json"},
            )
            problem(response, 400, "malformed")
            assert CANARY not in response.text
    assert len(rows(service, "alice")) == len(before)


def test_json_that_is_no_object_is_refused(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    for content in (b"null", b"[]", b'"xylophone"', b"7", b"true"):
        response = post_raw(alice, "/v1/facts", content)
        assert wrong_fields(response) == {"body"}
        assert CANARY not in response.text


def test_text_is_unicode_in_any_script_and_comes_back_as_it_was_sent(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    for text in (
        "我在上海",
        "مرحبا",
        "e\u0301 is not \u00e9",
        "👩‍👩‍👧‍👦",
        "a\u0000b\u001b[2J",
        "\U0010ffff \ufeff",
        '"\\</b>',
    ):
        assert say(alice, conversation, text, remember=False)["message"] == text
        body = json.dumps({"message": text, "remember": False}, ensure_ascii=False).encode()
        assert ok(post_raw(alice, turns_of(conversation), body), 201)["message"] == text


def test_a_message_has_1_to_16000_characters(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    turns, recorded = turns_of(conversation), turns_of(conversation) + ":record"
    for message in ("", " \n", "x" * 16_001, "😀" * 16_001, None, 7, ["Hello"]):
        assert wrong_fields(alice.post(turns, json={"message": message})) == {"message"}
        body = {"user": message, "assistant": "ok"}
        assert wrong_fields(alice.post(recorded, json=body)) == {"user"}
        body = {"user": "Hello", "assistant": message}
        if message not in ("", " \n"):  # a system may have answered nothing
            assert wrong_fields(alice.post(recorded, json=body)) == {"assistant"}
    assert stored_turns(alice, conversation) == []
    longest = "😀" * 16_000
    assert say(alice, conversation, longest, remember=False)["message"] == longest
    assert record(alice, conversation, longest, longest, remember=False)["answer"] == longest


def test_a_turn_has_these_fields_and_no_others(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    wrong: list[tuple[str, object, str]] = [
        ("pasted", "a mail", "pasted"),
        ("pasted", [1], "pasted.0"),
        ("pasted", [""] * 21, "pasted"),
        ("remember", "no", "remember"),
        ("remember", None, "remember"),
        ("user_id", "bob", "user_id"),
        ("at", "2026-01-01T00:00:00Z", "at"),
    ]
    for field, value, named in wrong:
        response = alice.post(turns_of(conversation), json={"message": "Hello", field: value})
        assert wrong_fields(response) == {named}
    assert service.standin.calls["answer"] == []
    assert stored_turns(alice, conversation) == []


def test_a_problem_says_nothing_of_what_was_sent(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    fact = tell(alice, "Lives in Porto")
    said = f"My {CANARY}"
    answers = [
        alice.post(turns_of(conversation), json={"message": f"{said} " + "x" * 16_000}),
        alice.post(turns_of(conversation), json={"message": [said]}),
        alice.post(turns_of(conversation), json={"message": "Hello", "pasted": said}),
        alice.post("/v1/facts", json={"text": f"Is it a {CANARY}?", "kind": "fact"}),
        alice.post("/v1/facts", json={"text": "Has a cat", "kind": said, "category": said}),
        alice.post("/v1/facts", json={"text": "Has a cat", "kind": "fact", "created_at": said}),
        alice.post("/v1/facts:batch", json={"facts": said}),
        alice.patch(f"/v1/facts/{fact['fact_id']}", json={"text": f"Is it a {CANARY}?"}),
        alice.post(f"/v1/facts/{fact['fact_id']}/verdicts", json={"verdict": said}),
        alice.post("/v1/recall", json={"query": [said]}),
        alice.post("/v1/recall", json={"query": "Porto", "since": said, "kinds": [said]}),
        alice.post("/v1/conversations", json={"timezone": said}),
        alice.get("/v1/facts", params={"status": said}),
        alice.get("/v1/facts", params={"limit": said}),
        alice.get("/v1/facts", params={"cursor": said}),
        alice.get(f"/v1/facts/{CANARY}"),
        alice.get(f"/{CANARY}"),
        alice.put(f"/v1/facts/{CANARY}"),
        alice.get("/v1/facts", headers={"Authorization": f"Bearer {CANARY}"}),
        alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers={"Idempotency-Key": said}),
        alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers={"If-Memory-Epoch": said}),
    ]
    for answer in answers:
        assert answer.is_client_error, answer.text
        assert CANARY not in answer.text
        assert CANARY not in str(answer.headers)
    batch = alice.post("/v1/facts:batch", json={"facts": [{"text": f"Is it a {CANARY}?", "kind": "fact"}]})
    assert "error" in ok(batch)["items"][0]
    assert CANARY not in batch.text


def test_a_cursor_is_good_for_its_own_user_and_query_alone(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    for client in (alice, bob):
        for number in range(3):
            tell(client, f"Owns book {number}")
        for _ in range(2):
            begin(client)
    conversation, other = begin(alice), begin(alice)
    for _ in range(2):
        record(alice, conversation, "Hello", remember=False)
        record(alice, other, "Hello", remember=False)

    def cursor(address: str, **query: str) -> str:
        given: str = ok(alice.get(address, params={"limit": 1, **query}))["next_cursor"]
        return given

    good = cursor("/v1/facts")
    ok(alice.get("/v1/facts", params={"cursor": good}))
    ok(alice.get("/v1/facts", params={"cursor": good, "limit": 100}))
    of_turns = cursor(turns_of(conversation))
    refused = [
        bob.get("/v1/facts", params={"cursor": good}),
        alice.get("/v1/facts", params={"cursor": good, "status": "all"}),
        alice.get("/v1/facts", params={"cursor": good, "kind": "fact"}),
        alice.get("/v1/facts", params={"cursor": good, "q": "book"}),
        alice.get("/v1/conversations", params={"cursor": good}),
        alice.get("/v1/facts", params={"cursor": cursor("/v1/conversations")}),
        alice.get(turns_of(other), params={"cursor": of_turns}),
        *(
            alice.get("/v1/facts", params={"cursor": bent})
            for bent in (
                good[:-2],
                good + "AA",
                good[:20],
                good[:20] + ("A" if good[20] != "A" else "B") + good[21:],
                good[:20] + "!" + good[20:],
                "ft_0",
                "é",
                "=",
                "a" * 5000,
                "\0",
            )
        ),
    ]
    for response in refused:
        problem(response, 400, "malformed")
    alice.delete("/v1/memory")
    problem(alice.get("/v1/facts", params={"cursor": good}), 400, "malformed")


def test_a_call_without_a_good_token_is_401(service: ServiceUnderTest) -> None:
    stranger = service.client("alice")
    before = rows(service)
    good = stranger.headers.pop("Authorization")
    for token in (None, "Bearer", "Bearer x.y.z", good.replace("Bearer", "Basic"), good[:-4] + "AAAA"):
        headers = {} if token is None else {"Authorization": token}
        for scope in EVERY_SCOPE:
            for route in routes(scope):
                problem(send(stranger, route, MISSING, **headers), 401, "unauthenticated")
    assert rows(service) == before


def test_a_call_without_its_scope_is_403_and_does_nothing(service: ServiceUnderTest) -> None:
    ids = one_of_each(service, "alice")
    before = rows(service, "alice")
    for scope in EVERY_SCOPE:
        others = [each for each in EVERY_SCOPE if each != scope]
        client = service.client("alice", others)
        for route in routes(scope):
            response = send(client, route, ids)
            problem(response, 403, "forbidden")
            # Not even whether it is there.
            assert send(client, route, MISSING).content == response.content
    assert rows(service, "alice") == before


def test_what_another_user_has_is_404_byte_for_byte_like_what_nobody_has(service: ServiceUnderTest) -> None:
    bobs = one_of_each(service, "bob")
    alice = service.client("alice", EVERY_SCOPE)
    own = one_of_each_but_request(service)
    theirs = rows(service, "bob")
    bent = dict.fromkeys(MISSING, "nope")
    for route in routes_with_ids():
        answers = {}
        for name, ids in (
            ("theirs", bobs),
            ("missing", MISSING),
            ("bent", bent),
            ("other kind", kinds_mixed(own)),
        ):
            response = send(alice, route, ids)
            problem(response, 404, "not-found")
            headers = {key: value for key, value in response.headers.items() if key != "date"}
            answers[name] = (response.content, headers)
        assert all(answer == answers["missing"] for answer in answers.values()), route
    # A turn of one's own in a conversation of another, and the other way round.
    for mixed in (own | {"turn_id": bobs["turn_id"]}, own | {"conversation_id": bobs["conversation_id"]}):
        address = "/v1/conversations/{conversation_id}/turns/{turn_id}/saved".format(**mixed)
        problem(alice.get(address), 404, "not-found")
    assert rows(service, "bob") == theirs


def one_of_each_but_request(service: ServiceUnderTest) -> dict[str, str]:
    """Alice's own; the compliance request is Bob's, who asked first."""
    alice = service.client("alice")
    conversation = begin(alice)
    turn = say(alice, conversation, "I live in Porto", remember=False)
    fact = tell(alice, "Lives in Porto")
    return MISSING | {
        "conversation_id": conversation,
        "turn_id": turn["turn_id"],
        "fact_id": fact["fact_id"],
    }


def kinds_mixed(own: dict[str, str]) -> dict[str, str]:
    """Ids that are there, each in the place of another kind."""
    return {
        "conversation_id": own["fact_id"],
        "turn_id": own["conversation_id"],
        "fact_id": own["turn_id"],
        "erasure_id": own["fact_id"],
        "subject_request_id": own["conversation_id"],
    }


def test_an_id_with_other_characters_reaches_no_other_row(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, "Lives in Porto")["fact_id"]
    for bent in (
        fact.lower(),
        f"{fact} ",
        f"{fact}%00",
        f"{fact}%23",
        "%2e%2e",
        fact.replace("ft_", "FT_"),
        "ft_%2a",
    ):
        problem(alice.get(f"/v1/facts/{bent}"), 404, "not-found")


def test_another_method_is_405_and_an_unknown_address_404(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    for method, address in (("PUT", "/v1/facts"), ("DELETE", "/v1/conversations"), ("GET", "/v1/memory")):
        response = alice.request(method, address)
        problem(response, 405, "method-not-allowed")
        assert method not in response.headers["allow"].split(", ")
    for address in ("/", "/v1", "/v2/facts", "/v1/facts/", "/v1/facts/a/b", "/v1/Facts"):
        problem(alice.get(address), 404, "not-found")


def test_a_body_over_256_kb_is_413_before_any_work(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    frame = len(json.dumps({"message": "Hello", "pasted": [""], "remember": False}))
    for address in (turns_of(conversation), "/v1/facts", "/v1/recall", "/v1/conversations"):
        response = post_raw(alice, address, b" " * (256 * 1024 + 1))
        problem(response, 413, "too-large")
    body = {"message": "Hello", "pasted": ["é" * (128 * 1024)], "remember": False}
    problem(
        post_raw(alice, turns_of(conversation), json.dumps(body, ensure_ascii=False).encode()),
        413,
        "too-large",
    )
    assert service.standin.calls["answer"] == []
    assert stored_turns(alice, conversation) == []
    largest = json.dumps(
        {"message": "Hello", "pasted": ["x" * (256 * 1024 - frame)], "remember": False}
    ).encode()
    assert len(largest) == 256 * 1024
    ok(post_raw(alice, turns_of(conversation), largest), 201)


def test_without_an_answer_the_turn_is_not_stored_and_can_be_sent_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    without_text = (Say(""), Say("  \n"), Say(None), Say(body="x"), Say(body={"choices": []}))
    for down in (500, 429, 400, Say(hang_up=True), *without_text):
        conversation = begin(alice)
        service.standin.calls.clear()
        service.standin.reply("answer", down)
        response = alice.post(turns_of(conversation), json={"message": "I live in Porto"})
        problem(response, 503, "unavailable")
        assert int(response.headers["retry-after"]) > 0
        assert len(service.standin.calls["answer"]) <= 2
        assert stored_turns(alice, conversation) == []
        service.queue.drain()
        assert service.standin.calls["extraction"] == []
        service.standin.reply("answer", "I see.")
        turn = say(alice, conversation, "I live in Porto")
        assert stored_turns(alice, conversation) == [turn]
        service.queue.drain()


def test_memory_works_while_the_model_is_down(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    for purpose in ("answer", "extraction", "recollection", "embedding"):
        service.standin.reply(purpose, 500)
    fact = tell(alice, "Lives in Porto")
    assert facts(alice) == [fact]
    assert texts(recall(alice, "Porto")["items"]) == ["Lives in Porto"]
    assert "Lives in Porto" in say(alice, conversation, "What did I tell you?")["answer"]
    record(alice, conversation, "I like jazz", remember=False)
    begin(alice)
    ok(alice.post(f"/v1/facts/{fact['fact_id']}/verdicts", json={"verdict": "rejected"}), 201)
    ok(alice.delete("/v1/memory"), 202)
    assert facts(alice, status="all") == []


def test_a_refusal_of_the_model_is_an_answer(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    for refusal in (Say("", finish_reason="content_filter"), Say(None, message={"refusal": "I cannot."})):
        service.standin.reply("answer", refusal)
        assert say(alice, conversation, "Hello")["answer"].strip()
    assert len(stored_turns(alice, conversation)) == 2


def test_every_answer_to_a_user_names_the_memory_epoch_and_is_kept_by_no_cache(
    service: ServiceUnderTest,
) -> None:
    ids = one_of_each(service, "alice")
    alice = service.client("alice", EVERY_SCOPE)
    for scope in EVERY_SCOPE:
        for route in routes(scope):
            if route.path == "/v1/memory":
                continue  # it raises the epoch
            for response in (send(alice, route, ids), send(alice, route, MISSING)):
                assert response.headers["memory-epoch"] == "1", (route, response.text)
                assert response.headers["cache-control"] == "no-store"
    assert ok(alice.get("/v1/facts")) is not None
    wrong: Json = {"unknown": 1}
    for route in routes(WRITE, "POST"):
        refused = alice.post(route.path.format(**ids), json=wrong)
        assert (refused.status_code, refused.headers["memory-epoch"]) in ((422, "1"), (404, "1"))


def test_health_and_the_description_of_the_interface_are_open_to_everyone(service: ServiceUnderTest) -> None:
    anyone = httpx.Client(base_url=service.url, trust_env=False)
    with anyone:
        health = anyone.get("/v1/health").json()
        assert health.keys() == {"status", "version"}
        assert health["status"] == "ok"
        assert anyone.get("/openapi.json").json()["openapi"] == "3.1.0"
    # What the service notes of its own tables may be there by now.
    assert [row for row in rows(service) if row["pk"]["S"] != "SERVICE"] == []
