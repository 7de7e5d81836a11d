"""DynamoDB fails: it is throttled, down, contended, loses answers, gives part of what was asked for."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from noted.store.database import ConditionFailed, Database
from noted.store.writes import put
from tests.faults.flows import Flow, flows
from tests.faults.injection import READS, WRITES, to
from tests.faults.world import (
    BEGIN,
    CONVERSATION,
    FORGET_ALL,
    PREFIX,
    RECORD,
    TELL,
    TURN,
    World,
    extracted,
)

THROTTLED = "ProvisionedThroughputExceededException"
UNREAD = "cannot be read at this moment"
EVERY_FLOW = pytest.mark.parametrize("flow", flows(), ids=lambda flow: flow.name)
KEYED_FLOW = pytest.mark.parametrize(
    "flow", [flow for flow in flows() if flow.keyed], ids=lambda flow: flow.name
)


# F01


@EVERY_FLOW
def test_a_throttle_that_passes_is_ridden_out(world: World, flow: Flow) -> None:
    flow.ready(world)
    with world.faults.failing((*WRITES, *READS), THROTTLED, times=2) as throttled:
        assert flow.send(world).status == flow.status
    assert len(throttled) == 2
    assert flow.seen(world) == flow.expected


# F02


def test_an_answer_goes_on_without_the_memory_that_cannot_be_read(world: World) -> None:
    conversation = world.begin()
    world.tell("Lives in Porto")
    world.say(conversation, "Good morning")
    with world.faults.failing(["Query"], THROTTLED, wanted=to("memory")):
        turn = world.say(conversation, "Where do I live?")
    assert (turn["answer"], turn["recalled"]) == ("ok", [])
    assert turn["degraded"] == ["memory", "history"]
    prompt = world.bedrock.text_of("answer")
    assert UNREAD in prompt
    assert "Porto" not in prompt
    # Stored like any other, and the next one has everything again.
    again = world.say(conversation, "Good day again")
    assert again["degraded"] == []
    assert UNREAD not in world.bedrock.text_of("answer")
    assert [each["message"] for each in world.turns(conversation)] == [
        "Good morning",
        "Where do I live?",
        "Good day again",
    ]


def test_memory_that_is_down_is_not_asked_again_and_again(world: World) -> None:
    conversation = world.begin()
    world.tell("Lives in Porto")

    def asked() -> int:
        before = world.faults.counted(["Query"])
        assert "memory" in world.say(conversation, "Good day")["degraded"]
        return world.faults.counted(["Query"]) - before

    with world.faults.failing(["Query"], "InternalServerError", status=500, wanted=to("memory")):
        closed = [asked() for _ in range(5)]
        opened = asked()
    # What is left is the reading of the conversation itself, with the three tries of the client.
    assert all(each > opened for each in closed)
    assert opened == 3
    assert "memory" in world.say(conversation, "Good day")["degraded"]
    world.forward(seconds=30)
    assert world.say(conversation, "Good day")["degraded"] == []


def test_what_was_told_is_not_said_to_be_nothing_while_it_cannot_be_read(world: World) -> None:
    conversation = world.begin()
    world.tell("Lives in Porto")
    with world.faults.failing(["Query"], THROTTLED, wanted=to("memory")):
        asked = world.ask(TURN, {"message": "What did I tell you?"}, conversation_id=conversation)
        listed, found = world.ask("GET /v1/facts"), world.ask("POST /v1/recall", {"query": "home"})
    for response in (asked, listed, found):
        assert (response.status, response.kind) == (503, "unavailable")
        assert int(response.headers["Retry-After"]) > 0
    assert world.turns(conversation) == []


# F03


@KEYED_FLOW
@pytest.mark.parametrize("operation", ["PutItem", "TransactWriteItems"])
def test_a_write_that_fails_is_told_and_leaves_nothing_half_done(
    world: World, flow: Flow, operation: str
) -> None:
    flow.ready(world)
    before = flow.seen(world)
    with world.faults.failing([operation], "InternalServerError", status=500) as failed:
        response = flow.send(world)
    assert failed
    assert (response.status, response.kind) == (503, "unavailable")
    assert int(response.headers["Retry-After"]) > 0
    assert flow.seen(world) == before
    # The key was given back: the same request does the work, once.
    assert flow.send(world).status == flow.status
    assert flow.send(world).status == flow.status
    assert flow.seen(world) == flow.expected


def test_a_claim_that_could_not_be_given_back_ends_by_itself(world: World) -> None:
    conversation = world.begin()

    def say() -> int:
        return world.ask(TURN, {"message": "Good day"}, key="k", conversation_id=conversation).status

    with world.faults.failing(
        ["TransactWriteItems", "UpdateItem"], "InternalServerError", status=500, wanted=to("memory")
    ):
        assert say() == 503
    assert say() == 409
    world.forward(seconds=61)
    assert say() == 201
    assert len(world.turns(conversation)) == 1


# F04


@EVERY_FLOW
def test_a_write_whose_acknowledgement_was_lost_is_known_again(world: World, flow: Flow) -> None:
    number = 1
    while True:
        world.user = f"{flow.name}-{number}"
        flow.ready(world)
        with world.faults.losing_acknowledgements(WRITES, number=number) as lost:
            response = flow.send(world)
        if not lost:
            break
        told = f"{flow.name}: {lost[0].operation} {number} {sorted(lost[0].tables)}"
        assert response.status == flow.status, f"{told}: {response.text}"
        assert flow.seen(world) == flow.expected, told
        if flow.keyed:
            assert flow.send(world).body == response.body, told
        number += 1
    assert number > 1


def test_an_extraction_whose_acknowledgement_was_lost_is_made_once(world: World) -> None:
    world.bedrock.reply("extraction", extracted(("Likes jazz", "I like jazz")))
    number = 1
    while True:
        world.user = f"user-{number}"
        turn = world.say(world.begin(), "I like jazz")
        with world.faults.losing_acknowledgements(WRITES, number=number) as lost:
            assert world.deliver() == []
        if not lost:
            break
        assert (world.saved(turn)["status"], world.texts("all")) == ("done", ["Likes jazz"])
        number += 1
    assert number > 1


def test_a_place_in_the_order_that_was_lost_leaves_a_gap_and_nothing_else(world: World) -> None:
    conversation = world.begin()
    first = world.say(conversation, "One")
    with world.faults.losing_acknowledgements(["UpdateItem"], wanted=to("control")) as lost:
        second = world.say(conversation, "Two")
    assert lost
    assert [each["turn_id"] for each in world.turns(conversation)] == [first["turn_id"], second["turn_id"]]


@KEYED_FLOW
def test_an_answer_that_never_came_is_given_to_the_same_key(world: World, flow: Flow) -> None:
    """Every try of the commit is done or refused, and all their answers are lost."""
    flow.ready(world)
    seen: list[int] = []
    with world.faults.losing_acknowledgements(["TransactWriteItems"], times=99) as lost:
        seen.append(flow.send(world).status)
    assert lost
    assert seen == [503]
    if flow.send(world).status == 409:
        world.forward(seconds=61)
    assert flow.send(world).status == flow.status
    assert flow.seen(world) == flow.expected


# F06


@EVERY_FLOW
def test_a_transaction_that_others_held_up_is_tried_again(world: World, flow: Flow) -> None:
    flow.ready(world)
    with world.faults.failing(
        ["TransactWriteItems"],
        "TransactionCanceledException",
        times=4,
        reasons=["None", "TransactionConflict"],
    ) as cancelled:
        assert flow.send(world).status == flow.status
    assert flow.seen(world) == flow.expected
    if cancelled:
        assert len(world.slept) >= len(cancelled)
        assert all(0 <= pause <= 0.4 for pause in world.slept)


def test_a_transaction_is_tried_five_times_at_most(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "noted.metrics")
    conversation = world.begin()
    with world.faults.failing(
        ["TransactWriteItems"], "TransactionCanceledException", reasons=["TransactionConflict"]
    ) as cancelled:
        response = world.ask(TURN, {"message": "Good day"}, conversation_id=conversation)
    assert (response.status, response.headers["Retry-After"]) == (503, "1")
    assert len(cancelled) == 5
    assert sum(vars(each).get("WriteConflicts", 0) for each in caplog.records) == 5
    assert world.turns(conversation) == []


def test_a_condition_that_does_not_hold_is_not_tried_again(world: World) -> None:
    database = Database(world.client, PREFIX, world.clock)
    row = put("memory", {"pk": "o#u#g1", "sk": "X"})
    with (
        world.faults.failing(
            ["TransactWriteItems"],
            "TransactionCanceledException",
            reasons=["ConditionalCheckFailed", "TransactionConflict"],
        ) as cancelled,
        pytest.raises(ConditionFailed),
    ):
        database.transact([row, put("memory", {"pk": "o#u#g1", "sk": "Y"})])
    assert len(cancelled) == 1
    assert world.slept == []


# F07


def test_a_sweep_goes_on_until_nothing_is_left_unprocessed(world: World) -> None:
    world.tell_boats(30)
    erasure = world.ok(FORGET_ALL, status=202)
    with world.faults.left_unprocessed("BatchWriteItem") as given_back:
        world.run_erasures()
    assert sum(given_back) > 10
    assert world.erased(erasure["erasure_id"])["status"] == "complete"
    assert world.rows() == []


def test_a_sweep_that_leaves_a_remainder_is_never_complete(world: World) -> None:
    world.tell_boats(3)
    erasure = world.ok(FORGET_ALL, status=202)
    with world.faults.failing(["BatchWriteItem"], THROTTLED):
        world.run_erasures()
        assert world.erased(erasure["erasure_id"])["status"] == "running"
        world.forward(minutes=5)
        world.run_erasures()
    assert world.erased(erasure["erasure_id"])["status"] == "running"
    assert world.texts("all") == []
    world.forward(minutes=5)
    world.run_erasures()
    done = world.erased(erasure["erasure_id"])
    assert done["status"] == "complete"
    assert done["receipt"]["counts"]["memory"] >= 3
    assert world.rows() == []


def test_a_batch_of_reads_is_read_to_its_end(world: World) -> None:
    conversation = world.begin()
    world.tell_boats(80)
    with world.faults.left_unprocessed("BatchGetItem", times=3) as given_back:
        found = world.ok("POST /v1/recall", {"query": "boat", "limit": 10})
        turn = world.say(conversation, "Which boats?")
    assert len(given_back) == 3
    assert len(found["items"]) == 10
    assert turn["degraded"] == []


# F08


def test_every_page_is_read(world: World) -> None:
    conversation = world.begin()
    world.tell_boats(12)
    for number in range(5):
        world.say(conversation, f"Good day {number}")

    def everything() -> list[object]:
        return [
            world.texts("all"),
            [turn["message"] for turn in world.turns(conversation)],
            world.ok("GET /v1/profile"),
            len(world.ok("POST /v1/recall", {"query": "boat", "limit": 12})["items"]),
            world.ok("GET /v1/conversations"),
        ]

    whole = everything()
    with world.faults.short_pages(2):
        assert everything() == whole
        erasure = world.ok(FORGET_ALL, status=202)
        world.run_erasures()
        assert world.erased(erasure["erasure_id"])["status"] == "complete"
    assert world.rows() == []


def test_more_than_a_megabyte_is_read_and_erased(world: World) -> None:
    conversation, long = world.begin(), "𝄞" * 15_000
    for number in range(20):
        world.ok(RECORD, {"user": long, "assistant": str(number)}, 201, conversation_id=conversation)
    before = world.faults.counted(["Query"])
    assert [turn["answer"] for turn in world.turns(conversation)] == [str(number) for number in range(20)]
    assert world.faults.counted(["Query"]) - before > 1
    erasure = world.ok(FORGET_ALL, status=202)
    world.run_erasures()
    assert world.erased(erasure["erasure_id"])["status"] == "complete"
    assert world.rows() == []


# F10


@pytest.mark.parametrize("route", [TURN, RECORD, TELL, BEGIN])
def test_a_body_that_is_too_large_is_refused_before_anything_is_done(world: World, route: str) -> None:
    names: dict[str, Any] = {"conversation_id": world.begin()} if "{conversation_id}" in route else {}
    before, asked = world.rows(), len(world.faults.seen)
    response = world.ask(route, {"message": "x" * 450_000}, **names)
    assert (response.status, response.kind) == (413, "too-large")
    assert not set(world.faults.seen[asked:]) & set(WRITES)
    assert (world.rows(), sum(world.bedrock.calls.values())) == (before, 0)


def test_a_transaction_has_dynamodb_s_limits(world: World) -> None:
    """Moto takes more than 4 MB."""
    database = Database(world.client, PREFIX, world.clock)
    wide = [put("memory", {"pk": "o#u#g1", "sk": str(number), "x": "z" * 300_000}) for number in range(14)]
    with pytest.raises(ValueError, match="too many"):
        database.transact(wide)
    with pytest.raises(ValueError, match="too many"):
        database.transact([put("memory", {"pk": "o#u#g1", "sk": str(number)}) for number in range(101)])
    assert world.rows() == []


def test_a_batch_has_dynamodb_s_limits(world: World) -> None:
    """Moto takes more than 25 writes."""
    sizes: list[int] = []

    def measure(params: dict[str, dict[str, list[object]]], **_: object) -> None:
        sizes.append(sum(map(len, params["RequestItems"].values())))

    world.client.meta.events.register("before-parameter-build.dynamodb.BatchWriteItem", measure)
    keys = [("o#u#g1", str(number)) for number in range(60)]
    Database(world.client, PREFIX, world.clock).delete_all("memory", keys)
    assert sizes == [25, 25, 10]


# F11


def test_what_has_expired_is_on_no_path(world: World) -> None:
    """Moto never deletes by time to live: the rows stay where they are."""
    conversation = world.begin()
    world.tell("Lives in Porto")
    turn = world.say(conversation, "Good morning")
    world.deliver()
    stored = len(world.rows())
    world.forward(days=4000)
    assert len(world.rows()) == stored
    assert world.texts("all") == []
    assert world.ok("POST /v1/recall", {"query": "Where do I live?", "include_history": True})["items"] == []
    assert world.ok("GET /v1/profile")["home_town"] is None
    assert world.ok("GET /v1/conversations")["items"] == []
    assert world.ok("GET /v1/episodes")["items"] == []
    names = {"conversation_id": conversation, "turn_id": turn["turn_id"]}
    for route in (
        f"GET {CONVERSATION}",
        f"GET {CONVERSATION}/turns",
        f"GET {CONVERSATION}/turns/{{turn_id}}/saved",
    ):
        assert world.ask(route, **names).status == 404
    assert world.ask(TURN, {"message": "Hello"}, **names).status == 404
    fresh = world.begin()
    assert world.say(fresh, "Where do I live?")["recalled"] == []
    assert "Porto" not in world.bedrock.text_of("answer")
    nothing = world.say(fresh, "What did I tell you?")["answer"]
    assert nothing.startswith("Nothing is recorded yet.")


# F13


@pytest.mark.parametrize("allowed", [(), ("control",)], ids=["no-table", "control-alone"])
def test_a_right_that_is_missing_fails_closed(world: World, allowed: tuple[str, ...]) -> None:
    conversation = world.begin()
    fact = world.tell("Lives in Porto")
    denied = to(*{"control", "memory", "verdicts", "keys", "ledger"} - set(allowed))
    with world.faults.failing((*WRITES, *READS), "AccessDeniedException", wanted=denied):
        for route, body in (
            (TURN, {"message": "Hello"}),
            (TELL, {"text": "Has a cat", "kind": "fact"}),
            (BEGIN, {}),
            ("GET /v1/facts", None),
            ("GET /v1/facts/{fact_id}", None),
            ("POST /v1/recall", {"query": "home"}),
            *([] if allowed else [(FORGET_ALL, None)]),
        ):
            names = {"conversation_id": conversation, "fact_id": fact["fact_id"]}
            used: dict[str, Any] = {name: value for name, value in names.items() if f"{{{name}}}" in route}
            response = world.ask(route, body, **used)
            assert (response.status, response.kind) == (503, "unavailable"), route
            assert "Porto" not in response.text
    assert world.texts("all") == ["Lives in Porto"]
    assert world.turns(conversation) == []


def test_an_answer_needs_no_right_to_what_it_can_do_without(world: World) -> None:
    conversation = world.begin()
    with world.faults.failing(["Query", "BatchGetItem"], "AccessDeniedException", wanted=to("memory")):
        turn = world.say(conversation, "Hello")
    assert turn["degraded"] == ["memory", "history"]
