"""What is said in a conversation, and what it costs: the collected cases, over HTTP.

The values are those of the case file. Where a case cannot be taken literally, the test says what stands for
what.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from noted.context.layout import MEMORY_LINE
from noted.conversation.replies import MEMORY_OFF, NOTHING_KEPT, NOTHING_RECORDED
from noted.privacy.entities import EntityType, entity_id
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    LEAD,
    Json,
    begin,
    eventually,
    facts,
    held,
    judge,
    ok,
    recall,
    saved,
    say,
    stored_turns,
    tell,
    texts,
)
from tests.cases.helpers import Cases, counted, logged, parts, store
from tests.standin import Say
from tests.standin.replies import Reply
from tests.store import builders

if TYPE_CHECKING:
    import httpx


def test_remember_command_02(cases: Cases, service: ServiceUnderTest) -> None:
    given, then = parts(cases, "remember-command-02")
    alice = service.client(given["user_id"])
    service.standin.reply("extraction", lambda call: service.standin.facts(call.user, quote=call.user))
    for message, remember_only in given["messages_to_classify"]:
        expected, before = then[str(remember_only).lower()], counted(service)
        turn = say(alice, begin(alice), message)
        service.queue.drain()
        made = counted(service) - before
        assert made["answer"] == expected["answer_path_runs"], message
        assert made["extraction"] == 1, message
        if remember_only:
            assert (turn["route"], turn["answer"]) == ("remember", expected["reply"].split(" (")[0])
            assert turn["memory"] == "saved"
        else:
            assert (turn["route"], turn["memory"]) == ("answer", "queued")
            assert turn["answer"] != expected["reply_is_not"]
            assert service.standin.calls["extraction"][-1].user == message


@pytest.mark.parametrize("status", [500, 408])
def test_remember_command_03(
    cases: Cases, service: ServiceUnderTest, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """A server that fails, or says that it timed out, and quotes the message in its error, stands for an
    extractor that raises; the error is then of the product's own type `ModelUnavailable`."""
    caplog.set_level(logging.DEBUG, "noted")
    given, then = parts(cases, "remember-command-03")
    empty, raising = given["runs"]
    alice = service.client(given["user_id"])
    error = {"error": {"message": raising["extractor_message"], "type": raising["extractor_raises"]}}
    replies: list[Reply] = [{"facts": empty["extractor_returns"]}, Say(status=status, body=error)]
    for reply in replies:
        service.standin.reply("extraction", reply)
        conversation = begin(alice)
        turn = say(alice, conversation, given["message"])
        for claim in then["reply_must_not_contain"]:
            assert claim.casefold() not in turn["answer"].casefold()
        assert "nothing was kept" in turn["answer"].casefold()
        assert "say it again as one short fact" in turn["answer"].casefold()
        assert (stored_turns(alice, conversation) == [turn]) is then["turn_stored"]
        assert len(facts(alice, status="all")) == then["facts_stored"]
        assert turn["memory"] == "nothing"
    assert saved(alice, turn)["error_type"] == "ModelUnavailable"
    assert "'error_type': 'ModelUnavailable'" in logged(caplog)
    assert then["log_must_not_contain"] not in logged(caplog)


def test_remember_command_04(cases: Cases, service: ServiceUnderTest) -> None:
    given, _ = parts(cases, "remember-command-04")
    alice = service.client(given["user_id"])
    for message in given["messages"]:
        before = counted(service)
        turn = say(alice, begin(alice), message["text"])
        service.queue.drain()
        made = counted(service) - before
        assert turn["answer"] == NOTHING_KEPT  # the stand-in found nothing to keep
        assert made["extraction"] == message.get("extraction_calls", 1), message
        assert made.total() == made["extraction"]
        if made["extraction"]:
            assert service.standin.calls["extraction"][-1].user in message["extraction_input_any_of"]


def test_what_did_i_tell_you_04_routes(cases: Cases, service: ServiceUnderTest) -> None:
    given, _ = parts(cases, "what-did-i-tell-you-04")
    alice = service.client(given["user_id"])
    for message, is_recollection in given["messages_to_route"]:
        turn = say(alice, begin(alice), message)
        assert turn["route"] == ("recollection" if is_recollection else "answer"), message


