"""What a user sets about their memory, over HTTP: pause, retention, time zone, language, consents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api.helpers import (
    LEAD,
    Json,
    begin,
    correct,
    erase,
    facts,
    held,
    judge,
    ok,
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

    from tests.api.conftest import ServiceUnderTest, StartService

UNSET: Json = {"memory": "on", "retention_days": None, "timezone": None, "language": None, "consents": {}}


def put(client: httpx.Client, **fields: object) -> Json:
    """Sets what is sent."""
    return ok(client.put("/v1/settings", json=fields))


def test_settings_are_replaced_checked_and_fenced(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    assert ok(alice.get("/v1/settings")) == UNSET
    health = {"given": True}
    given = put(
        alice,
        retention_days=365,
        timezone="Europe/Lisbon",
        language="pt-BR",
        consents={"health": health},
    )
    assert given["consents"].keys() == {"health"}
    assert given["consents"]["health"]["given"] is True
    # What a reply told may be sent back, and changes nothing.
    assert put(alice, **given) == given == ok(alice.get("/v1/settings"))
    # The rest is replaced; whether memory is on, and consents, stay until they are named.
    assert put(alice, memory="paused") == UNSET | {"memory": "paused", "consents": given["consents"]}
    assert put(alice, timezone="Asia/Tehran")["memory"] == "paused"
    withdrawn = put(alice, memory="on", consents={"health": {"given": False}})["consents"]["health"]
    assert withdrawn["given"] is False
    assert withdrawn["at"] >= given["consents"]["health"]["at"]

    for wrong in (
        {"retention_days": 0},
        {"retention_days": 3651},
        {"retention_days": 1.5},
        {"timezone": "Mars/Olympus"},
        {"language": "english please"},
        {"language": ""},
        {"memory": "off"},
        {"consents": {"shared_lessons": health}},
        {"name": "Alice"},
    ):
        before = ok(alice.get("/v1/settings"))
        [field] = wrong_fields(alice.put("/v1/settings", json=wrong))
        assert field.split(".")[0] == next(iter(wrong))
        assert ok(alice.get("/v1/settings")) == before

    # Memory whose consent is withdrawn is paused, and is on again with the consent alone.
    assert put(alice, memory="on", consents={"memory": {"given": False}})["memory"] == "paused"
    assert wrong_fields(alice.put("/v1/settings", json={"memory": "on"})) == {"memory"}
    assert put(alice, memory="on", consents={"memory": {"given": True}})["memory"] == "on"

    told = [act["action"] for act in ok(alice.get("/v1/activity"))["items"]]
    assert told.count("memory_paused") == told.count("memory_resumed") == 2
    assert {"settings_changed", "consent_given", "consent_withdrawn"} <= set(told)
    assert ok(service.client("bob").get("/v1/settings")) == UNSET

    put(alice, retention_days=30, timezone="Asia/Tehran")
    epoch = alice.get("/v1/settings").headers["memory-epoch"]
    erase(alice)
    assert ok(alice.get("/v1/settings")) | {"memory": "on"} == UNSET
    stale = alice.put("/v1/settings", json={"retention_days": 1}, headers={"If-Memory-Epoch": epoch})
    problem(stale, 409, "epoch-changed")
    assert ok(alice.get("/v1/settings"))["retention_days"] is None


def test_while_memory_is_paused_nothing_is_kept_and_nothing_recalled(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    before = begin(alice)
    fact = tell(alice, "Lives in Lisbon")
    quote = "I own a boat."
    extracted = service.standin.facts("Owns a boat", quote=quote)
    with held(service.standin, "extraction", extracted) as extraction:
        running = say(alice, before, quote)
        extraction.wait_for_call()
        put(alice, memory="paused")
        extraction.release()
        # That work was begun before the pause, and what it found is not kept.
        kept = saved(alice, running)
        assert (kept["status"], kept["facts"]) == ("skipped", [])
    said = len(service.standin.calls["extraction"])

    paused = begin(alice)
    for conversation_id in (before, paused):
        turn = say(alice, conversation_id, "Where do I live?")
        assert (turn["memory"], turn["recalled"]) == ("skipped", [])
        prompt = service.standin.calls["answer"][-1]
        assert LEAD not in str(prompt.body)
        assert "Lisbon" not in str(prompt.body)
        assert {"recall", "remember"}.isdisjoint(prompt.tools)
        assert saved(alice, turn, 0)["status"] == "skipped"
        asked = say(alice, conversation_id, "Remember that I play the cello.")
        assert asked["answer"] == "Memory is off, so nothing was kept from that message."
        assert say(alice, conversation_id, "What did I tell you?")["answer"].startswith("Memory is off")
        assert record(alice, conversation_id, "I am a nurse.")["memory"] == "skipped"
        context = ok(alice.post(f"/v1/conversations/{conversation_id}/context", json={"message": "Home?"}))
        assert context["recalled"] == []
        assert LEAD not in str(context)
        # What is said stays in its own conversation, which could not go on without it.
        assert stored_turns(alice, conversation_id)[-1]["message"] == "I am a nurse."
    assert recall(alice, "home")["items"] == []
    problem(alice.post("/v1/facts", json={"text": "Has a dog", "kind": "fact"}), 409, "memory-paused")
    batch = {"facts": [{"text": "Has a dog", "kind": "fact"}]}
    problem(alice.post("/v1/facts:batch", json=batch), 409, "memory-paused")
    document = {"format": "noted-export", "version": "1"}
    problem(alice.post("/v1/import", json=document), 409, "memory-paused")
    assert len(service.standin.calls["extraction"]) == said
    # The user still sees what is kept, and may correct, judge and erase it.
    assert texts(facts(alice)) == ["Lives in Lisbon"]
    corrected = correct(alice, fact, "Lives in Porto")
    judge(alice, corrected, "confirmed")

    put(alice, memory="on")
    assert texts(recall(alice, "home")["items"]) == ["Lives in Porto"]
    tell(alice, "Has a dog")
    assert "Lives in Porto" in texts(say(alice, before, "Where do I live?")["recalled"])


def test_a_retention_holds_for_all_that_is_there_and_all_that_comes(start_service: StartService) -> None:
    service = start_service(NOTED_NOW="2026-03-10T12:00:00Z")
    alice = service.client("alice")
    tell(alice, "Lives in Lisbon")
    assert facts(alice)[0]["expires_at"].startswith("2027-03-10")
    put(alice, retention_days=30)
    tell(alice, "Plays the cello")
    assert {fact["expires_at"][:10] for fact in facts(alice)} == {"2026-04-09"}
    # What was to end sooner is not brought to a later end.
    put(alice, retention_days=None)
    assert tell(alice, "Has a dog")["expires_at"].startswith("2027-03-10")


def test_facts_of_a_category_whose_consent_is_withdrawn_leave_recall(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    put(alice, consents={"health": {"given": True}})
    tell(alice, "Lives in Lisbon")
    asthma = tell(alice, "Has asthma")
    assert asthma["special_category"] == "health"
    judge(alice, asthma, "confirmed")
    assert "Has asthma" in texts(recall(alice, "asthma")["items"])
    put(alice, consents={"health": {"given": False}})
    assert texts(recall(alice, "asthma")["items"]) == ["Lives in Lisbon"]
    assert texts(say(alice, begin(alice), "Do I have asthma?")["recalled"]) == ["Lives in Lisbon"]
    [withheld] = [fact for fact in facts(alice, status="all") if fact["text"] == "Has asthma"]
    assert (withheld["status"], withheld["held_because"]) == ("held", "consent_withdrawn")
    put(alice, consents={"health": {"given": True}})
    assert "Has asthma" in texts(recall(alice, "asthma")["items"])


def test_a_conversation_and_a_recall_are_in_the_zone_of_their_user(start_service: StartService) -> None:
    # In Kiritimati it is the 11th already.
    service = start_service(NOTED_NOW="2026-03-10T12:00:00Z")
    alice = service.client("alice")
    put(alice, timezone="Pacific/Kiritimati")
    assert ok(alice.post("/v1/conversations", json={}), 201)["timezone"] == "Pacific/Kiritimati"
    assert ok(alice.post("/v1/conversations", json={"timezone": "UTC"}), 201)["timezone"] == "UTC"
    tell(alice, "Lives in Lisbon")
    range_ = recall(alice, "What did I say today?")["time_range"]
    assert range_ == {"since": "2026-03-10T10:00:00.000Z", "until": "2026-03-11T10:00:00.000Z"}
