"""The queue delivers twice, late, out of order, to two workers at once, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from noted.errors import Unavailable
from tests.faults.injection import WRITES
from tests.faults.world import FORGET_ALL, FORGET_CONVERSATION, RECORD, Context, World, extracted
from tests.standin.replies import extraction_item


def learnt_turn(world: World, message: str = "I like jazz") -> dict[str, object]:
    """A turn whose message waits in the queue."""
    return world.say(world.begin(), message)


def _content(world: World) -> list[dict[str, object]]:
    """All rows, but for the names of the writes that last touched them."""
    return [{name: value for name, value in row.items() if name != "written"} for row in world.rows()]


def test_a_second_delivery_changes_nothing(world: World) -> None:
    """F21"""
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    learnt_turn(world)
    messages = list(world.sent)
    assert world.deliver() == []
    before = _content(world)
    world.bedrock.reply("extraction", extracted(("Is a jazz fan", "I like jazz")))
    assert world.deliver(messages, receive=2) == []
    assert world.deliver(messages * 3, receive=3) == []
    assert _content(world) == before
    assert world.bedrock.calls["extraction"] == 1


def test_the_later_turn_wins_whatever_came_first(world: World) -> None:
    """F23"""
    conversation = world.begin()
    for message in ("I live in Porto", "I live in Braga"):
        world.say(conversation, message)
    first, second = world.sent
    world.bedrock.reply(
        "extraction",
        {"facts": [extraction_item("Lives in Braga", "I live in Braga", profile_field="home_town")]},
        {"facts": [extraction_item("Lives in Porto", "I live in Porto", profile_field="home_town")]},
    )
    assert world.deliver([second]) == []
    assert world.deliver([first]) == []
    assert world.texts() == ["Lives in Braga"]


def test_a_poison_message_fails_alone(world: World) -> None:
    """F24"""
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    turns = [learnt_turn(world) for _ in range(9)]
    poison = json.dumps({"v": 1, "o": "my name is Alice"})
    batch = [*world.sent[:4], poison, *world.sent[4:]]
    for receive in (1, 2, 3):
        assert world.deliver(batch, receive=receive) == [poison]
    assert all(world.saved(turn)["status"] == "done" for turn in turns)
    assert world.bedrock.calls["extraction"] == 9


def test_two_workers_with_one_message_make_one_set_of_facts(world: World) -> None:
    """F25: the second begins while the first is between its model call and its commit."""
    learnt_turn(world)
    messages = list(world.sent)

    def overtaken() -> dict[str, object]:
        world.bedrock.reply("extraction", extracted(("Is a jazz fan", "I like jazz")))
        assert world.deliver(messages, receive=2) == []
        return extracted(("Likes jazz", "I like jazz"))

    world.bedrock.reply("extraction", overtaken)
    assert world.deliver() == []
    assert world.texts("all") == ["Is a jazz fan"]
    assert world.bedrock.calls["extraction"] == 2


def test_a_turn_is_acknowledged_while_the_queue_is_down(world: World) -> None:
    """F27"""
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    world.queue_is_down = True
    conversation = world.begin()
    said = world.say(conversation, "I like jazz")
    recorded = world.ok(
        RECORD, {"user": "I like jazz", "assistant": "Yes"}, 201, conversation_id=conversation
    )
    assert (said["memory"], recorded["memory"]) == ("queued", "queued")
    assert world.saved(said)["status"] == "pending"
    world.queue_is_down = False
    world.forward(minutes=3)
    assert world.sweep() == 2
    assert world.deliver() == []
    assert world.saved(said)["status"] == "done"
    assert world.texts() == ["Likes jazz"]


def test_an_erasure_between_the_model_and_the_commit_cancels_the_commit(world: World) -> None:
    """F35"""
    for forget in ("everything", "conversation"):
        world.user = forget
        turn = learnt_turn(world)
        names: dict[str, Any] = (
            {"conversation_id": str(turn["conversation_id"])} if forget == "conversation" else {}
        )
        route = FORGET_CONVERSATION if names else FORGET_ALL

        def erased(route: str = route, names: dict[str, Any] = names) -> dict[str, object]:
            world.ok(route, status=202, **names)
            return extracted(("Likes jazz", "I like jazz"))

        world.bedrock.reply("extraction", erased)
        # Worked off, not given back: there is nothing that another try could do.
        assert world.deliver() == []
        assert world.texts("all") == []
        for _ in range(3):
            world.run_erasures()
            world.forward(minutes=5)
        assert not [row for row in world.rows() if row["sk"]["S"].startswith(("FACT#", "EXT#", "THREAD#"))]


def test_an_answer_that_an_erasure_overtook_is_not_told(world: World) -> None:
    """F35, for a turn: what was recalled before the erasure is not in an answer after it."""
    conversation = world.begin()
    world.tell("Lives in Porto")

    def erased() -> str:
        world.ok(FORGET_ALL, status=202)
        return "You live in Porto."

    world.bedrock.reply("answer", erased)
    response = world.ask(
        "POST /v1/conversations/{conversation_id}/turns",
        {"message": "Where do I live?"},
        conversation_id=conversation,
    )
    assert (response.status, response.kind) == (409, "epoch-changed")
    assert "Porto" not in response.text
    for _ in range(3):
        world.run_erasures()
        world.forward(minutes=5)
    assert world.rows() == []


def test_work_that_was_queued_before_an_erasure_is_left_alone(world: World) -> None:
    learnt_turn(world)
    messages = list(world.sent)
    world.ok(FORGET_ALL, status=202)
    writes = world.faults.counted(WRITES)
    assert world.deliver(messages * 2, receive=2) == []
    assert (world.faults.counted(WRITES), world.bedrock.calls["extraction"]) == (writes, 0)


def test_a_worker_gives_back_what_it_has_no_time_for(world: World) -> None:
    """The first message is worked off; then five seconds are left."""
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    turns = [learnt_turn(world) for _ in range(3)]
    messages = list(world.sent)
    assert world.deliver(context=Context(5_500)) == messages
    assert world.bedrock.calls["extraction"] == 0
    assert world.deliver(messages, receive=2, context=Context(60_000)) == []
    assert all(world.saved(turn)["status"] == "done" for turn in turns)


def test_a_pass_ends_with_its_time_and_the_next_one_goes_on(world: World) -> None:
    world.queue_is_down = True
    for _ in range(3):
        learnt_turn(world)
    world.queue_is_down = False
    world.forward(minutes=3)
    extraction = world.handler("extraction")
    # Past its deadline the database is asked for nothing, whatever loop it stands in.
    asked = len(world.faults.seen)
    for work in ("sweep-outbox", "sweep-episodes", "reindex"):
        with pytest.raises(Unavailable):
            extraction({"noted": work}, Context(900))
    assert len(world.faults.seen) == asked
    assert world.sweep() == 3