def test_what_did_i_tell_you_04_a(cases: Cases, service: ServiceUnderTest) -> None:
    """A masked fact is put into the store as it stands there, with an id. Cities are masked as a part of
    addresses, so `<CITY_A>` is `<ADDRESS_A>` here."""
    given, then = parts(cases, "what-did-i-tell-you-04")
    alice, expected = service.client(given["user_id"]), then["a"]
    city, value = entity_id(EntityType.ADDRESS, b"c" * 32), "Porto"
    masked = [text.replace("<CITY_A>", "<ADDRESS_A>") for text in given["facts_case_a"]]
    told = [text.replace("<ADDRESS_A>", value) for text in masked]
    store(
        service,
        given["user_id"],
        [
            builders.fact(text.replace("<ADDRESS_A>", city), number, expires_at=None, entities={city: value})
            for number, text in enumerate(masked)
        ],
    )
    for message, is_recollection in given["messages_to_route"]:
        if not is_recollection:
            continue
        conversation = begin(alice)
        say(alice, conversation, "Good morning, dear assistant", remember=False)
        before = counted(service)
        turn = say(alice, conversation, message)
        service.queue.drain()
        made = counted(service) - before
        assert made == {"recollection": expected["model_calls"]}
        call = service.standin.calls["recollection"][-1]
        assert len(call.body.get("tools", [])) == expected["tools_offered"]
        assert [sent["role"] for sent in call.messages] == ["system", "user"]
        assert call.user == "\n\n".join([LEAD + "".join(f"\n- {text}" for text in masked), message])
        assert not any(never in call.prompt for never in ("Good morning", value))
        assert turn["answer"] == "; ".join(told)
    assert len(facts(alice, status="all")) == len(given["facts_case_a"]) + expected["facts_written"]


@pytest.mark.parametrize("letter", ["b", "c"])
def test_what_did_i_tell_you_04_b_and_c(cases: Cases, service: ServiceUnderTest, letter: str) -> None:
    given, then = parts(cases, "what-did-i-tell-you-04")
    alice = service.client(given["user_id"])
    for fact in given[f"facts_case_{letter}"]:
        judge(alice, tell(alice, fact["text"]), fact["latest_verdict"])
    assert len(facts(alice, status="all")) == (0 if letter == "b" else 1)
    for message, is_recollection in given["messages_to_route"]:
        if is_recollection:
            before = counted(service)
            turn = say(alice, begin(alice), message)
            service.queue.drain()
            assert (counted(service) - before).total() == then[letter]["model_calls"]
            assert turn["answer"] == NOTHING_RECORDED
            assert turn["usage"]["model_calls"] == 0


def test_i18n_02(cases: Cases, service: ServiceUnderTest) -> None:
    """The guards are met by telling the facts of the first run, which go through the same ones."""
    given, then = parts(cases, "i18n-02")
    guarded, *said = given["runs"]
    alice = service.client("u-1")
    assert [tell(alice, text)["text"] for text in guarded["guard"]] == then["run1_kept"]
    for run, stored in zip(said, then["stored_text"], strict=True):
        [returned] = run["extractor_returns"]
        service.standin.reply("extraction", service.standin.facts(returned, quote=run["message"]))
        turn = say(alice, begin(alice), run["message"])
        assert texts(saved(alice, turn)["facts"]) == [stored]
        found = recall(alice, run["message"])
        assert stored in texts(found["items"])
        assert f"- {stored}" in found["block"].splitlines()
        say(alice, begin(alice), run["message"], remember=False)
        assert f"- {stored}" in service.standin.calls["answer"][-1].prompt.splitlines()
        # A save is denied neither by code nor for want of the line that tells a model of it.
        assert turn["route"] == "answer"
        assert turn["answer"] not in (NOTHING_KEPT, MEMORY_OFF)
        assert MEMORY_LINE in service.standin.calls["answer"][-1].system


