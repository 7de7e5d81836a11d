"""The stand-in's HTTP server: /v1/chat/completions and /v1/embeddings on a free port of the loopback."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from tests.standin.completions import chunks, completion, said_text
from tests.standin.counting import PromptCache
from tests.standin.handler import Server, handler
from tests.standin.replies import Call, Reply, Say, default, embedding_of, extraction_item, said


class StandIn:
    """Answers by purpose, and keeps every request in `calls[purpose]`, in the order of arrival.

    A request without an X-Noted-Call header has the purpose "". Usage is counted as `PromptCache` says.
    """

    def __init__(self) -> None:
        self.calls: defaultdict[str, list[Call]] = defaultdict(list)
        self._replies: defaultdict[str, deque[Reply]] = defaultdict(deque)
        self._cache = PromptCache()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = Server(handler(self.respond))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL that a client is given."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """The settings that put every model call of the library through this server."""
        return {
            "OPENAI_BASE_URL": self.url,
            "OPENAI_API_KEY": "stand-in",
            "NOTED_MODEL": "openai:stand-in",
            "NOTED_EXTRACTION_MODEL": "openai:stand-in",
            "NOTED_EMBEDDER": "openai:stand-in",
        }

    def reply(self, purpose: str, *replies: Reply) -> None:
        """What to say to the next calls of a purpose, one each; the last one then stays.

        A reply is a text, a mapping (sent as JSON text), an HTTP status, a `Say`, or a callable that is given
        the `Call` and returns any of these. For the purpose `embedding` a mapping or `Say.body` is the whole
        response body.
        """
        with self._lock:
            self._replies[purpose] = deque(replies)

    def facts(
        self, *items: str | tuple[str, str] | Mapping[str, Any], quote: str | None = None
    ) -> dict[str, Any]:
        """An extraction. An item is a text quoted by `quote` (itself where none is given), a pair of text and
        quote, or a mapping with at least `text` and `quote`."""
        facts = []
        for item in items:
            if isinstance(item, Mapping):
                facts.append(extraction_item(**item))
            elif isinstance(item, tuple):
                facts.append(extraction_item(*item))
            else:
                facts.append(extraction_item(item, quote or item))
        return {"facts": facts}

    def calling(self, *calls: tuple[str, Mapping[str, Any] | str], content: str | None = None) -> Say:
        """A reply that calls tools, each a pair of a name and arguments, after a text. Several rounds are
        several replies: `reply("answer", calling(("search", {"q": "tea"})), "You like tea.")`."""
        return Say(content, tool_calls=calls)

    def respond(self, call: Call) -> Say:
        """Keeps the request and gives the reply to it, after its delay: with `body`, or with `events`."""
        with self._lock:
            self.calls[call.purpose].append(call)
            queue = self._replies[call.purpose]
            scripted = queue[0] if queue else None
            if len(queue) > 1:
                queue.popleft()
        if call.path.endswith("/embeddings"):
            say = _embeddings(call, scripted)
        else:
            say = self._completion(call, said(default(call) if scripted is None else scripted, call))
        if say.delay:
            self._stopping.wait(say.delay)
        return say

    def _completion(self, call: Call, say: Say) -> Say:
        if say.body is not None or say.hang_up:
            return say
        with self._lock:
            counted = self._cache.usage(call, said_text(say))
        usage = say.usage or counted
        if not call.body.get("stream"):
            return replace(say, body=completion(call, say, usage))
        return say if say.events is not None else replace(say, events=chunks(call, say, usage))


def _embeddings(call: Call, scripted: Reply | None) -> Say:
    while callable(scripted):
        scripted = scripted(call)
    if isinstance(scripted, Mapping):
        return Say(body=scripted)
    say = Say() if scripted is None else said(scripted, call)
    if say.body is not None:
        return say
    rows = [
        {"object": "embedding", "index": index, "embedding": embedding_of(text)}
        for index, text in enumerate(call.body["input"])
    ]
    body = {"object": "list", "model": call.body.get("model"), "data": rows}
    return Say(status=say.status, delay=say.delay, headers=say.headers, hang_up=say.hang_up, body=body)
