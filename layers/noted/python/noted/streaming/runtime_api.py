"""Lambda's Runtime API, version 2018-06-01, with response streaming: AWS Lambda Developer Guide, "Using the
Lambda runtime API" and "Implementing response streaming in a custom runtime"."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any

_ROOT = "/2018-06-01/runtime"
_ERROR_TYPE = "Lambda-Runtime-Function-Error-Type"
_ERROR_BODY = "Lambda-Runtime-Function-Error-Body"


class RuntimeApiError(Exception):
    """The Runtime API answers something that is not in its description."""


@dataclass(frozen=True)
class Invocation:
    """One call of the function. `deadline` is in milliseconds since 1970, `payload` JSON."""

    request_id: str
    deadline: int
    function_arn: str
    trace_id: str | None
    payload: bytes


class RuntimeApi:
    """`host` is the value of `AWS_LAMBDA_RUNTIME_API`. Each call has a connection of its own: a streamed
    response must close its connection, and all of them stay on the machine."""

    def __init__(self, host: str) -> None:
        self._host = host

    def next(self) -> Invocation:
        """Waits for the next invocation, however long. Raises RuntimeApiError, OSError, HTTPException."""
        connection = HTTPConnection(self._host, timeout=None)
        try:
            connection.request("GET", f"{_ROOT}/invocation/next")
            response = connection.getresponse()
            payload = response.read()
        finally:
            connection.close()
        request_id = response.headers["Lambda-Runtime-Aws-Request-Id"]
        if response.status != 200 or not request_id:
            raise RuntimeApiError
        return Invocation(
            request_id,
            int(response.headers["Lambda-Runtime-Deadline-Ms"]),
            response.headers["Lambda-Runtime-Invoked-Function-Arn"] or "",
            response.headers["Lambda-Runtime-Trace-Id"],
            payload,
        )

    def respond(self, request_id: str, content_type: str, pieces: Iterator[bytes]) -> None:
        """Sends a response piece by piece, each as soon as there is it. An error that `pieces` raises is
        reported behind what was sent. If nobody takes the response any more, the pieces are still read to
        their end, so that the work behind them is done."""
        connection = HTTPConnection(self._host, timeout=None)
        try:
            self._send(connection, request_id, content_type, pieces)
        except (OSError, HTTPException):
            with suppress(Exception):
                for _ in pieces:
                    pass
        finally:
            connection.close()

    def failed(self, request_id: str, error: Exception) -> None:
        """Reports that an invocation failed before anything was sent. Raises OSError, HTTPException."""
        self._report(f"/invocation/{request_id}/error", error)

    def not_started(self, error: Exception) -> None:
        """Reports that the function cannot be loaded. Raises OSError, HTTPException."""
        self._report("/init/error", error)

    def _send(
        self, connection: HTTPConnection, request_id: str, content_type: str, pieces: Iterator[bytes]
    ) -> None:
        connection.putrequest("POST", f"{_ROOT}/invocation/{request_id}/response", skip_accept_encoding=True)
        connection.putheader("Content-Type", content_type)
        connection.putheader("Lambda-Runtime-Function-Response-Mode", "streaming")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.putheader("Trailer", f"{_ERROR_TYPE}, {_ERROR_BODY}")
        connection.endheaders()
        trailers = b""
        while True:
            try:
                piece = next(pieces, None)
            except Exception as error:  # noqa: BLE001 (the last line before Lambda: it must hear of it)
                body = base64.b64encode(_described(error)).decode()
                trailers = f"{_ERROR_TYPE}: {_kind(error)}\r\n{_ERROR_BODY}: {body}\r\n".encode()
                break
            if piece is None:
                break
            # An empty chunk would be the last one.
            if piece:
                connection.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        connection.send(b"0\r\n%b\r\n" % trailers)
        connection.getresponse().read()

    def _report(self, path: str, error: Exception) -> None:
        connection = HTTPConnection(self._host)
        try:
            headers = {"Content-Type": "application/json", _ERROR_TYPE: _kind(error)}
            connection.request("POST", _ROOT + path, _described(error), headers)
            connection.getresponse().read()
        finally:
            connection.close()


def _kind(error: Exception) -> str:
    return f"Function.{type(error).__name__}"


def _described(error: Exception) -> bytes:
    # The type alone: an error's text may hold what a user said.
    described: dict[str, Any] = {"errorType": type(error).__name__, "errorMessage": "", "stackTrace": []}
    return json.dumps(described).encode()
