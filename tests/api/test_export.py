"""All that is held on a user, taken out and brought back, over HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from noted.api.replies import export
from tests.api.helpers import (
    Json,
    begin,
    correct,
    erase,
    facts,
    judge,
    look_up,
    ok,
    pages,
    problem,
    recall,
    record,
    saved,
    say,
    stored_turns,
    tell,
    texts,
    wrong_fields,
)

if TYPE_CHECKING:
    import httpx

    from tests.api.conftest import ServiceUnderTest

LISTS = ("conversations", "turns", "episodes", "facts", "verdicts", "activity", "erasures")
PHONE = "+351 912 345 678"


def take_out(client: httpx.Client) -> Json:
    """An export, put together from its parts."""
    document = ok(client.get("/v1/export"))
    following = document["next"]
    while following:
        part = ok(client.get(following))
        for name in LISTS:
            document[name] += part[name]
        following = part["next"]
    return {**document, "next": None}


def bring_back(client: httpx.Client, document: Json, **headers: str) -> Json:
    """Imports a document."""
    return ok(client.post("/v1/import", json=document, headers=headers))


def told(document: Json) -> Json:
    """What of a document an import promises to bring back, without ids."""
    fact = ("text", "kind", "category", "status", "provenance", "created_at", "last_confirmed_at")
    ends = ("valid_from", "valid_until", "profile_field")
    turn = ("message", "answer", "pasted", "route", "said_at", "created_at")
    conversation = ("created_at", "incognito", "timezone")
    by_id = {each["conversation_id"]: each["created_at"] for each in document["conversations"]}
    return {
        "facts": sorted(
            (
                [each[name] for name in (*fact, *ends)],
                [[verdict[name] for name in ("verdict", "at", "note")] for verdict in each["verdicts"]],
            )
            for each in sorted(document["facts"], key=lambda each: each["text"])
        ),
        "turns": sorted(
            [by_id[each["conversation_id"]], *(each[name] for name in turn)] for each in document["turns"]
        ),
        "conversations": sorted([each[name] for name in conversation] for each in document["conversations"]),
    }


@pytest.fixture
def filled(service: ServiceUnderTest) -> httpx.Client:
    """A user with some of everything."""
    alice = service.client("alice")
    ok(alice.put("/v1/settings", json={"timezone": "Europe/Lisbon", "consents": {"health": {"given": True}}}))
    conversation_id = begin(alice)
    message = f"I live in Lisbon, call me on {PHONE}."
    service.standin.reply("extraction", service.standin.facts("Lives in Lisbon", quote="I live in Lisbon"))
    saved(alice, say(alice, conversation_id, message, pasted=["a page that was pasted"]))
    record(alice, conversation_id, "And a second thing", "Yes?", remember=False)
    begin(alice, incognito=True)
    judge(alice, tell(alice, "Plays the cello"), "confirmed", note="it is so")
    judge(alice, tell(alice, "Owns a boat"), "rejected", note="never")
    correct(alice, tell(alice, "Works as a cook"), "Works as a nurse")
    tell(alice, "Plans to retire at 55", "goal", valid_until="2040-01-01T00:00:00Z")
    ok(alice.patch("/v1/profile", json={"name": "Alice"}))
    return alice


def test_an_export_is_all_of_it_and_comes_back_after_an_erasure(
    service: ServiceUnderTest, filled: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = filled
    document = take_out(alice)
    assert (document["format"], document["version"], document["memory_epoch"]) == ("noted-export", "1", 1)
    assert document["settings"] == ok(alice.get("/v1/settings"))
    assert document["profile"] == ok(alice.get("/v1/profile"))
    # The owner's own words, as they were typed: nothing is masked.
    [first, second] = document["turns"]
    assert first["message"] == f"I live in Lisbon, call me on {PHONE}."
    assert first["pasted"] == ["a page that was pasted"]
    assert second["answer"] == "Yes?"
    assert len(document["conversations"]) == 2
    listed = {fact["fact_id"]: fact for fact in facts(alice, status="all")}
    assert {fact["fact_id"] for fact in document["facts"]} == set(listed)
    for fact in document["facts"]:
        assert fact | listed[fact["fact_id"]] == fact
        assert fact["verdicts"] == look_up(alice, fact)["verdicts"]
    assert {"settings_changed", "verdict_given"} <= {act["action"] for act in document["activity"]}
    assert pages(alice, "/v1/activity")[0]["action"] == "exported"
    bob = service.client("bob")
    assert all(ok(bob.get("/v1/export"))[name] == [] for name in LISTS)

    # In parts of any size it is the same, and the parts' addresses are the user's own.
    with monkeypatch.context() as patched:
        patched.setattr(export, "__defaults__", (1,))
        parted = take_out(alice)
        following = ok(alice.get("/v1/export"))["next"]
    for name in LISTS[:-2]:
        assert parted[name] == document[name]
    problem(bob.get(following), 400, "malformed")

    # An import beside what is there makes nothing twice.
    again = bring_back(alice, document)
    assert again["imported"] == {"conversations": 0, "turns": 0, "facts": 0}
    assert again["refused"] == []
    assert {fact["fact_id"] for fact in facts(alice, status="all")} == set(listed)

    erase(alice)
    empty = take_out(alice)
    assert all(empty[name] == [] for name in ("conversations", "turns", "facts", "verdicts", "episodes"))
    assert [erasure["scope"] for erasure in empty["erasures"]] == ["memory"]
    taken = bring_back(alice, document)
    assert taken["imported"] == {"conversations": 2, "turns": 2, "facts": len(listed)}
    assert (taken["refused"], "settings" in taken["not_taken"]) == ([], True)
    back = take_out(alice)
    assert told(back) == told(document)
    assert not {fact["fact_id"] for fact in back["facts"]} & set(listed)
    # A second time it is all there; and what is live is recalled, what was rejected is not.
    assert bring_back(alice, document)["already_there"] == taken["imported"]
    assert told(take_out(alice)) == told(document)
    assert set(texts(facts(alice))) == set(
        texts([each for each in listed.values() if each["status"] == "live"])
    )
    assert "Owns a boat" not in texts(recall(alice, "boat")["items"])
    [nurse] = [fact for fact in facts(alice) if fact["text"] == "Works as a nurse"]
    assert texts(look_up(alice, nurse)["history"]["supersedes"]) == ["Works as a cook"]
    # The conversation goes on behind what came back.
    [spoken] = [each for each in back["conversations"] if not each["incognito"]]
    say(alice, spoken["conversation_id"], "Go on")
    assert [turn["message"] for turn in stored_turns(alice, spoken["conversation_id"])][-1] == "Go on"
    assert "And a second thing" in str(service.standin.calls["answer"][-1].body)


def test_what_is_brought_back_is_judged_piece_by_piece(
    service: ServiceUnderTest, filled: httpx.Client
) -> None:
    document = take_out(filled)
    bob = service.client("bob")
    fact = document["facts"][0]
    turn = document["turns"][0]
    wrong = document | {
        "facts": [
            fact | {"text": "Lives in Porto", "provenance": "vouched"},
            fact | {"text": "Where do I live?"},
            fact | {"text": "Lives in Porto", "created_at": "2199-01-01T00:00:00Z"},
            fact | {"text": "Lives in Porto", "fact_id": "ft_1"},
            "no fact",
            fact | {"text": "Lives in Porto"},
        ],
        "turns": [
            turn | {"created_at": "2001-01-01T00:00:00.000Z"},
            turn | {"conversation_id": _other(turn)},
        ],
    }
    taken = bring_back(bob, wrong, **{"Idempotency-Key": "once"})
    assert taken["imported"] == {"conversations": 2, "turns": 0, "facts": 1}
    assert [(each["section"], each["index"]) for each in taken["refused"]] == [
        *(("facts", index) for index in range(5)),
        ("turns", 0),
        ("turns", 1),
    ]
    assert "Where do I live" not in json.dumps(taken)
    assert texts(facts(bob)) == ["Lives in Porto"]
    # The same key gives the first answer again, and another body is refused.
    assert bring_back(bob, wrong, **{"Idempotency-Key": "once"}) == taken
    other = bob.post("/v1/import", json=document, headers={"Idempotency-Key": "once"})
    problem(other, 422, "invalid")
    # Another user's export is this user's own: nothing in it leads back.
    carol = service.client("carol")
    bring_back(carol, document)
    theirs, hers = take_out(bob), take_out(carol)
    assert told(hers) == told(document)
    ids = [{each["conversation_id"] for each in one["conversations"]} for one in (document, theirs, hers)]
    assert len(set.union(*ids)) == 3 * 2
    assert all(fact["source"] is None for fact in hers["facts"])

    assert wrong_fields(bob.post("/v1/import", json={"format": "noted-export"})) == {"version"}
    assert wrong_fields(bob.post("/v1/import", json=document | {"facts": [fact] * 101})) == {"facts"}
    assert wrong_fields(bob.post("/v1/import", json=document | {"more": 1})) == {"more"}
    stale = bob.post("/v1/import", json=document, headers={"If-Memory-Epoch": "9"})
    problem(stale, 409, "epoch-changed")


def _other(turn: Json) -> str:
    conversation_id: str = turn["conversation_id"]
    return conversation_id[:-1] + ("0" if conversation_id[-1] != "0" else "1")
