"""The five functions in this process, over moto's DynamoDB, with a clock, a queue and models to play with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from cryptography.hazmat.primitives.asymmetric import ec

from noted.api.http import Handler
from noted.api.routes import ERASE, READ, ROUTES, WRITE
from noted.models.bedrock import BedrockLanguageModel
from noted.models.retry import Retry
from noted.privacy.signing import KeySigner
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store.tables import create_tables
from tests.faults.injection import Injector, Killed
from tests.faults.models import Bedrock, Embedder
from tests.standin.replies import extraction_item
from tests.store.builders import SECRETS, FixedClock
from tests.wrapping import MemoryWrapper

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Json = dict[str, Any]
PREFIX = "faults"
CONVERSATION = "/v1/conversations/{conversation_id}"
TURN = f"POST {CONVERSATION}/turns"
RECORD = f"POST {CONVERSATION}/turns:record"
RETRY = f"POST {CONVERSATION}/turns:retry"
BEGIN, TELL, BATCH = "POST /v1/conversations", "POST /v1/facts", "POST /v1/facts:batch"
JUDGE, CORRECT, FILL = "POST /v1/facts/{fact_id}/verdicts", "PATCH /v1/facts/{fact_id}", "PATCH /v1/profile"
FORGET_ALL, FORGET_FACT = "DELETE /v1/memory", "DELETE /v1/facts/{fact_id}"
FORGET_CONVERSATION = f"DELETE {CONVERSATION}"


@dataclass(frozen=True)
class Response:
    """A reply of a function, as the gateway gets it."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def body(self) -> Json:
        """Its JSON."""
        return dict(json.loads(self.text))

    @property
    def kind(self) -> str:
        """The last word of a problem's type."""
        return str(self.body["type"].rpartition(":")[2])

    @property
    def events(self) -> list[tuple[str, Json]]:
        """Its server-sent events: their names and data."""
        found = []
        for block in self.text.strip().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
            found.append((lines["event"], dict(json.loads(lines["data"]))))
        return found


