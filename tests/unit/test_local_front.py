"""The HTTP front in the place of API Gateway: what a function gets, what a client gets, who is let in."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from local.front import Front
from local.issuer import Issuer
from local.listener import Listener, PortTakenError, listen
from local.streaming import Outlet
from noted.api.routes import ERASE, READ, WRITE, Route

Event = dict[str, Any]

ROUTES = (
    Route("GET", "/v1/health", "open", None, ""),
    Route("GET", "/v1/facts", "echo", READ, ""),
    Route("POST", "/v1/facts", "echo", WRITE, ""),
    Route("POST", "/v1/facts:batch", "echo", WRITE, ""),
    Route("GET", "/v1/facts/{fact_id}", "echo", READ, ""),
    Route("GET", "/v1/facts/newest", "echo", READ, ""),
    Route("DELETE", "/v1/facts/{fact_id}", "echo", WRITE, ""),
    Route("POST", "/v1/conversations/{conversation_id}/turns", "echo", WRITE, ""),
    Route("POST", "/v1/conversations/{conversation_id}/turns:record", "echo", WRITE, ""),
    Route("POST", "/v1/admin/erasures", "echo", ERASE, ""),
)


class Running:
    """Counts what is registered as running."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.now = 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        self.now += 1
        try:
            yield
        finally:
            self.now -= 1


class Served:
    """A front over one function, which answers with `result(event)` and keeps its events."""

    def __init__(self, folder: Path) -> None:
        self.issuer = Issuer(folder / "issuer")
        self.folder = folder / "issuer"
        self.token = self.issuer.token("alice")
        self.events: list[Event] = []
        self.contexts: list[Any] = []
        self.result: Callable[[Event], object] = lambda event: {"statusCode": 200, "body": "{}"}
        self.running = Running()
        self.pool = ThreadPoolExecutor(64)
        front = Front(
            {"echo": self._function, "open": self._function},
            routes=ROUTES,
            issuer=self.issuer,
            pool=self.pool,
            running=self.running,
        )
        self.listener = Listener(front, listen(0))
        self.listener.start()
        self.client = httpx.Client(base_url=self.listener.url, trust_env=False, timeout=60)

    def request(self, method: str, path: str, token: str | None = None, **arguments: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token or self.token}"} | arguments.pop("headers", {})
        return self.client.request(method, path, headers=headers, **arguments)

    def stop(self) -> None:
        self.client.close()
        self.listener.stop()
        self.pool.shutdown(wait=False)

    def _function(self, event: Event, context: object) -> object:
        self.events.append(event)
        self.contexts.append(context)
        return self.result(event)


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    front = Served(tmp_path_factory.mktemp("front"))
    yield front
    front.stop()


@pytest.fixture
def served(front: Served) -> Served:
    front.events.clear()
    front.contexts.clear()
    front.result = lambda event: {"statusCode": 200, "body": "{}"}
    return front


def problem(response: httpx.Response) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == response.status_code
    assert {"type", "title", "detail"} <= set(body)
    return body


# What a function gets.


