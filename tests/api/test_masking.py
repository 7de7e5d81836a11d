"""Personal values: no model and no table sees one, and the user reads every one of their own."""

from __future__ import annotations

import json
import re

import httpx
import pytest

from noted.conversation import replies
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    begin,
    correct,
    facts,
    ok,
    recall,
    record,
    rows,
    said_to,
    saved,
    say,
    stored_turns,
    tell,
    texts,
    turns_of,
)

PHONE = "+44 20 7946 0958"
OTHER_PHONE = "+33 1 42 68 53 00"
EMAIL = "ines.dupont@example.org"
IBAN = "DE89 3704 0044 0532 0130 00"
CARD = "4111 1111 1111 1111"
VALUES = (PHONE, OTHER_PHONE, EMAIL, IBAN, CARD)
ENTITY = re.compile(r"\u27e6[a-z_]+:[a-z]{16}\u27e7")


def sent(service: ServiceUnderTest) -> str:
    """Everything that any model was sent."""
    bodies = [call.body for calls in service.standin.calls.values() for call in calls]
    return json.dumps(bodies, ensure_ascii=False)


def hold_none(text: str) -> bool:
    """Whether a text holds none of the values, however they are set apart."""
    squeezed = re.sub(r"[^\w@+]", "", text)
    return not any(re.sub(r"[^\w@+]", "", value).lstrip("+") in squeezed for value in VALUES)


def test_the_models_never_see_a_value_and_the_user_always_does(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "I shall write to <EMAIL_A>, and call <PHONE_A>.")
    message = f"My mail is {EMAIL} and my phone {PHONE}, pay from {IBAN} with card {CARD}"
    turn = say(alice, conversation, message)
    saved(alice, turn)
    assert turn["message"] == message
    assert turn["answer"] == f"I shall write to {EMAIL}, and call {PHONE}."
    say(alice, conversation, "What do you know of me?")
    recall(alice, f"whose number is {PHONE}?")
    assert hold_none(sent(service))