class World:
    """A whole service and one user of it at a time: `user` may be changed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.slept: list[float] = []
        monkeypatch.setattr("time.sleep", self.slept.append)
        self.client: DynamoDBClient = boto3.client(
            "dynamodb",
            region_name="eu-west-1",
            config=Config(retries={"mode": "standard", "total_max_attempts": 3}, max_pool_connections=50),
        )
        create_tables(self.client, PREFIX)
        self.faults = Injector(self.client, monkeypatch)
        self.clock, self.bedrock, self.embedder = FixedClock(), Bedrock(), Embedder()
        self.wrapper = MemoryWrapper()
        self.signer = KeySigner(ec.generate_private_key(ec.SECP256R1()))
        self.user = "alice"
        self.sent: list[str] = []
        self.queue_is_down = False
        self.dies_at_queue = False
        self.drained = True
        model = BedrockLanguageModel("stub", self.bedrock, Retry(sleep=self.slept.append))
        monkeypatch.setattr("noted.models.language_model", lambda setting, environment: model)
        monkeypatch.setattr("noted.models.embedder", lambda setting, environment: self.embedder)
        self.runtime = Runtime(
            Settings(table_prefix=PREFIX, recall_budget_seconds=30),
            secrets=lambda: SECRETS,
            dynamodb=lambda: self.client,
            queue=lambda: self,
            key_wrapper=lambda: self.wrapper,
            receipt_signer=lambda: self.signer,
            clock=self.clock,
            drained=lambda _: self.drained,
            environment={},
        )
        self._handlers: dict[str, Handler] = {}

    def handler(self, function: str) -> Handler:
        """One of the functions, built when it is first needed, as in a container."""
        if function not in self._handlers:
            build = import_module(f"functions.{function}.handler").build
            self._handlers[function] = build(self.runtime)
        return self._handlers[function]

    def send(self, body: str, group: str) -> None:
        """The queue's end that functions see."""
        if self.dies_at_queue:
            raise Killed
        if self.queue_is_down:
            raise ConnectionError("the queue is down")
        self.sent.append(body)

    def ask(
        self,
        route: str,
        body: object = None,
        *,
        key: str | None = None,
        epoch: int | None = None,
        events: bool = False,
        context: object = None,
        query: Mapping[str, str] | None = None,
        **names: str,
    ) -> Response:
        """One request, as the gateway hands it on."""
        method, path = route.split(" ")
        [served] = [each for each in ROUTES if (each.method, each.path) == (method, path)]
        now = int(self.clock.now().timestamp())
        claims = {
            "sub": self.user,
            "iss": "https://issuer.test",
            "scope": f"{READ} {WRITE} {ERASE}",
            "auth_time": str(now),
            "iat": str(now),
        }
        headers = {"idempotency-key": key} if key else {}
        headers |= {"if-memory-epoch": str(epoch)} if epoch is not None else {}
        headers |= {"accept": "text/event-stream"} if events else {}
        event = {
            "routeKey": route,
            "rawPath": path.format(**names),
            "pathParameters": names,
            "queryStringParameters": dict(query or {}),
            "headers": headers,
            "body": None if body is None else json.dumps(body),
            "requestContext": {"authorizer": {"jwt": {"claims": claims}}},
        }
        reply = self.handler(served.function)(event, context)
        return Response(reply["statusCode"], reply["headers"], reply["body"])

    def ok(self, route: str, body: object = None, status: int = 200, **rest: Any) -> Json:
        """The body of a request that goes well."""
        response = self.ask(route, body, **rest)
        assert response.status == status, response.text
        return response.body

    def begin(self) -> str:
        """The id of a new conversation."""
        return str(self.ok(BEGIN, {}, 201)["conversation_id"])

    def say(self, conversation_id: str, message: str, **rest: Any) -> Json:
        """A turn that is answered."""
        return self.ok(TURN, {"message": message}, 201, conversation_id=conversation_id, **rest)

    def tell(self, text: str) -> Json:
        """A fact of the user's own telling."""
        return self.ok(TELL, {"text": text, "kind": "fact"}, 201)

    def tell_boats(self, count: int) -> None:
        """So many facts at once."""
        facts = [{"text": f"Owns boat {number}", "kind": "fact"} for number in range(count)]
        assert len(self.ok(BATCH, {"facts": facts})["items"]) == count

    def facts(self, status: str = "live") -> list[Json]:
        """The user's facts."""
        return list(self.ok("GET /v1/facts", query={"status": status, "limit": "100"})["items"])

    def texts(self, status: str = "live") -> list[str]:
        """Their texts, sorted."""
        return sorted(fact["text"] for fact in self.facts(status))

    def turns(self, conversation_id: str) -> list[Json]:
        """The turns of a conversation, oldest first."""
        route = f"GET {CONVERSATION}/turns"
        return list(self.ok(route, conversation_id=conversation_id, query={"limit": "100"})["items"])

    def saved(self, turn: Json) -> Json:
        """What was kept from a turn."""
        route = f"GET {CONVERSATION}/turns/{{turn_id}}/saved"
        return self.ok(route, conversation_id=turn["conversation_id"], turn_id=turn["turn_id"])

    def deliver(
        self, bodies: Iterable[str] | None = None, *, receive: int = 1, context: object = None
    ) -> list[str]:
        """Hands messages to the worker, all that wait if none are given; gives those that it did not work
        off."""
        batch = list(self.sent if bodies is None else bodies)
        if bodies is None:
            self.sent.clear()
        records = [
            {
                "messageId": str(number),
                "receiptHandle": "handle",
                "body": body,
                "attributes": {"ApproximateReceiveCount": str(receive)},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:queue",
            }
            for number, body in enumerate(batch)
        ]
        result = self.handler("extraction")({"Records": records}, context)
        return [batch[int(each["itemIdentifier"])] for each in result["batchItemFailures"]]

    def sweep(self) -> int:
        """The pass over the outbox; how many messages it sent."""
        return int(self.handler("extraction")({"noted": "sweep-outbox"}, None)["sent"])

    def run_erasures(self, context: object = None) -> int:
        """The pass over open erasures; how many it took."""
        return int(self.handler("erasure")({"noted": "run-erasures"}, context)["taken"])

    def erased(self, erasure_id: str) -> Json:
        """How far an erasure is."""
        return self.ok("GET /v1/erasures/{erasure_id}", erasure_id=erasure_id)

    def rows(self, table: str = "memory") -> list[Json]:
        """Everything that stands in a table."""
        pages = self.client.get_paginator("scan").paginate(TableName=f"{PREFIX}-{table}")
        return [dict(item) for page in pages for item in page["Items"]]

    def forward(self, **time: float) -> None:
        """Lets time pass."""
        self.clock.at += timedelta(**time)


def extracted(*facts: tuple[str, str]) -> Json:
    """An extraction of pairs of a text and its quote."""
    return {"facts": [extraction_item(text, quote) for text, quote in facts]}


Work = Callable[[World], Response]


class Context:
    """What Lambda says of an invocation: the milliseconds that are left, one answer after the other; the last
    one stays."""

    def __init__(self, *milliseconds: int) -> None:
        self._left = list(milliseconds)

    def get_remaining_time_in_millis(self) -> int:
        """As Lambda's context has it."""
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]