def test_the_event_is_that_of_payload_format_2(served: Served) -> None:
    served.request(
        "POST",
        "/v1/conversations/cv_1/turns?parameter1=value1&parameter1=value2&parameter2=value&empty=",
        content='{"message": "سلام"}'.encode(),
        headers={"Content-Type": "application/json", "Cookie": "cookie1=1; cookie2=2", "User-Agent": "agent"},
    )
    (event,) = served.events
    context = event["requestContext"]
    port = served.client.base_url.port
    assert context.pop("requestId")
    assert abs(context.pop("timeEpoch") / 1000 - time.time()) < 600
    assert len(context.pop("time")) == len("12/Mar/2020:19:03:58 +0000")
    claims = context["authorizer"]["jwt"]["claims"]
    assert claims["sub"] == "alice"
    assert event["headers"].pop("authorization") == f"Bearer {served.token}"
    assert {name: event["headers"][name] for name in ("content-type", "user-agent", "host")} == {
        "content-type": "application/json",
        "user-agent": "agent",
        "host": f"127.0.0.1:{port}",
    }
    assert "cookie" not in event["headers"]
    del event["headers"], context["authorizer"]["jwt"]["claims"]
    assert event == {
        "version": "2.0",
        "routeKey": "POST /v1/conversations/{conversation_id}/turns",
        "rawPath": "/v1/conversations/cv_1/turns",
        "rawQueryString": "parameter1=value1&parameter1=value2&parameter2=value&empty=",
        "cookies": ["cookie1=1", "cookie2=2"],
        "queryStringParameters": {"parameter1": "value1,value2", "parameter2": "value", "empty": ""},
        "pathParameters": {"conversation_id": "cv_1"},
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "authorizer": {"jwt": {"scopes": ["memory:write"]}},
            "domainName": f"127.0.0.1:{port}",
            "domainPrefix": "local",
            "http": {
                "method": "POST",
                "path": "/v1/conversations/cv_1/turns",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "agent",
            },
            "routeKey": "POST /v1/conversations/{conversation_id}/turns",
            "stage": "$default",
        },
        "body": '{"message": "سلام"}',
        "isBase64Encoded": False,
    }


def test_an_event_leaves_out_what_a_request_does_not_have(served: Served) -> None:
    served.client.get("/v1/health")
    (event,) = served.events
    absent = {"cookies", "queryStringParameters", "pathParameters", "body"}
    assert not absent & set(event)
    assert event["isBase64Encoded"] is False
    assert event["rawQueryString"] == ""
    assert "authorizer" not in event["requestContext"]


def test_every_claim_is_a_string_as_the_gateway_makes_it(served: Served) -> None:
    token = forge(served, {"groups": ["a", "b"], "age": 7, "admin": True})
    served.request("GET", "/v1/facts", token)
    claims = served.events[0]["requestContext"]["authorizer"]["jwt"]["claims"]
    assert all(isinstance(value, str) for value in claims.values())
    assert claims["groups"] == "[a b]"
    assert claims["age"] == "7"
    assert claims["admin"] == "true"
    assert claims["exp"].isdecimal()


def test_repeated_headers_are_joined(served: Served) -> None:
    headers = [("X-Tag", "a"), ("x-tag", "b"), ("Authorization", f"Bearer {served.token}")]
    served.client.get("/v1/facts", headers=headers)
    assert served.events[0]["headers"]["x-tag"] == "a,b"


@pytest.mark.parametrize(
    "content,content_type",
    [
        (b"\xff\xfe{}", "application/json"),
        (b"\x89PNG", "image/png"),
        (b'{"a": 1}', "application/octet-stream"),
        (b'{"a": 1}', None),
    ],
)
def test_what_is_no_text_travels_as_base_64(served: Served, content: bytes, content_type: str | None) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    served.request("POST", "/v1/facts", content=content, headers=headers)
    assert served.events[0]["isBase64Encoded"] is True
    assert base64.b64decode(served.events[0]["body"]) == content


def test_a_function_is_told_about_its_invocation(served: Served) -> None:
    served.request("GET", "/v1/facts")
    served.request("GET", "/v1/facts")
    first, second = served.contexts
    assert first.function_name == "noted-echo"
    assert first.aws_request_id != second.aws_request_id
    assert 0 < first.get_remaining_time_in_millis() <= 29_000


# Routes.


