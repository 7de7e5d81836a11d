"""The service that wraps data keys is throttled, down, or refuses."""

from __future__ import annotations

import json
from typing import Any

from noted.errors import Unavailable
from tests.faults.world import FORGET_ALL, TELL, TURN, World
from tests.wrapping import MemoryWrapper


class Down(MemoryWrapper):
    """Gives and opens nothing."""

    def new(self, partition: str) -> tuple[bytes, bytes]:
        raise Unavailable("The key cannot be had at the moment.")

    def unwrap(self, wrapped: bytes, partition: str) -> bytes:
        raise Unavailable("The key cannot be had at the moment.")


def test_without_keys_nothing_is_written_in_plain_and_erasure_works(world: World) -> None:
    """F37"""
    conversation = world.begin()
    world.tell("Lives in Porto")
    healthy = world.wrapper
    world.forward(minutes=6)  # past what a container keeps of keys
    world.runtime.key_wrapper = Down()
    before = world.rows()
    requests: list[tuple[str, object, dict[str, Any]]] = [
        (TURN, {"message": "I like zanzibar"}, {"conversation_id": conversation}),
        (TELL, {"text": "Likes zanzibar", "kind": "fact"}, {}),
        ("GET /v1/facts", None, {}),
    ]
    for route, body, names in requests:
        response = world.ask(route, body, **names)
        assert (response.status, response.kind) == (503, "unavailable"), route
        assert int(response.headers["Retry-After"]) > 0
    assert world.rows() == before
    world.user = "bob"
    assert world.ask(TELL, {"text": "Likes zanzibar", "kind": "fact"}).status == 503
    world.user = "alice"
    erasure = world.ok(FORGET_ALL, status=202)
    for _ in range(3):
        world.run_erasures()
        world.forward(minutes=5)
    assert world.erased(erasure["erasure_id"])["status"] == "complete"
    everything = [*world.rows(), *world.rows("control"), *world.rows("keys"), *world.rows("verdicts")]
    assert "zanzibar" not in json.dumps(everything, default=repr)
    world.runtime.key_wrapper = healthy
    world.tell("Has a cat")
    assert world.texts() == ["Has a cat"]
