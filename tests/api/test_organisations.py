"""Two organisations whose compliance systems use the same id of a request: each has its own request, and none
can see, hold up or change the other's."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

import httpx

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import Json, eventually, facts, ok, problem, tell, texts, wrong_fields
from tests.api.test_compliance import ORGANISATION, asked, machine, member, told

ERASURES = "/v1/admin/erasures"
_OWN_HEADERS = ("date", "apigw-requestid", "x-amzn-requestid")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_ERASURE = re.compile(r"er_[0-9A-Z]{26}")


def finished(client: httpx.Client, address: str) -> Json:
    """A request once it has come to its end."""

    def completed() -> Json | None:
        now = ok(client.get(address))
        return now if now["request_status"] == "completed" else None

    return eventually(completed)


def for_all(request_id: str) -> Json:
    """The request for the erasure of an organisation."""
    return {"request_id": request_id, "submitted_time": "2026-03-10T12:00:00Z"}


def test_the_same_id_in_two_organisations_is_two_requests(service: ServiceUnderTest) -> None:
    ours, theirs = machine(service, "acme"), machine(service, "globex")
    for organisation in ("acme", "globex"):
        for name in ("bob", "ann"):
            tell(member(service, organisation, name), "Has a dog")
    our_bob, their_bob = member(service, "acme", "bob"), member(service, "globex", "bob")
    request = asked("bob", regulation="ccpa", reason_code="account_closed")
    address = f"{ERASURES}/{request['subject_request_id']}"
    first = ok(ours.post(ERASURES, json=request), 202)
    assert (facts(our_bob), texts(facts(their_bob))) == ([], ["Has a dog"])
    problem(theirs.get(address), 404, "not-found")

    # Another person, on other grounds: that would be refused if it were the same request.
    other = request | {"subject": "ann", "regulation": "gdpr", "reason_code": "objection"}
    second = ok(theirs.post(ERASURES, json=other), 202)
    assert second["erasure_id"] != first["erasure_id"]
    assert facts(member(service, "globex", "ann")) == []
    assert texts(facts(their_bob)) == texts(facts(member(service, "acme", "ann"))) == ["Has a dog"]

    # Sent again, each is its own sender's; within an organisation another person needs another id.
    assert ok(ours.post(ERASURES, json=request), 202)["erasure_id"] == first["erasure_id"]
    assert ok(theirs.post(ERASURES, json=other), 202)["erasure_id"] == second["erasure_id"]
    assert wrong_fields(ours.post(ERASURES, json=other)) == {"subject_request_id"}
    assert wrong_fields(theirs.post(ERASURES, json=request)) == {"subject_request_id"}

    done, done_there = finished(ours, address), finished(theirs, address)
    assert (done["erasure_id"], done["regulation"]) == (first["erasure_id"], "ccpa")
    assert (done_there["erasure_id"], done_there["regulation"]) == (second["erasure_id"], "gdpr")
    assert done["receipt"]["sha256"] != done_there["receipt"]["sha256"]


def test_two_organisations_are_erased_under_the_same_id(service: ServiceUnderTest) -> None:
    ours, second = machine(service, "acme"), machine(service, "acme", "second")
    theirs, their_second = machine(service, "globex"), machine(service, "globex", "second")
    for name in ("ann", "ben"):
        tell(member(service, "acme", name), "Has a dog")
    gina = member(service, "globex", "gina")
    tell(gina, "Plays golf")
    request = for_all(str(uuid.uuid4()))
    address = f"{ORGANISATION}/{request['request_id']}"
    ok(ours.post(ORGANISATION, json=request | {"reason_code": "contract_ended"}), 202)
    problem(theirs.get(address), 404, "not-found")
    asked_for = ok(theirs.post(ORGANISATION, json=request | {"reason_code": "objection"}), 202)
    assert (asked_for["request_status"], asked_for["reason_code"]) == ("pending", "objection")

    # The approval of one is none of the other.
    ok(second.post(f"{address}/approvals"), 202)
    done = finished(ours, address)
    assert done["counts"] == {"users": 2, "begun": 2, "completed": 2}
    assert done["reason_code"] == "contract_ended"
    assert ok(theirs.get(address)) == asked_for
    assert texts(facts(gina)) == ["Plays golf"]
    assert facts(member(service, "acme", "ann")) == facts(member(service, "acme", "ben")) == []

    ok(their_second.post(f"{address}/approvals"), 202)
    done_there = finished(theirs, address)
    assert done_there["counts"] == {"users": 1, "begun": 1, "completed": 1}
    assert done_there["requested_by"] != done["requested_by"]
    assert facts(gina) == []
    assert ok(ours.get(address)) == done


def test_an_organisation_cannot_tell_an_id_that_another_uses_from_one_that_nobody_uses(
    service: ServiceUnderTest,
) -> None:
    ours, second = machine(service, "acme"), machine(service, "acme", "second")
    theirs, their_second = machine(service, "globex"), machine(service, "globex", "second")
    tell(member(service, "acme", "bob"), "Has a dog")
    for name in ("gina", "gus"):
        tell(member(service, "globex", name), "Plays golf")
    used, unused = str(uuid.uuid4()), str(uuid.uuid4())
    ok(ours.post(ERASURES, json=asked("bob", subject_request_id=used)), 202)
    before = finished(ours, f"{ERASURES}/{used}")
    asked_for = ok(ours.post(ORGANISATION, json=for_all(used)), 202)

    # Looked for, asked for in vain, asked for wrongly, and at last asked for.
    verbs: tuple[tuple[int, Callable[[str, str], httpx.Response]], ...] = (
        (404, lambda known, _: theirs.get(f"{ERASURES}/{known}")),
        (404, lambda known, _: theirs.post(ERASURES, json=asked("bob", subject_request_id=known))),
        (422, lambda known, _: theirs.post(ERASURES, json=asked("b b", subject_request_id=known))),
        (404, lambda known, _: theirs.get(f"{ORGANISATION}/{known}")),
        (404, lambda known, _: their_second.post(f"{ORGANISATION}/{known}/approvals")),
        (422, lambda known, _: theirs.post(ORGANISATION, json=for_all(known) | {"reason_code": "so"})),
        (202, lambda known, name: theirs.post(ERASURES, json=asked(name, subject_request_id=known))),
        (200, lambda known, _: theirs.get(f"{ERASURES}/{known}")),
        (202, lambda known, _: theirs.post(ORGANISATION, json=for_all(known))),
        (200, lambda known, _: theirs.get(f"{ORGANISATION}/{known}")),
        (403, lambda known, _: theirs.post(f"{ORGANISATION}/{known}/approvals")),
    )
    for number, (status, verb) in enumerate(verbs):
        answers = verb(used, "gina"), verb(unused, "gus")
        assert [answer.status_code for answer in answers] == [status] * 2, number
        if status != 200:
            assert seen(answers[0], used) == seen(answers[1], unused), number

    # And whose id it was has seen nothing of it.
    assert ok(ours.get(f"{ERASURES}/{used}")) == before
    assert ok(ours.get(f"{ORGANISATION}/{used}")) == asked_for
    assert [known for _, _, known in told(ours)] == [used, used]
    assert told(second) == []
    approved = ok(second.post(f"{ORGANISATION}/{used}/approvals"), 202)
    assert (approved["request_status"], approved["requested_by"]) == (
        "in_progress",
        asked_for["requested_by"],
    )


def seen(answer: httpx.Response, request_id: str) -> tuple[dict[str, str], str]:
    """All that a client sees of an answer, but for the id that it sent, an erasure's own id, and times."""
    headers = {name: value for name, value in answer.headers.items() if name not in _OWN_HEADERS}
    body = answer.text.replace(request_id, "<id>")
    return headers, _ERASURE.sub("<erasure>", _TIME.sub("<time>", body))
