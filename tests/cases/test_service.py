"""The collected cases that need a running service, each as its user meets it: over HTTP.

The values are those of the case file. Where a case cannot be taken literally, the test says what stands for
what.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from functions.extraction.handler import build
from local.gateway import Context
from noted.clock import instant
from noted.context.layout import MEMORY_LINE
from noted.conversation.replies import MEMORY_OFF, NOTHING_KEPT, NOTHING_RECORDED
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    LEAD,
    Json,
    begin,
    content_rows,
    erase,
    eventually,
    facts,
    held,
    job,
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
    stored_turns,
    tell,
    texts,
    wrong_fields,
)
from tests.standin import Call, Say
from tests.standin.replies import Reply
from tests.store import builders

if TYPE_CHECKING:
    import httpx

    from noted.facts.fact import Fact

Cases = dict[str, Json]

# What a client asks who wants to hear everything.
TELL_ME = "What did I tell you?"


@pytest.fixture
def no_deletion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the sweep, which deletes expired rows as time to live does in the cloud, from coming first."""
    monkeypatch.setattr("noted.store.expiry.delete_expired", lambda *_: 0)


def parts(cases: Cases, name: str) -> tuple[Json, Json]:
    """What a case gives, and what then holds."""
    return cases[f"open-{name}"]["given"], cases[f"open-{name}"]["then"]


def counted(service: ServiceUnderTest) -> Counter[str]:
    """How many calls of each purpose the models have had."""
    return Counter({purpose: len(calls) for purpose, calls in service.standin.calls.items()})


def stop_clock(monkeypatch: pytest.MonkeyPatch, service: ServiceUnderTest, at: str | datetime) -> None:
    """Lets the service's clock stand still at an instant."""
    moment = instant(at) if isinstance(at, str) else at
    monkeypatch.setattr(service.runtime.clock, "now", lambda: moment)


def store(service: ServiceUnderTest, subject: str, stored: Iterable[Fact]) -> None:
    """Puts facts into a user's memory that no client could tell."""
    repository = service.runtime.repository(principal(service, subject))
    repository.memory(repository.admit().generation).facts.add(list(stored))


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Everything that the service's own log records hold, fields and all."""
    ours = [entry for entry in caplog.records if entry.name.split(".")[0] in ("noted", "local")]
    return "\n".join(str(vars(entry)) for entry in ours)


def timed_out(call: Call) -> Reply:
    """What a server says that timed out and quotes what it was sent."""
    return Say(status=408, body={"error": {"message": f"timed out on: {call.prompt}"}})


# Remember-only messages.


def test_remember_command_02(cases: Cases, service: ServiceUnderTest) -> None:
    given, then = parts(cases, "remember-command-02")
    alice = service.client(given["user_id"])
    service.standin.reply("extraction", lambda call: service.standin.facts(call.user, quote=call.user))
    for message, remember_only in given["messages_to_classify"]:
        expected, before = then[str(remember_only).lower()], counted(service)
        turn = say(alice, begin(alice), message)
        service.queue.drain()
        made = counted(service) - before
        assert made["answer"] == expected["answer_path_runs"], message
        assert made["extraction"] == 1, message
        if remember_only:
            assert (turn["route"], turn["answer"]) == ("remember", expected["reply"].split(" (")[0])
            assert turn["memory"] == "saved"
        else:
            assert (turn["route"], turn["memory"]) == ("answer", "queued")
            assert turn["answer"] != expected["reply_is_not"]
            assert service.standin.calls["extraction"][-1].user == message


