"""Faults of DynamoDB, put in where boto3 would send a request: the client's own retries run for real."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ReadTimeoutError
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.models import botocore_stubber

if TYPE_CHECKING:
    import pytest
    from mypy_boto3_dynamodb import DynamoDBClient

WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem")
READS = ("GetItem", "BatchGetItem", "Query")
_TYPES = "com.amazonaws.dynamodb.v20120810#"


class Killed(BaseException):
    """The process has ended: nothing of it catches this for long, and nothing it asks for is done."""


@dataclass(frozen=True)
class Sent:
    """One request on its way: the operation, what it asks for, and its number among those of its kind."""

    operation: str
    body: Mapping[str, Any]
    number: int

    @property
    def tables(self) -> set[str]:
        """The names of the tables that it touches, without their prefix."""
        names = {self.body["TableName"]} if "TableName" in self.body else set()
        names |= set(self.body.get("RequestItems", {}))
        for item in self.body.get("TransactItems", ()):
            names |= {write["TableName"] for write in item.values()}
        return {name.rpartition("-")[2] for name in names}


Wanted = Callable[[Sent], bool]


def to(*tables: str) -> Wanted:
    """Requests that touch one of these tables."""
    return lambda sent: bool(sent.tables & set(tables))


def every(_: Sent) -> bool:
    """All of them."""
    return True


class Injector:
    """Puts faults between a client and its tables. `seen` has the operations that were asked for, tries and
    all."""

    def __init__(self, client: DynamoDBClient, monkeypatch: pytest.MonkeyPatch) -> None:
        self._client = client
        self.seen: list[str] = []
        done = BotocoreStubber.__call__

        def done_unless_answered(
            stubber: BotocoreStubber, event_name: str, request: Any, **rest: Any
        ) -> AWSResponse | None:
            # The client asks every handler, and takes the first answer: without this, what was answered with
            # an error would be done all the same.
            return None if getattr(request, "answered", False) else done(stubber, event_name, request, **rest)

        monkeypatch.setattr(BotocoreStubber, "__call__", done_unless_answered)
        self._client.meta.events.register_first("before-send.dynamodb", self._count)

    def _count(self, event_name: str = "", **_: Any) -> None:
        self.seen.append(event_name.rpartition(".")[2])

    def counted(self, operations: Sequence[str]) -> int:
        """How many requests of these operations were sent so far."""
        return sum(operation in operations for operation in self.seen)

    @contextmanager
    def failing(
        self,
        operations: Sequence[str],
        code: str,
        *,
        status: int = 400,
        times: int | None = None,
        wanted: Wanted = every,
        reasons: Sequence[str] = (),
    ) -> Iterator[list[Sent]]:
        """Requests are answered with an error, all or the first `times` of them; gives those that were.
        `reasons` are those of a cancelled transaction, the last one for all that follow."""

        def answer(sent: Sent, **_: Any) -> AWSResponse | None:
            if times is not None and len(failed) >= times:
                return None
            failed.append(sent)
            body: dict[str, Any] = {"__type": _TYPES + code, "message": "injected"}
            if reasons:
                size = len(sent.body["TransactItems"])
                padded = [*reasons, *[reasons[-1]] * size][:size]
                body["CancellationReasons"] = [{"Code": reason} for reason in padded]
            return _response(status, body)

        failed: list[Sent] = []
        with self._hooked(operations, wanted, answer):
            yield failed

    @contextmanager
    def losing_acknowledgements(
        self, operations: Sequence[str], *, number: int = 1, times: int = 1, wanted: Wanted = every
    ) -> Iterator[list[Sent]]:
        """The request with this number, and the `times` - 1 after it, are done, and their answers lost."""

        def lose(sent: Sent, event_name: str, request: Any) -> None:
            if number <= sent.number < number + times:
                lost.append(sent)
                botocore_stubber(event_name, request)
                raise ReadTimeoutError(endpoint_url=request.url)

        lost: list[Sent] = []
        with self._hooked(operations, wanted, lose):
            yield lost

    @contextmanager
    def killing(
        self, operations: Sequence[str], number: int, *, applied: bool, wanted: Wanted = every
    ) -> Iterator[list[Sent]]:
        """The process ends at the request with this number, before or after it was `applied`; whatever it
        still asks for is not done."""

        def kill(sent: Sent, event_name: str, request: Any) -> None:
            if dead:
                raise Killed
            if sent.operation in operations and wanted(sent):
                met.append(sent)
                if len(met) == number:
                    dead.append(sent)
                    if applied:
                        botocore_stubber(event_name, request)
                    raise Killed

        met: list[Sent] = []
        dead: list[Sent] = []
        with self._hooked((*WRITES, *READS), every, kill):
            yield dead

    @contextmanager
    def calling(self, operations: Sequence[str], number: int, work: Callable[[], object]) -> Iterator[None]:
        """Something happens right before the request with this number is sent."""

        def happen(sent: Sent, **_: Any) -> None:
            if sent.number == number:
                work()

        with self._hooked(operations, every, happen):
            yield

    @contextmanager
    def left_unprocessed(self, operation: str, *, times: int | None = None) -> Iterator[list[int]]:
        """DynamoDB takes half of each batch, or of the first `times`, and gives the rest back. Gives how many
        were given back each time."""
        field = "UnprocessedItems" if operation == "BatchWriteItem" else "UnprocessedKeys"
        given_back: list[int] = []

        def halve(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
            if times is not None and len(given_back) >= times:
                return
            [(table, asked)] = params["RequestItems"].items()
            parts = asked if operation == "BatchWriteItem" else asked["Keys"]
            half = (len(parts) + 1) // 2
            taken, held = parts[:half], parts[half:]
            if held:
                given_back.append(len(held))
                context["held"] = {table: held if parts is asked else {**asked, "Keys": held}}
                params["RequestItems"] = {table: taken if parts is asked else {**asked, "Keys": taken}}

        def give_back(parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
            if "held" in context:
                parsed[field] = context["held"]

        events = self._client.meta.events
        before, after = f"before-parameter-build.dynamodb.{operation}", f"after-call.dynamodb.{operation}"
        events.register(before, halve)
        events.register(after, give_back)
        try:
            yield given_back
        finally:
            events.unregister(before, halve)
            events.unregister(after, give_back)

    @contextmanager
    def short_pages(self, rows: int) -> Iterator[None]:
        """A query ends after so many rows, as one does that has reached 1 MB."""

        def limit(params: dict[str, Any], **_: Any) -> None:
            params["Limit"] = min(rows, params.get("Limit", rows))

        event = "before-parameter-build.dynamodb.Query"
        self._client.meta.events.register(event, limit)
        try:
            yield
        finally:
            self._client.meta.events.unregister(event, limit)

    @contextmanager
    def _hooked(
        self, operations: Sequence[str], wanted: Wanted, act: Callable[..., AWSResponse | None]
    ) -> Iterator[None]:
        number = 0

        def hook(event_name: str = "", request: Any = None, **_: Any) -> AWSResponse | None:
            nonlocal number
            operation = event_name.rpartition(".")[2]
            if operation not in operations:
                return None
            body = request.body if isinstance(request.body, bytes) else request.body.read()
            sent = Sent(operation, json.loads(body), number + 1)
            if not wanted(sent):
                return None
            number += 1
            answer = act(sent, event_name=event_name, request=request)
            request.answered = answer is not None
            return answer

        self._client.meta.events.register_first("before-send.dynamodb", cast("Any", hook))
        try:
            yield
        finally:
            self._client.meta.events.unregister("before-send.dynamodb", cast("Any", hook))


def _response(status: int, body: Mapping[str, Any]) -> AWSResponse:
    headers: Any = {"content-type": "application/x-amz-json-1.0"}
    response: Any = AWSResponse("https://dynamodb.test/", status, headers, None)
    response._content = json.dumps(body).encode()
    answer: AWSResponse = response
    return answer
