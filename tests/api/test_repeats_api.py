"""What is told, corrected or said again: one fact, one row, one id, wherever it comes from."""

from __future__ import annotations

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    begin,
    correct,
    erase,
    facts,
    judge,
    learn,
    look_up,
    ok,
    recall,
    saved,
    say,
    tell,
    texts,
)


def test_what_is_told_again_is_the_same_fact(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    first = tell(alice, "Lives in Porto", category="identity")
    again = tell(alice, "lives in Porto!", category="other")
    assert again["fact_id"] == first["fact_id"]
    assert (again["text"], again["category"], again["status"]) == ("Lives in Porto", "identity", "live")
    assert again["last_confirmed_at"] > first["last_confirmed_at"]
    assert again["created_at"] == first["created_at"]
    assert texts(facts(alice, status="all")) == ["Lives in Porto"]
    assert look_up(alice, first)["last_confirmed_at"] == again["last_confirmed_at"]


def test_what_a_conversation_said_is_confirmed_by_being_told(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = learn(service, alice, "I live in Porto", "Lives in Porto")
    [said] = saved(alice, turn)["facts"]
    told = tell(alice, "Lives in Porto")
    assert told["fact_id"] == said["fact_id"]
    assert (said["provenance"], told["provenance"]) == ("said", "confirmed")
    assert told["source"] == said["source"]


def test_the_same_request_gives_the_same_answer_for_a_repeat(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    first = tell(alice, "Lives in Porto")
    body = {"text": "Lives in Porto", "kind": "fact"}
    answers = [
        ok(alice.post("/v1/facts", json=body, headers={"Idempotency-Key": "a-key"}), 201) for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert answers[0]["fact_id"] == first["fact_id"]


def test_a_batch_may_hold_repeats(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    there = tell(alice, "Works nights")
    batch = ["Has a cat", "Works nights", "has a cat", "Has a brown dog", "Has a dog"]
    items = ok(
        alice.post("/v1/facts:batch", json={"facts": [{"text": text, "kind": "fact"} for text in batch]})
    )["items"]
    ids = [item["fact_id"] for item in items]
    assert texts(items) == ["Has a cat", "Works nights", "Has a cat", "Has a brown dog", "Has a brown dog"]
    assert ids[1] == there["fact_id"]
    assert (ids[2], ids[4]) == (ids[0], ids[3])
    assert sorted(texts(facts(alice, status="all"))) == ["Has a brown dog", "Has a cat", "Works nights"]


def test_a_text_that_says_more_takes_the_place_of_the_one_that_said_less(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    less = tell(alice, "Has a dog")
    more = tell(alice, "Has a brown dog named Rex")
    assert texts(facts(alice)) == ["Has a brown dog named Rex"]
    assert more["supersedes"] == less["fact_id"]
    old = look_up(alice, less)
    assert (old["status"], old["superseded_by"], old["valid_until"]) == (
        "superseded",
        more["fact_id"],
        more["created_at"],
    )
    assert texts(look_up(alice, more)["history"]["supersedes"]) == ["Has a dog"]
    assert texts(recall(alice, "dog")["items"]) == ["Has a brown dog named Rex"]
    assert sorted(texts(recall(alice, "dog", include_history=True)["items"])) == [
        "Has a brown dog named Rex",
        "Has a dog",
    ]
    assert tell(alice, "Has a dog")["fact_id"] == more["fact_id"]


def test_a_correction_to_what_is_there_already_makes_no_second_row(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    right = tell(alice, "Lives in Porto")
    wrong = tell(alice, "Lives in Oporto")
    corrected = correct(alice, wrong, "Lives in Porto")
    assert corrected["fact_id"] == right["fact_id"]
    assert corrected["supersedes"] == wrong["fact_id"]
    assert texts(facts(alice)) == ["Lives in Porto"]
    old = look_up(alice, wrong)
    assert (old["status"], old["superseded_by"]) == ("inaccurate", right["fact_id"])
    assert [row["verdict"] for row in old["verdicts"]] == ["inaccurate"]
    assert texts(look_up(alice, right)["history"]["supersedes"]) == ["Lives in Oporto"]


def test_a_correction_that_says_more_than_another_fact_ends_that_one(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    dog, cat = tell(alice, "Has a dog"), tell(alice, "Has a cat")
    corrected = correct(alice, cat, "Has a brown dog")
    assert texts(facts(alice)) == ["Has a brown dog"]
    assert look_up(alice, dog)["superseded_by"] == corrected["fact_id"]
    assert look_up(alice, cat)["status"] == "inaccurate"


def test_a_correction_of_the_spelling_is_one(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, "lives in porto")
    corrected = correct(alice, fact, "Lives in Porto")
    assert corrected["fact_id"] != fact["fact_id"]
    assert texts(facts(alice)) == ["Lives in Porto"]


def test_a_rejected_fact_can_be_told_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    first = tell(alice, "Is vegetarian")
    judge(alice, first, "rejected")
    again = tell(alice, "Is vegetarian")
    assert again["fact_id"] != first["fact_id"]
    assert texts(facts(alice)) == ["Is vegetarian"]


def test_a_fact_of_two_conversations_goes_with_the_second(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    one = learn(service, alice, "I have a cat", "Has a cat")
    two = learn(service, alice, "My cat: I have a cat", "Has a cat")
    assert len(facts(alice, status="all")) == 1
    erase(alice, f"/v1/conversations/{one['conversation_id']}")
    [left] = facts(alice)
    assert left["source"]["conversation_id"] == two["conversation_id"]
    assert texts(recall(alice, "cat")["items"]) == ["Has a cat"]
    erase(alice, f"/v1/conversations/{two['conversation_id']}")
    assert facts(alice, status="all") == []


def test_a_fact_of_two_conversations_is_erased_as_one(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "I have a cat", "Has a cat")
    learn(service, alice, "My cat: I have a cat", "Has a cat")
    [fact] = facts(alice)
    erase(alice, f"/v1/facts/{fact['fact_id']}")
    assert facts(alice, status="all") == []
    assert recall(alice, "cat")["items"] == []


def test_a_message_that_asks_to_remember_is_consolidated_too(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "I live in Porto", "Lives in Porto")
    service.standin.reply("extraction", service.standin.facts("Lives in Braga", quote="I live in Braga"))
    service.standin.reply(
        "consolidation", {"decisions": [{"reason": "", "fact": 1, "action": "UPDATE", "target": 1}]}
    )
    turn = say(alice, begin(alice), "Remember that I live in Braga")
    assert (turn["answer"], turn["usage"]["model_calls"]) == ("Noted.", 2)
    assert texts(facts(alice)) == ["Lives in Braga"]
    assert texts(saved(alice, turn)["facts"]) == ["Lives in Braga"]
    service.standin.reply("extraction", service.standin.facts("Lives in Braga", quote="I live in Braga"))
    again = say(alice, begin(alice), "Remember that I live in Braga")
    assert (again["answer"], again["usage"]["model_calls"]) == ("Noted.", 1)
    assert len(facts(alice, status="all")) == 2


def test_personal_values_are_masked_for_consolidation(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    service.standin.reply(
        "extraction", service.standin.facts("Phone is <PHONE_A>", quote="My phone is <PHONE_A>")
    )
    saved(alice, say(alice, begin(alice), "My phone is +351 912 345 678"))
    service.standin.reply(
        "extraction", service.standin.facts("New phone is <PHONE_A>", quote="My new phone is <PHONE_A>")
    )
    saved(alice, say(alice, begin(alice), "My new phone is +351 933 222 111"))
    [call] = service.standin.calls["consolidation"]
    assert "New phone is <PHONE_A>" in call.prompt
    assert "Phone is <PHONE_B>" in call.prompt
    assert "351" not in call.prompt
    assert "⟦" not in call.prompt
