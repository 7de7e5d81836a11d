"""Calls whose answer is told while it is made, below HTTP: what a runtime gets, and doing the work once."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from local import events as reader
from local.service import dynamodb_client
from noted.api import events
from noted.api.http import Answer, Api, Call, Stream
from noted.api.replies import ConversationReply, TurnReply
from noted.api.routes import WRITE
from noted.conversation.turn import Conversation
from noted.errors import Unavailable
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store.idempotency import Finish
from noted.store.memory import Memory
from noted.store.repository import Standing
from noted.store.tables import create_tables
from tests.erasing import SIGNER
from tests.store.builders import SECRETS, FixedClock, conversation
from tests.wrapping import MemoryWrapper

if TYPE_CHECKING:
    from local.dynamodb import DynamoDBLocal

Json = dict[str, Any]
Told = list[tuple[str, Json]]

TURNS = "/v1/conversations/{conversation_id}/turns"


class Streaming:
    """What a runtime that streams says of itself."""

    streams = True


class Function:
    """A function whose work is to begin a conversation, which it tells in three pieces.

    `hook` is called with the number of each piece before it is told, and with 3 before the work is stored.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.hook: Callable[[int], object] = lambda piece: None
        self.worked = 0
        self.runtime = runtime
        self._api = Api(runtime, "answer")
        self._api.on("POST", TURNS)(self._serve)

    def send(
        self,
        key: str | None = None,
        *,
        accept: str = "text/event-stream",
        context: object = None,
        epoch: str | None = None,
    ) -> Json:
        """One request of alice; gives the result, as the runtime has it."""
        headers = {"Accept": accept, "Idempotency-Key": key, "If-Memory-Epoch": epoch}
        return self._api(
            {
                "routeKey": f"POST {TURNS}",
                "rawPath": "/v1/conversations/cv_1/turns",
                "pathParameters": {"conversation_id": "cv_1"},
                "headers": {name: value for name, value in headers.items() if value is not None},
                "body": "{}",
                "requestContext": {
                    "authorizer": {
                        "jwt": {"claims": {"sub": "alice", "iss": "https://issuer.test", "scope": WRITE}}
                    }
                },
            },
            context,
        )

    def stored(self) -> list[str]:
        """The conversations that there are."""
        claims = {"sub": "alice", "iss": "https://issuer.test"}
        from noted.identity import principal_of

        repository = self.runtime.repository(principal_of(claims, SECRETS))
        memory = repository.memory(repository.standing().generation)
        return [each.conversation_id for each in memory.conversations.page(100, None).items]

    def _serve(self, call: Call) -> Answer | Stream:
        if not call.wants_events:
            return Answer(ConversationReply.model_construct(conversation_id="plain"), 201)
        return Stream(events.told(call.once_streamed(self._work, self._again), _reply), 201)

    def _work(self, standing: Standing, memory: Memory, finish: Finish) -> Generator[str, None, Conversation]:
        self.worked += 1
        made = conversation(self.worked)
        for number, piece in enumerate(("one ", "two ", "three")):
            self.hook(number)
            yield piece
        self.hook(3)
        memory.conversations.begin(made, finish({"conversation_id": made.conversation_id}))
        return made

    def _again(self, memory: Memory, pointer: Json) -> Conversation:
        return memory.conversations.conversation(pointer["conversation_id"])


def _reply(made: Conversation) -> TurnReply:
    return TurnReply.model_construct(conversation_id=made.conversation_id, answer="one two three")


@pytest.fixture
def function(dynamodb_local: DynamoDBLocal, table_prefix: str) -> Iterator[Function]:
    client = dynamodb_client(dynamodb_local.endpoint)
    create_tables(client, table_prefix)
    yield Function(
        Runtime(
            replace(Settings(), table_prefix=table_prefix),
            secrets=lambda: SECRETS,
            dynamodb=lambda: client,
            queue=lambda: pytest.fail("nothing is to be queued"),
            key_wrapper=MemoryWrapper,
            receipt_signer=lambda: SIGNER,
            clock=FixedClock(),
            environment={},
        )
    )
    client.close()


def told(body: Any) -> Told:
    """The events of a body, whole or in pieces."""
    text = body if isinstance(body, str) else "".join(body)
    return [(name, json.loads(data)) for name, data in reader.read(text.splitlines())]


def shape(result: Json) -> str:
    """The events of a result by name, and the pieces joined."""
    found = told(result["body"])
    return " ".join(name for name, _ in found) + ": " + "".join(data.get("text", "") for _, data in found)


def failing(error: Exception, at: int) -> Callable[[int], object]:
    def hook(piece: int) -> None:
        if piece == at:
            raise error

    return hook


WHOLE = "delta delta delta turn: one two three"


def test_a_runtime_that_streams_gets_pieces_and_the_work_goes_on_as_they_are_taken(
    function: Function,
) -> None:
    result = function.send(context=Streaming())
    assert result["statusCode"] == 201
    assert result["headers"] == {
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-store",
        "Memory-Epoch": "1",
    }
    assert isinstance(result["body"], Iterator)
    assert function.stored() == []
    pieces = result["body"]
    assert next(pieces) == 'event: delta\ndata: {"text": "one "}\n\n'
    assert shape({"body": pieces}) == "delta delta turn: two three"
    [stored] = function.stored()
    assert stored.startswith("cv_")


