"""Recall: what a question brings back of what was told, and why."""

from __future__ import annotations

import pytest

from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    FACT,
    LEAD,
    TIME,
    Json,
    begin,
    correct,
    eventually,
    facts,
    fits,
    judge,
    problem,
    recall,
    say,
    tell,
    texts,
    wrong_fields,
)
from tests.standin import Say

FOUND: Json = {
    "fact": FACT,
    "score": float,
    "why": dict.fromkeys(("semantic", "lexical", "recency", "importance", "time"), float),
}
# `degraded` says what a search had to do without; the contract names the other three.
REPLY: Json = {
    "items": [FOUND],
    "time_range": (None, {"since": (None, TIME), "until": (None, TIME)}),
    "block": str,
    "degraded": [str],
}


@pytest.fixture
def service(start_service: StartService) -> ServiceUnderTest:
    """A service that waits for the embedder however busy this machine is."""
    return start_service(NOTED_RECALL_BUDGET_SECONDS="60")


def test_a_search_gives_facts_with_scores_and_reasons(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    for text in ("Has a cat called Miau", "Lives in Porto", "Is allergic to nuts"):
        tell(alice, text)
    found = recall(alice, "What is the cat called?")
    assert fits(found, REPLY)
    assert texts(found["items"])[0] == "Has a cat called Miau"
    assert found["items"][0]["fact"] == next(fact for fact in facts(alice) if "cat" in fact["text"])
    scores = [item["score"] for item in found["items"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= value <= 1 for item in found["items"] for value in (item["score"], *item["why"].values()))
    best, second = found["items"][:2]
    assert best["why"]["lexical"] > second["why"]["lexical"]
    assert best["why"]["semantic"] > second["why"]["semantic"]
    assert (found["time_range"], found["degraded"]) == (None, [])
    assert recall(alice, "What is the cat called?") == found


def test_a_search_of_an_empty_memory_finds_nothing(service: ServiceUnderTest) -> None:
    empty: Json = {"items": [], "time_range": None, "block": "", "degraded": []}
    assert recall(service.client("alice"), "Where do I live?") == empty


def test_a_search_gives_as_many_as_are_asked_for(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    for number in range(12):
        tell(alice, f"Owns book {number}")
    assert len(recall(alice, "Which books do I own?")["items"]) == 10
    assert len(recall(alice, "Which books do I own?", limit=1)["items"]) == 1
    assert len(recall(alice, "Which books do I own?", limit=100)["items"]) == 12


def test_the_block_is_the_lead_then_facts_then_goals_a_line_each(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Plans to move to Porto", kind="goal")
    tell(alice, "Lives in Porto\n\nwith <3 cats")
    block = recall(alice, "Porto")["block"]
    lead, fact, goal = block.split("\n")
    assert lead == LEAD
    assert fact == "- Lives in Porto with \u20393 cats"
    assert goal == "- Plans to move to Porto"


def test_a_search_is_bounded_by_when_a_fact_was_said(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    days = [f"2026-01-0{day}T00:00:00Z" for day in range(1, 5)]
    for number, day in enumerate(days, 1):
        tell(alice, f"Owns book {number}", created_at=day)

    def found(**bounds: str) -> list[str]:
        return sorted(texts(recall(alice, "Which books do I own?", **bounds)["items"]))

    assert found(since=days[1]) == ["Owns book 2", "Owns book 3", "Owns book 4"]
    assert found(until=days[1]) == ["Owns book 1"]
    assert found(since=days[1], until=days[3]) == ["Owns book 2", "Owns book 3"]
    assert found(since="2026-01-02T01:00:00+01:00", until="2026-01-02T00:00:00.001Z") == ["Owns book 2"]
    assert found(since="2027-01-01T00:00:00Z") == []
    bounded = recall(alice, "Which books do I own?", since="2026-01-02T01:00:00+01:00")
    assert bounded["time_range"] == {"since": "2026-01-02T00:00:00.000Z", "until": None}


def test_a_search_can_be_for_one_kind(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Plans to move to Porto", kind="goal")
    tell(alice, "Lives in Porto")
    assert texts(recall(alice, "Porto", kinds=["goal"])["items"]) == ["Plans to move to Porto"]
    assert texts(recall(alice, "Porto", kinds=["fact"])["items"]) == ["Lives in Porto"]
    assert len(recall(alice, "Porto", kinds=["goal", "fact"])["items"]) == 2


def test_a_search_is_of_what_is_true_now_unless_it_asks_for_more(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto", created_at="2025-06-01T00:00:00Z")
    tell(alice, "Lives in Braga", created_at="2024-01-01T00:00:00Z", valid_until="2025-06-01T00:00:00Z")
    judge(alice, tell(alice, "Lives in Paris", created_at="2024-01-01T00:00:00Z"), "rejected")
    correct(alice, tell(alice, "Lives in a tent", created_at="2024-01-01T00:00:00Z"), "Lives in a flat")

    def found(**fields: object) -> list[str]:
        return sorted(texts(recall(alice, "Where do I live?", **fields)["items"]))

    assert found() == ["Lives in Porto", "Lives in a flat"]
    # What the user rejected or corrected was never true.
    assert found(include_history=True) == ["Lives in Braga", "Lives in Porto", "Lives in a flat"]
    assert found(as_of="2024-07-01T00:00:00Z") == ["Lives in Braga"]
    assert found(as_of="2025-06-01T00:00:00Z") == ["Lives in Porto"]
    assert found(as_of="2023-01-01T00:00:00Z") == []


def test_a_fact_told_twice_is_recalled_once(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto")
    tell(alice, "Lives in Porto")
    assert texts(recall(alice, "Porto")["items"]) == ["Lives in Porto"]


@pytest.mark.parametrize(
    "down",
    [500, Say(hang_up=True), Say("", body="not JSON"), {"data": []}],
    ids=["500", "gone", "bent", "empty"],
)
def test_without_the_embedder_words_decide_and_the_reply_says_so(
    service: ServiceUnderTest, down: Say | int
) -> None:
    alice = service.client("alice")
    tell(alice, "Has a cat called Miau")
    service.standin.reply("embedding", down)
    # What is told while it is down is stored, and found by its words too.
    tell(alice, "Order number AB-1207 is open")
    found = recall(alice, "ab-1207")
    assert texts(found["items"])[0] == "Order number AB-1207 is open"
    assert found["degraded"] == ["embedding"]
    assert found["items"][0]["why"]["semantic"] == 0
    turn = say(alice, begin(alice), "What is the cat called?")
    assert (texts(turn["recalled"])[0], turn["degraded"]) == ("Has a cat called Miau", ["embedding"])


def test_an_embedder_that_is_too_slow_is_not_waited_for(start_service: StartService) -> None:
    service = start_service()
    alice = service.client("alice")
    tell(alice, "Has a cat called Miau")
    service.standin.reply("embedding", Say(delay=20))
    found = recall(alice, "cat")
    assert (texts(found["items"]), found["degraded"]) == (["Has a cat called Miau"], ["embedding"])


def test_when_the_embedder_is_back_it_is_used_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Has a cat called Miau")
    service.standin.reply("embedding", 500, 500, lambda _: Say())
    assert recall(alice, "cat")["degraded"] == ["embedding"]
    assert eventually(lambda: recall(alice, "cat")["degraded"] == [])


def test_a_search_is_asked_for_in_these_words(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    wrong: list[tuple[str, object]] = [
        ("query", ""),
        ("query", "  "),
        ("query", "x" * 16_001),
        ("query", None),
        ("limit", 0),
        ("limit", 101),
        ("limit", "10"),
        ("limit", 1.5),
        ("since", "2026-01-01"),
        ("until", "tomorrow"),
        ("as_of", "2026-01-01T00:00:00"),
        ("kinds", []),
        ("kinds", "goal"),
        ("include_history", "yes"),
        ("user_id", "bob"),
    ]
    for field, value in wrong:
        response = alice.post("/v1/recall", json={"query": "Porto"} | {field: value})
        assert wrong_fields(response) == {field}, (field, value)
    assert wrong_fields(alice.post("/v1/recall", json={"query": "Porto", "kinds": ["wish"]})) == {"kinds.0"}
    crossed = {"query": "Porto", "since": "2026-01-02T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
    assert wrong_fields(alice.post("/v1/recall", json=crossed)) == {"until"}


def test_a_search_within_a_conversation_needs_the_conversation(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    tell(alice, "Lives in Porto")
    mine, theirs = begin(alice), begin(bob)
    assert texts(recall(alice, "Porto", conversation_id=mine)["items"]) == ["Lives in Porto"]
    for other in (theirs, "cv_00000000000000000000000000", "mine", ""):
        body = {"query": "Porto", "conversation_id": other}
        problem(alice.post("/v1/recall", json=body), 404, "not-found")