@pytest.mark.parametrize(
    "method,path,route_key,parameters",
    [
        ("POST", "/v1/facts:batch", "POST /v1/facts:batch", {}),
        ("POST", "/v1/facts%3Abatch", "POST /v1/facts:batch", {}),
        ("GET", "/v1/facts/newest", "GET /v1/facts/newest", {}),
        ("DELETE", "/v1/facts/newest", "DELETE /v1/facts/{fact_id}", {"fact_id": "newest"}),
        ("GET", "/v1/facts/a%20b%2Fc", "GET /v1/facts/{fact_id}", {"fact_id": "a b/c"}),
        ("GET", "/v1/facts/%D8%B3", "GET /v1/facts/{fact_id}", {"fact_id": "س"}),
        (
            "POST",
            "/v1/conversations/x:y/turns:record",
            "POST /v1/conversations/{conversation_id}/turns:record",
            {"conversation_id": "x:y"},
        ),
    ],
)
def test_a_route_is_found_by_whole_segments(
    served: Served, method: str, path: str, route_key: str, parameters: dict[str, str]
) -> None:
    assert served.request(method, path).status_code == 200
    assert served.events[0]["routeKey"] == route_key
    assert served.events[0].get("pathParameters", {}) == parameters


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v1/facts/",
        "/v1//facts",
        "/v1/facts/a/b",
        "/v1/conversations//turns",
        "/V1/facts",
        "/v1/fact",
    ],
)
def test_an_unknown_path_is_404_for_everyone(served: Served, path: str) -> None:
    assert problem(served.client.get(path))["status"] == 404
    assert served.events == []


def test_a_known_path_with_another_method_is_405(served: Served) -> None:
    response = served.request("PUT", "/v1/facts")
    assert problem(response)["status"] == 405
    assert response.headers["allow"] == "GET, POST"
    assert problem(served.request("POST", "/v1/conversations/x/turns:answer"))["status"] == 404


def test_a_path_that_cannot_be_decoded_is_400(served: Served) -> None:
    assert problem(served.request("GET", "/v1/facts/%ff"))["status"] == 400


# What a client gets.


def test_a_result_becomes_the_reply(served: Served) -> None:
    served.result = lambda event: {
        "statusCode": 201,
        "headers": {"Content-Type": "application/json", "Memory-Epoch": 3, "content-length": "999"},
        "multiValueHeaders": {"Link": ["<a>", "<b>"]},
        "cookies": ["a=1", "b=2"],
        "body": '{"text": "é"}',
    }
    response = served.request("POST", "/v1/facts")
    assert response.status_code == 201
    assert response.json() == {"text": "é"}
    assert response.headers["memory-epoch"] == "3"
    assert response.headers.get_list("link") == ["<a>", "<b>"]
    assert response.headers.get_list("set-cookie") == ["a=1", "b=2"]


def test_an_encoded_body_is_decoded(served: Served) -> None:
    body = base64.b64encode(b"\x00\xff").decode()
    served.result = lambda event: {"statusCode": 200, "body": body, "isBase64Encoded": True}
    assert served.request("GET", "/v1/facts").content == b"\x00\xff"


def test_a_reply_without_content_has_none(served: Served) -> None:
    served.result = lambda event: {"statusCode": 204, "body": "something"}
    response = served.request("GET", "/v1/facts")
    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize(
    "result",
    [
        None,
        "text",
        {},
        {"statusCode": "200"},
        {"statusCode": True},
        {"statusCode": 99},
        {"statusCode": 200, "body": {"a": 1}},
        {"statusCode": 200, "body": "&", "isBase64Encoded": True},
        {"statusCode": 200, "headers": "x"},
        {"statusCode": 200, "headers": {"x": "سلام"}},
    ],
)
def test_a_result_that_is_no_reply_is_500(served: Served, result: object) -> None:
    served.result = lambda event: result
    assert problem(served.request("GET", "/v1/facts"))["status"] == 500


