"""What a turn asks of the tables before the model is called."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.standin import Call

from .conftest import ServiceUnderTest
from .helpers import begin, ok, say, tell

if TYPE_CHECKING:
    import httpx


def before_the_model(service: ServiceUnderTest, client: httpx.Client, conversation: str) -> list[str]:
    """The operations of a turn up to the call of the model."""
    made: list[str] = []
    found: list[list[str]] = []

    def count(event_name: str, **_: Any) -> None:
        # The sweeps run on threads of their own; what is remembered is looked for on one beside the call.
        if threading.current_thread().name.startswith(("function", "recall")):
            made.append(event_name.rpartition(".")[2])

    def answer(_: Call) -> str:
        found.append(list(made))
        return "In Porto."

    service.standin.reply("answer", answer)
    service.queue.drain()
    events = service.runtime.dynamodb.meta.events
    events.register("before-send.dynamodb", count)
    try:
        client.post(
            f"/v1/conversations/{conversation}/turns",
            json={"message": "Where do I live?", "remember": False},
            headers={"Idempotency-Key": "a-key"},
        ).raise_for_status()
    finally:
        events.unregister("before-send.dynamodb", count)
    [operations] = found
    return operations


def test_a_turn_makes_at_most_four_round_trips_before_the_model_call(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto")
    # A place in the write order, the claim of the key, the conversation with its window, the facts.
    wanted = ["UpdateItem", "PutItem", "Query", "Query"]
    assert before_the_model(service, alice, begin(alice)) == wanted


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_with_many_facts_it_makes_no_more(service: ServiceUnderTest, turns: int) -> None:
    alice = service.client("alice")
    batch = [{"text": f"Owns boat {number}", "kind": "fact"} for number in range(100)]
    ok(alice.post("/v1/facts:batch", json={"facts": batch}))
    conversation = begin(alice)
    for _ in range(turns):
        say(alice, conversation, "Hello", remember=False)
    # The index was opened when the conversation began; of the snapshot the first turn reads the facts, and
    # every other one the copy that it made.
    wanted = ["UpdateItem", "PutItem", "Query", "BatchGetItem"]
    assert before_the_model(service, alice, conversation) == wanted
