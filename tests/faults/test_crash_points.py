"""A process dies right before or right after any of its writes, in every flow. Nothing it had begun is half
there: the client that asks again, the queue that delivers again, and the passes that find what was left
finish it once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.faults.flows import Flow, flows
from tests.faults.injection import WRITES, Killed
from tests.faults.world import FORGET_ALL, FORGET_CONVERSATION, FORGET_FACT, RECORD, World, extracted

_LEASE = 200


def killed(world: World, number: int, work: Callable[[], object]) -> bool:
    """Does work in a process that dies right behind its write with this number, which is right before the
    next one; False if it makes fewer. With 0 it dies before the first."""
    with world.faults.killing(WRITES, max(number, 1), applied=number > 0) as dead:
        try:
            work()
        except Killed:
            return True
    return bool(dead)


@pytest.mark.parametrize("flow", [flow for flow in flows() if flow.keyed], ids=lambda flow: flow.name)
def test_a_request_that_a_crash_cut_short_is_done_once_when_it_is_sent_again(
    world: World, flow: Flow
) -> None:
    number = 0
    while True:
        world.user = f"{flow.name}-{number}"
        flow.ready(world)
        if not killed(world, number, lambda: flow.send(world)):
            break
        # It may look as if it were still at work; after its lease it cannot be.
        assert flow.send(world).status in (flow.status, 409)
        world.forward(seconds=61)
        assert flow.send(world).status == flow.status
        assert flow.seen(world) == flow.expected, f"{flow.name}: write {number}"
        number += 1
    assert number > 2


@pytest.mark.parametrize("flow", [flow for flow in flows() if not flow.keyed], ids=lambda flow: flow.name)
def test_a_request_without_a_key_that_a_crash_cut_short_is_whole_or_not_there(
    world: World, flow: Flow
) -> None:
    number = 0
    while True:
        world.user = f"{flow.name}-{number}"
        flow.ready(world)
        before = flow.seen(world)
        if not killed(world, number, lambda: flow.send(world)):
            break
        assert flow.seen(world) in (before, flow.expected), f"{flow.name}: write {number}"
        # Asked for again it is done, or it was done before.
        # A fact that was erased or corrected is not there to be erased or corrected again.
        assert flow.send(world).status in (flow.status, 404, 422)
        assert flow.seen(world) == flow.expected
        number += 1
    assert number > 1


def test_a_turn_whose_message_was_never_sent_is_found_and_learnt_from(world: World) -> None:
    """F15: the process dies between the commit and the queue."""
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    conversation = world.begin()
    world.dies_at_queue = True
    with pytest.raises(Killed):
        world.ok(RECORD, {"user": "I like jazz", "assistant": "Yes"}, 201, conversation_id=conversation)
    world.dies_at_queue = False
    [turn] = world.turns(conversation)
    assert (world.sent, world.saved(turn)["status"]) == ([], "pending")
    assert world.sweep() == 0  # it could still be on its way
    world.forward(minutes=3)
    assert world.sweep() == 1
    assert world.deliver() == []
    assert (world.saved(turn)["status"], world.texts()) == ("done", ["Likes jazz"])


def test_an_extraction_that_dies_is_done_again_and_gives_one_set_of_facts(world: World) -> None:
    """F16: after the model's call, before or after each write of the commit."""
    world.bedrock.reply(
        "extraction",
        extracted(("Likes jazz", "I like jazz"), ("Has a cat", "I have a cat")),
        extracted(("Is fond of jazz", "I like jazz"), ("Has a cat", "I have a cat")),
    )
    number = 0
    while True:
        world.user = f"user-{number}"
        turn = world.say(world.begin(), "I like jazz and I have a cat. I like jazz! I have a cat")
        messages, called = list(world.sent), world.bedrock.calls["extraction"]
        if not killed(world, number, world.deliver):
            break
        assert world.deliver(messages, receive=2) == []
        assert world.saved(turn)["status"] == "done"
        assert len(world.texts("all")) == 2
        assert world.bedrock.calls["extraction"] - called <= 2
        # A third delivery finds it done.
        before = world.bedrock.calls["extraction"]
        assert world.deliver(messages, receive=3) == []
        assert (world.bedrock.calls["extraction"], len(world.texts("all"))) == (before, 2)
        number += 1
    assert number > 1


def _to_erase(world: World, scope: str) -> tuple[str, dict[str, Any]]:
    if scope == "fact":
        return FORGET_FACT, {"fact_id": world.tell("Likes jazz")["fact_id"]}
    conversation = world.begin()
    if scope == "everything":
        world.tell("Likes jazz")
        return FORGET_ALL, {}
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    world.ok(RECORD, {"user": "I like jazz", "assistant": "Yes"}, 201, conversation_id=conversation)
    world.deliver()
    return FORGET_CONVERSATION, {"conversation_id": conversation}


@pytest.mark.parametrize("scope", ["everything", "conversation", "fact"])
def test_an_erasure_that_dies_goes_on_where_it_was(world: World, scope: str) -> None:
    """F18: between any two writes, of the call and of the passes that follow."""
    number = 0
    while True:
        world.user = f"user-{number}"
        route, names = _to_erase(world, scope)

        def erase(route: str = route, names: dict[str, Any] = names) -> None:
            world.ask(route, **names)
            world.run_erasures()

        if not killed(world, number, erase):
            break
        # Asked for again it is accepted, or what was to be erased is there no more.
        assert world.ask(route, **names).status in (202, 404)
        if scope != "conversation":
            assert world.texts("all") == []
        for _ in range(3):
            world.forward(seconds=_LEASE)
            world.run_erasures()
        assert [row for row in world.rows("ledger") if row.get("status", {}).get("S") == "running"] == []
        told = f"{scope}: write {number}"
        assert world.texts("all") == [], told
        if scope == "everything":
            assert world.rows("memory") == [], told
            assert world.rows("keys") == [], told
        else:
            assert not [row for row in world.rows("memory") if row["sk"]["S"].startswith("FACT#")], told
        number += 1
    assert number > 3