def test_a_function_that_crashes_is_500_without_its_text(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(event: Event) -> object:
        raise LookupError("Alice likes tea")

    served.result = crash
    with caplog.at_level(logging.INFO, logger="noted"):
        response = served.request("GET", "/v1/facts?q=tea")
    assert problem(response)["status"] == 500
    assert "tea" not in response.text
    ours = [record.__dict__ for record in caplog.records if record.name.startswith("noted")]
    assert "LookupError" in {record.get("error_type") for record in ours}
    assert not any("tea" in str(value) for record in ours for value in record.values())


def test_the_access_log_has_the_route_and_nothing_of_the_request(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="noted.access"):
        served.request("GET", "/v1/facts/ft_secret?q=tea")
        served.client.get("/v1/unknown-tea")
    known, unknown = (record.__dict__ for record in caplog.records if record.name == "noted.access")
    assert (known["method"], known["route"], known["status"]) == ("GET", "/v1/facts/{fact_id}", 200)
    assert (unknown["route"], unknown["status"]) == ("-", 404)
    assert not any(
        "secret" in str(value) or "tea" in str(value) for value in (*known.values(), *unknown.values())
    )


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_over_10_mb_is_413(served: Served, declared: bool) -> None:
    chunk = b"a" * 1024 * 1024
    content = chunk * 11 if declared else (chunk for _ in range(11))
    assert problem(served.request("POST", "/v1/facts", content=content))["status"] == 413
    assert served.events == []


def test_a_body_that_is_said_to_be_too_long_is_refused_unread(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.client.base_url.port or 0), timeout=60) as connection:
        head = f"POST /v1/facts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.token}\r\n"
        connection.sendall(f"{head}Content-Length: 99999999999\r\n\r\n".encode())
        assert connection.recv(12) == b"HTTP/1.1 413"


def test_a_body_of_10_mb_reaches_the_function(served: Served) -> None:
    content = b"a" * 10 * 1024 * 1024
    response = served.request("POST", "/v1/facts", content=content, headers={"Content-Type": "text/plain"})
    assert response.status_code == 200
    assert len(served.events[0]["body"]) == len(content)


def test_forty_calls_that_wait_do_not_hold_up_another(served: Served) -> None:
    waiting, release = threading.Semaphore(0), threading.Event()

    def result(event: Event) -> object:
        if event["routeKey"] == "GET /v1/facts":
            waiting.release()
            release.wait(60)
        return {"statusCode": 200}

    served.result = result
    with ThreadPoolExecutor(40) as clients:
        pending = [clients.submit(served.request, "GET", "/v1/facts") for _ in range(40)]
        try:
            for _ in range(40):
                assert waiting.acquire(timeout=60)
            assert served.request("POST", "/v1/facts").status_code == 200
        finally:
            release.set()
        assert {call.result().status_code for call in pending} == {200}


def test_what_may_write_is_registered_while_it_runs(served: Served) -> None:
    served.result = lambda event: {"statusCode": 200, "body": str(served.running.now)}
    assert served.request("POST", "/v1/facts").text == "1"
    assert served.request("DELETE", "/v1/facts/a").text == "1"
    assert served.request("GET", "/v1/facts").text == "0"
    assert served.running.now == 0


# Replies that come in pieces.


def streamed(pieces: Iterator[str]) -> dict[str, Any]:
    return {"statusCode": 201, "headers": {"Content-Type": "text/event-stream"}, "body": pieces}


def test_pieces_reach_the_client_while_the_function_makes_more(served: Served) -> None:
    taken = threading.Semaphore(0)

    def pieces() -> Iterator[str]:
        yield "event: delta\ndata: é\n\n"
        assert taken.acquire(timeout=60)
        yield ""
        yield "event: delta\ndata: 👋\n\n"
        assert taken.acquire(timeout=60)
        yield str(served.running.now)

    served.result = lambda event: streamed(pieces())
    with served.client.stream(
        "POST", "/v1/facts", headers={"Authorization": f"Bearer {served.token}"}
    ) as response:
        assert response.status_code == 201
        assert response.headers["content-type"] == "text/event-stream"
        assert "content-length" not in response.headers
        text = response.iter_text()
        assert next(text) == "event: delta\ndata: é\n\n"
        taken.release()
        assert next(text) == "event: delta\ndata: 👋\n\n"
        taken.release()
        # The function is registered as running until its last piece.
        assert list(text) == ["1"]
    assert served.running.now == 0


def test_a_function_goes_on_to_its_end_for_a_client_that_has_gone(served: Served) -> None:
    gone, stored = threading.Event(), threading.Event()

    def pieces() -> Iterator[str]:
        yield "a"
        assert gone.wait(60)
        for _ in range(300):
            yield "b" * 10_000
        stored.set()

    served.result = lambda event: streamed(pieces())
    with served.client.stream(
        "POST", "/v1/facts", headers={"Authorization": f"Bearer {served.token}"}
    ) as response:
        assert next(response.iter_text()) == "a"
    gone.set()
    assert stored.wait(60)


