"""Compliance systems: what they may do for the organisation of their token, what limits them, what is written
down, and what the people concerned see of it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx

from noted.api.routes import ERASE, READ, WRITE, Route
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    TIME,
    Json,
    content_rows,
    correct,
    erase,
    eventually,
    facts,
    fits,
    judge,
    ok,
    problem,
    rows,
    tell,
    texts,
    wrong_fields,
)
from tests.api.requests import routes
from tests.api.schemas import Schemas
from tests.api.test_openapi import wrong

REFERENCE = re.compile(r"s_[a-z2-7]{26}")
USER = re.compile(r"u_[a-z2-7]{26}")
ORGANISATION = "/v1/admin/organisation-erasures"
JOB: Json = {
    "request_id": str,
    "request_status": ("pending", "in_progress", "completed"),
    "regulation": str,
    "reason_code": str,
    "received_time": TIME,
    "requested_by": REFERENCE,
    "approved_by": (None, REFERENCE),
    "approved_time": (None, TIME),
    "expected_completion_time": (None, TIME),
    "completed_time": (None, TIME),
    "counts": {"users": int, "begun": int, "completed": int},
}


def member(
    service: ServiceUnderTest, organisation: str, subject: str, scopes: Sequence[str] = (READ, WRITE)
) -> httpx.Client:
    """A client of one organisation's user, or of its machine."""
    token = service.issuer.token(subject, scopes, organisation=organisation)
    client = service.client(subject)
    client.headers["Authorization"] = f"Bearer {token}"
    return client


def machine(service: ServiceUnderTest, organisation: str, name: str = "machine") -> httpx.Client:
    return member(service, organisation, name, [ERASE])


def asked(subject: str, **fields: object) -> Json:
    return {
        "subject_request_id": str(uuid.uuid4()),
        "subject": subject,
        "submitted_time": "2026-03-10T12:00:00Z",
    } | fields


def activity(client: httpx.Client, address: str = "/v1/activity") -> list[Json]:
    items: list[Json] = ok(client.get(address))["items"]
    return items


def told(client: httpx.Client) -> list[tuple[str, str, str | None]]:
    """What a compliance system did by its own list, oldest first."""
    found = activity(client, "/v1/admin/activity")
    assert fits(
        found,
        [{"audit_id": str, "at": TIME, "route": str, "outcome": str, "request_id": (None, str)}],
    )
    return [(each["route"], each["outcome"], each["request_id"]) for each in reversed(found)]


def test_a_system_reaches_its_own_organisation_and_every_refusal_is_written_down(
    service: ServiceUnderTest,
) -> None:
    bob, other_bob = member(service, "acme", "bob"), member(service, "globex", "bob")
    tell(bob, "Has a dog")
    tell(other_bob, "Has a cat")
    ours, theirs = machine(service, "acme"), machine(service, "globex")
    post = "POST /v1/admin/erasures"

    # A user's token: refused, and written down under that user.
    request = asked("bob")
    refused = problem(bob.post("/v1/admin/erasures", json=request), 403, "forbidden")
    for route in routes(ERASE):
        address = route.path.format(subject_request_id=request["subject_request_id"], request_id="nope")
        problem(bob.request(route.method, address), 403, "forbidden")
    also = member(service, "acme", "bob", [READ, WRITE, ERASE])
    assert told(also)[0] == (post, "forbidden", request["subject_request_id"])
    assert len(told(also)) == 1 + len(routes(ERASE))

    # Nobody whom this organisation knows, be they another's user or no one at all: the same answer.
    tell(member(service, "globex", "gina"), "Plays golf")
    answers = [ours.post("/v1/admin/erasures", json=asked(name)) for name in ("gina", "nobody")]
    for answer in answers:
        problem(answer, 404, "not-found")
    assert answers[0].content == answers[1].content
    assert not any(row["table"] == "ledger" and "s_" in row["pk"]["S"] for row in rows(service))

    # Granted: one person of one organisation, and only the caller may look at it.
    request = asked("bob", regulation="ccpa", reason_code="account_closed")
    accepted = ok(ours.post("/v1/admin/erasures", json=request), 202)
    assert accepted["subject_request_id"] == request["subject_request_id"]
    assert (accepted["regulation"], accepted["reason_code"]) == ("ccpa", "account_closed")
    assert (accepted["status"], accepted["request_status"]) == ("running", "in_progress")
    assert facts(bob) == []
    assert texts(facts(other_bob)) == ["Has a cat"]
    address = f"/v1/admin/erasures/{request['subject_request_id']}"
    problem(theirs.get(address), 404, "not-found")

    def completed() -> Json | None:
        now = ok(ours.get(address))
        return now if now["request_status"] == "completed" else None

    assert eventually(completed)["status"] == "complete"
    assert content_rows(service, "bob") == []

    # The same id for another, and what is not in the lists.
    tell(member(service, "acme", "ann"), "Has a parrot")
    again = request | {"subject": "ann"}
    assert wrong_fields(ours.post("/v1/admin/erasures", json=again)) == {"subject_request_id"}
    for field, value in (
        ("regulation", "folklore"),
        ("reason_code", "because they were rude"),
        ("subject_request_type", "access"),
        ("reason", "x"),
    ):
        assert wrong_fields(ours.post("/v1/admin/erasures", json=asked("ann") | {field: value})) == {field}
    assert texts(facts(member(service, "acme", "ann"))) == ["Has a parrot"]

    outcomes = [(route, outcome) for route, outcome, _ in told(ours)]
    assert outcomes == [(post, "not_found")] * 2 + [(post, "granted")] + [(post, "refused")] * 5
    assert [(outcome, known) for _, outcome, known in told(theirs)] == [
        ("not_found", request["subject_request_id"])
    ]
    # Bob's list, with his new memory: who erased the old one, and nothing of what it held.
    [seen] = activity(bob)
    assert (seen["action"], seen["actor"], seen["result"]) == ("memory_erased", "compliance", "complete")
    assert REFERENCE.fullmatch(seen["client"])
    assert seen["object_ids"] == [accepted["erasure_id"]]
    assert refused["detail"]