def test_a_runtime_that_does_not_gets_the_same_as_one_text(function: Function) -> None:
    result = function.send(context=object())
    assert isinstance(result["body"], str)
    assert (result["statusCode"], result["headers"]["Content-Type"]) == (201, "text/event-stream")
    assert shape(result) == WHOLE
    assert len(function.stored()) == 1


def test_a_client_that_asks_for_json_gets_json(function: Function) -> None:
    for accept in ("application/json", "*/*", ""):
        result = function.send(accept=accept, context=Streaming())
        assert result["headers"]["Content-Type"] == "application/json"
        assert json.loads(result["body"]) == {"conversation_id": "plain"}


def test_what_fails_before_the_first_piece_is_a_problem_with_its_status(function: Function) -> None:
    function.hook = failing(Unavailable("The model cannot answer at the moment.", 7), 0)
    result = function.send("k1", context=Streaming())
    assert result["statusCode"] == 503
    assert result["headers"]["Content-Type"] == "application/problem+json"
    assert result["headers"]["Retry-After"] == "7"
    assert result["headers"]["Memory-Epoch"] == "1"
    assert json.loads(result["body"])["type"] == "urn:noted:problem:unavailable"


@pytest.mark.parametrize("key,epoch,status", [("k" * 256, None, 422), (None, "9", 409), (None, "x", 422)])
def test_a_request_that_is_refused_is_refused_with_its_status(
    function: Function, key: str | None, epoch: str | None, status: int
) -> None:
    result = function.send(key, epoch=epoch, context=Streaming())
    assert result["statusCode"] == status
    assert result["headers"]["Content-Type"] == "application/problem+json"
    assert function.worked == 0


def test_what_fails_after_the_first_piece_is_told_in_an_event(function: Function) -> None:
    function.hook = failing(Unavailable("The model cannot answer at the moment."), 2)
    result = function.send(context=Streaming())
    assert result["statusCode"] == 201
    *pieces, last = told(result["body"])
    assert pieces == [("delta", {"text": "one "}), ("delta", {"text": "two "})]
    assert last == (
        "error",
        {
            "type": "urn:noted:problem:unavailable",
            "title": "Not available at the moment",
            "status": 503,
            "detail": "The model cannot answer at the moment.",
        },
    )
    assert function.stored() == []


@pytest.mark.parametrize("at", [0, 1, 3])
def test_an_error_that_nobody_foresaw_tells_nothing_of_itself(
    function: Function, at: int, caplog: pytest.LogCaptureFixture
) -> None:
    function.hook = failing(LookupError("Alice likes tea"), at)
    result = function.send(context=Streaming())
    body = result["body"] if at == 0 else "".join(result["body"])
    assert "urn:noted:problem:internal" in body
    assert "tea" not in body
    logged = [record.__dict__ for record in caplog.records]
    assert [record["error_type"] for record in logged if "error_type" in record] == ["LookupError"]
    assert not any("tea" in str(value) for record in logged for value in record.values())


def test_the_same_key_does_the_work_once_and_gives_the_same_turn(function: Function) -> None:
    first = told(function.send("k1", context=Streaming())["body"])
    again = told(function.send("k1", context=Streaming())["body"])
    assert function.worked == 1
    assert first[-1] == again[-1]
    # What was told in pieces then is one piece now.
    assert again[:-1] == [("delta", {"text": "one two three"})]
    assert shape(function.send("k2", context=Streaming())) == WHOLE
    assert function.worked == 2


def test_while_the_work_is_told_the_same_key_is_a_conflict(function: Function) -> None:
    pieces = function.send("k1", context=Streaming())["body"]
    assert next(pieces)
    refused = function.send("k1", context=Streaming())
    assert refused["statusCode"] == 409
    assert json.loads(refused["body"])["type"] == "urn:noted:problem:conflict"
    assert shape({"body": pieces}) == "delta delta turn: two three"
    assert function.worked == 1


@pytest.mark.parametrize("at", [0, 1, 3])
def test_work_that_failed_is_done_when_it_is_asked_for_again(function: Function, at: int) -> None:
    function.hook = failing(Unavailable("Not now."), at)
    body = function.send("k1", context=Streaming())["body"]
    assert "urn:noted:problem:unavailable" in (body if at == 0 else "".join(body))
    function.hook = lambda piece: None
    assert shape(function.send("k1", context=Streaming())) == WHOLE
    assert (function.worked, len(function.stored())) == (2, 1)


def test_work_that_nobody_listens_to_is_finished_and_stored(function: Function) -> None:
    pieces = function.send("k1", context=Streaming())["body"]
    assert next(pieces)
    pieces.close()
    assert len(function.stored()) == 1
    assert told(function.send("k1", context=Streaming())["body"])[-1][0] == "turn"
    assert function.worked == 1


def test_work_that_is_closed_half_way_lets_go_of_its_key(function: Function) -> None:
    caught: list[Call] = []
    api = Api(function.runtime, "answer")

    @api.on("POST", TURNS)
    def serve(call: Call) -> Answer | Stream:
        caught.append(call)
        return Stream(iter([events.delta("x")]))

    function._api = api
    function.send("k1")
    [call] = caught
    work = call.once_streamed(function._work, function._again)
    assert next(work) == "one "
    work.close()
    assert function.stored() == []
    again = call.once_streamed(function._work, function._again)
    assert list(again) == ["one ", "two ", "three"]
    assert len(function.stored()) == 1
