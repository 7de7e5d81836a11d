"""What users own, judge, erase and never see of each other: the collected cases, over HTTP.

The values are those of the case file. Where a case cannot be taken literally, the test says what stands for
what.
"""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

from noted.conversation.replies import NOTHING_RECORDED
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    Json,
    begin,
    content_rows,
    erase,
    facts,
    judge,
    learn,
    look_up,
    ok,
    pages,
    principal,
    problem,
    recall,
    record,
    rows,
    saved,
    say,
    tell,
    texts,
    wrong_fields,
)
from tests.cases.helpers import TELL_ME, Cases, parts, stop_clock


def test_verdicts_01(cases: Cases, service: ServiceUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the service stands still, so all four verdicts have one and the same millisecond."""
    given, then = parts(cases, "verdicts-01")
    alice = service.client(given["user_id"])
    arrived = given["verdicts_in_arrival_order"]
    [at] = {verdict["at"] for verdict in arrived}
    stop_clock(monkeypatch, service, at)
    told = {}
    for fact in given["facts"]:
        turn = learn(service, alice, f"I say: {fact['text']}", fact["text"])
        [told[fact["id"]]] = saved(alice, turn)["facts"]
        assert told[fact["id"]]["provenance"] == fact["provenance"]
    given_rows = [judge(alice, told[verdict["fact_id"]], verdict["verdict"]) for verdict in arrived]
    assert {row["at"] for row in given_rows} == {at}

    def read() -> Json:
        seen = {name: look_up(alice, fact) for name, fact in told.items()}
        return {
            "rows": [row for fact in seen.values() for row in fact["verdicts"]],
            "latest": {name: fact["latest_verdict"]["verdict"] for name, fact in seen.items()},
            "provenance": seen["f1"]["provenance"],
            "listed": texts(facts(alice)),
            "recalled": texts(recall(alice, "What do I like and own?")["items"]),
        }

    first = read()
    assert len(first["rows"]) == then["rows_kept"]
    assert sorted(first["rows"], key=lambda row: str(row["verdict_id"])) == sorted(
        given_rows, key=lambda row: str(row["verdict_id"])
    )
    assert [row["verdict"] for row in first["rows"]] == [verdict["verdict"] for verdict in arrived]
    assert first["latest"] == then["latest"]
    assert first["provenance"] == then["f1_provenance"]
    assert first["recalled"] == first["listed"] == then["recalled"]
    assert [read() for _ in range(3)] == [first] * 3


def test_verdicts_02(cases: Cases, service: ServiceUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The product asks no other memory service. Recorded turns in the words and with the time of the item
    stand for the copies that such a service holds, one from before the rejection and one that comes last:
    both were said before the rejection, and neither was judged itself."""
    given, then = parts(cases, "verdicts-02")
    alice = service.client(given["user_id"])
    [old], [verdict] = given["facts"], given["verdicts"]
    item, new = given["external_service_item"], given["new_message"]
    stop_clock(monkeypatch, service, old["said_at"])
    standin = service.standin

    def kept(text: str, message: str, at: str) -> Json:
        standin.reply("extraction", standin.facts(text, quote=message))
        turn = record(alice, begin(alice), message, at=at)
        [fact] = saved(alice, turn)["facts"]
        return dict(fact)

    first = kept(old["text"], "I am vegetarian", old["said_at"])
    copies = [kept(item["text"], "As my profile says, I am vegetarian", item["at"])]
    stop_clock(monkeypatch, service, verdict["at"])
    judge(alice, first, verdict["verdict"])
    assert facts(alice) == []
    assert recall(alice, "What do I eat?")["block"] == ""

    stop_clock(monkeypatch, service, new["at"])
    [returned] = new["extractor_returns"]
    standin.reply("extraction", standin.facts(returned["text"], quote=new["text"]))
    turn = say(alice, begin(alice), new["text"])
    saved(alice, turn)
    copies.append(kept(item["text"], "Once more, I am vegetarian", item["at"]))
    live = facts(alice)
    assert [fact["source"]["turn_id"] for fact in live] == [turn["turn_id"]]
    assert len(live) == len(then["live"])
    assert look_up(alice, first)["latest_verdict"]["verdict"] == then["f1_latest"]
    found = recall(alice, "What do I eat?")
    lines = [line for line in found["block"].splitlines() if old["text"].casefold() in line.casefold()]
    assert len(lines) == then["recalled_lines_with_text"]
    found_ids = {each["fact"]["fact_id"] for each in found["items"]}
    for copy in copies:
        assert (copy["fact_id"] in found_ids) is then["external_item_recalled"]
    assert found_ids == {live[0]["fact_id"]}


def test_erasure_02(cases: Cases, service: ServiceUnderTest) -> None:
    """Summaries and embeddings stand in the rows of conversations and facts. There is no outside memory
    service that could fail; work that a crash cuts short is tried again, which is tested with the crash."""
    given, then = parts(cases, "erasure-02")
    user, other = given["user_id"], given["other_user"].split(" ")[0]
    alice, bob = service.client(user), service.client(other)
    learn(service, alice, "I live in Porto and like jazz", "Lives in Porto", "Likes jazz")
    judge(alice, tell(alice, "Plans to retire at 55", kind="goal"), "confirmed", note="Yes")
    for text in ("Lives in Oslo", "Likes polka", "Plans to retire at 60"):
        tell(bob, text)
    of_bob = rows(service, other)
    assert {row["table"] for row in content_rows(service, user)} >= {"memory", "verdicts"}

    first = erase(alice)
    assert sum(first["receipt"]["counts"].values()) > 0
    assert len(content_rows(service, user)) == then[user]["left_anywhere"]
    second = erase(alice)
    assert second["erasure_id"] != first["erasure_id"]
    assert sum(second["receipt"]["counts"].values()) == 0

    assert facts(alice, status="all") == []
    assert pages(alice, "/v1/conversations") == []
    assert len(recall(alice, "Porto jazz retire")["items"]) == then[user]["search_hits"]
    assert say(alice, begin(alice), TELL_ME)["answer"] == NOTHING_RECORDED
    assert len(facts(bob)) == then[other]["facts"]
    assert rows(service, other) == of_bob


class Spy:
    """Keeps what the functions ask of DynamoDB, but not what the schedules of this machine do."""

    def __init__(self, service: ServiceUnderTest) -> None:
        self.requests: list[tuple[str, str]] = []
        service.runtime.dynamodb.meta.events.register("before-call.dynamodb", self._note)

    def _note(self, model: Any, params: Json, **_: object) -> None:
        if threading.current_thread().name.startswith("function"):
            self.requests.append((model.name, params["body"].decode()))


@pytest.mark.parametrize("embedder", ["up", "down"])
def test_isolation_01(
    cases: Cases, service: ServiceUnderTest, monkeypatch: pytest.MonkeyPatch, embedder: str
) -> None:
    """With the embedder down the search is one by words alone. The local issuer makes no token for an invalid
    id, so it is made to: another issuer might."""
    given, then = parts(cases, "isolation-01")
    valid = {user: known for user, known in given["users"].items() if isinstance(known, list)}
    [invalid] = given["users"].keys() - valid.keys()
    for user, known in valid.items():
        for text in known:
            tell(service.client(user), text)
    if embedder == "down":
        service.standin.reply("embedding", 500)
    caller = service.client(given["caller"])
    conversation = begin(caller)
    own = principal(service, given["caller"]).owner
    others = [principal(service, user).owner for user in valid if user != given["caller"]]

    spy = Spy(service)
    listed = facts(caller, status="all")
    by_word = facts(caller, q="Lives")
    found = recall(caller, given["query"], limit=100)
    asked = say(caller, conversation, given["query"])
    told = say(caller, conversation, TELL_ME)
    assert found["degraded"] == (["embedding"] if embedder == "down" else [])
    for returned in (listed, by_word, found["items"], asked["recalled"], told["recalled"]):
        assert texts(returned) == then["returned"]
    assert told["answer"] == "; ".join(then["returned"])
    for prompts in service.standin.calls.values():
        for never in then["never_returned"]:
            assert not any(never in call.prompt for call in prompts if call.purpose != "embedding")
    assert len(spy.requests) > 5
    for operation, body in spy.requests:
        assert operation in ("GetItem", "PutItem", "UpdateItem", "Query", "TransactWriteItems"), operation
        assert own in body
        assert not any(owner in body for owner in others)
        assert "FilterExpression" not in body

    monkeypatch.setattr("local.issuer._SUBJECT", re.compile(".*"))
    stranger = service.client(invalid)
    before, spy.requests[:] = rows(service), []
    problem(stranger.get("/v1/facts"), 401, "unauthenticated")
    problem(stranger.post("/v1/recall", json={"query": given["query"]}), 401, "unauthenticated")
    problem(stranger.post("/v1/facts", json={"text": "Likes tea", "kind": "fact"}), 401, "unauthenticated")
    assert spy.requests == []
    assert rows(service) == before


def test_isolation_02(cases: Cases, service: ServiceUnderTest) -> None:
    """The arguments that the case gives to the model's tool are sent to the search too; the tool itself has a
    test beside those of the other tools."""
    given, then = parts(cases, "isolation-02")
    by_call = {request["call"]: request for request in given["requests"]}
    other = by_call["search"]["body"]["user_id"]
    mine, theirs = service.client(given["token_user"]), service.client(other)
    tell(mine, "Home is in Porto")
    fact = tell(theirs, "Home is in Oslo")
    nobody = f"/v1/facts/{fact['fact_id'][:-1]}{'0' if fact['fact_id'][-1] != '0' else '1'}"
    before, of_mine = rows(service, other), content_rows(service, given["token_user"])

    for body in (by_call["search"]["body"], by_call["model tool recall"]["arguments"]):
        refused = mine.post("/v1/recall", json=body)
        assert wrong_fields(refused) == {"user_id"}
        found = recall(mine, body["query"])
        assert texts(found["items"]) == ["Home is in Porto"]
        returned = [item for item in found["items"] if item["fact"]["text"] == fact["text"]]
        assert len(returned) == then["data_of_u-2_returned"]
    answers = []
    for address in (f"/v1/facts/{fact['fact_id']}", nobody):
        verdict = mine.post(f"{address}/verdicts", json={"verdict": by_call["verdict"]["verdict"]})
        deleted = mine.delete(address)
        problem(verdict, 404, "not-found")
        problem(deleted, 404, "not-found")
        answers.append((verdict.content, deleted.content))
    assert answers[0] == answers[1]
    assert rows(service, other) == before
    assert content_rows(service, given["token_user"]) == of_mine
    assert texts(facts(theirs)) == ["Home is in Oslo"]


@pytest.mark.usefixtures("no_deletion")
def test_pagination_01(cases: Cases, service: ServiceUnderTest) -> None:
    """Half of the expired facts are past their validity and half past the end of their storage, which is
    written into their rows since a client cannot say it."""
    given, then = parts(cases, "pagination-01")
    alice = service.client(given["user_id"])
    invalid = ended = given["of_which_expired"] // 2
    past = {"created_at": "2024-01-01T00:00:00Z", "valid_until": "2025-01-01T00:00:00Z"}
    told: list[Json] = []
    for start in range(0, given["facts"], given["page_size"]):
        numbers = range(start, min(start + given["page_size"], given["facts"]))
        batch = [
            {"text": f"Owns book {number}", "kind": "fact", **(past if number < invalid else {})}
            for number in numbers
        ]
        told += ok(alice.post("/v1/facts:batch", json={"facts": batch}))["items"]
    partition = f"{principal(service, given['user_id']).owner}#g1"
    for fact in told[-ended:]:
        service.runtime.dynamodb.update_item(
            TableName=f"{service.runtime.settings.table_prefix}-memory",
            Key={"pk": {"S": partition}, "sk": {"S": f"FACT#{fact['fact_id']}"}},
            UpdateExpression="SET expires_at = :past",
            ExpressionAttributeValues={":past": {"N": "1577836800"}},
        )
    left = told[invalid:-ended]

    seen = facts(alice, limit=given["page_size"])
    assert len(seen) == then["facts_seen"]
    ids = [fact["fact_id"] for fact in seen]
    assert len(ids) - len(set(ids)) == then["duplicates"]
    assert len({fact["fact_id"] for fact in left} - set(ids)) == then["missing"]
    assert facts(alice, limit=given["page_size"]) == seen
    assert facts(alice, limit=7) == seen
    newest_first = sorted(seen, key=lambda fact: str(fact["created_at"]), reverse=True)
    assert [fact["created_at"] for fact in seen] == [fact["created_at"] for fact in newest_first]
    # What is past its validity is history, and can be seen and deleted too.
    assert len(facts(alice, status="all", limit=given["page_size"])) == then["facts_seen"] + invalid
    last: Json = {"next_cursor": ""}
    while last["next_cursor"] is not None:
        query = {"limit": given["page_size"]} | ({"cursor": c} if (c := last["next_cursor"]) else {})
        last = ok(alice.get("/v1/facts", params=query))
    assert last["next_cursor"] == then["last_page_cursor"]