def test_the_list_of_users_holds_states_and_no_names(service: ServiceUnderTest) -> None:
    for name in ("ann", "ben", "cem"):
        tell(member(service, "acme", name), "Has a dog")
    tell(member(service, "globex", "gina"), "Plays golf")
    erase(member(service, "acme", "cem"), "/v1/memory")
    ours = machine(service, "acme")
    first = ok(ours.get("/v1/admin/users?limit=2"))
    second = ok(ours.get("/v1/admin/users", params={"limit": 2, "cursor": first["next_cursor"]}))
    assert (first["count"], second["count"], second["next_cursor"]) == (3, None, None)
    found = first["items"] + second["items"]
    shape = {"user": USER, "created_at": TIME, "state": ("active", "paused"), "memory_epoch": int}
    assert fits(found, [shape])
    assert len({each["user"] for each in found}) == 3
    assert sorted(each["memory_epoch"] for each in found) == [1, 1, 2]
    for client, address in (
        (machine(service, "globex"), "/v1/admin/users"),
        (machine(service, "acme", "second"), "/v1/admin/users"),
        (ours, "/v1/admin/activity"),
    ):
        taken = client.get(address, params={"cursor": first["next_cursor"]})
        problem(taken, 400, "malformed")


def test_no_more_than_a_days_requests_however_many_at_once(start_service: StartService) -> None:
    service = start_service(NOTED_COMPLIANCE_DAILY_REQUESTS="3")
    names = [f"user-{number}" for number in range(6)]
    for name in names:
        tell(member(service, "acme", name), "Has a dog")
    ours = machine(service, "acme")
    requests = [asked(name) for name in names]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda each: ours.post("/v1/admin/erasures", json=each), requests))
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) == 3
    for answer in refused:
        problem(answer, 429, "too-many-requests")
        assert 0 < int(answer.headers["retry-after"]) <= 24 * 3600
    # Sent again, a request that was accepted is still that request; the others left everything as it was.
    for request, answer in zip(requests, answers, strict=True):
        assert ours.post("/v1/admin/erasures", json=request).status_code == answer.status_code
        kept = texts(facts(member(service, "acme", request["subject"])))
        assert kept == (["Has a dog"] if answer.status_code == 429 else [])
    assert sorted(outcome for _, outcome, _ in told(ours)) == ["granted"] * 3 + ["over_limit"] * 6
    # Another system of the organisation has a day of its own.
    left = next(each for each, answer in zip(requests, answers, strict=True) if answer.status_code == 429)
    second = machine(service, "acme", "second")
    ok(second.post("/v1/admin/erasures", json=asked(left["subject"])), 202)