def test_stored_turns_are_masked_with_ids_that_stay_the_same(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("answer", "Noted <PHONE_A>.", "ok")
    say(alice, conversation, f"Call {PHONE}")
    say(alice, conversation, f"Call {PHONE} again, not {OTHER_PHONE}")
    first, second = stored_turns(alice, conversation)
    [phone] = ENTITY.findall(first["message"])
    assert first["message"] == f"Call {phone}"
    assert first["answer"] == f"Noted {phone}."
    again, other = ENTITY.findall(second["message"])
    assert (again == phone, other == phone) == (True, False)


def test_one_value_has_one_letter_in_a_prompt_wherever_it_stands(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, f"Is reached at {PHONE}")
    conversation = begin(alice)
    say(alice, conversation, f"My office is {OTHER_PHONE}")
    say(alice, conversation, f"Which of them is mine, {OTHER_PHONE} or {PHONE}?")
    said = said_to(service.standin.calls["answer"])
    assert "Is reached at <PHONE_A>" in said["system"]
    assert "My office is <PHONE_B>" in said["history"]
    assert said["user"].endswith("Which of them is mine, <PHONE_B> or <PHONE_A>?")


@pytest.mark.parametrize(
    "answer, shown",
    [
        (
            "First <PHONE_B>, then <PHONE_A>, then <PHONE_B>.",
            f"First {OTHER_PHONE}, then {PHONE}, then {OTHER_PHONE}.",
        ),
        ("Both (<PHONE_A>/<PHONE_B>)", f"Both ({PHONE}/{OTHER_PHONE})"),
    ],
)
def test_a_model_may_repeat_and_permute_tokens(service: ServiceUnderTest, answer: str, shown: str) -> None:
    alice = service.client("alice")
    service.standin.reply("answer", answer)
    turn = say(alice, begin(alice), f"Call {PHONE} or {OTHER_PHONE}")
    assert turn["answer"] == shown


@pytest.mark.parametrize(
    "token", ["<PHONE_C>", "<PERSON_A>", "<phone_a>", "<PHONE_A >", "<PHONE _A>", "<PHONE_AA>"]
)
def test_a_token_that_is_invented_or_bent_stands_for_nobody(service: ServiceUnderTest, token: str) -> None:
    alice = service.client("alice")
    service.standin.reply("answer", f"Call {token} now")
    turn = say(alice, begin(alice), f"Call {PHONE} or {OTHER_PHONE}")
    assert token not in turn["answer"]
    assert hold_none(turn["answer"])
    assert turn["answer"].startswith("Call ")
    assert turn["answer"].endswith(" now")


def test_a_token_that_the_user_typed_binds_to_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    service.standin.reply("answer", lambda call: f"You wrote: {call.user.splitlines()[-1]}")
    message = f"Is <PHONE_A> the same as {PHONE}?"
    turn = say(alice, begin(alice), message)
    assert turn["message"] == message
    assert turn["answer"] == f"You wrote: {message}"
    assert said_to(service.standin.calls["answer"])["user"].endswith("Is <PHONE_A> the same as <PHONE_B>?")


def test_text_that_looks_like_a_stored_id_is_only_text(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    say(alice, begin(alice), f"Call {PHONE}")
    [[phone]] = [ENTITY.findall(turn["message"]) for turn in stored_turns(alice, _only_conversation(alice))]
    service.standin.reply("answer", lambda call: call.user.splitlines()[-1])
    turn = say(alice, begin(alice), f"Who is {phone}?")
    assert turn["message"] == f"Who is {phone}?"
    assert hold_none(turn["answer"])


def _only_conversation(client: httpx.Client) -> str:
    [conversation] = ok(client.get("/v1/conversations"))["items"]
    identity: str = conversation["conversation_id"]
    return identity


def test_facts_are_learnt_masked_and_shown_whole(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    extracted = service.standin.facts("Is reached at <PHONE_A>", quote="I am reached at <PHONE_A>")
    service.standin.reply("extraction", extracted, {"facts": []})
    turn = say(alice, begin(alice), f"I am reached at {PHONE}")
    [fact] = saved(alice, turn)["facts"]
    assert fact["text"] == f"Is reached at {PHONE}"
    assert fact["source"]["quote"] == f"I am reached at {PHONE}"
    assert texts(facts(alice)) == [f"Is reached at {PHONE}"]
    found = recall(alice, f"what is {PHONE}?")
    assert texts(found["items"]) == [f"Is reached at {PHONE}"]
    assert f"- Is reached at {PHONE}" in found["block"]
    service.standin.reply("answer", "It is <PHONE_A>.")
    answered = say(alice, begin(alice), "How am I reached?")
    assert answered["answer"] == f"It is {PHONE}."
    assert texts(answered["recalled"]) == [f"Is reached at {PHONE}"]
    assert hold_none(sent(service))


def test_a_fact_with_a_token_of_nobody_is_dropped(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    message = f"My sister has {PHONE}"
    service.standin.reply(
        "extraction", service.standin.facts("Sister is <PERSON_B>", "Sister has <PHONE_B>", quote="My sister")
    )
    kept = saved(alice, say(alice, begin(alice), message))
    assert kept["facts"] == []
    assert kept["dropped"] == {"placeholder": 2}


def test_a_remembered_value_is_told_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    service.standin.reply(
        "extraction",
        lambda call: service.standin.facts("Account is <IBAN_A>", quote="my account is <IBAN_A>"),
    )
    assert say(alice, begin(alice), f"Remember that my account is {IBAN}")["answer"] == replies.NOTED
    service.standin.reply("recollection", "Your account is <IBAN_A>.")
    assert say(alice, begin(alice), "What did I tell you?")["answer"] == f"Your account is {IBAN}."
    service.standin.reply(
        "recollection", f"Your account is {IBAN}."
    )  # a model that knows it cannot have it from us
    listed = say(alice, begin(alice), "What did I tell you?")["answer"]
    assert listed.endswith(f"- Account is {IBAN}")
    assert hold_none(sent(service).replace(f"Your account is {IBAN}.", ""))


def test_own_entries_and_corrections_are_masked_too(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, f"Writes from {EMAIL}")
    assert fact["text"] == f"Writes from {EMAIL}"
    corrected = correct(alice, fact, f"Writes from {EMAIL} and calls from {PHONE}")
    assert corrected["text"] == f"Writes from {EMAIL} and calls from {PHONE}"
    assert texts(facts(alice, q=EMAIL)) == [corrected["text"]]
    recall(alice, EMAIL)
    assert hold_none(sent(service))


def test_pasted_text_and_recorded_turns_are_masked(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    say(alice, conversation, "Summarise this", pasted=[f"Dear all, call {PHONE} or write to {EMAIL}"])
    record(alice, conversation, f"Pay {IBAN}", f"Paid {IBAN} by {CARD}")
    say(alice, conversation, "And now?")
    assert hold_none(sent(service))
    assert hold_none(json.dumps(stored_turns(alice, conversation)))


def test_no_value_stands_in_any_row_or_message(
    service: ServiceUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    alice = service.client("alice")
    queued: list[str] = []
    send = service.queue.send
    service.queue.send = lambda body, group: (queued.append(body), send(body, group))[1]  # type: ignore[method-assign, func-returns-value]
    conversation = begin(alice)
    turn = say(alice, conversation, f"I am {EMAIL}, {PHONE}, {IBAN}, {CARD}")
    saved(alice, turn)
    tell(alice, f"Writes from {EMAIL}")
    stored = json.dumps(rows(service), default=lambda raw: raw.decode("latin-1"))
    assert queued
    assert hold_none(stored)
    assert hold_none("".join(queued))
    assert hold_none(caplog.text)


def test_two_users_have_two_ids_for_one_value(service: ServiceUnderTest) -> None:
    ids = []
    for name in ("alice", "bob"):
        client = service.client(name)
        conversation = begin(client)
        say(client, conversation, f"Call {PHONE}")
        ids += ENTITY.findall(stored_turns(client, conversation)[0]["message"])
    assert len(set(ids)) == 2


def test_placeholders_of_a_client_that_masks_itself_are_renamed_when_they_are_old(
    service: ServiceUnderTest,
) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    record(alice, conversation, "Ask <PERSON_A> about <IBAN_A>", "I asked <PERSON_B>.")
    for _ in range(2):
        ok(
            alice.post(
                turns_of(conversation), json={"message": "Is <PERSON_A> free today?", "remember": False}
            ),
            201,
        )
    first, second = service.standin.calls["answer"]
    assert [message["content"] for message in first.messages[1:3]] == [
        "Ask [earlier PERSON_A] about [earlier IBAN_A]",
        "I asked [earlier PERSON_B].",
    ]
    assert first.user.endswith("Is <PERSON_A> free today?")
    assert second.messages[:3] == first.messages[:3]
    assert stored_turns(alice, conversation)[0]["message"] == "Ask <PERSON_A> about <IBAN_A>"