def test_a_client_that_is_slow_slows_the_function_down(served: Served) -> None:
    made: list[int] = []
    blocked = threading.Event()

    def pieces() -> Iterator[str]:
        for number in range(200):
            made.append(number)
            yield "b" * 100_000
            # Far more than all buffers on the way hold.
            if number == 199:
                blocked.set()

    served.result = lambda event: streamed(pieces())
    with served.client.stream(
        "POST", "/v1/facts", headers={"Authorization": f"Bearer {served.token}"}
    ) as response:
        assert not blocked.wait(1)
        assert len(made) < 200
        assert sum(len(part) for part in response.iter_bytes()) == 200 * 100_000
    assert len(made) == 200


def test_a_client_that_takes_nothing_is_given_up_and_the_function_goes_on() -> None:
    loop = asyncio.new_event_loop()
    running = threading.Thread(target=loop.run_forever)
    running.start()
    try:
        outlet = Outlet(loop, stalled_seconds=0.05)
        for _ in range(100):
            outlet.put(b"a")
        outlet.end(whole=True)
        # Who comes back finds the reply broken off, not whole.
        assert asyncio.run_coroutine_threadsafe(outlet.next(), loop).result(60) is None
        assert outlet.whole is False
    finally:
        loop.call_soon_threadsafe(loop.stop)
        running.join()
        loop.close()


def test_a_reply_that_breaks_off_is_noticed(served: Served) -> None:
    def pieces() -> Iterator[str]:
        yield "a"
        raise LookupError("Alice likes tea")

    served.result = lambda event: streamed(pieces())
    # Not a reply that looks whole.
    with pytest.raises(httpx.RemoteProtocolError):
        served.request("POST", "/v1/facts")
    assert served.running.now == 0
    served.result = lambda event: {"statusCode": 200, "body": "{}"}
    assert served.request("POST", "/v1/facts").status_code == 200


def test_a_function_that_fails_before_its_first_piece_is_500(served: Served) -> None:
    served.result = lambda event: streamed(iter(())) | {"headers": "x"}
    assert problem(served.request("POST", "/v1/facts"))["status"] == 500


# Who is let in.


def private_key(served: Served) -> str:
    (path,) = served.folder.iterdir()
    return path.read_text()


def public_key(served: Served) -> str:
    key = serialization.load_pem_private_key(private_key(served).encode(), None).public_key()
    return key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    ).decode()


def claims_of(served: Served, changes: dict[str, Any]) -> dict[str, Any]:
    claims = jwt.decode(served.token, options={"verify_signature": False}) | changes
    return {name: value for name, value in claims.items() if value is not None}


def forge(served: Served, changes: dict[str, Any], **header: Any) -> str:
    """The token with other claims, signed with the issuer's own key; a claim of None is left out."""
    return sign(served, json.dumps(claims_of(served, changes)).encode(), **header)


def sign(served: Served, payload: bytes, **header: Any) -> str:
    kid = jwt.get_unverified_header(served.token)["kid"]
    headers = {name: value for name, value in ({"kid": kid} | header).items() if value is not None}
    return jwt.PyJWS().encode(payload, private_key(served), algorithm="RS256", headers=headers)


