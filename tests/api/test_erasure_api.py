"""Erasure: gone from every way out when the answer arrives, deleted soon after, and proved by a receipt."""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from botocore.exceptions import ReadTimeoutError

from local.cli import main
from noted.api.routes import ROUTES
from noted.conversation import replies
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    TIME,
    Json,
    begin,
    content_rows,
    correct,
    erase,
    eventually,
    facts,
    fits,
    held,
    job,
    judge,
    learn,
    look_up,
    ok,
    pages,
    problem,
    recall,
    rows,
    saved,
    say,
    stored_turns,
    tell,
    texts,
    turns_of,
    wrong_fields,
)
from tests.api.requests import BODIES, EVERY_SCOPE, MISSING, one_of_each, routes, send

ERASURE: Json = {
    "erasure_id": str,
    "scope": ("memory", "conversation", "fact"),
    "status": ("running", "complete", "failed"),
    "requested_at": TIME,
    "completed_at": (None, TIME),
    "unfinished": [("memory", "verdicts", "keys")],
    "receipt": (
        None,
        {
            "erasure_id": str,
            "subject_ref": re.compile("s_[a-z2-7]{26}"),
            "scope": ("memory", "conversation", "fact"),
            "requested_at": TIME,
            "fenced_at": TIME,
            "key_destroyed_at": (None, TIME),
            "completed_at": TIME,
            "counts": dict,
            "checked": [str],
            "stores": [
                {
                    "name": str,
                    "deleted": int,
                    "verified_empty": [TIME],
                    "acknowledgement": None,
                    "acknowledged_at": None,
                }
            ],
            "residuals": [{"what": str, "until": TIME}],
            "policy": "erasure-2",
            "version": str,
            "sha256": re.compile("[0-9a-f]{64}"),
            "kid": str,
            "signature": str,
        },
    ),
}
REQUEST = "3f1c9a52-0000-4000-8000-0123456789ab"


def everything(service: ServiceUnderTest, client: httpx.Client) -> Json:
    """Something of everything that is kept; gives the turn of a conversation."""
    turn = learn(service, client, "I like jazz", "Likes jazz")
    say(client, turn["conversation_id"], "What did I tell you?")
    correct(client, tell(client, "Lives in Porto"), "Lives in Braga")
    judge(client, tell(client, "Plans to retire at 55", kind="goal"), "confirmed", note="Yes")
    body, headers = BODIES["POST", "/v1/facts"], {"Idempotency-Key": "a-key"}
    ok(client.post("/v1/facts", json=body, headers=headers), 201)
    return turn


# Everything.


