"""An ASGI application on a port of the loopback interface, served by uvicorn in a thread of its own.

In a thread, so that the process decides what a signal means and in which order its parts stop.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import uvicorn

HOST = "127.0.0.1"
_START_SECONDS = 30


class PortTakenError(Exception):
    """Another program listens on this port."""


def listen(port: int) -> socket.socket:
    """A socket that listens on 127.0.0.1; port 0 takes any free one. Raises PortTakenError."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # Without this a restart would have to wait until the connections of the last run have timed out.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise PortTakenError(f"Port {port} of {HOST} is taken. Choose another with NOTED_PORT.") from None
    return listening


class Listener:
    """Serves `application` on a listening socket until `stop`."""

    def __init__(self, application: Any, listening: socket.socket) -> None:
        config = uvicorn.Config(
            application,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="http", daemon=True
        )
        self._socket = listening
        self.url = f"http://{HOST}:{listening.getsockname()[1]}"

    def start(self) -> None:
        """Returns when requests are answered."""
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the HTTP server did not start")
            time.sleep(0.01)

    def stop(self) -> None:
        """Takes no more requests and gives those that run two seconds to end."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._socket.close()
