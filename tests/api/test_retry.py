"""A last answer that is wanted again: the one before it is nowhere any more."""

from __future__ import annotations

import re
import threading

import httpx

from noted.conversation import replies
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    Json,
    begin,
    erase,
    facts,
    held,
    ok,
    problem,
    recall,
    record,
    rows,
    said_to,
    saved,
    say,
    stored_turns,
    texts,
    turns_of,
    wrong_fields,
)


def retry(client: httpx.Client, conversation_id: str, status: int = 201) -> Json:
    """Asks for the last message to be answered again."""
    return ok(client.post(turns_of(conversation_id) + ":retry"), status)


def test_the_last_message_is_answered_again_in_the_same_turn(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "It is Monday.", "A poor answer.", "A good answer.")
    first = say(alice, conversation, "What day is it?")
    poor = say(alice, conversation, "Suggest a pizza")
    good = retry(alice, conversation)
    assert good["turn_id"] == poor["turn_id"]
    assert (good["message"], good["answer"]) == ("Suggest a pizza", "A good answer.")
    assert stored_turns(alice, conversation) == [first, good]
    told_twice = service.standin.calls["answer"][1:]
    assert told_twice[0].body == told_twice[1].body


def test_the_answer_that_was_replaced_is_in_no_prompt_and_no_list(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "Zanzibar is poor", "Lisbon is good", "ok")
    saved(alice, say(alice, conversation, "Where shall I go?"))
    retry(alice, conversation)
    say(alice, conversation, "Why there?")
    assert "Zanzibar" not in "".join(call.prompt for call in service.standin.calls["answer"][1:])
    assert "Lisbon" in said_to(service.standin.calls["answer"])["history"]
    assert "Zanzibar" not in str(stored_turns(alice, conversation))
    assert "Zanzibar" not in str(recall(alice, "Zanzibar"))


