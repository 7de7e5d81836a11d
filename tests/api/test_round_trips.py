"""What a turn asks of the tables before the model is called."""

from __future__ import annotations

import threading
from typing import Any

from tests.standin import Call

from .conftest import ServiceUnderTest
from .helpers import begin, tell


def test_a_turn_makes_at_most_four_round_trips_before_the_model_call(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto")
    conversation = begin(alice)
    made: list[str] = []
    before_the_model: list[list[str]] = []

    def count(event_name: str, **_: Any) -> None:
        # The sweeps run on threads of their own; what is remembered is looked for on one beside the call.
        if threading.current_thread().name.startswith(("function", "recall")):
            made.append(event_name.rpartition(".")[2])

    def answer(_: Call) -> str:
        before_the_model.append(list(made))
        return "In Porto."

    service.standin.reply("answer", answer)
    service.queue.drain()
    service.runtime.dynamodb.meta.events.register("before-send.dynamodb", count)
    alice.post(
        f"/v1/conversations/{conversation}/turns",
        json={"message": "Where do I live?"},
        headers={"Idempotency-Key": "a-key"},
    ).raise_for_status()
    # A place in the write order, the claim of the key, the conversation with its window, the facts.
    assert before_the_model == [["UpdateItem", "PutItem", "Query", "Query"]]