def test_api_01(cases: Cases, service: ServiceUnderTest, caplog: pytest.LogCaptureFixture) -> None:
    """Seconds are not waited for: an extraction is held until it is released, for the run of 12 while the
    list is being waited for, and for the run of 45 after a wait that is 30 times shorter than the case's. A
    reply that is no JSON, and holds the message, stands for an extraction that raises."""
    caplog.set_level(logging.DEBUG, "noted")
    given, then = parts(cases, "api-01")
    shorter = str(given["saved_list_wait_seconds"] // 30)
    alice, standin = service.client("u-1"), service.standin

    # The answer is there while the extraction is not; it is given to whoever waits for the list.
    with held(standin, "extraction", standin.facts("Likes jazz", quote="I like jazz")) as extraction:
        turn = say(alice, begin(alice), "I like jazz")
        extraction.wait_for_call()
        timer = threading.Timer(0.2, extraction.release)
        timer.start()
        assert texts(saved(alice, turn)["facts"]) == ["Likes jazz"]

    with held(standin, "extraction", standin.facts("Likes tea", quote="I like tea")) as extraction:
        turn = say(alice, begin(alice), "I like tea")
        listed = ok(alice.get(turn["saved_url"], params={"wait": shorter}))
        assert (listed["status"], listed["facts"]) == ("pending", then["run45"]["list_after_at_most_30s"])
        assert "Likes tea" not in texts(facts(alice))
    assert eventually(lambda: "Likes tea" in texts(facts(alice))) is then["run45"]["facts_visible_later"]

    standin.reply("extraction", lambda call: f"Sorry, I cannot read: {call.user}")
    turn = say(alice, begin(alice), "I like zithers")
    assert turn["answer"] == "ok"
    failed = saved(alice, turn)
    assert (failed["status"], failed["facts"]) == ("failed", then["run_error"]["list"])
    assert failed["error_type"] == "MalformedOutput"
    assert "'error_type': 'MalformedOutput'" in logged(caplog)
    assert "zithers" not in logged(caplog)


def test_cost_01(cases: Cases, service: ServiceUnderTest) -> None:
    """`facts_answer` is the purpose `recollection`. Where the case has a user with another number of facts,
    another user asks."""
    given, then = parts(cases, "cost-01")
    remember, told, untold, plain, bare = given["turns"]
    purposes = {"extract": "extraction", "answer": "answer", "facts_answer": "recollection"}
    somebody, nobody = service.client("u-1"), service.client("u-2")
    statement = remember["text"].removeprefix("Remember that ")
    service.standin.reply("extraction", service.standin.facts(statement, quote=statement), {"facts": []})

    def cost(client: httpx.Client, message: str) -> tuple[Json, Counter[str]]:
        before = counted(service)
        turn = say(client, begin(client), message)
        service.queue.drain()
        return turn, counted(service) - before

    turns = [
        (somebody, remember, told["facts"]),
        (somebody, told, told["facts"]),
        (nobody, untold, untold["facts"]),
        (somebody, plain, told["facts"]),
        (somebody, bare, told["facts"]),
    ]
    for (client, turn, known), expected in zip(turns, then["calls"], strict=True):
        taken, made = cost(client, turn["text"])
        assert len(facts(client)) == known
        # The bill names the calls that were made before the answer: none that is made in the background.
        billed = {name: part["model_calls"] for name, part in taken["usage"]["by_purpose"].items()}
        for name, purpose in purposes.items():
            calls = expected.get(name, 0)
            if calls == "at most 1, in the background":
                assert made[purpose] <= 1
                assert purpose not in billed
            else:
                assert made[purpose] == billed.get(purpose, 0) == calls, (turn["text"], name)
        assert made.keys() <= {*purposes.values(), "embedding"}
        assert taken["usage"]["model_calls"] == sum(billed.values())
    assert [call.user for call in service.standin.calls["extraction"]] == [statement, plain["text"]]
    for call in service.standin.calls["extraction"]:
        assert LEAD not in call.prompt
        assert MEMORY_LINE not in call.prompt
