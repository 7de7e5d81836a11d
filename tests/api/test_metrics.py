"""The metrics that the service writes of its model calls, against the calls that the models had."""

from __future__ import annotations

import logging
from collections import Counter

import pytest

from evals.cost.conversation import talk
from evals.cost.service import play
from local.service import load_functions
from noted.logs import fields_of

from .conftest import ServiceUnderTest
from .helpers import begin, erase, recall, record, say, turns_of


@pytest.fixture(autouse=True)
def _metrics_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "noted.models")


def metered(caplog: pytest.LogCaptureFixture, name: str) -> Counter[tuple[str, str]]:
    """The sums of a metric by purpose and outcome."""
    sums: Counter[tuple[str, str]] = Counter()
    for line in map(vars, caplog.records):
        if "_aws" in line and "purpose" in line:
            sums[line["purpose"], line["outcome"]] += line.get(name, 0)
    return sums


def test_every_call_is_counted_by_its_purpose_those_behind_the_answers_too(
    service: ServiceUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    alice = service.client("alice")
    service.standin.reply("extraction", service.standin.facts("Lives in Porto", quote="I live in Porto"))
    conversation = begin(alice)
    replies = [
        say(alice, conversation, "Remember that I live in Porto"),
        say(alice, conversation, "What did I tell you?"),
        say(alice, conversation, "Suggest a pizza"),
    ]
    service.queue.drain()
    had = {purpose: len(calls) for purpose, calls in service.standin.calls.items()}
    assert metered(caplog, "Calls") == {(purpose, "ok"): number for purpose, number in had.items()}
    assert had.keys() >= {"extraction", "recollection", "answer", "embedding"}
    answered = replies[2]["usage"]
    assert metered(caplog, "InputTokens")["answer", "ok"] == answered["by_purpose"]["answer"]["input_tokens"]
    assert metered(caplog, "Characters")["embedding", "ok"] > 0


def test_a_call_that_fails_is_counted_with_its_outcome(
    service: ServiceUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    alice = service.client("alice")
    service.standin.reply("answer", 400)
    conversation = begin(alice)
    assert alice.post(turns_of(conversation), json={"message": "Suggest a pizza"}).status_code == 503
    assert metered(caplog, "Calls") == {("answer", "unavailable"): 1}
    service.standin.reply("extraction", "no JSON")
    say(alice, conversation, "Remember that I like pizza")
    # Twice asked, in one call.
    assert len(service.standin.calls["extraction"]) == 2
    assert metered(caplog, "Calls")["extraction", "malformed"] == 1


def test_turns_recalls_extractions_and_receipts_are_counted_and_tell_nothing_of_a_user(
    service: ServiceUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "noted.metrics")

    def sums(name: str, dimension: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for line in map(vars, caplog.records):
            if name in line:
                found[line[dimension]] += line[name]
        return found

    alice = service.client("alice")
    lives = service.standin.facts("Lives in Porto", quote="I live in Porto")["facts"]
    invented = service.standin.facts("Owns a boat", quote="I own a boat")["facts"]
    service.standin.reply("extraction", {"facts": [*lives, *invented]})
    conversation = begin(alice)
    say(alice, conversation, "I live in Porto")
    service.queue.drain()
    say(alice, conversation, "Suggest a pizza")
    say(alice, conversation, "What did I tell you?")
    record(alice, conversation, "Hello", "Hi")
    recall(alice, "Where do I live?")
    service.queue.drain()
    assert sums("Turns", "route") == {"answer": 2, "recollection": 1, "recorded": 1}
    assert sums("Recalls", "source") == {"answer": 2, "api": 1}
    assert sums("RecalledFacts", "source")["api"] == 1
    assert not +sums("DegradedRecalls", "source")
    assert sums("ExtractedTurns", "outcome") == {"written": 3}
    assert sums("FactsKept", "outcome") == {"written": 1}
    # What the user did not say, in the turn where it was proposed and in those after it.
    assert sums("FactsDropped", "reason")["quote"] == 1 + 2 + 2
    erasure = erase(alice)
    assert sums("Receipts", "scope") == {"memory": 1}
    assert any("ErasureAge" in vars(each) for each in caplog.records)
    erasures = load_functions()["erasure"](service.runtime)
    assert erasures({"noted": "key-endangered"}, None) == {}
    assert [vars(each)["levelname"] for each in caplog.records if "KeysEndangered" in vars(each)] == ["ERROR"]
    told = [fields_of(each) for each in caplog.records if "_aws" in vars(each)]
    private = ("alice", "Porto", "boat", conversation, erasure["erasure_id"])
    assert not [each for each in private if each in str(told)]


def test_what_a_conversation_cost_by_its_replies_is_what_its_metrics_say() -> None:
    played = play(talk(3))
    for usage, metric in (
        ("input_tokens", "InputTokens"),
        ("cache_read_tokens", "CacheReadTokens"),
        ("output_tokens", "OutputTokens"),
        ("model_calls", "Requests"),
    ):
        assert sum(turn[usage] for turn in played.usage) == played.metrics["answer"][metric]
    assert played.metrics["extraction"]["Calls"] == 3
    # Each prompt is found up to its new message, which has about 100 tokens.
    assert all(turn["input_tokens"] - turn["cache_read_tokens"] < 600 for turn in played.usage[1:])
