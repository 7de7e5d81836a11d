"""The events of Bedrock's ConverseStream, joined to the response that Converse would have given."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from noted.errors import MalformedOutput
from noted.models.bedrock_reply import read_reply
from noted.models.joining import joined
from noted.models.pieces import Pieces
from noted.models.retry import TryError

if TYPE_CHECKING:
    from noted.models.seam import Prompt, Reply


def read_stream(prompt: Prompt, events: Iterable[Mapping[str, Any]]) -> Generator[str | Reply, None, None]:
    """The pieces of text in the events, then the reply. Raises TryError; not for a connection that is lost
    behind the end of the reply, where only its usage is still to come."""
    return joined(prompt, events, _Joined(), read_reply)


class _Joined:
    def __init__(self) -> None:
        self.pieces = Pieces()
        self.reason: str | None = None
        self.begun = False
        self._uses: dict[int, dict[str, Any]] = {}
        self._usage: Mapping[str, int] = {}

    def take(self, event: Mapping[str, Any]) -> str:
        """Adds an event and returns the text that can be given on with it. Raises TryError."""
        self.begun = self.begun or "messageStart" in event
        if start := event.get("contentBlockStart"):
            if use := start["start"].get("toolUse"):
                self._uses[start["contentBlockIndex"]] = {**use, "input": ""}
        elif change := event.get("contentBlockDelta"):
            return self._change(change["contentBlockIndex"], change["delta"])
        elif stop := event.get("messageStop"):
            self.reason = stop["stopReason"]
        elif metadata := event.get("metadata"):
            self._usage = metadata.get("usage", {})
        # messageStart and contentBlockStop say nothing else; what a model thinks or cites is not its answer.
        return ""

    def whole(self) -> dict[str, Any]:
        """The response so far, with the input of a tool as text."""
        content: list[dict[str, Any]] = [{"text": self.pieces.text}] if self.pieces.text else []
        content += [{"toolUse": self._uses[index]} for index in sorted(self._uses)]
        return {
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": self.reason,
            "usage": self._usage,
        }

    def _change(self, index: int, delta: Mapping[str, Any]) -> str:
        if use := delta.get("toolUse"):
            if index not in self._uses:
                raise TryError(MalformedOutput("malformed"), again=True)
            self._uses[index]["input"] += use["input"]
        return self.pieces.take(delta.get("text", ""))
