"""Models that do as a test says: a Bedrock behind the library's own adapter, and an embedder."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from noted.errors import ModelUnavailable
from tests.standin.replies import embedding_of

Reply = str | Mapping[str, Any] | Exception | Callable[[], Any]


def refused(code: str, status: int = 400) -> ClientError:
    """An error of Bedrock's by its code."""
    error: Any = {
        "Error": {"Code": code, "Message": "injected"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(error, "Converse")


def stopped(reason: str, text: str = "") -> dict[str, Any]:
    """A whole response of Converse with a stop reason."""
    content = [{"text": text}] if text else []
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": reason,
        "usage": {"inputTokens": 1, "outputTokens": 1},
    }


class Bedrock:
    """Answers by purpose, each call with the next of `reply`'s replies, of which the last one stays. A reply
    is a text, data for the forced tool, a whole response, an exception, or what makes one of these."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.prompts: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        self._replies: dict[str, deque[Reply]] = {}

    def reply(self, purpose: str, *replies: Reply) -> None:
        """What is said to the next calls of a purpose."""
        self._replies[purpose] = deque(replies)

    def converse(self, **request: Any) -> dict[str, Any]:
        """As boto3's client has it."""
        purpose = request["requestMetadata"]["noted-call"]
        self.calls[purpose] += 1
        self.prompts[purpose].append(request)
        replies = self._replies.get(purpose) or deque(_DEFAULTS.get(purpose, ["ok"]))
        reply = replies.popleft() if len(replies) > 1 else replies[0]
        while callable(reply):
            reply = reply()
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            return stopped("end_turn", reply)
        if "stopReason" in reply:
            return dict(reply)
        use = {"toolUseId": "1", "name": purpose, "input": dict(reply)}
        return {
            **stopped("tool_use"),
            "output": {"message": {"role": "assistant", "content": [{"toolUse": use}]}},
        }

    def converse_stream(self, **request: Any) -> dict[str, Any]:
        """The same in pieces: a text is cut behind its first word; an exception in a list of events breaks
        the stream in its place."""
        reply = self._replies.get("answer", deque(["ok then"]))[0]
        if isinstance(reply, Mapping) and "events" in reply:
            self.calls["answer"] += 1
            replies = self._replies["answer"]
            if len(replies) > 1:
                replies.popleft()
            return {"stream": _Stream(reply["events"])}
        response = self.converse(**request)
        text = response["output"]["message"]["content"][0]["text"]
        return {"stream": _Stream([*pieces(text), {"messageStop": {"stopReason": response["stopReason"]}}])}

    def invoke_model(self, **request: Any) -> dict[str, Any]:
        """Nothing here calls it."""
        raise NotImplementedError(str(request))

    def text_of(self, purpose: str) -> str:
        """All text of the last prompt of a purpose."""
        prompt = self.prompts[purpose][-1]
        blocks = [*prompt.get("system", []), *(each for m in prompt["messages"] for each in m["content"])]
        return "\n".join(block["text"] for block in blocks if "text" in block)


_DEFAULTS: Mapping[str, list[Reply]] = {
    "extraction": [{"facts": []}],
    "consolidation": [{"decisions": []}],
    "summary": ["A summary."],
    "episode": ["An episode."],
}


def pieces(text: str) -> list[dict[str, Any]]:
    """The events that give a text in two pieces."""
    first, blank, rest = text.partition(" ")
    deltas = [
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": each}}}
        for each in (first, blank + rest)
    ]
    return [{"messageStart": {"role": "assistant"}}, *deltas]


class _Stream:
    def __init__(self, events: Sequence[dict[str, Any] | Exception]) -> None:
        self._events = events

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for event in self._events:
            if isinstance(event, Exception):
                raise event
            yield event

    def close(self) -> None:
        """As botocore's stream has it."""


class Embedder:
    """Vectors of words; `down` makes it fail. `calls` counts what it was asked."""

    name = "stub"

    def __init__(self) -> None:
        self.down = False
        self.calls = 0

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text."""
        self.calls += 1
        if self.down:
            raise ModelUnavailable("failed")
        return [embedding_of(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query."""
        return self.embed_facts([text])[0]