def test_everything_is_gone_from_every_way_out_when_the_answer_arrives(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = everything(service, alice)
    known = facts(alice, status="all")
    accepted = alice.delete("/v1/memory")
    erasure = ok(accepted, 202)
    assert erasure == {
        "erasure_id": erasure["erasure_id"],
        "status": "running",
        "status_url": f"/v1/erasures/{erasure['erasure_id']}",
    }
    assert accepted.headers["memory-epoch"] == "2"
    assert facts(alice, status="all") == []
    assert pages(alice, "/v1/conversations") == []
    for fact in known:
        problem(alice.get(f"/v1/facts/{fact['fact_id']}"), 404, "not-found")
    conversation = turn["conversation_id"]
    for address in (f"/v1/conversations/{conversation}", turns_of(conversation), turn["saved_url"]):
        problem(alice.get(address), 404, "not-found")
    for extra in ({}, {"include_history": True}, {"as_of": "2999-01-01T00:00:00Z"}):
        assert recall(alice, "jazz", **extra)["items"] == []
    fresh = begin(alice)
    assert say(alice, fresh, "What did I tell you?")["answer"] == replies.NOTHING_RECORDED
    asked = say(alice, fresh, "What music?", remember=False)
    assert asked["recalled"] == []
    prompt = service.standin.calls["answer"][-1].prompt
    assert not any(word in prompt for word in ("jazz", "Porto", "Braga", "retire"))


def test_an_erasure_ends_with_a_receipt_that_anyone_can_check(
    service: ServiceUnderTest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alice = service.client("alice")
    everything(service, alice)
    begun = ok(alice.get(ok(alice.delete("/v1/memory"), 202)["status_url"]))
    assert fits(begun, ERASURE)

    def ended() -> Json | None:
        erasure = ok(alice.get(f"/v1/erasures/{begun['erasure_id']}"))
        return erasure if erasure["status"] != "running" else None

    done = eventually(ended)
    assert fits(done, ERASURE)
    assert (done["scope"], done["status"], done["requested_at"]) == (
        "memory",
        "complete",
        begun["requested_at"],
    )
    assert done["completed_at"] >= done["requested_at"]
    receipt = done["receipt"]
    # A conversation's two rows, two turns, the mark of one extraction, five facts and their revision, an
    # idempotency key, and two acts: a correction and a verdict.
    assert receipt["counts"] == {"memory": 14, "verdicts": 2, "keys": 1}
    assert receipt["checked"] == ["memory", "verdicts", "keys"]
    told = {name: receipt[name] for name in receipt.keys() - {"sha256", "kid", "signature"}}
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
    assert receipt["sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    # By whoever has the file: with the keys as they are published, to everybody, or as they were kept.
    kept, keys = tmp_path / "erasure.json", tmp_path / "keys.json"
    kept.write_text(json.dumps(done))
    published = f"{service.url}/v1/receipt-keys"
    keys.write_text(httpx.get(published, trust_env=False).raise_for_status().text)
    for where in (published, str(keys)):
        assert main(["verify-receipt", str(kept), "--keys", where]) == 0
        assert capsys.readouterr().out.startswith(f"valid: erasure {done['erasure_id']} of memory")
    forged = {**done, "receipt": {**receipt, "counts": {"memory": 13, "verdicts": 2, "keys": 1}}}
    kept.write_text(json.dumps(forged))
    assert main(["verify-receipt", str(kept), "--keys", str(keys)]) == 1
    assert "altered" in capsys.readouterr().err
    assert content_rows(service, "alice") == []
    # It stays readable, and the same, whatever follows.
    tell(alice, "Has a dog")
    erase(alice)
    assert ok(alice.get(f"/v1/erasures/{begun['erasure_id']}")) == done


def test_a_receipt_holds_nothing_of_the_person(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    everything(service, alice)
    erase(alice)
    # The receipt, what a restore needs until no backup can be older, and what is known of the tables.
    ledger = [row for row in rows(service) if row["table"] == "ledger"]
    assert sorted(row["pk"]["S"][:2] for row in ledger) == ["RE", "SE", "s_"]
    owner = content_owner(service)
    for private in ("alice", "jazz", "Porto", *owner.split("#")):
        assert private not in str(ledger)


def content_owner(service: ServiceUnderTest) -> str:
    [meta] = [row for row in rows(service, "alice") if row["sk"]["S"] == "META"]
    owner: str = meta["pk"]["S"]
    return owner


def test_a_second_erasure_succeeds_and_finds_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    everything(service, alice)
    first, second = erase(alice), erase(alice)
    assert first["erasure_id"] != second["erasure_id"]
    assert second["receipt"]["counts"] == {"memory": 0, "verdicts": 0, "keys": 0}
    assert alice.get("/v1/facts").headers["memory-epoch"] == "3"


def test_who_was_never_there_can_be_erased(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    assert erase(alice)["receipt"]["counts"] == {"memory": 0, "verdicts": 0, "keys": 0}


def test_the_other_users_keep_all_they_have(service: ServiceUnderTest) -> None:
    alice, bob = service.client("alice"), service.client("bob")
    everything(service, alice)
    everything(service, bob)
    theirs = rows(service, "bob")
    erased = erase(alice)
    assert rows(service, "bob") == theirs
    assert len(facts(bob)) == 4
    problem(bob.get(f"/v1/erasures/{erased['erasure_id']}"), 404, "not-found")


def test_what_is_told_afterwards_is_kept(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    everything(service, alice)
    ok(alice.delete("/v1/memory"), 202)
    tell(alice, "Has a dog")
    turn = learn(service, alice, "I like tea", "Likes tea")
    eventually(lambda: len(content_rows(service, "alice")) == 8)
    assert sorted(texts(facts(alice))) == ["Has a dog", "Likes tea"]
    assert stored_turns(alice, turn["conversation_id"]) == [turn]


def test_an_extraction_that_was_running_brings_nothing_back(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    said = service.standin.facts("Likes jazz", quote="I like jazz")
    with held(service.standin, "extraction", said) as extraction:
        turn = say(alice, begin(alice), "I like jazz")
        extraction.wait_for_call()
        erasure = ok(alice.delete("/v1/memory"), 202)
        extraction.release()
        service.queue.drain()
    # Neither does the same message when it is delivered again.
    service.queue.send(job(service, "alice", turn).body(), "alice")
    service.queue.drain()
    eventually(lambda: ok(alice.get(erasure["status_url"]))["status"] == "complete")
    assert facts(alice, status="all") == []
    assert content_rows(service, "alice") == []


def test_an_answer_that_was_being_written_brings_nothing_back(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    service.standin.reply("extraction", service.standin.facts("Likes jazz", quote="I like jazz"))
    with ThreadPoolExecutor() as pool, held(service.standin, "answer", "Nice.") as answer:
        address, body = turns_of(conversation), {"message": "I like jazz"}
        asking = pool.submit(alice.post, address, json=body)
        answer.wait_for_call()
        erasure = ok(alice.delete("/v1/memory"), 202)
        # What is there is swept, and the receipt waits for the writer that began before.
        eventually(lambda: steps(service) not in ([], ["sweep"]))
        assert ok(alice.get(erasure["status_url"]))["status"] == "running"
        answer.release()
        asking.result()
    service.queue.drain()
    eventually(lambda: ok(alice.get(erasure["status_url"]))["status"] == "complete")
    assert pages(alice, "/v1/conversations") == []
    assert facts(alice, status="all") == []
    assert content_rows(service, "alice") == []


def steps(service: ServiceUnderTest) -> list[str]:
    """How far the worker is with the erasures that are not forgotten yet."""
    return [row["step"]["S"] for row in rows(service) if "step" in row]


# What must be done before anything is served.


def test_nothing_is_served_from_tables_that_may_have_been_restored(
    service: ServiceUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(**_: object) -> None:
        raise ReadTimeoutError(endpoint_url="database")

    alice = service.client("alice", EVERY_SCOPE)
    monkeypatch.setattr(service.runtime.dynamodb, "describe_table", silent)
    for route in ROUTES:
        response = send(alice, route, MISSING)
        if route.scope is None:
            assert response.status_code == 200
        else:
            problem(response, 503, "unavailable")
    assert rows(service, "alice") == []
    # The ledger knows other tables than these: some were restored.
    monkeypatch.undo()
    place = {"pk": {"S": "SERVICE"}, "sk": {"S": "TABLES"}}
    known: Json = {"tables": {"M": {"memory": {"S": "another"}}}, "replaying": {"M": {"tables": {"M": {}}}}}
    numbers = {name: {"N": "0"} for name in ("erasures", "rows")}
    known["replaying"]["M"].update(numbers)
    known["recorded_at"] = {"S": "2026-03-10T12:00:00.000Z"}
    service.runtime.dynamodb.put_item(
        TableName=f"{service.runtime.settings.table_prefix}-ledger", Item={**place, **known}
    )
    # What was erased is erased again without anybody asking for it, and then the service serves.
    eventually(lambda: alice.get("/v1/facts").status_code == 200)
    [left] = [row for row in rows(service) if row["pk"] == {"S": "SERVICE"}]
    assert "replaying" not in left
    assert left["tables"]["M"].keys() == {"control", "memory", "verdicts", "keys", "ledger"}


# The memory epoch.


def test_a_write_prepared_before_an_erasure_is_refused_and_writes_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice", EVERY_SCOPE)
    one_of_each(service, "alice")
    before = alice.get("/v1/facts").headers["memory-epoch"]
    erase(alice)
    ids = one_of_each(service, "alice")
    now = alice.get("/v1/facts").headers["memory-epoch"]
    assert (before, now) == ("1", "2")
    stored = rows(service)
    for method in ("POST", "PATCH", "DELETE", "PUT"):
        for route in routes("memory:write", method):
            headers = {"If-Memory-Epoch": before, "Idempotency-Key": "a-key"}
            response = send(alice, route, ids, **headers)
            problem(response, 409, "epoch-changed")
            assert response.headers["memory-epoch"] == now
    service.queue.drain()
    assert rows(service) == stored
    assert len(service.standin.calls["answer"]) == 2  # those of `one_of_each`


def test_a_write_with_the_present_epoch_is_done(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    ids = one_of_each(service, "alice")
    present = {"If-Memory-Epoch": alice.get("/v1/facts").headers["memory-epoch"]}
    written = [
        *routes("memory:write", "POST"),
        *routes("memory:write", "PATCH"),
        *routes("memory:write", "DELETE"),
    ]
    for route in written:
        assert send(alice, route, ids, **present).is_success, route


def test_a_new_user_is_in_the_epoch_that_their_first_answer_named(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    epoch = alice.get("/v1/facts").headers["memory-epoch"]
    headers = {"If-Memory-Epoch": epoch}
    ok(alice.post("/v1/facts", json=BODIES["POST", "/v1/facts"], headers=headers), 201)
    bob = service.client("bob")
    problem(bob.delete("/v1/memory", headers={"If-Memory-Epoch": "7"}), 409, "epoch-changed")


def test_an_epoch_is_a_number(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    ids = one_of_each(service, "alice")
    for epoch in ("", "one", "-1", "1.0", "1e0", "9" * 30):
        for route in routes("memory:write", "POST"):
            response = send(alice, route, ids, **{"If-Memory-Epoch": epoch})
            assert wrong_fields(response) == {"If-Memory-Epoch"}


# A conversation.


def test_a_conversation_is_erased_with_what_came_from_it_alone(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = learn(service, alice, "I like jazz", "Likes jazz")
    other = learn(service, alice, "I like tea", "Likes tea")
    told = tell(alice, "Lives in Porto")
    jazz = next(fact for fact in facts(alice) if fact["text"] == "Likes jazz")
    judge(alice, jazz, "confirmed")
    address = f"/v1/conversations/{turn['conversation_id']}"
    accepted = alice.delete(address)
    erasure = ok(accepted, 202)
    assert accepted.headers["memory-epoch"] == "1"
    for gone in (
        address,
        turns_of(turn["conversation_id"]),
        turn["saved_url"],
        f"/v1/facts/{jazz['fact_id']}",
    ):
        problem(alice.get(gone), 404, "not-found")
    problem(alice.post(turns_of(turn["conversation_id"]), json={"message": "Hello"}), 404, "not-found")
    problem(alice.delete(address), 404, "not-found")
    assert sorted(texts(facts(alice, status="all"))) == ["Likes tea", "Lives in Porto"]
    assert [turn["turn_id"] for turn in stored_turns(alice, other["conversation_id"])] == [other["turn_id"]]
    assert look_up(alice, told)["status"] == "live"
    done = eventually(lambda: completed(alice, erasure))
    assert done["scope"] == "conversation"
    # Its two rows, its turn, the turn's mark and its fact; the verdict on that.
    assert done["receipt"]["counts"] == {"memory": 5, "verdicts": 1}
    assert done["receipt"]["checked"] == ["memory", "verdicts"]
    traces = (turn["conversation_id"], turn["turn_id"], jazz["fact_id"])
    left = [row for row in content_rows(service, "alice") if any(trace in str(row["sk"]) for trace in traces)]
    assert left == []


def completed(client: httpx.Client, erasure: Json) -> Json | None:
    """The erasure, once it is complete."""
    now = ok(client.get(erasure["status_url"]))
    return now if now["status"] == "complete" else None


def test_an_extraction_of_an_erased_conversation_brings_nothing_back(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    said = service.standin.facts("Likes jazz", quote="I like jazz")
    with held(service.standin, "extraction", said) as extraction:
        turn = say(alice, begin(alice), "I like jazz")
        extraction.wait_for_call()
        ok(alice.delete(f"/v1/conversations/{turn['conversation_id']}"), 202)
        extraction.release()
        service.queue.drain()
    assert facts(alice, status="all") == []
    # The key of all that the user may still have stays.
    eventually(lambda: [row["table"] for row in content_rows(service, "alice")] == ["keys"])


def test_a_correction_of_a_fact_outlives_its_conversation(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = learn(service, alice, "I live in Porto", "Lives in Porto")
    [said] = facts(alice)
    new = correct(alice, said, "Lives in Braga")
    erase(alice, f"/v1/conversations/{turn['conversation_id']}")
    assert texts(facts(alice, status="all")) == ["Lives in Braga"]
    assert look_up(alice, new)["history"]["supersedes"] == []


def test_a_fact_is_erased_with_its_verdicts_and_not_learnt_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = learn(service, alice, "I like jazz", "Likes jazz")
    [jazz] = facts(alice)
    judge(alice, jazz, "confirmed")
    erased = erase(alice, f"/v1/facts/{jazz['fact_id']}")
    assert erased["receipt"]["counts"] == {"memory": 1, "verdicts": 1}
    service.queue.send(job(service, "alice", turn).body(), "alice")
    service.queue.drain()
    assert facts(alice, status="all") == []
    assert saved(alice, turn)["facts"] == []
    assert stored_turns(alice, turn["conversation_id"]) == [turn]


# On behalf of a compliance system.


def request_of(subject: str = "alice", request_id: str = REQUEST) -> Json:
    return {
        "subject_request_id": request_id,
        "subject": subject,
        "regulation": "gdpr",
        "submitted_time": "2026-03-10T12:00:00Z",
    }


def test_a_compliance_system_erases_a_person_and_reads_the_receipt(service: ServiceUnderTest) -> None:
    alice, machine = service.client("alice"), service.client("machine", ["memory:erase"])
    everything(service, alice)
    accepted = ok(machine.post("/v1/admin/erasures", json=request_of()), 202)
    shape = ERASURE | {
        "subject_request_id": REQUEST,
        "received_time": TIME,
        "expected_completion_time": TIME,
        "request_status": ("in_progress", "completed"),
        "regulation": "gdpr",
        "reason_code": "subject_request",
    }
    assert fits(accepted, shape)
    assert (accepted["scope"], accepted["status"]) == ("memory", "running")
    assert accepted["expected_completion_time"] > accepted["received_time"]
    assert facts(alice, status="all") == []
    assert alice.get("/v1/facts").headers["memory-epoch"] == "2"

    def ended() -> Json | None:
        now = ok(machine.get(f"/v1/admin/erasures/{REQUEST}"))
        return now if now["status"] == "complete" else None

    done = eventually(ended)
    assert fits(done, shape)
    # With the two rows that tell of the correction and of the verdict.
    assert done["receipt"]["counts"]["memory"] == 14
    assert content_rows(service, "alice") == []
    # The person sees it too, under their own id of it.
    assert ok(alice.get(f"/v1/erasures/{done['erasure_id']}"))["receipt"] == done["receipt"]


def test_a_request_that_is_sent_again_is_the_same_request(service: ServiceUnderTest) -> None:
    alice, machine = service.client("alice"), service.client("machine", ["memory:erase"])
    for client in (alice, service.client("bob")):
        tell(client, "Has a cat")
    first = ok(machine.post("/v1/admin/erasures", json=request_of()), 202)
    tell(alice, "Has a dog")
    again = ok(machine.post("/v1/admin/erasures", json=request_of(request_id=REQUEST.upper())), 202)
    assert again["erasure_id"] == first["erasure_id"]
    assert texts(facts(alice)) == ["Has a dog"]
    with ThreadPoolExecutor(6) as pool:
        other = request_of("bob", REQUEST.replace("3f", "4f"))
        answers = pool.map(lambda _: machine.post("/v1/admin/erasures", json=other), range(6))
        assert len({ok(answer, 202)["erasure_id"] for answer in answers}) == 1
    assert service.client("bob").get("/v1/facts").headers["memory-epoch"] == "2"


def test_a_request_for_another_person_needs_another_id(service: ServiceUnderTest) -> None:
    bob, machine = service.client("bob"), service.client("machine", ["memory:erase"])
    for client in (bob, service.client("alice")):
        tell(client, "Has a dog")
    ok(machine.post("/v1/admin/erasures", json=request_of()), 202)
    response = machine.post("/v1/admin/erasures", json=request_of("bob"))
    assert wrong_fields(response) == {"subject_request_id"}
    assert texts(facts(bob)) == ["Has a dog"]


def test_a_request_belongs_to_the_system_that_made_it(service: ServiceUnderTest) -> None:
    machine, other = (service.client(name, ["memory:erase"]) for name in ("machine", "other-machine"))
    tell(service.client("alice"), "Has a dog")
    ok(machine.post("/v1/admin/erasures", json=request_of()), 202)
    missing = other.get(f"/v1/admin/erasures/{MISSING['subject_request_id']}")
    for theirs in (
        other.get(f"/v1/admin/erasures/{REQUEST}"),
        other.post("/v1/admin/erasures", json=request_of()),
    ):
        problem(theirs, 404, "not-found")
        assert theirs.content == missing.content


def test_a_compliance_system_can_read_nothing_else(service: ServiceUnderTest) -> None:
    ids = one_of_each(service, "machine")
    machine = service.client("machine", ["memory:erase"])
    for scope in ("memory:read", "memory:write"):
        for route in routes(scope):
            problem(send(machine, route, ids), 403, "forbidden")
    problem(service.client("alice").post("/v1/admin/erasures", json=request_of()), 403, "forbidden")


def test_a_request_has_these_fields_and_no_others(service: ServiceUnderTest) -> None:
    machine = service.client("machine", ["memory:erase"])
    wrong: list[tuple[str, object]] = [
        ("subject_request_id", "17"),
        ("subject_request_id", REQUEST.replace("-", "")),
        ("subject_request_id", f"{REQUEST}\n"),
        ("subject_request_id", None),
        ("subject", ""),
        ("subject", "al ice"),
        ("subject", "ålice"),
        ("subject", "alice\n"),
        ("subject", "x" * 256),
        ("regulation", "GDPR!"),
        ("submitted_time", "yesterday"),
        ("reason", "because"),
    ]
    for field, value in wrong:
        response = machine.post("/v1/admin/erasures", json=request_of() | {field: value})
        assert wrong_fields(response) == {field}
    assert not any(row["table"] == "ledger" and "s_" in row["pk"]["S"] for row in rows(service))


def test_of_a_memory_whose_key_is_gone_nothing_is_told_until_it_is_erased(
    start_service: StartService, tmp_path: Path
) -> None:
    service = start_service()
    alice = service.client("alice")
    conversation = begin(alice)
    say(alice, conversation, "I like jazz")
    tell(alice, "Lives in Porto")
    ok(alice.put("/v1/settings", json={"timezone": "Europe/Lisbon"}))
    # As after an erasure whose tables, but not whose keys, were put back.
    for file in (tmp_path / "noted" / "keys").iterdir():
        file.unlink()
    alice = start_service().client("alice")
    for address in (
        "/v1/facts",
        "/v1/profile",
        "/v1/episodes",
        "/v1/settings",
        "/v1/activity",
        "/v1/export",
        "/v1/conversations",
        f"/v1/conversations/{conversation}",
        turns_of(conversation),
    ):
        problem(alice.get(address), 409, "memory-unreadable")
    problem(alice.post("/v1/conversations", json={}), 409, "memory-unreadable")
    erase(alice)
    assert ok(alice.get("/v1/conversations"))["items"] == []
    assert ok(alice.get("/v1/settings"))["timezone"] is None
    assert tell(alice, "Owns a boat")["status"] == "live"
