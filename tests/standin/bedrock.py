"""A stand-in for Bedrock's ConverseStream: real HTTP and real event-stream bytes, for a real client.

An event is framed as the AWS event stream encoding says: its length, the length of its headers, a checksum of
these two, the headers (name, type 7 for a string, value), the payload, a checksum of all.
"""

from __future__ import annotations

import json
import struct
import threading
from binascii import crc32
from collections import deque
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self

import boto3
from botocore.config import Config

from tests.standin.handler import Server

Part = bytes | Callable[[], object]


def event(kind: str, **payload: Any) -> bytes:
    """An event such as `messageStart`."""
    headers = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    return _framed(headers, json.dumps(payload).encode())


def exception(kind: str, **payload: Any) -> bytes:
    """An exception of the service's model, such as `throttlingException`."""
    headers = {":message-type": "exception", ":exception-type": kind, ":content-type": "application/json"}
    return _framed(headers, json.dumps(payload).encode())


def error(code: str, message: str) -> bytes:
    """An error outside the service's model."""
    return _framed({":message-type": "error", ":error-code": code, ":error-message": message}, b"")


def _framed(headers: dict[str, str], payload: bytes) -> bytes:
    encoded = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack("!H", len(value.encode())) + value.encode()
        for name, value in headers.items()
    )
    lengths = struct.pack("!II", 16 + len(encoded) + len(payload), len(encoded))
    message = lengths + struct.pack("!I", crc32(lengths)) + encoded + payload
    return message + struct.pack("!I", crc32(message))


class BedrockStandIn:
    """Answers each request with the next of `streams` and keeps the bodies in `requests`.

    A stream is a sequence of parts: bytes, each sent as one chunk, or a callable, called in its place. With
    `broken`, the connection is closed behind the last part without the end that HTTP asks for.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.streams: deque[tuple[Sequence[Part], bool]] = deque()
        self._server = Server(_handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, *parts: Part, broken: bool = False) -> None:
        """One more stream to answer with."""
        self.streams.append((parts, broken))

    def client(self) -> Any:
        """boto3's client, with this server as its endpoint."""
        return boto3.client(
            "bedrock-runtime",
            region_name="eu-west-1",
            aws_access_key_id="a",
            aws_secret_access_key="s",
            endpoint_url=f"http://127.0.0.1:{self._server.server_address[1]}",
            config=Config(retries={"total_max_attempts": 1}, proxies={}),
        )


def _handler(standin: BedrockStandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            standin.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            parts, broken = standin.streams.popleft()
            self.send_response(200)
            self.send_header("content-type", "application/vnd.amazon.eventstream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            try:
                for part in parts:
                    if isinstance(part, bytes):
                        self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                    else:
                        part()
                if not broken:
                    self.wfile.write(b"0\r\n\r\n")
            except ConnectionError:
                # The client left the stream.
                broken = True
            self.close_connection = broken

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
            """Says nothing: a test prints what it wants to see."""

    return Handler
