"""What users say stands sealed in the tables and in no log, no dead letter and no file in plain."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
import pytest

from tests.api.conftest import ServerProcess, ServiceUnderTest
from tests.api.helpers import begin, eventually, facts, ok, rows, saved, texts, turns_of
from tests.standin import Call, Say, StandIn
from tests.standin.replies import Reply

StartServer = Callable[[Path, Mapping[str, str]], ServerProcess]

# A word that nothing but a user's text can hold; a place gives it a number.
CANARY = "zygomorphic"


class Said:
    """Gives the canary a new number for each place that it is put into."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def __call__(self) -> str:
        self.words.append(f"{CANARY}{len(self.words)}")
        return self.words[-1]


def replies_with(standin: StandIn, said: Said) -> None:
    """Every model says the canary, and every error of a model quotes it."""

    def extract(call: Call) -> Reply:
        if "fails" in call.user:
            return Say(status=500, body={"error": {"message": f"cannot read {call.user}", "code": said()}})
        return standin.facts(f"Likes {call.user}", f"Owes <{said().upper()}_A>", quote=call.user)

    standin.reply("extraction", extract)
    standin.reply("answer", lambda call: f"{said()}: {call.user}")
    standin.reply("recollection", lambda _: f"See http://{said()}.example.com")


def use_everything(client: httpx.Client, said: Said) -> list[httpx.Response]:
    """Puts the canary through every way in, good and bad. Gives the answers."""
    conversation = begin(client)
    turns = turns_of(conversation)

    def post(address: str, body: object, **headers: str) -> httpx.Response:
        return client.post(address, json=body, headers=headers)

    told = ok(post("/v1/facts", {"text": f"Has a {said()}", "kind": "fact"}), 201)
    fact = f"/v1/facts/{told['fact_id']}"
    good = [
        post(
            turns, {"message": f"I like {said()}", "pasted": [said(), said()]}, **{"Idempotency-Key": said()}
        ),
        post(turns, {"message": f"Remember that I like {said()}"}),
        post(turns, {"message": f"This {said()} fails"}),
        post(turns, {"message": f"Remember that {said()} fails"}),
        post(turns, {"message": "What did I tell you?"}),
        post(f"{turns}:record", {"user": f"I am {said()}", "assistant": f"You are {said()}"}),
        post("/v1/facts:batch", {"facts": [{"text": f"Has two {said()}", "kind": "goal"}]}),
        post(f"{fact}/verdicts", {"verdict": "confirmed", "note": said()}),
        client.patch(fact, json={"text": f"Has no {said()}"}),
        post("/v1/recall", {"query": f"What is {said()}?"}),
        client.get("/v1/facts", params={"q": said()}),
    ]
    assert all(response.is_success for response in good), [response.text for response in good]
    bad = [
        post(turns, {"message": [said()]}),
        post(turns, {"message": "x", said(): said()}),
        client.post(turns, content=b'{"message": "' + said().encode()),
        post(turns, {"message": said() * 5000}),
        post("/v1/facts:batch", {"facts": [{"text": f"Is it {said()}?", "kind": said()}, said()]}),
        client.get(f"/v1/facts/{said()}"),
        client.get(f"/v1/conversations/{conversation}/turns/{said()}/saved", params={"wait": said()}),
        client.get("/v1/facts", params={"cursor": said(), "status": said(), "limit": said()}),
        client.get(f"/{said()}/{said()}", params={said(): said()}),
        client.put("/v1/facts", content=said()),
        client.get("/v1/facts", headers={"Authorization": f"Bearer {said()}", "User-Agent": said()}),
    ]
    pending = [response.json() for response in good[:6] if "saved_url" in response.json()]
    assert eventually(lambda: all(saved(client, turn)["status"] != "pending" for turn in pending))
    return [*good, *bad]


def test_nothing_that_was_said_reaches_the_logs_or_the_tables_in_plain(
    service: ServiceUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "noted")
    said = Said()
    replies_with(service.standin, said)
    service.runtime.embedder.embed_query("warm")
    alice = service.client("alice")
    use_everything(alice, said)
    service.queue.drain()
    service.standin.reply("embedding", 500)
    ok(alice.post("/v1/recall", json={"query": said()}))
    service.standin.reply("answer", Say(status=400, body={"error": {"message": said()}}))
    alice.post(turns_of(begin(alice)), json={"message": said()})
    ours = [vars(record) for record in caplog.records if record.name.split(".")[0] in ("noted", "local")]
    # There was something to tell, with the type of what went wrong.
    assert any(record.get("error_type") == "ModelUnavailable" for record in ours)
    for record in ours:
        assert CANARY not in str(record).lower()
    # It is there, for who may read it.
    assert all(CANARY in text for text in texts(facts(alice, status="all")))
    assert len(facts(alice, status="all")) >= 5
    stored = rows(service)
    assert stored
    for row in stored:
        assert CANARY not in str(row).lower()
        assert "alice" not in str(row)


def test_nothing_that_was_said_is_printed_or_stands_in_a_file_in_plain(
    server_process: StartServer, standin: StandIn, tmp_path: Path
) -> None:
    server = server_process(tmp_path / "noted", standin.environment)
    said = Said()
    replies_with(standin, said)
    alice = server.client("alice")
    use_everything(alice, said)
    dead_letters = tmp_path / "noted" / "dead-letters.jsonl"
    eventually(lambda: dead_letters.exists() and dead_letters.read_text())
    assert server.stop() == 0
    assert "work failed work=extraction" in server.output
    for private in (CANARY, "alice", alice.headers["Authorization"].split(" ")[1]):
        assert private not in server.output.lower()
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".db" for path in written)
    for path in written:
        assert CANARY.encode() not in path.read_bytes().lower(), path
        assert b"alice" not in path.read_bytes(), path
