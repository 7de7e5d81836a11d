"""Lambda's end of its Runtime API, byte by byte as AWS describes it, for tests of what speaks to it."""

from __future__ import annotations

import json
import socket
import time


class Lambda:
    """Lambda's end of the Runtime API: hands out one invocation after another and keeps what comes back."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(60)
        self.host = f"127.0.0.1:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self._socket.close()

    def accept(self) -> Exchange:
        """The next request, read up to its body."""
        connection, _ = self._socket.accept()
        connection.settimeout(60)
        return Exchange(connection)

    def invoke(self, event: object, request_id: str = "id-1") -> None:
        """Waits for the function to ask for an invocation and gives it this one."""
        asked = self.accept()
        assert asked.start == "GET /2018-06-01/runtime/invocation/next HTTP/1.1"
        payload = event if isinstance(event, bytes) else json.dumps(event).encode()
        asked.answer(
            200,
            payload,
            f"Lambda-Runtime-Aws-Request-Id: {request_id}",
            f"Lambda-Runtime-Deadline-Ms: {int(time.time() * 1000) + 29_000}",
            "Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:eu-west-1:1:function:noted-stream",
            "Lambda-Runtime-Trace-Id: Root=1-5bef4de7;Sampled=1",
        )


class Exchange:
    """One request of the function, read as far as the test asks."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._read = connection.makefile("rb")
        lines = list(iter(lambda: self._read.readline().decode("latin-1").rstrip("\r\n"), ""))
        self.start = lines[0]
        self.headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])
        }

    def body(self) -> bytes:
        return self._read.read(int(self.headers["content-length"]))

    def chunk(self) -> bytes:
        """The next chunk of a chunked body (RFC 9112, 7.1); the last one is empty."""
        size = int(self._read.readline(), 16)
        content = self._read.read(size)
        if size:
            assert self._read.readline() == b"\r\n"
        return content

    def trailers(self) -> dict[str, str]:
        """What stands behind the last chunk."""
        lines = iter(lambda: self._read.readline().decode().rstrip("\r\n"), "")
        return {name: value for name, _, value in (line.partition(": ") for line in lines)}

    def answer(self, status: int, body: bytes = b'{"status": "OK"}', *headers: str) -> None:
        head = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", *headers]
        self._connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)

    def closed(self) -> bool:
        """Whether the other side ends the connection."""
        return self._read.read(1) == b""

    def hang_up(self) -> None:
        # So that the next bytes from the other side are refused and not only left unread.
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self._read.close()
        self._connection.close()
