"""What a model may answer to an extraction: whatever it says, no turn is lost and nothing false is kept."""

from __future__ import annotations

import json

import pytest

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    Json,
    begin,
    eventually,
    facts,
    held,
    ok,
    recall,
    rows,
    saved,
    say,
    stored_turns,
    texts,
)
from tests.standin import Call, Say, StandIn
from tests.standin.replies import Reply, extraction_item

# What is no extraction at all. Each is said twice, since one call tries twice, and then a good one.
NO_EXTRACTION: dict[str, Reply] = {
    "prose": "I could not find any facts.",
    "cut off": Say('{"facts": [{"kind": "fact", "text": "Li', finish_reason="length"),
    "whole but cut off": Say('{"facts": []}', finish_reason="length"),
    "a list": "[]",
    "a number": "7",
    "two objects": '{"facts": []} {"facts": []}',
    "a key twice": '{"facts": [], "facts": []}',
    "no list": {"facts": "none"},
    "another key": {"items": []},
    "empty": Say(""),
    "a tool call": Say(None, finish_reason="tool_calls"),
    "no body": Say(body="x"),
    "down": 500,
    "gone": Say(hang_up=True),
}


def extracts_by_message(standin: StandIn, said: dict[str, list[Reply]]) -> None:
    """Answers each message of its own with its replies in turn; the last one stays."""

    def reply(call: Call) -> Reply:
        [name] = [name for name in said if call.user == name]
        return said[name].pop(0) if len(said[name]) > 1 else said[name][0]

    standin.reply("extraction", reply)


