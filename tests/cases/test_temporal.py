"""The collected case of a day named in a question: "What did I tell you yesterday?"."""

from __future__ import annotations

from typing import Any

import pytest

from noted.clock import instant
from noted.facts.fact import Fact
from noted.recall.search import Query, candidates
from noted.recall.times import Window, window
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import begin, recall, say, tell, texts

Case = dict[str, Any]


@pytest.fixture
def case(cases: dict[str, Case]) -> Case:
    """What is given and what then holds, with the range as a reply shows it."""
    return cases["open-temporal-01"]


@pytest.fixture
def told(case: Case, start_service: StartService) -> ServiceUnderTest:
    """A service at the case's instant, whose user has told its facts at their times."""
    service = start_service(NOTED_NOW=case["given"]["now"])
    for fact in case["given"]["facts"]:
        tell(service.client("alice"), f"Owns book {fact['id']}", created_at=fact["said_at"])
    return service


def books(case: Case) -> list[str]:
    """The texts of the facts that the case expects."""
    return [f"Owns book {each}" for each in case["then"]["matched"]]


def shown(case: Case) -> dict[str, str]:
    """The range that the case expects, as a reply shows it."""
    since, until = (bound.replace("Z", ".000Z") for bound in case["then"]["range_utc"])
    return {"since": since, "until": until}


def test_yesterday_is_the_users_local_day_with_two_ends(case: Case) -> None:
    given, then = case["given"], case["then"]
    now = instant(given["now"])
    named = window(given["question"], now, given["tz"])
    assert named == Window(*map(instant, then["range_utc"]))
    facts = [
        Fact(fact["id"], "fact", "other", f"Owns book {fact['id']}", "said", place, said, said)
        for place, fact in enumerate(given["facts"])
        for said in [instant(fact["said_at"])]
    ]
    query = Query(given["question"], timezone=given["tz"])
    found = candidates(facts, query, query.time(now), now)
    assert [fact.fact_id for fact in found] == then["matched"]


def test_a_search_finds_what_was_told_that_day(case: Case, told: ServiceUnderTest) -> None:
    alice = told.client("alice")
    conversation = begin(alice, timezone=case["given"]["tz"])
    found = recall(alice, case["given"]["question"], conversation_id=conversation)
    assert sorted(texts(found["items"])) == books(case)
    assert found["time_range"] == shown(case)
    assert [item["why"]["time"] for item in found["items"]] == [1, 1]


def test_without_a_conversation_the_day_is_counted_in_utc(case: Case, told: ServiceUnderTest) -> None:
    found = recall(told.client("alice"), case["given"]["question"])
    assert found["time_range"] == {"since": "2026-03-08T00:00:00.000Z", "until": "2026-03-09T00:00:00.000Z"}
    assert sorted(texts(found["items"])) == ["Owns book a", "Owns book b"]


def test_given_bounds_win_over_the_words(case: Case, told: ServiceUnderTest) -> None:
    found = recall(told.client("alice"), case["given"]["question"], since="2026-03-09T11:00:00Z")
    assert texts(found["items"]) == ["Owns book d"]
    assert found["time_range"] == {"since": "2026-03-09T11:00:00.000Z", "until": None}
    assert found["items"][0]["why"]["time"] == 1


def test_the_day_of_anything_but_telling_is_a_preference(case: Case, told: ServiceUnderTest) -> None:
    alice = told.client("alice")
    conversation = begin(alice, timezone=case["given"]["tz"])
    found = recall(alice, "Which books did I buy yesterday?", conversation_id=conversation)
    assert len(found["items"]) == 4
    assert sorted(texts(found["items"][:2])) == books(case)
    assert [item["why"]["time"] for item in found["items"]] == [1, 1, 0, 0]
    assert found["time_range"] == shown(case)


def test_a_recollection_tells_what_was_told_that_day(case: Case, told: ServiceUnderTest) -> None:
    alice = told.client("alice")
    turn = say(alice, begin(alice, timezone=case["given"]["tz"]), case["given"]["question"])
    assert turn["route"] == "recollection"
    assert sorted(texts(turn["recalled"])) == books(case)
    [call] = told.standin.calls["recollection"]
    assert [f"book {each}" in call.user for each in "abcd"] == [False, True, True, False]


def test_a_recollection_of_a_day_without_facts_tells_all(case: Case, told: ServiceUnderTest) -> None:
    alice = told.client("alice")
    turn = say(alice, begin(alice, timezone=case["given"]["tz"]), "What did I tell you in March 2024?")
    assert turn["route"] == "recollection"
    assert len(turn["recalled"]) == 4


def test_an_answer_is_given_what_was_told_that_day(case: Case, told: ServiceUnderTest) -> None:
    alice = told.client("alice")
    question = "Write me a poem about what I told you yesterday."
    turn = say(alice, begin(alice, timezone=case["given"]["tz"]), question)
    assert turn["route"] == "answer"
    assert sorted(texts(turn["recalled"])) == books(case)
