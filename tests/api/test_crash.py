"""The server as a process: what was acknowledged outlives a crash, and a stop is a clean one."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
import pytest

from noted.clock import timestamp
from tests.api.conftest import ServerProcess
from tests.api.helpers import (
    Json,
    begin,
    erase,
    eventually,
    facts,
    held,
    judge,
    look_up,
    ok,
    pages,
    problem,
    saved,
    say,
    stored_turns,
    tell,
    texts,
    turns_of,
)
from tests.standin import StandIn

StartServer = Callable[[Path, Mapping[str, str]], ServerProcess]


def in_five_minutes() -> dict[str, str]:
    """The setting of a clock at which the leases of a process that died have run out."""
    return {"NOTED_NOW": timestamp(datetime.now(UTC) + timedelta(minutes=5))}


def test_what_was_acknowledged_is_there_after_a_crash_and_what_was_queued_is_done(
    server_process: StartServer, standin: StandIn, tmp_path: Path
) -> None:
    server = server_process(tmp_path, standin.environment)
    alice = server.client("alice")
    fact = tell(alice, "Lives in Porto")
    verdict = judge(alice, fact, "confirmed", note="Yes")
    old = tell(alice, "Has a dog")
    erased = erase(alice, f"/v1/facts/{old['fact_id']}")
    conversation = begin(alice)
    said = standin.facts(("Likes jazz", "I like jazz"))
    with ThreadPoolExecutor() as pool, held(standin, "extraction", said) as extraction:
        first = say(alice, conversation, "I like jazz")
        extraction.wait_for_call()
        with held(standin, "answer", "Too late.") as answer:
            # One turn is being extracted and one is being answered when the process dies.
            asking = pool.submit(alice.post, turns_of(conversation), json={"message": "And tea?"})
            answer.wait_for_call()
            server.kill()
            with pytest.raises(httpx.TransportError):
                asking.result()

    standin.reply("answer", "Welcome back.")
    again = server_process(tmp_path, standin.environment)
    alice = again.client("alice")
    assert stored_turns(alice, conversation) == [first]
    kept = saved(alice, first)
    assert (kept["status"], texts(kept["facts"])) == ("done", ["Likes jazz"])
    assert sorted(texts(facts(alice))) == ["Likes jazz", "Lives in Porto"]
    assert look_up(alice, fact)["verdicts"] == [verdict]
    assert ok(alice.get(f"/v1/erasures/{erased['erasure_id']}")) == erased
    second = say(alice, conversation, "And tea?")
    assert [turn["turn_id"] for turn in stored_turns(alice, conversation)] == [
        first["turn_id"],
        second["turn_id"],
    ]
    assert again.stop() == 0


def test_a_request_that_is_sent_again_after_a_crash_does_its_work_once(
    server_process: StartServer, standin: StandIn, tmp_path: Path
) -> None:
    server = server_process(tmp_path, standin.environment)
    alice = server.client("alice")
    conversation = begin(alice)
    standin.reply("extraction", standin.facts("Likes jazz", quote="I like jazz"))

    def ask(client: httpx.Client, message: str, key: str) -> httpx.Response:
        headers = {"Idempotency-Key": key}
        return client.post(turns_of(conversation), json={"message": message}, headers=headers)

    def tell_once(client: httpx.Client) -> Json:
        body, headers = {"text": "Lives in Porto", "kind": "fact"}, {"Idempotency-Key": "a-fact"}
        return ok(client.post("/v1/facts", json=body, headers=headers), 201)

    told, first = tell_once(alice), ok(ask(alice, "I like jazz", "first"), 201)
    assert texts(saved(alice, first)["facts"]) == ["Likes jazz"]
    with ThreadPoolExecutor() as pool, held(standin, "answer", "Too late.") as answer:
        asking = pool.submit(ask, alice, "And tea?", "second")
        answer.wait_for_call()
        server.kill()
        with pytest.raises(httpx.TransportError):
            asking.result()
    standin.reply("answer", "Welcome back.")
    standin.reply("extraction", {"facts": []})

    # At once, the request might still be worked on by another process; in a while it cannot.
    server = server_process(tmp_path, standin.environment)
    alice = server.client("alice")
    assert tell_once(alice) == told
    assert ok(ask(alice, "I like jazz", "first"), 201) == first
    problem(ask(alice, "And tea?", "second"), 409, "conflict")
    assert stored_turns(alice, conversation) == [first]
    server.kill()
    alice = server_process(tmp_path, standin.environment | in_five_minutes()).client("alice")
    second = ok(ask(alice, "And tea?", "second"), 201)
    assert second["answer"] == "Welcome back."
    assert ok(ask(alice, "And tea?", "second"), 201) == second
    assert saved(alice, second)["status"] == "done"
    assert stored_turns(alice, conversation) == [first, second]
    assert sorted(texts(facts(alice, status="all"))) == ["Likes jazz", "Lives in Porto"]


def test_an_erasure_that_a_crash_cut_short_is_finished(
    server_process: StartServer, standin: StandIn, tmp_path: Path
) -> None:
    server = server_process(tmp_path, standin.environment)
    alice = server.client("alice")
    tell(alice, "Lives in Porto")
    with ThreadPoolExecutor() as pool, held(standin, "answer", "Too late.") as answer:
        # The answer that is being written keeps the erasure from its end.
        asking = pool.submit(alice.post, turns_of(begin(alice)), json={"message": "Hello"})
        answer.wait_for_call()
        erasure = ok(alice.delete("/v1/memory"), 202)
        assert ok(alice.get(erasure["status_url"]))["status"] == "running"
        server.kill()
        with pytest.raises(httpx.TransportError):
            asking.result()
    alice = server_process(tmp_path, standin.environment | in_five_minutes()).client("alice")
    assert facts(alice, status="all") == []
    assert pages(alice, "/v1/conversations") == []

    def complete() -> bool:
        return bool(ok(alice.get(erasure["status_url"]))["status"] == "complete")

    assert eventually(complete)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_server_that_is_asked_to_stop_stops_with_code_0(
    server_process: StartServer, standin: StandIn, tmp_path: Path, number: int
) -> None:
    server = server_process(tmp_path, standin.environment)
    alice = server.client("alice")
    with held(standin, "extraction", {"facts": []}) as extraction:
        turn = say(alice, begin(alice), "I like jazz")
        extraction.wait_for_call()  # work that is under way does not keep it from ending
        assert server.stop(number) == 0
    assert "Traceback" not in server.output
    with pytest.raises(httpx.TransportError):
        alice.get("/v1/health")
    # Nothing of it is left running, so the next one can have the folder at once.
    alice = server_process(tmp_path, standin.environment).client("alice")
    assert saved(alice, turn)["status"] == "done"


def test_the_clock_of_a_demo_starts_where_it_is_told_to(
    server_process: StartServer, standin: StandIn, tmp_path: Path
) -> None:
    server = server_process(tmp_path, standin.environment | {"NOTED_NOW": "2026-03-10T12:00:00Z"})
    assert tell(server.client("alice"), "Lives in Porto")["created_at"].startswith("2026-03-10T12:0")


def test_files_of_the_database_from_before_an_erasure_bring_nothing_back(
    server_process: StartServer, standin: StandIn, tmp_path: Path
) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    server = server_process(data, standin.environment)
    alice, bob, carol = (server.client(name) for name in ("alice", "bob", "carol"))
    tell(alice, "Lives in Porto")
    kept, gone = begin(bob), begin(bob)
    fact, other = tell(carol, "Has a dog"), tell(carol, "Owns a boat")
    server.stop()
    shutil.copytree(data / "dynamodb", copy)

    server = server_process(data, standin.environment)
    alice, bob, carol = (server.client(name) for name in ("alice", "bob", "carol"))
    erasures = [
        (alice, ok(alice.delete("/v1/memory"), 202)),
        (bob, ok(bob.delete(f"/v1/conversations/{gone}"), 202)),
        (carol, ok(carol.delete(f"/v1/facts/{fact['fact_id']}"), 202)),
    ]
    server.kill()
    shutil.rmtree(data / "dynamodb")
    shutil.copytree(copy, data / "dynamodb")

    server = server_process(data, standin.environment)
    alice, bob, carol = (server.client(name) for name in ("alice", "bob", "carol"))
    assert facts(alice, status="all") == []
    assert alice.get("/v1/settings").headers["memory-epoch"] == "2"
    assert [each["conversation_id"] for each in pages(bob, "/v1/conversations")] == [kept]
    assert texts(facts(carol, status="all")) == [other["text"]]
    for client, (_, erasure) in zip((alice, bob, carol), erasures, strict=True):
        eventually(partial(complete, client, erasure["status_url"]))
    assert "the database is older than erasures" in server.output


def complete(client: httpx.Client, address: str) -> Json | None:
    response = client.get(address)
    done = response.status_code == 200 and response.json()["status"] == "complete"
    return response.json() if done else None
