"""The client of Lambda's Runtime API, against a server that speaks it byte by byte, as AWS describes it."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from noted.streaming import loop
from noted.streaming.rest import http_event
from noted.streaming.runtime_api import RuntimeApi
from tests.runtime_api import Lambda

Json = dict[str, Any]

EVENT: Json = {
    "resource": "/v1/conversations/{conversation_id}/turns",
    "path": "/base/v1/conversations/cv_1/turns",
    "httpMethod": "POST",
    "headers": {"Accept": "text/event-stream", "X-Tag": "b"},
    "multiValueHeaders": {"Accept": ["text/event-stream"], "X-Tag": ["a", "b"]},
    "queryStringParameters": {"wait": "2"},
    "multiValueQueryStringParameters": {"wait": ["1", "2"]},
    "pathParameters": {"conversation_id": "cv_1"},
    "stageVariables": None,
    "requestContext": {
        "requestId": "r1",
        "requestTimeEpoch": 1_780_000_000_000,
        "stage": "stream",
        "authorizer": {"principalId": "verified", "claims": '{"sub": "alice", "scope": "memory:write"}'},
    },
    "body": '{"message": "سلام"}',
    "isBase64Encoded": False,
}


@pytest.fixture
def aws() -> Iterator[Lambda]:
    aws = Lambda()
    yield aws
    aws.close()


class Function:
    """A function behind the client under test: serves one invocation in a thread of its own."""

    def __init__(self, aws: Lambda) -> None:
        self.events: list[Json] = []
        self.contexts: list[Any] = []
        self.environment: dict[str, str] = {"AWS_LAMBDA_FUNCTION_NAME": "noted-stream"}
        self.result: Any = {"statusCode": 200, "body": "{}"}
        self._api = RuntimeApi(aws.host)
        self._thread: threading.Thread | None = None

    def serve(self) -> None:
        arguments = (self._api, self._handler, self.environment)
        self._thread = threading.Thread(target=loop.serve, args=arguments, daemon=True)
        self._thread.start()

    def done(self) -> None:
        assert self._thread is not None
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _handler(self, event: Json, context: object) -> Any:
        self.events.append(event)
        self.contexts.append(context)
        return self.result(event) if callable(self.result) else self.result


@pytest.fixture
def function(aws: Lambda) -> Function:
    return Function(aws)


def test_the_event_of_a_rest_api_becomes_that_of_an_http_api() -> None:
    event = http_event(EVENT)
    assert event == {
        "version": "2.0",
        "routeKey": "POST /v1/conversations/{conversation_id}/turns",
        # As the other API has it: an idempotency key means the same request at either address.
        "rawPath": "/v1/conversations/cv_1/turns",
        "pathParameters": {"conversation_id": "cv_1"},
        "headers": {"Accept": "text/event-stream", "X-Tag": "a,b"},
        "queryStringParameters": {"wait": "1,2"},
        "requestContext": {
            "requestId": "r1",
            "timeEpoch": 1_780_000_000_000,
            "authorizer": {"jwt": {"claims": {"sub": "alice", "scope": "memory:write"}}},
        },
        "body": '{"message": "سلام"}',
        "isBase64Encoded": False,
    }


@pytest.mark.parametrize("context", [{}, {"authorizer": None}, {"authorizer": {"principalId": "verified"}}])
def test_without_verified_claims_there_are_none(context: Json) -> None:
    sent = EVENT | {"requestContext": context, "headers": {"claims": '{"sub": "alice"}'}}
    assert http_event(sent)["requestContext"]["authorizer"] == {"jwt": {"claims": {}}}


def test_pieces_are_sent_while_the_function_still_makes_more(aws: Lambda, function: Function) -> None:
    release = threading.Semaphore(0)

    def body() -> Iterator[str]:
        yield 'data: {"text": "a"}\n\n'
        assert release.acquire(timeout=60)
        yield ""
        yield "data: é👋\n\n"
        assert release.acquire(timeout=60)
        yield "data: c\n\n"

    headers = {"Content-Type": "text/event-stream", "Memory-Epoch": "3"}
    function.result = {"statusCode": 201, "headers": headers, "body": body(), "isBase64Encoded": False}
    function.serve()
    aws.invoke(EVENT)
    sent = aws.accept()
    assert sent.start == "POST /2018-06-01/runtime/invocation/id-1/response HTTP/1.1"
    assert sent.headers["lambda-runtime-function-response-mode"] == "streaming"
    assert sent.headers["transfer-encoding"] == "chunked"
    assert sent.headers["content-type"] == "application/vnd.awslambda.http-integration-response"
    assert sent.headers["trailer"] == "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body"
    assert "content-length" not in sent.headers
    head = sent.chunk()
    assert json.loads(head[:-8]) == {"statusCode": 201, "headers": headers}
    assert head[-8:] == b"\0\0\0\0\0\0\0\0"
    assert head.count(b"\0") == 8
    # Each chunk is here before the function may go on.
    assert sent.chunk() == b'data: {"text": "a"}\n\n'
    release.release()
    assert sent.chunk() == "data: é👋\n\n".encode()
    release.release()
    assert sent.chunk() == b"data: c\n\n"
    assert sent.chunk() == b""
    assert sent.trailers() == {}
    sent.answer(202)
    assert sent.closed()
    function.done()


@pytest.mark.parametrize(
    "result,content",
    [
        ({"statusCode": 404, "headers": {"Content-Type": "application/problem+json"}, "body": "{}"}, b"{}"),
        (
            {"statusCode": 200, "body": base64.b64encode(b"\0\xff").decode(), "isBase64Encoded": True},
            b"\0\xff",
        ),
        ({"statusCode": 204}, b""),
        ({"statusCode": 200, "cookies": ["a=1"], "body": "x"}, b"x"),
    ],
)
def test_a_reply_that_is_whole_already_has_the_same_form(
    aws: Lambda, function: Function, result: Json, content: bytes
) -> None:
    function.result = result
    function.serve()
    aws.invoke(EVENT)
    sent = aws.accept()
    head = sent.chunk()
    assert head[-8:] == bytes(8)
    kept = {name: value for name, value in result.items() if name in ("statusCode", "headers", "cookies")}
    assert json.loads(head[:-8]) == kept
    if content:
        assert sent.chunk() == content
    assert sent.chunk() == b""
    assert sent.trailers() == {}
    sent.answer(202)
    function.done()


@pytest.mark.parametrize(
    "pages,origin,told",
    [
        ("", "https://app.example.org", {}),
        ("https://app.example.org", None, {"Vary": "Origin"}),
        ("https://app.example.org", "https://app.example.org.evil.example", {"Vary": "Origin"}),
        (
            "https://app.example.org http://localhost:3000",
            "http://localhost:3000",
            {
                "Vary": "Origin",
                "Access-Control-Allow-Origin": "http://localhost:3000",
                "Access-Control-Expose-Headers": "Memory-Epoch, Retry-After",
            },
        ),
    ],
)
def test_a_page_of_another_origin_may_read_the_reply_if_it_is_named(
    aws: Lambda, function: Function, pages: str, origin: str | None, told: Json
) -> None:
    function.environment["NOTED_CORS_ORIGINS"] = pages
    function.result = {"statusCode": 200, "headers": {"Memory-Epoch": "1"}, "body": "x"}
    function.serve()
    named = {} if origin is None else {"origin": [origin]}
    aws.invoke(EVENT | {"multiValueHeaders": EVENT["multiValueHeaders"] | named})
    sent = aws.accept()
    assert json.loads(sent.chunk()[:-8])["headers"] == {"Memory-Epoch": "1"} | told
    assert (sent.chunk(), sent.chunk()) == (b"x", b"")
    sent.answer(202)
    function.done()


def test_a_function_that_fails_at_once_is_reported_as_failed(aws: Lambda, function: Function) -> None:
    def fail(event: Json) -> object:
        raise LookupError("Alice likes tea")

    function.result = fail
    function.serve()
    aws.invoke(EVENT, "id-2")
    report = aws.accept()
    assert report.start == "POST /2018-06-01/runtime/invocation/id-2/error HTTP/1.1"
    assert report.headers["lambda-runtime-function-error-type"] == "Function.LookupError"
    assert json.loads(report.body()) == {"errorType": "LookupError", "errorMessage": "", "stackTrace": []}
    report.answer(202)
    function.done()


def test_an_error_half_way_stands_behind_what_was_sent(aws: Lambda, function: Function) -> None:
    def body() -> Iterator[str]:
        yield "a"
        raise OSError("Alice likes tea")

    function.result = {"statusCode": 200, "body": body()}
    function.serve()
    aws.invoke(EVENT)
    sent = aws.accept()
    assert [sent.chunk()[-8:], sent.chunk(), sent.chunk()] == [bytes(8), b"a", b""]
    trailers = sent.trailers()
    assert trailers.keys() == {"Lambda-Runtime-Function-Error-Type", "Lambda-Runtime-Function-Error-Body"}
    assert trailers["Lambda-Runtime-Function-Error-Type"] == "Function.OSError"
    described = json.loads(base64.b64decode(trailers["Lambda-Runtime-Function-Error-Body"]))
    assert described == {"errorType": "OSError", "errorMessage": "", "stackTrace": []}
    sent.answer(202)
    function.done()


def test_the_work_is_finished_when_nobody_takes_the_response(aws: Lambda, function: Function) -> None:
    gone = threading.Event()
    made: list[object] = []

    def body() -> Iterator[str]:
        yield "a"
        assert gone.wait(60)
        for number in range(200):
            made.append(number)
            yield "b" * 10_000
        made.append("stored")

    function.result = {"statusCode": 200, "body": body()}
    function.serve()
    aws.invoke(EVENT)
    sent = aws.accept()
    sent.chunk()
    assert sent.chunk() == b"a"
    sent.hang_up()
    gone.set()
    function.done()
    assert made == [*range(200), "stored"]
    # And the next invocation is taken as if nothing had been.
    function.result = {"statusCode": 200, "body": "next"}
    function.serve()
    aws.invoke(EVENT)
    again = aws.accept()
    again.chunk()
    assert again.chunk() == b"next"
    again.answer(202)
    function.done()


@pytest.mark.parametrize("payload", [b"no JSON", b"[]", b"{}"])
def test_an_event_that_is_none_of_a_rest_api_fails(aws: Lambda, function: Function, payload: bytes) -> None:
    function.serve()
    aws.invoke(payload)
    report = aws.accept()
    assert report.start.endswith("/error HTTP/1.1")
    report.answer(202)
    function.done()
    assert function.events == []


def test_a_function_is_told_about_its_invocation(aws: Lambda, function: Function) -> None:
    function.serve()
    aws.invoke(EVENT)
    sent = aws.accept()
    (context,) = function.contexts
    assert context.streams is True
    assert context.aws_request_id == "id-1"
    assert context.function_name == "noted-stream"
    assert context.invoked_function_arn.endswith(":function:noted-stream")
    assert 0 < context.get_remaining_time_in_millis() <= 29_000
    assert function.environment["_X_AMZN_TRACE_ID"] == "Root=1-5bef4de7;Sampled=1"
    while sent.chunk():
        pass
    sent.answer(202)
    function.done()


def test_a_function_that_cannot_be_loaded_says_so_and_ends(aws: Lambda) -> None:
    ended: list[int] = []
    environment = {"_HANDLER": "no_such_module.handler"}
    running = threading.Thread(
        target=lambda: ended.append(loop.run(RuntimeApi(aws.host), environment)), daemon=True
    )
    running.start()
    report = aws.accept()
    assert report.start == "POST /2018-06-01/runtime/init/error HTTP/1.1"
    assert report.headers["lambda-runtime-function-error-type"] == "Function.ModuleNotFoundError"
    report.answer(202)
    running.join(60)
    assert ended == [1]


def test_the_program_that_lambda_starts_serves_the_function_of_the_task(aws: Lambda, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2] / "layers" / "noted"
    (tmp_path / "task.py").write_text(
        "def answer(event, context):\n"
        "    return {'statusCode': 200, 'body': iter([event['rawPath'], context.function_name])}\n"
    )
    process = subprocess.Popen(
        # What Lambda hands to a wrapper: the interpreter, and the managed runtime's own program.
        [str(root / "bin" / "noted-stream"), sys.executable, "/var/runtime/bootstrap.py"],
        env={
            "PATH": "/usr/bin:/bin",
            "AWS_LAMBDA_RUNTIME_API": aws.host,
            "AWS_LAMBDA_FUNCTION_NAME": "noted-stream",
            "LAMBDA_TASK_ROOT": str(tmp_path),
            "PYTHONPATH": str(root / "python"),
            "_HANDLER": "task.answer",
        },
    )
    try:
        for request_id in ("id-1", "id-2"):
            aws.invoke(EVENT, request_id)
            sent = aws.accept()
            assert sent.start == f"POST /2018-06-01/runtime/invocation/{request_id}/response HTTP/1.1"
            sent.chunk()
            assert [sent.chunk(), sent.chunk(), sent.chunk()] == [
                b"/v1/conversations/cv_1/turns",
                b"noted-stream",
                b"",
            ]
            sent.trailers()
            sent.answer(202)
    finally:
        process.kill()
        process.wait()