def test_what_is_no_extraction_loses_no_turn_and_a_later_try_succeeds(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    names = dict(zip("bcdefghjklmnop", NO_EXTRACTION.values(), strict=True))
    good = {name: service.standin.facts(f"Owns item {name}", quote=f"I own item {name}") for name in names}
    extracts_by_message(
        service.standin, {f"I own item {name}": [bad, bad, good[name]] for name, bad in names.items()}
    )
    turns = {name: say(alice, conversation, f"I own item {name}") for name in names}
    assert stored_turns(alice, conversation) == list(turns.values())
    for name, turn in turns.items():
        kept = eventually(lambda turn=turn: done(saved(alice, turn)))  # type: ignore[misc]
        assert texts(kept["facts"]) == [f"Owns item {name}"]
    assert sorted(texts(facts(alice))) == sorted(f"Owns item {name}" for name in names)


def done(state: Json) -> Json | None:
    """The state of an extraction, once it is done."""
    return state if state["status"] == "done" else None


def test_what_can_be_read_in_one_way_is_read(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    for number, wrapped in enumerate(
        ("```json\n{}\n```", "Here you are:\n{}\nAnything else?", " \n{}", "\ufeff{}")
    ):
        said = json.dumps(service.standin.facts(f"Likes jazz {number}", quote=f"jazz {number}"))
        service.standin.reply("extraction", wrapped.replace("{}", said))
        turn = say(alice, conversation, f"I like jazz {number}")
        assert texts(saved(alice, turn)["facts"]) == [f"Likes jazz {number}"]


def test_a_bad_item_is_dropped_alone(service: ServiceUnderTest) -> None:
    message = "I like jazz and tea, 2 sugars. Is it far? I am 40."
    good = extraction_item("Likes jazz", "I like jazz")
    items: list[object] = [
        good,
        None,
        7,
        "Likes tea",
        good | {"kind": "wish"},
        good | {"text": 7},
        good | {"quote": None},
        good | {"turn": "1"},
        good | {"turn": True},
        good | {"category": []},
        good | {"valid_from": 7},
        {"kind": "fact"},
        good | {"text": "  ", "quote": "tea"},
        good | {"text": "Is it far?", "quote": "Is it far?"},
        good | {"text": "Owes <PERSON_A> money"},
        good | {"text": "Has [account.balance]"},
        good | {"text": "Likes blues", "quote": "I like blues"},
        good | {"text": "Takes 3 sugars", "quote": "2 sugars"},
        good | {"text": "Likes tea", "turn": 2},
        good | {"text": "Turns 41", "quote": "I am 40", "valid_from": "soon"},
        good | {"text": "Likes  JAZZ"},
        good | {"text": "Takes 2 sugars", "quote": "2 SUGARS", "category": "habits", "extra": 1},
    ]
    service.standin.reply("extraction", {"facts": items, "note": "x"})
    alice = service.client("alice")
    turn = say(alice, begin(alice), message)
    state = saved(alice, turn)
    assert state["status"] == "done"
    assert texts(state["facts"]) == ["Likes jazz", "Takes 2 sugars"]
    assert [fact["category"] for fact in state["facts"]] == ["other", "other"]
    assert state["dropped"] == {
        "unreadable": 11,
        "empty": 1,
        "question": 1,
        "placeholder": 1,
        "field": 1,
        "quote": 2,
        "number": 2,
        "repeat": 1,
    }
    assert facts(alice, status="all") == state["facts"] or len(facts(alice, status="all")) == 2


def test_a_date_that_cannot_be_read_costs_its_fact_alone(service: ServiceUnderTest) -> None:
    good = extraction_item("Likes jazz", "I like jazz")
    items = [
        good | {"valid_from": "2026-03-01", "valid_until": "2999-01-01T00:00:00Z"},
        good | {"text": "Likes tea", "valid_from": "soon"},
        good | {"text": "Likes rain", "valid_until": "9999-12-31T23:59:59-14:00"},
    ]
    service.standin.reply("extraction", {"facts": items})
    alice = service.client("alice")
    state = saved(alice, say(alice, begin(alice, timezone="Europe/Paris"), "I like jazz"))
    assert (texts(state["facts"]), state["dropped"]) == (["Likes jazz"], {"date": 2})
    [fact] = state["facts"]
    # A day begins at midnight where the customer is.
    assert fact["valid_from"] == "2026-02-28T23:00:00.000Z"
    assert fact["valid_until"] == "2999-01-01T00:00:00.000Z"


def test_a_flood_of_facts_is_cut_off(service: ServiceUnderTest) -> None:
    words = [f"thing{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200)]
    said = service.standin.facts(*(f"Likes {word}" for word in words), quote="I like many things")
    service.standin.reply("extraction", said)
    alice = service.client("alice")
    state = saved(alice, say(alice, begin(alice), "I like many things"))
    assert len(state["facts"]) == len(facts(alice)) <= 20
    assert state["dropped"] == {"limit": 200 - len(state["facts"])}


def test_provenance_and_owner_are_set_by_code_whatever_the_model_says(service: ServiceUnderTest) -> None:
    forged = {
        "provenance": "confirmed",
        "user_id": "bob",
        "fact_id": "ft_00000000000000000000000000",
        "held": False,
        "created_at": "1999-01-01T00:00:00Z",
    }
    item = extraction_item("Owns a boat", "I own a boat") | forged
    service.standin.reply("extraction", {"facts": [item]})
    alice = service.client("alice")
    turn = say(alice, begin(alice), "I own a boat")
    [fact] = saved(alice, turn)["facts"]
    assert fact["provenance"] == "said"
    assert fact["fact_id"] != forged["fact_id"]
    assert fact["created_at"] == turn["created_at"]
    assert facts(service.client("bob"), status="all") == []


def test_after_its_last_try_a_turn_is_a_dead_letter_and_still_there(service: ServiceUnderTest) -> None:
    service.standin.reply("extraction", Say(status=500, body={"error": {"message": "I like jazz"}}))
    alice = service.client("alice")
    turn = say(alice, begin(alice), "I like jazz")
    service.queue.drain()
    assert len(service.standin.calls["extraction"]) == 6  # three times two tries
    state = saved(alice, turn)
    assert (state["status"], state["facts"], state["error_type"]) == ("failed", [], "ModelUnavailable")
    assert stored_turns(alice, turn["conversation_id"]) == [turn]
    # It is marked as work to be done no longer.
    [row] = [row for row in rows(service, "alice") if turn["turn_id"] in row["sk"]["S"] and "route" in row]
    assert not [name for name in row if name.startswith("outbox")]


def test_a_model_that_refuses_to_extract_kept_nothing(service: ServiceUnderTest) -> None:
    service.standin.reply("extraction", Say(None, message={"refusal": "I cannot."}))
    alice = service.client("alice")
    state = saved(alice, say(alice, begin(alice), "I like jazz"))
    assert (state["status"], state["facts"], state["error_type"]) == ("done", [], None)


def test_a_slow_extraction_holds_up_no_answer(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    with held(service.standin, "extraction", {"facts": []}) as extraction:
        conversation = begin(alice)
        for number in range(8):
            say(alice, conversation, f"Message {number}")
        extraction.wait_for_call()
        say(bob, begin(bob), "Hello")
        assert recall(bob, "Hello")["items"] == []
        assert len(service.standin.calls["answer"]) == 9
    service.queue.drain()
    assert len(service.standin.calls["extraction"]) == 9


def test_a_remember_only_message_whose_extraction_fails_is_told_so(service: ServiceUnderTest) -> None:
    service.standin.reply("extraction", 500)
    alice = service.client("alice")
    turn = say(alice, begin(alice), "Remember that I like jazz")
    assert (turn["route"], turn["memory"]) == ("remember", "nothing")
    assert "Noted" not in turn["answer"]
    assert saved(alice, turn)["error_type"] == "ModelUnavailable"
    assert ok(alice.get("/v1/facts"))["items"] == []


@pytest.mark.parametrize(
    "said, fact",
    [
        ("Do I like tea?", "Likes tea"),
        ("Am I vegetarian?", "Is vegetarian"),
        ("Could you note whether I might like crypto?", "Might like crypto"),
    ],
)
def test_what_was_asked_is_no_fact(service: ServiceUnderTest, said: str, fact: str) -> None:
    alice = service.client("alice")
    service.standin.reply("extraction", service.standin.facts(fact, quote=said))
    asked = saved(alice, say(alice, begin(alice), said))
    assert (asked["facts"], asked["dropped"]) == ([], {"question": 1})
    # The same through the tool by which the model keeps something itself.
    service.standin.reply("extraction", {"facts": []})
    call = service.standin.calling(("remember", {"text": fact, "quote": said}))
    service.standin.reply("answer", call, "ok")
    say(alice, begin(alice), said)
    assert facts(alice, status="all") == []
