"""What API Gateway does around a function: the event of payload format 2.0 that an HTTP API sends, the
context that Lambda gives, and the reply that a function's result becomes. One thing is of the gateway that
streams: a body may come in pieces."""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from local.routing import Match
from local.streaming import Outlet, StreamedResponse
from noted.api import bearer

_TEXT_TYPES = ("application/json", "application/javascript", "application/xml", "application/problem+json")
# An HTTP API waits 30 seconds at most for a function.
_TIMEOUT = 29.0


@dataclass(frozen=True)
class Grant:
    """What a verified token says: all its claims, and those of its scopes that open the route."""

    claims: Mapping[str, Any]
    scopes: tuple[str, ...]


class InvalidResultError(Exception):
    """A function's result is not a reply."""


class Context:
    """What Lambda tells a function about its invocation. `streams`: a result's body may be an iterator."""

    streams = True

    def __init__(self, function: str, *, timeout: float = _TIMEOUT) -> None:
        self.aws_request_id = str(uuid.uuid4())
        self.function_name = f"noted-{function}"
        self.function_version = "$LATEST"
        self.memory_limit_in_mb = "1024"
        self.invoked_function_arn = f"arn:aws:lambda:us-east-1:000000000000:function:{self.function_name}"
        self.log_group_name = f"/aws/lambda/{self.function_name}"
        self.log_stream_name = "local"
        self._deadline = time.monotonic() + timeout

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the invocation would be cut off."""
        return max(int((self._deadline - time.monotonic()) * 1000), 0)


def event(match: Match, request: Request, body: bytes, *, grant: Grant | None, now: float) -> dict[str, Any]:
    """The event of a request. Path and parameters are URL-decoded, as the gateway's are. `grant`: None for a
    route without authorizer; `now`: seconds since 1970. Fields without a value are left out."""
    route, headers, path = match.route, request.headers, request.scope["path"]
    query = request.scope["query_string"].decode("latin-1")
    route_key = f"{route.method} {route.path}"
    context: dict[str, Any] = {
        "accountId": "000000000000",
        "apiId": "local",
        "domainName": headers.get("host", "localhost"),
        "domainPrefix": "local",
        "http": {
            "method": route.method,
            "path": path,
            "protocol": f"HTTP/{request.scope['http_version']}",
            "sourceIp": request.client.host if request.client else "127.0.0.1",
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": str(uuid.uuid4()),
        "routeKey": route_key,
        "stage": "$default",
        "time": datetime.fromtimestamp(now, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(now * 1000),
    }
    if grant is not None:
        claims = {name: bearer.as_text(value) for name, value in grant.claims.items()}
        context["authorizer"] = {"jwt": {"claims": claims, "scopes": list(grant.scopes) or None}}
    text = _text(body, headers.get("content-type", ""))
    optional = {
        "cookies": [part.strip() for line in headers.getlist("cookie") for part in line.split(";")],
        "queryStringParameters": _joined(parse_qsl(query, keep_blank_values=True)),
        "pathParameters": dict(match.parameters),
        "body": base64.b64encode(body).decode() if text is None else text,
    }
    return {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": _joined([(name, value) for name, value in headers.items() if name != "cookie"]),
        "requestContext": context,
        **{name: value for name, value in optional.items() if value},
        "isBase64Encoded": bool(body) and text is None,
    }


def reply(result: object, outlet: Outlet) -> tuple[Response, Iterator[str] | None]:
    """The HTTP reply that a function's result stands for, and the pieces of its body if they are still to be
    made; they go into `outlet`. Raises InvalidResultError."""
    if not isinstance(result, Mapping):
        raise InvalidResultError("the result is no object")
    status, body = result.get("statusCode"), result.get("body") or ""
    if isinstance(status, bool) or not isinstance(status, int) or not 200 <= status <= 599:
        raise InvalidResultError("the result has no status code")
    pieces = body if isinstance(body, Iterator) else None
    response: Response
    if pieces is not None:
        response = StreamedResponse(outlet, status)
    else:
        # These have no body, and a server must not send one (RFC 9110, 15.3.5 and 15.4.5).
        content = b"" if status in (204, 304) else _content(body, encoded=bool(result.get("isBase64Encoded")))
        response = Response(content, status_code=status)
    for name, value in _header_lines(result):
        response.headers.append(name, value)
    return response, pieces


def _content(body: object, *, encoded: bool) -> bytes:
    if not isinstance(body, str):
        raise InvalidResultError("the body is no text")
    try:
        return base64.b64decode(body, validate=True) if encoded else body.encode()
    except ValueError:
        raise InvalidResultError("the body cannot be decoded") from None


def _header_lines(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    single, multiple = result.get("headers") or {}, result.get("multiValueHeaders") or {}
    cookies = result.get("cookies") or []
    if not (isinstance(single, Mapping) and isinstance(multiple, Mapping) and isinstance(cookies, list)):
        raise InvalidResultError("the headers are no object")
    lines = [(name, value) for name, value in single.items() if name not in multiple]
    lines += [(name, value) for name, values in multiple.items() for value in values]
    lines += [("set-cookie", cookie) for cookie in cookies]
    # The length is that of the body as it is sent, whatever the function thinks it is.
    return [(name.lower(), _scalar(value)) for name, value in lines if name.lower() != "content-length"]


def _text(body: bytes, content_type: str) -> str | None:
    """The body as text, or None if it travels as base 64: the content type decides, and it must be UTF-8."""
    media_type = content_type.partition(";")[0].strip().lower()
    if not (media_type.startswith("text/") or media_type in _TEXT_TYPES):
        return None
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _joined(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
