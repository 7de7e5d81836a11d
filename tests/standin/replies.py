"""What the stand-in says: replies as data, and sensible ones where a test asks for none."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

DIMENSIONS = 64


@dataclass(frozen=True)
class Call:
    """One request as it arrived. `purpose` is its X-Noted-Call; header names are lower-case."""

    purpose: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The system text; "" where there is none."""
        return "".join(message["content"] for message in self.messages if message["role"] == "system")

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are offered, in their order."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def results(self) -> list[str]:
        """What tools answered, in the order of the messages."""
        return [message["content"] for message in self.messages if message["role"] == "tool"]

    @property
    def user(self) -> str:
        """The last user message."""
        return str([message for message in self.messages if message["role"] == "user"][-1]["content"])

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        """All messages of a chat completion."""
        return list(self.body["messages"])

    @property
    def prompt(self) -> str:
        """All that a model would read of a chat completion, or the texts to embed, as one text."""
        if "messages" in self.body:
            return "\n".join(message["content"] or "" for message in self.messages)
        return "\n".join(self.body["input"])


@dataclass(frozen=True)
class Say:
    """One reply. `body` replaces the whole response body, `message` adds to or replaces fields of the
    message, `delay` is in seconds before the first byte, `hang_up` closes the connection without a word.
    `tool_calls` are pairs of a name and arguments (a mapping, or text that is sent as it is).

    Where a stream was asked for, `content` is cut at the offsets `split` (by default behind each word),
    `before_chunk` is called with the number of each chunk, from 0, before it is sent, and the connection is
    closed after `break_after` chunks. `events` replaces the data of all events: mappings, or text.
    """

    content: str | None = ""
    finish_reason: str | None = "stop"
    status: int = 200
    delay: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    message: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] | None = None
    body: Any = None
    hang_up: bool = False
    tool_calls: Sequence[tuple[str, Mapping[str, Any] | str]] = ()
    split: Sequence[int] | None = None
    before_chunk: Callable[[int], object] | None = None
    break_after: int | None = None
    events: Iterable[Mapping[str, Any] | str] | None = None


Reply = Say | str | int | Mapping[str, Any] | Callable[[Call], Any]


def said(reply: Reply, call: Call) -> Say:
    """A reply in full: text as it is, a mapping as JSON text, a number as a status, a callable's reply."""
    while not isinstance(reply, Say):
        if isinstance(reply, str):
            return Say(reply)
        if isinstance(reply, int):
            return Say(
                status=reply, body={"error": {"message": "stand-in", "type": "stand-in", "code": None}}
            )
        if isinstance(reply, Mapping):
            return Say(json.dumps(reply, ensure_ascii=False))
        reply = reply(call)
    return reply


def default(call: Call) -> Reply:
    """What is said where a test asked for nothing: nothing to remember, everything added, "ok"."""
    if call.purpose == "extraction":
        return {"facts": []}
    if call.purpose == "consolidation":
        return {"decisions": []}
    if call.purpose == "query":
        return {"query": call.user.rpartition("New message: ")[2], "since": None, "until": None}
    if call.purpose == "recollection":
        return "; ".join(re.findall(r"^- (.+)$", call.user, re.MULTILINE)) or "Nothing."
    return {"summary": "A summary.", "episode": "An episode."}.get(call.purpose, "ok")


def embedding_of(text: str) -> list[float]:
    """A vector of length 1, the same for the same words; texts that share words come close."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
        vector[digest % DIMENSIONS] += 1.0 if digest >> 63 else -1.0
    length = math.sqrt(sum(number * number for number in vector))
    return [number / length for number in vector] if length else [1.0, *vector[1:]]


def extraction_item(text: str, quote: str, **fields: Any) -> dict[str, Any]:
    """One item of an extraction, as a good model would send it."""
    item: dict[str, Any] = {
        "kind": "fact",
        "category": "other",
        "text": text,
        "quote": quote,
        "turn": 1,
        "profile_field": None,
        "valid_from": None,
        "valid_until": None,
    }
    return item | fields
