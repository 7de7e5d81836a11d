"""A user's facts: told, listed, looked at, corrected, judged and erased by their own hand."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    FACT,
    TIME,
    Json,
    begin,
    correct,
    erase,
    facts,
    fits,
    judge,
    learn,
    look_up,
    ok,
    problem,
    recall,
    say,
    tell,
    texts,
    wrong_fields,
)

VERDICT: Json = {
    "verdict_id": str,
    "fact_id": str,
    "verdict": ("confirmed", "rejected", "inaccurate"),
    "at": TIME,
    "note": (None, str),
}
DETAIL: Json = FACT | {"verdicts": [VERDICT], "history": {"supersedes": [FACT], "superseded_by": [FACT]}}


# Telling.


def test_a_fact_that_is_told_is_confirmed_and_live_at_once(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, "Lives in Porto", category="identity")
    assert fits(fact, FACT)
    assert fact | {"fact_id": "", "created_at": "", "last_confirmed_at": "", "expires_at": ""} == {
        "fact_id": "",
        "kind": "fact",
        "category": "identity",
        "text": "Lives in Porto",
        "status": "live",
        "provenance": "confirmed",
        "source": None,
        "created_at": "",
        "last_confirmed_at": "",
        "valid_from": None,
        "valid_until": None,
        "expires_at": "",
        "latest_verdict": None,
        "supersedes": None,
        "superseded_by": None,
    }
    assert fact["created_at"] == fact["last_confirmed_at"]
    assert facts(alice) == [fact]
    assert look_up(alice, fact) == fact | {
        "verdicts": [],
        "history": {"supersedes": [], "superseded_by": []},
    }
    assert service.standin.calls["extraction"] == []  # told by hand: no model reads it


def test_a_fact_is_kept_as_long_as_its_category_says(start_service: StartService) -> None:
    service = start_service(NOTED_NOW="2026-03-10T12:00:00Z")
    alice = service.client("alice")
    kept_days = {}
    for category in ("identity", "preference", "constraint", "project", "relationship", "other"):
        fact = tell(alice, f"Is about {category}", category=category)
        kept = datetime.fromisoformat(fact["expires_at"]) - datetime.fromisoformat(fact["created_at"])
        kept_days[category] = round(kept / timedelta(days=1))
    assert kept_days == {
        "identity": 730,
        "preference": 730,
        "constraint": 730,
        "project": 365,
        "relationship": 730,
        "other": 365,
    }


def test_a_fact_can_be_told_with_its_times(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    past = tell(
        alice, "Drives a van", created_at="2025-01-05T10:00:00+01:00", valid_until="2026-01-01T00:00:00Z"
    )
    assert past["created_at"] == "2025-01-05T09:00:00.000Z"
    assert (past["valid_until"], past["status"]) == ("2026-01-01T00:00:00.000Z", "expired")
    forever = tell(alice, "Has a birthday", kind="goal", valid_until="9999-12-31T23:59:59Z")
    assert (forever["valid_until"], forever["status"]) == ("9999-12-31T23:59:59.000Z", "live")
    assert facts(alice) == [forever]


def test_a_fact_has_these_fields_and_no_others(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    good = {"text": "Lives in Porto", "kind": "fact"}
    for field, value in [
        ("text", ""),
        ("text", " \n\t"),
        ("text", "x" * 501),
        ("text", 7),
        ("text", None),
        ("kind", "wish"),
        ("kind", None),
        ("category", "secret"),
        ("created_at", "2999-01-01T00:00:00Z"),
        ("created_at", "2026-01-01"),
        ("created_at", "2026-01-01T00:00:00"),
        ("created_at", "1812-01-01T00:00:00Z"),
        ("valid_until", "9999-12-31T23:59:59-14:00"),
        ("valid_until", 1767225600),
        ("provenance", "said"),
        ("status", "live"),
        ("user_id", "bob"),
        ("fact_id", "ft_00000000000000000000000000"),
    ]:
        assert wrong_fields(alice.post("/v1/facts", json=good | {field: value})) == {field}, (field, value)
    assert wrong_fields(alice.post("/v1/facts", json={})) == {"text", "kind"}
    assert facts(alice, status="all") == []
    assert len(tell(alice, "x" * 500)["text"]) == 500


def test_what_a_user_tells_passes_the_guards_of_extraction(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    porto = tell(alice, "Lives in Porto")
    for text in (
        "Is Porto far?",
        "What the weather is like",
        "Wants to know the price of gold",
        "Owes <PERSON_A> a beer",
        "Has [account.balance] in the bank",
        "...",
    ):
        refused = [
            alice.post("/v1/facts", json={"text": text, "kind": "fact"}),
            alice.patch(f"/v1/facts/{porto['fact_id']}", json={"text": text}),
        ]
        for response in refused:
            assert wrong_fields(response) == {"text"}, text
            assert text not in response.text
    assert look_up(alice, porto)["verdicts"] == []
    assert facts(alice, status="all") == [porto]


# A batch.


def test_a_batch_is_judged_item_by_item_and_answered_in_order(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    body = {
        "facts": [
            {"text": "Lives in Porto", "kind": "fact"},
            {"text": "Is it far?", "kind": "fact"},
            {"text": "Plans to retire at 55", "kind": "goal"},
            {"text": "Has a cat"},
            "Has a dog",
            None,
            {"text": "Works nights", "kind": "fact", "created_at": "2999-01-01T00:00:00Z"},
            {"text": "Drives a van", "kind": "fact", "colour": "red"},
            {"text": "Likes jazz", "kind": "fact"},
        ]
    }
    reply = ok(alice.post("/v1/facts:batch", json=body))
    assert reply.keys() == {"items"}
    assert [item.get("text") for item in reply["items"]] == [
        *("Lives in Porto", None, "Plans to retire at 55", None, None, None, None, None, "Likes jazz"),
    ]
    for item in reply["items"]:
        assert fits(item, FACT) or item.keys() == {"error"}
    refused = [item["error"] for item in reply["items"] if "error" in item]
    assert {error["status"] for error in refused} == {422}
    fields = [[error["field"] for error in each["errors"] or []] for each in refused]
    assert fields == [["text"], ["kind"], ["body"], ["body"], ["created_at"], ["colour"]]
    assert sorted(texts(facts(alice))) == ["Likes jazz", "Lives in Porto", "Plans to retire at 55"]


def test_a_batch_has_1_to_100_facts(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    batch = [{"text": f"Owns book number {number}", "kind": "fact"} for number in range(101)]
    for wrong in ([], batch, "Lives in Porto", None):
        assert wrong_fields(alice.post("/v1/facts:batch", json={"facts": wrong})) == {"facts"}
    assert facts(alice, status="all") == []
    one = ok(alice.post("/v1/facts:batch", json={"facts": batch[100:]}))
    assert texts(one["items"]) == ["Owns book number 100"]
    hundred = ok(alice.post("/v1/facts:batch", json={"facts": batch[:100]}))
    assert texts(hundred["items"]) == [item["text"] for item in batch[:100]]
    assert sorted(texts(facts(alice))) == sorted(item["text"] for item in batch)


def test_a_batch_of_nothing_but_refusals_keeps_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    reply = ok(alice.post("/v1/facts:batch", json={"facts": [{"text": "Why?", "kind": "fact"}]}))
    assert [item.keys() for item in reply["items"]] == [{"error"}]
    assert facts(alice, status="all") == []


# The list.


def test_the_list_is_of_live_facts_newest_first(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Lives in Porto", created_at="2026-01-02T00:00:00Z")
    tell(alice, "Plans to retire at 55", kind="goal", created_at="2026-01-03T00:00:00Z")
    judge(alice, tell(alice, "Likes jazz", created_at="2026-01-04T00:00:00Z"), "rejected")
    judge(alice, tell(alice, "Owns a boat", created_at="2026-01-05T00:00:00Z"), "inaccurate")
    tell(alice, "Drives a van", created_at="2026-01-06T00:00:00Z", valid_until="2026-01-07T00:00:00Z")
    correct(alice, tell(alice, "Has a dog", created_at="2026-01-01T00:00:00Z"), "Has a cat")
    assert texts(facts(alice)) == ["Has a cat", "Plans to retire at 55", "Lives in Porto"]
    assert facts(alice, status="live") == facts(alice)
    assert [(fact["text"], fact["status"]) for fact in facts(alice, status="all")] == [
        ("Has a cat", "live"),
        ("Drives a van", "expired"),
        ("Owns a boat", "inaccurate"),
        ("Likes jazz", "rejected"),
        ("Plans to retire at 55", "live"),
        ("Lives in Porto", "live"),
        ("Has a dog", "inaccurate"),
    ]


def test_the_list_can_be_narrowed(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    tell(alice, "Trinkt gern Weißwein", created_at="2026-01-01T00:00:00Z")
    tell(alice, "Wants to see PORTO", kind="goal", created_at="2026-01-02T00:00:00Z")
    tell(alice, "Lives in Porto", created_at="2026-01-03T00:00:00Z")
    assert texts(facts(alice, kind="goal")) == ["Wants to see PORTO"]
    assert texts(facts(alice, kind="fact")) == ["Lives in Porto", "Trinkt gern Weißwein"]
    assert texts(facts(alice, q="porto")) == ["Lives in Porto", "Wants to see PORTO"]
    assert texts(facts(alice, q="porto", kind="fact")) == ["Lives in Porto"]
    assert texts(facts(alice, q="WEISSWEIN")) == ["Trinkt gern Weißwein"]
    assert facts(alice, q="Lisbon") == []
    assert len(facts(alice, q="", kind="", status="")) == 3
    for query in ({"status": "dead"}, {"kind": "wish"}):
        assert wrong_fields(alice.get("/v1/facts", params=query)) == query.keys()


def test_250_facts_are_listed_in_full_whatever_the_page(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    told = []
    for start in range(0, 250, 100):
        batch = [{"text": f"Owns book {n}", "kind": "fact"} for n in range(start, min(start + 100, 250))]
        told += ok(alice.post("/v1/facts:batch", json={"facts": batch}))["items"]
    listed = facts(alice, limit=100)
    assert listed == sorted(told, key=lambda fact: str(fact["fact_id"]), reverse=True)
    assert facts(alice, limit=33) == listed
    assert len(ok(alice.get("/v1/facts"))["items"]) == 50
    assert len(facts(alice, q="book 24")) == 11  # 24 and 240 to 249


def test_a_page_is_not_moved_by_what_happens_meanwhile(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    told = [tell(alice, f"Owns book {n}", created_at=f"2026-01-0{n}T00:00:00Z") for n in range(1, 7)]
    first = ok(alice.get("/v1/facts", params={"limit": 2}))
    tell(alice, "Owns a newer book")
    erase(alice, f"/v1/facts/{told[4]['fact_id']}")
    rest = ok(alice.get("/v1/facts", params={"limit": 100, "cursor": first["next_cursor"]}))
    assert texts(first["items"]) == ["Owns book 6", "Owns book 5"]
    assert texts(rest["items"]) == ["Owns book 4", "Owns book 3", "Owns book 2", "Owns book 1"]
    assert rest["next_cursor"] is None


# Corrections.


def test_a_correction_takes_the_place_of_a_fact_and_both_stay_in_the_history(
    service: ServiceUnderTest,
) -> None:
    alice = service.client("alice")
    first = tell(alice, "Lives in Porto", category="identity", valid_until="2999-01-01T00:00:00Z")
    second = correct(alice, first, "Lives in Braga")
    third = correct(alice, second, "  Lives in Lisbon ")
    assert fits(second, FACT)
    assert (second["status"], second["provenance"], second["source"]) == ("live", "confirmed", None)
    assert (second["category"], second["valid_until"]) == ("identity", "2999-01-01T00:00:00.000Z")
    assert (second["supersedes"], third["supersedes"]) == (first["fact_id"], second["fact_id"])
    assert third["text"] == "Lives in Lisbon"
    detail = look_up(alice, second)
    assert fits(detail, DETAIL)
    assert (detail["status"], detail["superseded_by"]) == ("inaccurate", third["fact_id"])
    assert texts(detail["history"]["supersedes"]) == ["Lives in Porto"]
    assert texts(detail["history"]["superseded_by"]) == ["Lives in Lisbon"]
    assert [row["verdict"] for row in detail["verdicts"]] == ["inaccurate"]
    assert detail["latest_verdict"]["verdict"] == "inaccurate"
    assert texts(look_up(alice, third)["history"]["supersedes"]) == ["Lives in Braga", "Lives in Porto"]
    assert facts(alice) == [third]


def test_a_fact_of_a_conversation_can_be_corrected(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "I live in Porto", "Lives in Porto")
    [said] = facts(alice)
    corrected = correct(alice, said, "Lives in Braga")
    assert (said["provenance"], corrected["provenance"]) == ("said", "confirmed")
    # The words of the conversation are those of the old fact, not of the new one.
    assert corrected["source"] is None
    assert look_up(alice, said)["source"] == said["source"]


def test_what_has_been_corrected_is_not_corrected_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    old = tell(alice, "Lives in Porto")
    correct(alice, old, "Lives in Braga")
    again = alice.patch(f"/v1/facts/{old['fact_id']}", json={"text": "Lives in Lisbon"})
    assert wrong_fields(again) == {"fact_id"}
    assert texts(facts(alice)) == ["Lives in Braga"]


def test_a_correction_is_a_text_and_nothing_else(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, "Lives in Porto")
    address = f"/v1/facts/{fact['fact_id']}"
    for body, field in [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": "x" * 501}, "text"),
        ({"text": ["Lives in Braga"]}, "text"),
        ({"text": "Lives in Braga", "kind": "goal"}, "kind"),
        ({"text": "Lives in Braga", "provenance": "said"}, "provenance"),
    ]:
        assert wrong_fields(alice.patch(address, json=body)) == {field}
    assert facts(alice, status="all") == [fact]


# Verdicts.


@pytest.mark.parametrize("verdict", ["rejected", "inaccurate"])
def test_a_fact_that_is_denied_leaves_every_way_out_at_once(service: ServiceUnderTest, verdict: str) -> None:
    alice = service.client("alice")
    learn(service, alice, "I like jazz", "Likes jazz")
    [fact] = facts(alice)
    row = judge(alice, fact, verdict, note="It was a joke.")
    assert fits(row, VERDICT)
    assert (row["fact_id"], row["verdict"], row["note"]) == (fact["fact_id"], verdict, "It was a joke.")
    judged = look_up(alice, fact)
    assert (judged["status"], judged["verdicts"]) == (verdict, [row])
    assert judged["latest_verdict"] == {"verdict": verdict, "at": row["at"]}
    assert judged["provenance"] == "said"
    assert facts(alice) == []
    assert recall(alice, "jazz")["items"] == []
    assert recall(alice, "jazz", include_history=True)["items"] == []
    assert "jazz" not in say(alice, begin(alice), "What did I tell you?")["answer"]


def test_a_fact_that_is_confirmed_is_renewed(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learn(service, alice, "I like jazz", "Likes jazz")
    [said] = facts(alice)
    row = judge(alice, said, "confirmed")
    confirmed = look_up(alice, said)
    assert (said["provenance"], confirmed["provenance"]) == ("said", "confirmed")
    assert confirmed["last_confirmed_at"] == row["at"] > said["last_confirmed_at"]
    assert confirmed["created_at"] == said["created_at"]
    assert confirmed["status"] == "live"
    assert row["note"] is None


def test_verdicts_are_appended_and_the_last_one_stands(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, "Likes jazz")
    given = ["rejected", "confirmed", "confirmed", "inaccurate", "rejected", "confirmed"]
    statuses = []
    for verdict in given:
        judge(alice, fact, verdict)
        statuses.append(look_up(alice, fact)["status"])
    assert statuses == ["rejected", "live", "live", "inaccurate", "rejected", "live"]
    assert [row["verdict"] for row in look_up(alice, fact)["verdicts"]] == given
    assert facts(alice)[0]["latest_verdict"]["verdict"] == "confirmed"


def test_a_rejection_hides_older_copies_and_not_what_is_said_later(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    older, other = tell(alice, "Likes jazz"), tell(alice, "Likes  JAZZ!")
    judge(alice, older, "rejected")
    assert facts(alice) == []
    assert look_up(alice, other)["status"] == "rejected"
    again = tell(alice, "Likes jazz")
    assert facts(alice) == [again]


def test_a_verdict_is_one_of_three(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact = tell(alice, "Likes jazz")
    address = f"/v1/facts/{fact['fact_id']}/verdicts"
    for body, field in [
        ({}, "verdict"),
        ({"verdict": "maybe"}, "verdict"),
        ({"verdict": "CONFIRMED"}, "verdict"),
        ({"verdict": None}, "verdict"),
        ({"verdict": "confirmed", "note": "x" * 501}, "note"),
        ({"verdict": "confirmed", "note": 7}, "note"),
        ({"verdict": "confirmed", "at": "2026-01-01T00:00:00Z"}, "at"),
    ]:
        assert wrong_fields(alice.post(address, json=body)) == {field}
    assert look_up(alice, fact)["verdicts"] == []


# Erasure of one fact.


def test_an_erased_fact_is_gone_with_its_verdicts(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    jazz, tea = tell(alice, "Likes jazz"), tell(alice, "Likes tea")
    judge(alice, jazz, "confirmed")
    address = f"/v1/facts/{jazz['fact_id']}"
    erased = erase(alice, address)
    assert erased["scope"] == "fact"
    assert facts(alice, status="all") == [tea]
    assert texts(recall(alice, "jazz", include_history=True)["items"]) == ["Likes tea"]
    for gone in (
        alice.get(address),
        alice.delete(address),
        alice.patch(address, json={"text": "Likes blues"}),
        alice.post(f"{address}/verdicts", json={"verdict": "confirmed"}),
    ):
        problem(gone, 404, "not-found")


def test_a_correction_outlives_the_fact_that_it_corrected(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    old = tell(alice, "Lives in Porto")
    new = correct(alice, old, "Lives in Braga")
    erase(alice, f"/v1/facts/{old['fact_id']}")
    detail = look_up(alice, new)
    assert (detail["status"], detail["history"]["supersedes"]) == ("live", [])
