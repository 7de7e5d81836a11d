"""The way of a body that comes in pieces: from the thread of a function into the server's event loop."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import CancelledError

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

# How many pieces a function may be ahead of its client, and how long it waits for one that takes none.
_AHEAD = 8
_STALLED_SECONDS = 30.0


class Outlet:
    """Takes pieces in one thread and gives them in an event loop. A client that is slow slows the function
    down; one that takes nothing any more is given up, and the function goes on to its end without it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, stalled_seconds: float = _STALLED_SECONDS) -> None:
        self._loop = loop
        self._stalled_seconds = stalled_seconds
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(_AHEAD)
        self._given_up = False
        self.whole = False

    def put(self, piece: bytes) -> None:
        """Hands a piece over, from the function's thread; waits while too many are waiting already."""
        self._hand(piece)

    def end(self, *, whole: bool) -> None:
        """No piece follows. Not `whole`: the reply breaks off, and its reader is to notice."""
        self.whole = whole
        if whole:
            self._hand(None)
        if self._given_up or not whole:
            self.whole = False
            with contextlib.suppress(RuntimeError):  # the server has stopped
                self._loop.call_soon_threadsafe(self._break_off)

    async def next(self) -> bytes | None:
        """The next piece, in the event loop; None after the last."""
        return await self._pieces.get()

    def abandon(self) -> None:
        """Nobody will take pieces any more, says the event loop."""
        self._given_up = True
        while not self._pieces.empty():
            self._pieces.get_nowait()

    def _hand(self, piece: bytes | None) -> None:
        if self._given_up:
            return
        putting = self._pieces.put(piece)
        try:
            handing = asyncio.run_coroutine_threadsafe(putting, self._loop)
        except RuntimeError:  # the server has stopped
            putting.close()
            self._given_up = True
            return
        try:
            handing.result(self._stalled_seconds)
        except (TimeoutError, CancelledError):
            handing.cancel()
            self._given_up = True

    def _break_off(self) -> None:
        self.abandon()
        self._pieces.put_nowait(None)


class StreamedResponse(Response):
    """A reply whose body comes out of an outlet."""

    def __init__(self, outlet: Outlet, status_code: int) -> None:
        super().__init__(status_code=status_code)
        del self.headers["content-length"]
        self._outlet = outlet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends what comes. For a client that has gone the server drops it; the function is not told."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            while (piece := await self._outlet.next()) is not None:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            # Without this last part the server closes the connection, which says that something is missing.
            if self._outlet.whole:
                await send({"type": "http.response.body"})
        finally:
            self._outlet.abandon()
