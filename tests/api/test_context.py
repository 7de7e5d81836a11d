"""The prompt for a message, for clients that call a model themselves."""

from __future__ import annotations

from typing import Any

import httpx

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    FACT,
    LEAD,
    Json,
    begin,
    fits,
    judge,
    ok,
    problem,
    record,
    said_to,
    say,
    stored_turns,
    tell,
    texts,
    wrong_fields,
)

CONTEXT = {
    "system": [str],
    "messages": [{"role": ("user", "assistant"), "content": str}],
    "cache_points": [{"within": ("system", "messages"), "index": int}],
    "recalled": [FACT],
    "tokens": {"system": int, "history": int, "message": int, "total": int, "budget": int},
    "placeholders": dict,
    "degraded": [str],
}


def context(client: httpx.Client, conversation_id: str, message: str, **fields: object) -> Json:
    """The context for a message."""
    body = {"message": message, **fields}
    return ok(client.post(f"/v1/conversations/{conversation_id}/context", json=body))


def test_it_is_laid_out_as_the_prompt_of_an_answer(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto")
    conversation = begin(alice, timezone="Europe/Lisbon")
    tell(alice, "Has a cat called Miso")
    record(alice, conversation, "Hello", "Hi")
    given = context(alice, conversation, "What is my cat called?")
    assert fits(given, CONTEXT | {"placeholders": {}})
    say(alice, conversation, "What is my cat called?")
    said = said_to(service.standin.calls["answer"])
    assert "\n\n".join(given["system"]) == said["system"]
    assert [message["content"] for message in given["messages"][:-1]] == ["Hello", "Hi"]
    assert given["messages"][-1] == {"role": "user", "content": said["user"]}
    assert texts(given["recalled"]) == ["Has a cat called Miso", "Lives in Porto"]
    assert given["cache_points"] == [
        {"within": "system", "index": 0},
        {"within": "system", "index": 1},
        {"within": "messages", "index": 1},
    ]


def test_it_stores_nothing_and_calls_no_model(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    context(alice, conversation, "I live in Porto")
    service.queue.drain()
    assert stored_turns(alice, conversation) == []
    assert {purpose for purpose, calls in service.standin.calls.items() if calls} <= {"embedding"}


def test_personal_values_are_masked_and_told_beside(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Mother is reached at +44 20 7946 0958")
    conversation = begin(alice)
    given = context(alice, conversation, "Is +33 1 42 68 53 00 my mother?")
    assert given["placeholders"] == {"<PHONE_A>": "+44 20 7946 0958", "<PHONE_B>": "+33 1 42 68 53 00"}
    assert given["system"][-1].splitlines() == [LEAD, "- Mother is reached at <PHONE_A>"]
    assert given["messages"][-1]["content"].endswith("Is <PHONE_B> my mother?")


def test_the_budget_leaves_out_the_oldest_turns_and_keeps_the_rest_in_order(
    service: ServiceUnderTest,
) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    for number in range(8):
        record(alice, conversation, f"Message {number} " + "word " * 300, f"Answer {number}")
    whole = context(alice, conversation, "And now?")
    assert len(whole["messages"]) == 17
    assert whole["degraded"] == []
    cut = context(alice, conversation, "And now?", budget_tokens=2000)
    assert cut["tokens"]["total"] <= cut["tokens"]["budget"] == 2000
    assert cut["tokens"]["total"] == sum(cut["tokens"][part] for part in ("system", "history", "message"))
    assert 1 < len(cut["messages"]) < 17
    assert cut["messages"][0]["role"] == "user"
    assert cut["messages"][:-1] == whole["messages"][-len(cut["messages"]) : -1]
    assert cut["degraded"] == ["history"]


def test_a_history_of_nothing_but_placeholders_is_laid_out_at_once(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    for _ in range(4):
        record(alice, conversation, "Who was that?", "<PERSON_A> " * 1400, remember=False)
    given = context(alice, conversation, "And now?", budget_tokens=20_000)
    assert given["tokens"]["total"] <= 20_000
    assert "[earlier PERSON_A]" in given["messages"][1]["content"]


def test_a_message_over_the_budget_is_refused(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    path = f"/v1/conversations/{conversation}/context"
    long = {"message": "word " * 1000, "budget_tokens": 600}
    assert wrong_fields(alice.post(path, json=long)) == {"budget_tokens"}
    for budget in (0, -1, 499, 200_001, "8000", 8000.5, None):
        assert wrong_fields(alice.post(path, json={"message": "Hi", "budget_tokens": budget})) == {
            "budget_tokens"
        }
    assert wrong_fields(alice.post(path, json={"message": " "})) == {"message"}


def test_it_is_the_users_own(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    conversation = begin(alice)
    problem(bob.post(f"/v1/conversations/{conversation}/context", json={"message": "Hi"}), 404, "not-found")


def test_an_incognito_conversation_is_told_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto")
    given = context(alice, begin(alice, incognito=True), "Where do I live?")
    assert given["recalled"] == []
    assert "Porto" not in str(given)


def test_a_rejection_acts_at_once(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, "Lives in Porto")
    conversation = begin(alice)
    before: Any = context(alice, conversation, "Where do I live?")
    judge(alice, fact, "rejected")
    after = context(alice, conversation, "Where do I live?")
    assert "Porto" in str(before["system"])
    assert "Porto" not in str(after)