def test_what_was_learnt_from_the_message_stays_and_is_not_learnt_twice(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("extraction", service.standin.facts("Lives in Porto", quote="I live in Porto"))
    turn = say(alice, conversation, "I live in Porto, where shall I eat?")
    saved(alice, turn)
    again = retry(alice, conversation)
    service.queue.drain()
    assert again["memory"] == "queued"
    assert texts(saved(alice, again)["facts"]) == ["Lives in Porto"]
    assert texts(facts(alice)) == ["Lives in Porto"]
    assert len(service.standin.calls["extraction"]) == 1


def test_a_message_that_was_not_to_be_remembered_is_still_not(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    say(alice, conversation, "I live in Porto", remember=False)
    assert retry(alice, conversation)["memory"] == "skipped"
    service.queue.drain()
    assert service.standin.calls["extraction"] == []


def test_a_remembering_that_failed_is_tried_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply(
        "extraction", 500, 500, service.standin.facts("Lives in Porto", quote="I live in Porto")
    )
    failed = say(alice, conversation, "Remember that I live in Porto")
    assert (failed["answer"], failed["memory"]) == (replies.NOTHING_KEPT, "nothing")
    again = retry(alice, conversation)
    assert (again["answer"], again["memory"]) == (replies.NOTED, "saved")
    assert texts(facts(alice)) == ["Lives in Porto"]
    assert retry(alice, conversation) == again
    assert texts(saved(alice, again)["facts"]) == texts(facts(alice)) == ["Lives in Porto"]


def test_a_recorded_turn_can_be_answered_here(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    record(alice, conversation, "Where do I live?", "I have no idea.")
    service.standin.reply("answer", "In Porto.")
    assert retry(alice, conversation)["answer"] == "In Porto."


def test_there_must_be_a_message(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    conversation = begin(alice)
    problem(alice.post(turns_of(conversation) + ":retry"), 404, "not-found")
    say(alice, conversation, "Hello")
    problem(bob.post(turns_of(conversation) + ":retry"), 404, "not-found")


def test_an_answer_that_fails_again_leaves_the_one_before(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "A poor answer.", 500)
    turn = say(alice, conversation, "Hello")
    problem(alice.post(turns_of(conversation) + ":retry"), 503, "unavailable")
    assert stored_turns(alice, conversation) == [turn]


def test_a_retry_that_is_overtaken_by_a_new_turn_changes_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "First.")
    first = say(alice, conversation, "One")
    with held(service.standin, "answer", "Too late.") as calls:
        refused: list[httpx.Response] = []
        trying = threading.Thread(
            target=lambda: refused.append(alice.post(turns_of(conversation) + ":retry"))
        )
        trying.start()
        calls.wait_for_call()
        service.standin.reply("answer", "Second.")
        second = say(service.client("alice"), conversation, "Two")
    trying.join()
    problem(refused[0], 409, "conflict")
    assert stored_turns(alice, conversation) == [first, second]


def test_a_retry_with_a_key_is_done_once(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "First.", "Second.", "Third.")
    say(alice, conversation, "One")
    key = {"Idempotency-Key": "again"}
    done = [ok(alice.post(turns_of(conversation) + ":retry", headers=key), 201) for _ in range(2)]
    assert [turn["answer"] for turn in done] == ["Second.", "Second."]


def test_a_turn_that_others_overtook_stands_behind_them_and_can_be_answered_again(
    service: ServiceUnderTest,
) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    with held(service.standin, "answer", "Slow.") as calls:
        slow: list[Json] = []
        saying = threading.Thread(
            target=lambda: slow.append(say(service.client("alice"), conversation, "A slow one"))
        )
        saying.start()
        calls.wait_for_call()
        for number in range(22):
            record(alice, conversation, f"Message {number}", f"Answer {number}", remember=False)
        service.queue.drain()
    saying.join()
    assert stored_turns(alice, conversation)[-1]["turn_id"] == slow[0]["turn_id"]
    service.standin.reply("answer", "Better.", "ok")
    assert retry(alice, conversation)["answer"] == "Better."
    say(alice, conversation, "And now?")
    assert "user: A slow one\nassistant: Better." in said_to(service.standin.calls["answer"])["history"]


def test_a_recorded_command_is_answered_and_not_learnt_twice(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("extraction", service.standin.facts("Has a cat", quote="I have a cat"))
    recorded = record(alice, conversation, "Remember that I have a cat", at="2020-01-01T00:00:00Z")
    saved(alice, recorded)
    service.standin.reply("answer", "I know.")
    again = retry(alice, conversation)
    assert (again["route"], again["answer"]) == ("answer", "I know.")
    service.queue.drain()
    [fact] = facts(alice)
    assert fact["created_at"].startswith("2020-01-01")
    assert len(service.standin.calls["extraction"]) == 1


def test_what_was_kept_and_erased_is_kept_again_before_it_is_said(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    kept = service.standin.facts("Has a cat", quote="I have a cat")
    service.standin.reply("extraction", kept, {"facts": []}, kept)
    turn = say(alice, conversation, "Remember that I have a cat")
    [fact] = saved(alice, turn)["facts"]
    erase(alice, f"/v1/facts/{fact['fact_id']}")
    assert retry(alice, conversation)["answer"] == replies.NOTHING_KEPT
    assert retry(alice, conversation)["answer"] == replies.NOTED
    assert texts(facts(alice)) == ["Has a cat"]


def test_the_values_of_a_replaced_answer_are_gone_with_it(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "Call +44 20 7946 0958.", "ok")
    say(alice, conversation, "Whom shall I call?")
    retry(alice, conversation)
    [turn] = [row for row in rows(service, "alice") if re.fullmatch("THREAD#.*#tn_.*", row["sk"]["S"])]
    assert "vault" not in turn


def test_it_takes_no_fields(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    turn = say(alice, conversation, "Hello")
    path = turns_of(conversation) + ":retry"
    assert wrong_fields(alice.post(path, json={"message": "Other words"})) == {"message"}
    problem(alice.post(path, content="{"), 400, "malformed")
    assert stored_turns(alice, conversation) == [turn]