def unsigned(header: dict[str, Any], payload: dict[str, Any], signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(payload).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def seconds(offset: int) -> int:
    return int(time.time()) + offset


def hs256(served: Served) -> str:
    # PyJWT itself refuses to sign with such a key, so the signature is made by hand.
    header = {"alg": "HS256", "typ": "JWT", "kid": jwt.get_unverified_header(served.token)["kid"]}
    signed = unsigned(header, claims_of(served, {})).rpartition(".")[0]
    mac = hmac.new(public_key(served).encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


REFUSED: dict[str, Callable[[Served], str]] = {
    "alg none": lambda s: unsigned(
        {"alg": "none", "typ": "JWT", "kid": jwt.get_unverified_header(s.token)["kid"]}, claims_of(s, {})
    ),
    "alg none, any case": lambda s: unsigned({"alg": "NoNe"}, claims_of(s, {})),
    "HS256 with the public key": hs256,
    "RS512 with the right key": lambda s: jwt.encode(
        claims_of(s, {}),
        private_key(s),
        algorithm="RS512",
        headers={"kid": jwt.get_unverified_header(s.token)["kid"]},
    ),
    "another signature": lambda s: s.token[:-8] + ("A" * 8 if not s.token.endswith("A" * 8) else "B" * 8),
    "no signature": lambda s: s.token.rpartition(".")[0] + ".",
    "another payload": lambda s: ".".join(
        [s.token.split(".")[0], s.issuer.token("mallory").split(".")[1], s.token.split(".")[2]]
    ),
    "another issuer's key": lambda s: Issuer(s.folder.parent / "other").token("alice"),
    "unknown kid": lambda s: forge(s, {}, kid="unknown"),
    "no kid": lambda s: forge(s, {}, kid=None),
    "kid that is a path": lambda s: forge(s, {}, kid="../../secret"),
    "a critical extension": lambda s: forge(s, {}, crit=["exp"]),
    "another kind of token": lambda s: forge(s, {}, typ="logout+jwt"),
    "a kind that is no text": lambda s: forge(s, {}, typ=["JWT"]),
    "two other audiences": lambda s: forge(s, {"aud": ["other", "noted2"]}),
    "subject as truth": lambda s: forge(s, {"sub": True}),
    "another issuer": lambda s: forge(s, {"iss": "https://noted.local/"}),
    "no issuer": lambda s: forge(s, {"iss": None}),
    "another audience": lambda s: forge(s, {"aud": "noted2"}),
    "no audience": lambda s: forge(s, {"aud": None}),
    "another audience and our client": lambda s: forge(s, {"aud": "other", "client_id": "noted"}),
    "an object for audience": lambda s: forge(s, {"aud": {"noted": 1}}),
    "expired by a second": lambda s: forge(s, {"exp": seconds(-1)}),
    "expires now": lambda s: forge(s, {"exp": seconds(0)}),
    "no expiry": lambda s: forge(s, {"exp": None}),
    "expiry as text": lambda s: forge(s, {"exp": "9999999999"}),
    "expiry as truth": lambda s: forge(s, {"exp": True}),
    "not yet valid": lambda s: forge(s, {"nbf": seconds(60)}),
    "issued in the future": lambda s: forge(s, {"iat": seconds(60)}),
    "subject as number": lambda s: forge(s, {"sub": 7}),
    "subject as list": lambda s: forge(s, {"sub": ["alice"]}),
    "no subject": lambda s: forge(s, {"sub": None}),
    "a claim twice": lambda s: sign(
        s, json.dumps(claims_of(s, {})).encode().replace(b"{", b'{"sub": "mallory", ', 1)
    ),
    "no claims": lambda s: sign(s, b"[]"),
    "no JSON": lambda s: sign(s, b"\xff"),
    "deep JSON": lambda s: f"{base64.urlsafe_b64encode(b'[' * 5000).decode()}.e30.AAAA",
    "20 KB": lambda s: forge(s, {"padding": "a" * 20_000}),
    "garbage": lambda s: "garbage",
    "two parts": lambda s: "e30.e30",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_token_that_proves_nothing_is_401(served: Served, name: str) -> None:
    response = served.request("GET", "/v1/facts", REFUSED[name](served))
    assert problem(response)["status"] == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert served.events == []


def test_a_key_that_a_token_brings_along_is_not_used(served: Served) -> None:
    other = Issuer(served.folder.parent / "other")
    foreign = other.token("alice")
    (path,) = (served.folder.parent / "other").iterdir()
    header = {
        "jwk": other.key_set()["keys"][0],
        "jku": f"{served.listener.url}/keys",
        "x5u": "http://127.0.0.1/",
    }
    for kid in (jwt.get_unverified_header(foreign)["kid"], jwt.get_unverified_header(served.token)["kid"]):
        token = jwt.encode(
            claims_of(served, {}), path.read_text(), algorithm="RS256", headers=header | {"kid": kid}
        )
        assert served.request("GET", "/v1/facts", token).status_code == 401


@pytest.mark.parametrize(
    "value", [None, "", "Bearer", "Basic {token}", "{token}", "Bearer {token} x", "bearer{token}"]
)
def test_another_authorization_is_401(served: Served, value: str | None) -> None:
    headers = {} if value is None else {"Authorization": value.format(token=served.token)}
    assert problem(served.client.get("/v1/facts", headers=headers))["status"] == 401


def test_two_tokens_are_401(served: Served) -> None:
    headers = [("Authorization", f"Bearer {served.token}")] * 2
    assert served.client.get("/v1/facts", headers=headers).status_code == 401


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": ["other", "noted"]},
        {"aud": None, "client_id": "noted"},
        {"nbf": None, "iat": None},
        {"scope": None, "scp": ["memory:read"]},
        {"sub": "a" * 255},
    ],
)
def test_what_the_gateway_accepts_is_accepted(served: Served, changes: dict[str, Any]) -> None:
    assert served.request("GET", "/v1/facts", forge(served, changes)).status_code == 200


@pytest.mark.parametrize("kind", ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", None])
def test_an_access_token_may_call_itself_one(served: Served, kind: str | None) -> None:
    assert served.request("GET", "/v1/facts", forge(served, {}, typ=kind)).status_code == 200


def test_while_the_issuers_keys_cannot_be_read_nobody_gets_in_and_it_is_no_error_of_the_server(
    served: Served,
) -> None:
    token = served.token
    (path,) = served.folder.iterdir()
    (served.folder / f"1.{'A' * 43}.pem").write_bytes(b"no key")
    response = served.request("GET", "/v1/facts", token)
    assert problem(response)["status"] == 401
    assert served.events == []
    (served.folder / f"1.{'A' * 43}.pem").unlink()
    assert path.exists()
    assert served.request("GET", "/v1/facts", token).status_code == 200


@pytest.mark.parametrize(
    "scope",
    ["", None, "memory", "memory:reader", "memory:read:all", "xmemory:read", "memory:write", "MEMORY:READ"],
)
def test_a_scope_counts_as_a_whole_word(served: Served, scope: str | None) -> None:
    response = served.request("GET", "/v1/facts", forge(served, {"scope": scope}))
    assert problem(response)["status"] == 403
    assert 'scope="memory:read"' in response.headers["www-authenticate"]
    assert served.events == []


def test_erasing_for_another_needs_its_own_scope(served: Served) -> None:
    nothing = forge(served, {"scope": "profile"})
    assert served.request("POST", "/v1/admin/erasures", nothing).status_code == 403
    assert served.events == []
    # A user's token comes as far as the function, which refuses it and writes that down.
    assert served.request("POST", "/v1/admin/erasures").status_code == 200
    machine = served.issuer.token("compliance", [ERASE])
    assert served.request("POST", "/v1/admin/erasures", machine).status_code == 200
    assert served.request("GET", "/v1/facts", machine).status_code == 403


def test_the_key_set_is_published(served: Served) -> None:
    configuration = served.client.get("/.well-known/openid-configuration").json()
    assert configuration["issuer"] == "https://noted.local"
    keys = jwt.PyJWKSet.from_dict(served.client.get(configuration["jwks_uri"]).json())
    kid = jwt.get_unverified_header(served.token)["kid"]
    assert jwt.decode(served.token, keys[kid], algorithms=["RS256"], audience="noted")["sub"] == "alice"


def test_a_taken_port_is_told() -> None:
    with listen(0) as first, pytest.raises(PortTakenError, match="NOTED_PORT"):
        listen(first.getsockname()[1])