@pytest.mark.parametrize("status", [500, 408])
def test_remember_command_03(
    cases: Cases, service: ServiceUnderTest, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """A server that fails, or says that it timed out, and quotes the message in its error, stands for an
    extractor that raises; the error is then of the product's own type `ModelUnavailable`."""
    caplog.set_level(logging.DEBUG, "noted")
    given, then = parts(cases, "remember-command-03")
    empty, raising = given["runs"]
    alice = service.client(given["user_id"])
    error = {"error": {"message": raising["extractor_message"], "type": raising["extractor_raises"]}}
    replies: list[Reply] = [{"facts": empty["extractor_returns"]}, Say(status=status, body=error)]
    for reply in replies:
        service.standin.reply("extraction", reply)
        conversation = begin(alice)
        turn = say(alice, conversation, given["message"])
        for claim in then["reply_must_not_contain"]:
            assert claim.casefold() not in turn["answer"].casefold()
        assert "nothing was kept" in turn["answer"].casefold()
        assert "say it again as one short fact" in turn["answer"].casefold()
        assert (stored_turns(alice, conversation) == [turn]) is then["turn_stored"]
        assert len(facts(alice, status="all")) == then["facts_stored"]
        assert turn["memory"] == "nothing"
    assert saved(alice, turn)["error_type"] == "ModelUnavailable"
    assert "'error_type': 'ModelUnavailable'" in logged(caplog)
    assert then["log_must_not_contain"] not in logged(caplog)


def test_remember_command_04(cases: Cases, service: ServiceUnderTest) -> None:
    given, _ = parts(cases, "remember-command-04")
    alice = service.client(given["user_id"])
    for message in given["messages"]:
        before = counted(service)
        turn = say(alice, begin(alice), message["text"])
        service.queue.drain()
        made = counted(service) - before
        assert turn["answer"] == NOTHING_KEPT  # the stand-in found nothing to keep
        assert made["extraction"] == message.get("extraction_calls", 1), message
        assert made.total() == made["extraction"]
        if made["extraction"]:
            assert service.standin.calls["extraction"][-1].user in message["extraction_input_any_of"]


# Recall.


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


# "What did I tell you?"


def test_what_did_i_tell_you_04_routes(cases: Cases, service: ServiceUnderTest) -> None:
    given, _ = parts(cases, "what-did-i-tell-you-04")
    alice = service.client(given["user_id"])
    for message, is_recollection in given["messages_to_route"]:
        turn = say(alice, begin(alice), message)
        assert turn["route"] == ("recollection" if is_recollection else "answer"), message


def test_what_did_i_tell_you_04_a(cases: Cases, service: ServiceUnderTest) -> None:
    """A masked fact can only be made by the product, so it is put into the store as it would stand there."""
    given, then = parts(cases, "what-did-i-tell-you-04")
    alice, expected = service.client(given["user_id"]), then["a"]
    store(
        service,
        given["user_id"],
        [builders.fact(text, number, expires_at=None) for number, text in enumerate(given["facts_case_a"])],
    )
    for message, is_recollection in given["messages_to_route"]:
        if not is_recollection:
            continue
        conversation = begin(alice)
        say(alice, conversation, "Good morning, dear assistant", remember=False)
        before = counted(service)
        turn = say(alice, conversation, message)
        service.queue.drain()
        made = counted(service) - before
        assert made == {"recollection": expected["model_calls"]}
        call = service.standin.calls["recollection"][-1]
        assert len(call.body.get("tools", [])) == expected["tools_offered"]
        assert [sent["role"] for sent in call.messages] == ["system", "user"]
        assert call.user == "\n\n".join([LEAD + "".join(f"\n- {t}" for t in given["facts_case_a"]), message])
        assert "Good morning" not in call.prompt
        assert turn["answer"] == "; ".join(given["facts_case_a"])
    assert len(facts(alice, status="all")) == len(given["facts_case_a"]) + expected["facts_written"]


@pytest.mark.parametrize("letter", ["b", "c"])
def test_what_did_i_tell_you_04_b_and_c(cases: Cases, service: ServiceUnderTest, letter: str) -> None:
    given, then = parts(cases, "what-did-i-tell-you-04")
    alice = service.client(given["user_id"])
    for fact in given[f"facts_case_{letter}"]:
        judge(alice, tell(alice, fact["text"]), fact["latest_verdict"])
    assert len(facts(alice, status="all")) == (0 if letter == "b" else 1)
    for message, is_recollection in given["messages_to_route"]:
        if is_recollection:
            before = counted(service)
            turn = say(alice, begin(alice), message)
            service.queue.drain()
            assert (counted(service) - before).total() == then[letter]["model_calls"]
            assert turn["answer"] == NOTHING_RECORDED
            assert turn["usage"]["model_calls"] == 0


# Verdicts.


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
    copies = [kept(item["text"], "My profile says: is vegetarian", item["at"])]
    stop_clock(monkeypatch, service, verdict["at"])
    judge(alice, first, verdict["verdict"])
    assert facts(alice) == []
    assert recall(alice, "What do I eat?")["block"] == ""

    stop_clock(monkeypatch, service, new["at"])
    [returned] = new["extractor_returns"]
    standin.reply("extraction", standin.facts(returned["text"], quote=new["text"]))
    turn = say(alice, begin(alice), new["text"])
    saved(alice, turn)
    copies.append(kept(item["text"], "It says: is vegetarian", item["at"]))
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


# Erasure.


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


# Isolation.


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
    """The product gives its model no tool that reads memory; the arguments that the case gives to one are
    sent to the search itself."""
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


# Languages.


def test_i18n_02(cases: Cases, service: ServiceUnderTest) -> None:
    """The guards are met by telling the facts of the first run, which go through the same ones."""
    given, then = parts(cases, "i18n-02")
    guarded, *said = given["runs"]
    alice = service.client("u-1")
    assert [tell(alice, text)["text"] for text in guarded["guard"]] == then["run1_kept"]
    for run, stored in zip(said, then["stored_text"], strict=True):
        [returned] = run["extractor_returns"]
        service.standin.reply("extraction", service.standin.facts(returned, quote=run["message"]))
        turn = say(alice, begin(alice), run["message"])
        assert texts(saved(alice, turn)["facts"]) == [stored]
        found = recall(alice, run["message"])
        assert stored in texts(found["items"])
        assert f"- {stored}" in found["block"].splitlines()
        say(alice, begin(alice), run["message"], remember=False)
        assert f"- {stored}" in service.standin.calls["answer"][-1].prompt.splitlines()
        # A save is denied neither by code nor for want of the line that tells a model of it.
        assert turn["route"] == "answer"
        assert turn["answer"] not in (NOTHING_KEPT, MEMORY_OFF)
        assert MEMORY_LINE in service.standin.calls["answer"][-1].system


# The interface.


def test_api_01(cases: Cases, service: ServiceUnderTest, caplog: pytest.LogCaptureFixture) -> None:
    """Seconds are not waited for: an extraction is held until it is released, for the run of 12 while the
    list is being waited for, and for the run of 45 after a wait that is 30 times shorter than the case's. A
    reply that is no JSON, and holds the message, stands for an extraction that raises."""
    caplog.set_level(logging.DEBUG, "noted")
    given, then = parts(cases, "api-01")
    shorter = str(given["saved_list_wait_seconds"] // 30)
    alice, standin = service.client("u-1"), service.standin

    # The answer is there while the extraction is not; it is given to whoever waits for the list.
    with held(standin, "extraction", standin.facts("Likes jazz", quote="I like jazz")) as extraction:
        turn = say(alice, begin(alice), "I like jazz")
        extraction.wait_for_call()
        timer = threading.Timer(0.2, extraction.release)
        timer.start()
        assert texts(saved(alice, turn)["facts"]) == ["Likes jazz"]

    with held(standin, "extraction", standin.facts("Likes tea", quote="I like tea")) as extraction:
        turn = say(alice, begin(alice), "I like tea")
        listed = ok(alice.get(turn["saved_url"], params={"wait": shorter}))
        assert (listed["status"], listed["facts"]) == ("pending", then["run45"]["list_after_at_most_30s"])
        assert "Likes tea" not in texts(facts(alice))
    assert eventually(lambda: "Likes tea" in texts(facts(alice))) is then["run45"]["facts_visible_later"]

    standin.reply("extraction", lambda call: f"Sorry, I cannot read: {call.user}")
    turn = say(alice, begin(alice), "I like zithers")
    assert turn["answer"] == "ok"
    failed = saved(alice, turn)
    assert (failed["status"], failed["facts"]) == ("failed", then["run_error"]["list"])
    assert failed["error_type"] == "MalformedOutput"
    assert "'error_type': 'MalformedOutput'" in logged(caplog)
    assert "zithers" not in logged(caplog)


# The queue.


@pytest.mark.parametrize("run", ["as given", "all succeed", "all fail"])
def test_sqs_01(cases: Cases, service: ServiceUnderTest, run: str) -> None:
    """The service's own queue is stopped, and its function is given the batch by hand. A model that fails for
    one turn stands for the record that raises."""
    given, then = parts(cases, "sqs-01")
    assert run in given["runs"]
    alice, standin = service.client("u-1"), service.standin
    service.queue.stop()
    turns = {name: say(alice, begin(alice), f"I own the item {name}") for name in given["records"]}
    raising = {name for name, behaviour in given["behaviour"].items() if behaviour == "raises"}
    not_json = given["behaviour"].keys() - raising
    if run == "all succeed":
        raising, not_json = set(), set()
    elif run == "all fail":
        raising = set(given["records"])

    def extract(call: Call) -> Reply:
        return 500 if call.user[-1] in raising else standin.facts(f"Owns {call.user[-1]}", quote=call.user)

    standin.reply("extraction", extract)
    event = {
        "Records": [
            {
                "messageId": name,
                "receiptHandle": name,
                "body": "not JSON" if name in not_json else job(service, "u-1", turns[name]).body(),
                "attributes": {"ApproximateReceiveCount": "1"},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-west-1:000000000000:queue",
                "awsRegion": "eu-west-1",
            }
            for name in given["records"]
        ]
    }
    answer = build(service.runtime)(event, Context("extraction", timeout=60))
    stored = {fact["text"].removeprefix("Owns ") for fact in facts(alice, status="all")}
    if run == "as given":
        assert answer == {"batchItemFailures": then["run1"]["batchItemFailures"]}
        assert stored == set(then["run1"]["facts_stored_for"])
    elif run == "all succeed":
        assert answer == then["run2"]
        assert stored == set(given["records"])
    else:
        assert answer == {"batchItemFailures": [{"itemIdentifier": name} for name in given["records"]]}
        assert stored == set()


# The store.


@pytest.mark.usefixtures("no_deletion")
def test_dynamodb_01(cases: Cases, start_service: StartService, monkeypatch: pytest.MonkeyPatch) -> None:
    given, then = parts(cases, "dynamodb-01")
    days = given["write"]["ttl_days"]
    service = start_service(NOTED_RETENTION=json.dumps({"fact_days": {"other": days}}))
    now = datetime.fromtimestamp(given["now_epoch"], UTC)
    stop_clock(monkeypatch, service, now)
    names = [item["id"] for item in given["items"]]
    said = now - timedelta(days=1)
    store(
        service,
        "u-1",
        [
            builders.fact(
                f"Owns item {item['id']}",
                created_at=said,
                last_confirmed_at=said,
                expires_at=datetime.fromtimestamp(item["expires_at"], UTC) if item["expires_at"] else None,
            )
            for item in given["items"]
        ],
    )
    stored = [row for row in content_rows(service, "u-1") if row["sk"]["S"].startswith("FACT#")]
    assert len(stored) == len(names)

    alice = service.client("u-1")
    for returned in (facts(alice), facts(alice, status="all"), recall(alice, "item")["items"]):
        assert sorted(text[-1] for text in texts(returned)) == then["returned"]
    written = tell(alice, "Owns a kite")
    [row] = [row for row in rows(service, "u-1") if row["sk"]["S"] == f"FACT#{written['fact_id']}"]
    assert row["expires_at"] == {"N": str(then["written_expires_at"])}
    assert instant(written["expires_at"]) == datetime.fromtimestamp(then["written_expires_at"], UTC)


@pytest.mark.usefixtures("no_deletion")
def test_dynamodb_02(cases: Cases, service: ServiceUnderTest) -> None:
    """Each page that DynamoDB gives is cut to the case's number of rows. Of the newest facts the first ones
    have expired, a whole page of them, and the others are rejected."""
    given, then = parts(cases, "dynamodb-02")
    count, unfit, fit = map(int, re.findall(r"\d+", given["partition"]))
    want, page_limit = given["request"]["want"], given["request"]["page_limit"]
    assert (count - unfit, fit) == (fit, want)
    expired = page_limit + 2
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    store(
        service,
        given["user_id"],
        [
            builders.fact(f"Owns item {n}", n, expires_at=long_ago if n >= count - expired else None)
            for n in range(count)
        ],
    )
    alice = service.client(given["user_id"])
    known = facts(alice, status="all")
    assert len(known) == count - expired
    for fact in known[:-fit]:
        judge(alice, fact, "rejected")

    asked: list[Json] = []

    def cut(params: Json, **_: object) -> None:
        params["Limit"] = page_limit
        asked.append(dict(params))

    service.runtime.dynamodb.meta.events.register("provide-client-params.dynamodb.Query", cut)
    found = recall(alice, "Which item?", limit=want)["items"]
    assert len(found) == then["returned"]
    assert set(texts(found)) == {f"Owns item {n}" for n in range(fit)}
    of_facts = [params for params in asked if "FACT#" in str(params)]
    assert len(of_facts) > (count - expired) // page_limit
    assert len(facts(alice, limit=want)) == then["returned"]


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


# Cost.


def test_cost_01(cases: Cases, service: ServiceUnderTest) -> None:
    """`facts_answer` is the purpose `recollection`. Where the case has a user with another number of facts,
    another user asks."""
    given, then = parts(cases, "cost-01")
    remember, told, untold, plain, bare = given["turns"]
    purposes = {"extract": "extraction", "answer": "answer", "facts_answer": "recollection"}
    somebody, nobody = service.client("u-1"), service.client("u-2")
    statement = remember["text"].removeprefix("Remember that ")
    service.standin.reply("extraction", service.standin.facts(statement, quote=statement), {"facts": []})

    def cost(client: httpx.Client, message: str) -> tuple[Json, Counter[str]]:
        before = counted(service)
        turn = say(client, begin(client), message)
        at_once = counted(service) - before
        service.queue.drain()
        made = counted(service) - before
        # What comes after the answer is never one of the calls that the answer waited for.
        assert made - at_once <= Counter({"extraction": 1, "embedding": 1}), message
        return turn, made

    turns = [
        (somebody, remember, told["facts"]),
        (somebody, told, told["facts"]),
        (nobody, untold, untold["facts"]),
        (somebody, plain, told["facts"]),
        (somebody, bare, told["facts"]),
    ]
    for (client, turn, known), expected in zip(turns, then["calls"], strict=True):
        taken, made = cost(client, turn["text"])
        assert len(facts(client)) == known
        for name, purpose in purposes.items():
            most = expected.get(name, 0)
            if isinstance(most, str):
                assert made[purpose] <= 1
            else:
                assert made[purpose] == most, (turn["text"], name)
        assert made.keys() <= {*purposes.values(), "embedding"}
        # The bill names the calls that were made before the answer.
        if taken["memory"] != "queued":
            assert taken["usage"]["model_calls"] == made.total() - made["embedding"]
    assert [call.user for call in service.standin.calls["extraction"]] == [statement, plain["text"]]
    for call in service.standin.calls["extraction"]:
        assert LEAD not in call.prompt
        assert MEMORY_LINE not in call.prompt
