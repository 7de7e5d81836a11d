"""What becomes of a fact that is said again, contradicted, or true once more: the collected cases, over
HTTP."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import Json, begin, facts, learn, look_up, recall, record, saved, texts
from tests.cases.helpers import Cases, counted, logged, parts, stop_clock
from tests.standin import Call


def numbers(call: Call, pattern: str) -> dict[str, int]:
    """The numbers that a prompt gives to the texts of its lines."""
    return {text: int(number) for number, text in re.findall(pattern, call.user, re.MULTILINE)}


def deciding(*decisions: tuple[str, str, str | int | None]) -> Callable[[Call], Json]:
    """A model that decides about a new text, an action, and a stored text or a number that it makes up."""

    def reply(call: Call) -> Json:
        new = numbers(call, r"^New fact (\d+): (.+) \(said on \S+\)$")
        stored = numbers(call, r"^(\d+)\. (.+) \(said on \S+\)$")
        return {
            "decisions": [
                {
                    "reason": "because",
                    "fact": new[text],
                    "action": action,
                    "target": stored[target] if isinstance(target, str) else target,
                }
                for text, action, target in decisions
            ]
        }

    return reply


def test_consolidation_01(cases: Cases, service: ServiceUnderTest, caplog: pytest.LogCaptureFixture) -> None:
    """A decision is about a new fact, so the deletion of "Works nights" comes with one that says so, and the
    invented verb with one that is added for want of a decision."""
    given, then = parts(cases, "consolidation-01")
    alice = service.client(given["user_id"])
    shown = [candidate["text"] for candidate in given["candidates_shown_to_model"]]
    update, delete, add, merge = given["model_ops"]
    learn(service, alice, "I say: " + "; ".join(shown), *shown)
    kept = {fact["text"]: fact for fact in facts(alice)}
    new = [update["text"], "Stopped working nights", add["text"], "Collects stamps"]
    service.standin.reply(
        "consolidation",
        deciding(
            (new[0], update["op"], int(update["ref"])),
            (new[1], delete["op"], shown[int(delete["ref"])]),
            (new[2], add["op"], None),
            (new[3], merge["op"], shown[int(merge["ref"])]),
        ),
    )
    with caplog.at_level(logging.DEBUG):
        turn = learn(service, alice, "I say: " + "; ".join(new), *new)
    assert saved(alice, turn)["status"] == "done"
    assert counted(service)["consolidation"] == 1
    assert sorted(texts(facts(alice))) == sorted([shown[0], *new])
    assert look_up(alice, kept[shown[1]])["status"] == "superseded"
    assert look_up(alice, kept[shown[0]]) | {"history": {}, "verdicts": []} == {
        **kept[shown[0]], "history": {}, "verdicts": []
    }  # fmt: skip
    assert then["skipped_with_warning"] == ["UPDATE 12", "MERGE"]
    [warning] = [entry for entry in caplog.records if entry.msg == "consolidation decisions refused"]
    assert vars(warning)["refused"] == {"target": 1, "action": 1}
    assert not any(text in logged(caplog) for text in (*shown, *new))


def test_consolidation_02(cases: Cases, service: ServiceUnderTest) -> None:
    """The exact repeat never reaches a model, so its decision is there and nobody asks for it."""
    given, then = parts(cases, "consolidation-02")
    alice = service.client(given["user_id"])
    [fact] = given["facts"]
    first = learn(service, alice, "I am allergic to nuts", fact["text"])
    for decision in ("DELETE", "NOOP"):
        service.standin.reply(
            "consolidation",
            {"decisions": [{"reason": "", "fact": 1, "action": decision, "target": 1}]},
        )
        again = learn(service, alice, "As I said, I am allergic to nuts", fact["text"])
        assert saved(alice, again)["facts"][0]["fact_id"] == saved(alice, first)["facts"][0]["fact_id"]
        assert texts(facts(alice)) == then["run1"]["live"] == then["run2"]["live"]
        assert len(facts(alice, status="all")) == 1 + then["run2"]["rows_added"]
    assert counted(service)["consolidation"] == 0

    bob = service.client("bob")
    [text] = re.findall("'(.+)'", given["runs"][2])
    meeting = threading.Barrier(2, timeout=20)

    def extract(_: Call) -> Json:
        meeting.wait()
        return service.standin.facts(text, quote="I have a cat")

    service.standin.reply("extraction", extract, extract)
    turns = [record(bob, begin(bob), f"I have a cat, told {number} times") for number in range(2)]
    kept = [saved(bob, turn)["facts"] for turn in turns]
    assert texts(facts(bob)) == [text] * then["run3"]["live_rows_with_text 'Has a cat'"]
    assert texts(facts(bob, status="all")) == [text]
    assert [fact["fact_id"] for each in kept for fact in each] == [facts(bob)[0]["fact_id"]] * 2


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_temporal_02(
    cases: Cases,
    service: ServiceUnderTest,
    monkeypatch: pytest.MonkeyPatch,
    order: tuple[int, ...],
) -> None:
    """The statements are recorded with the times at which they were said, in their order and in two
    others."""
    given, then = parts(cases, "temporal-02")
    alice = service.client(given["user_id"])
    stop_clock(monkeypatch, service, "2026-06-02T00:00:00Z")
    said = given["statements"]

    def decide(call: Call) -> Json:
        new = numbers(call, r"^New fact (\d+): (.+) \(said on \S+\)$")
        stored = numbers(call, r"^(\d+)\. (.+) \(said on \S+\)$")
        decisions = [
            {"reason": "", "fact": number, "action": "UPDATE", "target": stored[other]}
            for text, number in new.items()
            for other in stored
            if other != text
        ]
        return {"decisions": decisions}

    for place in order:
        statement = said[place]
        message = f"I say: {statement['fact']}"
        service.standin.reply("extraction", service.standin.facts(statement["fact"], quote=message))
        service.standin.reply("consolidation", decide)
        saved(alice, record(alice, begin(alice), message, at=statement["at"]))
    assert texts(recall(alice, "What do I eat?")["items"]) == then["recall_now"]
    as_of = recall(alice, "What do I eat?", as_of="2026-04-01T00:00:00Z")
    assert texts(as_of["items"]) == then["recall_as_of_2026-04-01"]
    history = facts(alice, status="all")
    assert len(history) == then["history_rows"]
    newest, before, first = history
    assert look_up(alice, newest)["history"]["supersedes"] == [before, first]
    assert before["valid_until"] == newest["created_at"]
    assert first["valid_until"] == before["created_at"]


def test_eight_workers_that_hear_the_same_at_once_keep_it_once(service: ServiceUnderTest) -> None:
    """The same by the user's own hand."""
    alice = service.client("alice")
    told = ["Has a cat", "Lives in Porto", "Has a cat", "has a cat!"] * 2

    def tell(text: str) -> Json:
        reply: Json = alice.post("/v1/facts", json={"text": text, "kind": "fact"}).raise_for_status().json()
        return reply

    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(tell, told))
    assert len({reply["fact_id"] for reply in replies}) == 2
    assert len(facts(alice, status="all")) == 2
