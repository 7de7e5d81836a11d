"""The stand-in's side of one connection: a request in, a whole body or a stream of events out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.standin.replies import Call, Say


class Server(ThreadingHTTPServer):
    """A server on a port of the loopback, by default a free one."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is no fault."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def handler(respond: Callable[[Call], Say]) -> type[BaseHTTPRequestHandler]:
    """A handler that sends what `respond` returns: `body`, or where there is none `events`."""

    class Handler(_Handler):
        def respond(self, call: Call) -> Say:
            return respond(call)

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self, call: Call) -> Say:
        raise NotImplementedError

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        say = self.respond(Call(headers.get("x-noted-call", ""), self.path, headers, body))
        if say.hang_up:
            self.close_connection = True
            return
        try:
            if say.body is None and say.events is not None:
                self._stream(say, say.events)
            else:
                self._whole(say)
        except ConnectionError:
            # The client gave up: that is what a test of its patience looks like from here.
            self.close_connection = True

    def _whole(self, say: Say) -> None:
        payload = say.body.encode() if isinstance(say.body, str) else json.dumps(say.body).encode()
        self._begin(say, {"content-type": "application/json", "content-length": str(len(payload))})
        self.wfile.write(payload)

    def _stream(self, say: Say, events: Iterable[Mapping[str, Any] | str]) -> None:
        self._begin(say, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        chunks = iter(events)
        try:
            for number, event in enumerate(chunks):
                if number == say.break_after:
                    self.close_connection = True
                    return
                if say.before_chunk:
                    say.before_chunk(number)
                data = event if isinstance(event, str) else json.dumps(event)
                self._chunk(f"data: {data}\n\n".encode())
            self._chunk(b"")
        finally:
            if isinstance(chunks, Generator):
                # The generator of a test may want to know that its client left.
                chunks.close()

    def _begin(self, say: Say, headers: Mapping[str, str]) -> None:
        self.send_response(say.status)
        for name, value in {**say.headers, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _chunk(self, payload: bytes) -> None:
        """One chunk of HTTP's chunked transfer; an empty one ends it."""
        self.wfile.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
        """Says nothing: a test prints what it wants to see."""
