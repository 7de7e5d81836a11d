"""Server-sent events (WHATWG HTML, section 9.2): how an answer is told while it is made.

`delta` events hold pieces of the answer as `{"text": ...}`, which joined are the answer; one `turn` event
holds the whole turn and ends the stream; an `error` event, a problem (RFC 9457), ends it in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from noted.api.problems import Problem
    from noted.api.replies import TurnReply

CONTENT_TYPE = "text/event-stream"
# A comment: readers skip it.
HEARTBEAT = ":\n\n"

# Line breaks to Unicode but not to the format: readers exist that split at them. And halves of a character,
# which UTF-8 cannot hold: a piece may end between the two, and a reader that joins pieces joins them again.
_ESCAPED = re.compile("[\u0085\u2028\u2029\ud800-\udfff]")

Made = TypeVar("Made")


@dataclass(frozen=True)
class Event:
    """One event. `data` is JSON text; what a format for lines cannot hold is written as an escape there."""

    name: str
    data: str

    def encode(self) -> str:
        """The event as it is sent."""
        return f"event: {self.name}\ndata: {_ESCAPED.sub(_escape, self.data)}\n\n"


def delta(text: str) -> Event:
    """The next piece of an answer."""
    return Event("delta", json.dumps({"text": text}, ensure_ascii=False))


def turn(reply: TurnReply) -> Event:
    """The turn, when all of it is stored."""
    return Event("turn", reply.model_dump_json())


def failure(problem: Problem) -> Event:
    """What went wrong, after the status of the reply had been sent."""
    return Event("error", json.dumps(problem.body(), ensure_ascii=False))


def told(pieces: Generator[str, None, Made], reply: Callable[[Made], TurnReply]) -> Iterator[Event]:
    """The events of a turn whose answer comes in pieces. An answer that came in none, since it was made
    before, is one piece. Raises what `pieces` raises; closing it closes them."""
    given = False
    with closing(pieces):
        while True:
            try:
                piece = next(pieces)
            except StopIteration as done:
                whole = reply(done.value)
                break
            if piece:
                yield delta(piece)
                given = True
    if not given and whole.answer:
        yield delta(whole.answer)
    yield turn(whole)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