def test_an_organisation_is_erased_when_a_second_client_agrees(service: ServiceUnderTest) -> None:
    names = [f"user-{number}" for number in range(5)]
    for name in names:
        tell(member(service, "acme", name), "Has a dog")
    gina = member(service, "globex", "gina")
    tell(gina, "Plays golf")
    ours, second, theirs = (
        machine(service, "acme"),
        machine(service, "acme", "second"),
        machine(service, "globex"),
    )
    document = httpx.get(f"{service.url}/openapi.json", trust_env=False).json()
    Schemas(document)
    request_id = str(uuid.uuid4())
    request = {"request_id": request_id, "submitted_time": "2026-03-10T12:00:00Z"}
    address, approvals = f"{ORGANISATION}/{request_id}", f"{ORGANISATION}/{request_id}/approvals"
    asked_for = ok(ours.post(ORGANISATION, json=request), 202)
    assert fits(asked_for, JOB)
    assert (asked_for["request_status"], asked_for["approved_by"]) == ("pending", None)
    assert ok(ours.post(ORGANISATION, json=request), 202) == asked_for
    # Not by itself, not by another organisation, not by a user; and nothing has begun.
    problem(ours.post(approvals), 403, "forbidden")
    problem(theirs.post(approvals), 404, "not-found")
    problem(theirs.get(address), 404, "not-found")
    problem(second.post(ORGANISATION, json=request), 404, "not-found")
    problem(member(service, "acme", names[0]).post(approvals), 403, "forbidden")
    assert texts(facts(member(service, "acme", names[0]))) == ["Has a dog"]

    approved = second.post(approvals)
    assert wrong(document, ("POST", f"{ORGANISATION}/{{request_id}}/approvals"), approved) == []
    assert ok(approved, 202)["approved_by"] not in (None, asked_for["requested_by"])
    assert ok(second.post(approvals), 202)["approved_time"] == approved.json()["approved_time"]

    def completed() -> Json | None:
        now = ok(second.get(address))
        assert fits(now, JOB)
        return now if now["request_status"] == "completed" else None

    done = eventually(completed)
    assert done["counts"] == {"users": 5, "begun": 5, "completed": 5}
    for name in names:
        user = member(service, "acme", name)
        assert facts(user) == []
        [seen] = activity(user)
        assert (seen["actor"], seen["client"]) == ("compliance", asked_for["requested_by"])
        receipt = ok(user.get(f"/v1/erasures/{seen['object_ids'][0]}"))
        assert receipt["status"] == "complete"
    assert texts(facts(gina)) == ["Plays golf"]
    # Nothing of who was on the list is left with the job.
    left = [row for row in rows(service) if row["table"] == "control" and "ORGERASE#" in str(row)]
    assert len(left) == 1
    granted = [(route, outcome) for route, outcome, _ in told(second) if outcome == "granted"]
    assert granted == [(f"POST {ORGANISATION}/{{request_id}}/approvals", "granted")]


def test_a_user_sees_what_was_done_with_their_memory(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    fact, other = tell(alice, "Lives in Porto"), tell(alice, "Has a dog")
    corrected = correct(alice, fact, "Lives in Braga")
    verdict = judge(alice, other, "rejected", note="That was a xylophone")
    erased = erase(alice, f"/v1/facts/{other['fact_id']}")
    alice.patch("/v1/profile", json={"home_town": "Braga"})
    # Refused: nothing was done, and nothing is told.
    assert alice.post(f"/v1/facts/{fact['fact_id']}/verdicts", json={"verdict": "maybe"}).status_code == 422
    found = activity(alice)
    shape = {
        "activity_id": str,
        "action": str,
        "at": TIME,
        "route": re.compile(r"(GET|PUT|POST|PATCH|DELETE) /v1/[a-z_{}/]+"),
        "result": str,
        "actor": "user",
        "client": None,
        "object_ids": [str],
    }
    assert fits(found, [shape])
    assert "xylophone" not in str(found)
    assert [each["action"] for each in found] == [
        "profile_changed",
        "fact_erased",
        "verdict_given",
        "fact_corrected",
    ]
    assert found[1]["object_ids"] == [erased["erasure_id"]]
    assert found[2]["object_ids"] == [other["fact_id"], verdict["verdict_id"]]
    assert found[3]["object_ids"] == [fact["fact_id"]]
    assert corrected["fact_id"] != fact["fact_id"]
    first = ok(alice.get("/v1/activity?limit=3"))
    rest = ok(alice.get("/v1/activity", params={"cursor": first["next_cursor"]}))
    assert first["items"] + rest["items"] == found
    bob = service.client("bob")
    problem(bob.get("/v1/activity", params={"cursor": first["next_cursor"]}), 400, "malformed")
    assert activity(bob) == []
    erase(alice, "/v1/memory")
    assert {each["action"] for each in activity(alice)} == {"memory_erased", "fact_erased"}


def test_routes_for_others_are_apart_from_those_of_users() -> None:
    for route in routes(ERASE):
        assert isinstance(route, Route)
        assert route.audited
        assert set(route.admits) == {ERASE, READ, WRITE}
