"""What is recalled: the collected cases, over HTTP.

The values are those of the case file. Where a case cannot be taken literally, the test says what stands for
what.
"""

from __future__ import annotations

import logging

import pytest

from noted.clock import instant
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    LEAD,
    Json,
    begin,
    facts,
    judge,
    recall,
    say,
    tell,
    texts,
)
from tests.cases.helpers import Cases, logged, parts, store, timed_out
from tests.standin import Call
from tests.store import builders


@pytest.mark.usefixtures("no_deletion")
def test_recall_01(cases: Cases, start_service: StartService) -> None:
    """Facts are told with the time at which they were said; the one that has expired is put into the store,
    since a client cannot say when storage ends. Where there is no block, the reply has an empty one."""
    given, then = parts(cases, "recall-01")
    service = start_service(NOTED_NOW=given["now"])
    first, second = given["user_id"], given["second_user"]["user_id"]
    alice, bob = service.client(first), service.client(second)
    told = {}
    for number, fact in enumerate(given["facts"]):
        if ends := fact.get("expires_at"):
            said = instant(fact["said_at"])
            store(
                service,
                first,
                [builders.fact(fact["text"], number, created_at=said, expires_at=instant(ends))],
            )
        else:
            told[fact["id"]] = tell(alice, fact["text"], fact["kind"], created_at=fact["said_at"])
    for verdict in given["verdicts"]:
        judge(alice, told[verdict["fact_id"]], verdict["verdict"])

    expected = then[first]
    block = recall(alice, "What do you know of me?")["block"]
    lead, *lines = [line.removeprefix("- ") for line in block.split("\n")]
    assert lead == expected["first_line"]
    count = len(expected["then_facts_in_any_stable_order"])
    assert sorted(lines[:count]) == sorted(expected["then_facts_in_any_stable_order"])
    assert lines[count:] == expected["then_goals"]
    assert len(lines) + 1 == expected["lines"]
    assert recall(alice, "What do you know of me?")["block"] == block

    assert recall(bob, "What do you know of me?")["block"] == (then[second]["block"] or "")
    say(bob, begin(bob), "What do you know of cats?")
    say(alice, begin(alice), "What do you know of cats?")
    of_bob, of_alice = service.standin.calls["answer"]
    assert LEAD not in of_bob.prompt
    assert of_alice.prompt.count(LEAD) == 1
    for gone in ("Works nights", "Drives a van"):
        assert gone in {fact["text"] for fact in given["facts"]}
        assert gone not in of_alice.prompt


def test_recall_02(cases: Cases, service: ServiceUnderTest) -> None:
    """The stand-in's embeddings give the case's order by meaning. The case's scores are those of reciprocal
    rank fusion, which the product does not use: that the exact number comes first is what holds of both."""
    given, then = parts(cases, "recall-02")
    alice = service.client(given["user_id"])
    by_id = {fact["id"]: fact["text"] for fact in given["facts"]}
    directions = {given["query"]: [1.0, 0.0, 0.0, 0.0, 0.0]}
    for place, name in enumerate(given["vector_ranking"]):
        cosine = 0.9 - place / 10
        vector = [cosine, 0.0, 0.0, 0.0, 0.0]
        vector[place + 1] = (1 - cosine**2) ** 0.5
        directions[by_id[name]] = vector

    def embed(call: Call) -> Json:
        vectors = [directions[text] for text in call.body["input"]]
        return {"data": [{"index": number, "embedding": each} for number, each in enumerate(vectors)]}

    service.standin.reply("embedding", embed)
    for fact in given["facts"]:
        tell(alice, fact["text"])
    items = recall(alice, given["query"])["items"]
    why = {item["fact"]["text"]: item["why"] for item in items}
    semantic = [why[by_id[name]]["semantic"] for name in given["vector_ranking"]]
    assert semantic == sorted(semantic, reverse=True)
    assert (semantic[0], semantic[-1]) == (1, 0)
    best = max(why, key=lambda text: float(why[text]["lexical"]))
    assert [best] == [by_id[name] for name in given["keyword_ranking"]]
    assert items[0]["fact"]["text"] == by_id[then["first"]]
    assert texts(recall(alice, given["query"], limit=1)["items"]) == [by_id[then["first"]]]


def test_recall_03(cases: Cases, service: ServiceUnderTest, caplog: pytest.LogCaptureFixture) -> None:
    """A server that says it timed out, and quotes what it was sent, stands for an embedder that raises."""
    caplog.set_level(logging.DEBUG, "noted")
    given, then = parts(cases, "recall-03")
    alice = service.client(given["user_id"])
    by_id = {fact["id"]: tell(alice, fact["text"], fact["kind"])["text"] for fact in given["facts"]}
    service.standin.reply("embedding", timed_out)

    found = recall(alice, given["query"])
    assert {by_id[name] for name in then["recalled_includes"]} <= set(texts(found["items"]))
    assert found["degraded"] == ["embedding"]
    turn = say(alice, begin(alice), given["query"])
    assert (len(service.standin.calls["answer"]) == 1) is then["answer_call_made"]
    assert {by_id[name] for name in then["recalled_includes"]} <= set(texts(turn["recalled"]))

    tell(alice, "Keeps two hens named Agda and Idris")
    assert "Keeps two hens named Agda and Idris" in texts(facts(alice))
    assert texts(recall(alice, "hens", limit=1)["items"]) == ["Keeps two hens named Agda and Idris"]
    assert "'error_type': " in logged(caplog)
    for text in (given["query"], *by_id.values(), "Agda", "timed out on"):
        assert text not in logged(caplog)
