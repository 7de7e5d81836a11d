"""The chunks of a streamed chat completion, joined to the body that a call would have had."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from noted.errors import MalformedOutput, ModelRefused
from noted.models.joining import joined
from noted.models.openai_reply import read_reply, read_text
from noted.models.pieces import Pieces
from noted.models.retry import TryError

if TYPE_CHECKING:
    from noted.models.seam import Prompt, Reply


def read_stream(prompt: Prompt, chunks: Iterable[object]) -> Generator[str | Reply, None, None]:
    """The pieces of text in the chunks, then the reply. Raises TryError; not for a connection that is lost
    behind the end of the reply, where only its usage is still to come."""
    return joined(prompt, chunks, _Joined(), read_reply)


class _Joined:
    def __init__(self) -> None:
        self.pieces = Pieces()
        self.reason: object = None
        self.begun = False
        self._calls: dict[int, dict[str, Any]] = {}
        self._usage: object = None

    def take(self, chunk: object) -> str:
        """Adds a chunk and returns the text that can be given on with it. Raises TryError."""
        try:
            return self._take(chunk)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise TryError(MalformedOutput("malformed"), again=True) from None

    def whole(self) -> dict[str, Any]:
        calls = [self._calls[index] for index in sorted(self._calls)]
        message = {"content": self.pieces.text, "tool_calls": calls}
        return {"choices": [{"message": message, "finish_reason": self.reason}], "usage": self._usage}

    def _take(self, chunk: Any) -> str:
        # The usage has a chunk of its own without a choice, or stands in any other; the last one counts.
        self._usage = chunk.get("usage") or self._usage
        if not chunk.get("choices"):
            return ""
        choice = chunk["choices"][0]
        delta = choice.get("delta") or {}
        self.begun = self.begun or any(delta.get(field) for field in ("content", "tool_calls"))
        self.reason = choice.get("finish_reason") or self.reason
        if delta.get("refusal"):
            raise TryError(ModelRefused("refused"), again=False)
        for part in delta.get("tool_calls") or ():
            self._add(part)
        return self.pieces.take(read_text(delta.get("content")))

    def _add(self, part: Mapping[str, Any]) -> None:
        function = part.get("function") or {}
        index = part.get("index")
        if index is None:
            # A server that numbers no parts begins a call with its name.
            index = len(self._calls) - (0 if function.get("name") else 1)
        call = self._calls.setdefault(int(index), {"id": None, "function": {"name": None, "arguments": ""}})
        call["id"] = call["id"] or part.get("id")
        joined = call["function"]
        joined["name"] = joined["name"] or function.get("name")
        arguments = function.get("arguments") or ""
        # Text is sent in parts, an object is sent whole.
        joined["arguments"] = joined["arguments"] + arguments if isinstance(arguments, str) else arguments
