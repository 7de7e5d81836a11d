"""Between a REST API and handlers that are written for an HTTP API: its events, of payload format 1.0, become
events of format 2.0; results become what "Lambda proxy integration for response streaming" asks for."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

CONTENT_TYPE = "application/vnd.awslambda.http-integration-response"
# The headers of a reply that a page of another origin may read.
EXPOSED = ("Memory-Epoch", "Retry-After")
# Between the head of a response, as JSON, and its body.
_DELIMITER = bytes(8)


def http_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event that an HTTP API would send for the same request. The claims are those that the authorizer of
    the REST API has verified; without it there are none."""
    route, parameters = event["resource"], event.get("pathParameters") or {}
    context = event.get("requestContext") or {}
    claims = (context.get("authorizer") or {}).get("claims")
    return {
        "version": "2.0",
        "routeKey": f"{event['httpMethod']} {route}",
        # From its parts, since `path` may begin with a stage or a base path, and one request has one address.
        "rawPath": route.format_map(parameters),
        "pathParameters": parameters,
        "headers": _joined(event, "headers", "multiValueHeaders"),
        "queryStringParameters": _joined(event, "queryStringParameters", "multiValueQueryStringParameters"),
        "requestContext": {
            "requestId": context.get("requestId"),
            "timeEpoch": context.get("requestTimeEpoch"),
            "authorizer": {"jwt": {"claims": json.loads(claims) if claims else {}}},
        },
        "body": event.get("body"),
        "isBase64Encoded": event.get("isBase64Encoded", False),
    }


def cors(event: Mapping[str, Any], origins: Collection[str]) -> dict[str, str]:
    """The headers that let a page of one of these origins read the reply to an event of format 2.0. An HTTP
    API adds them by itself, a REST API does not."""
    if not origins:
        return {}
    sent = {name.lower(): value for name, value in event["headers"].items()}
    # Whoever keeps a copy must not hand it to a page of another origin.
    headers = {"Vary": "Origin"}
    if sent.get("origin") in origins:
        headers["Access-Control-Allow-Origin"] = sent["origin"]
        headers["Access-Control-Expose-Headers"] = ", ".join(EXPOSED)
    return headers


def response(result: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """A result as the gateway wants it, piece by piece: the head and the delimiter, then the body. `headers`
    come on top of its own."""
    head = {name: result[name] for name in ("statusCode", "headers", "cookies") if name in result}
    if headers:
        head["headers"] = {**head.get("headers", {}), **headers}
    yield json.dumps(head).encode() + _DELIMITER
    body = result.get("body") or ""
    if not isinstance(body, str):
        for piece in body:
            yield piece.encode()
    elif result.get("isBase64Encoded"):
        yield base64.b64decode(body)
    else:
        yield body.encode()


def _joined(event: Mapping[str, Any], single: str, multiple: str) -> dict[str, str]:
    joined = {name: ",".join(values) for name, values in (event.get(multiple) or {}).items()}
    return {**(event.get(single) or {}), **joined}
