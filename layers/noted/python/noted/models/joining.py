"""A stream put together: its pieces of text as they come, and the reply that a call would have had."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from noted.errors import MalformedOutput, ModelUnavailable
from noted.models.retry import TryError

if TYPE_CHECKING:
    from noted.models.pieces import Pieces
    from noted.models.seam import Prompt, Reply

Event_contra = TypeVar("Event_contra", contravariant=True)


class Joined(Protocol[Event_contra]):
    """What a stream has said so far: `reason` is why it ended, None until then; `begun`: something came."""

    pieces: Pieces
    reason: Any
    begun: bool

    def take(self, event: Event_contra) -> str:
        """Adds an event and returns the text that can be given on with it. Raises TryError."""
        ...

    def whole(self) -> dict[str, Any]:
        """The response so far, as a call would have it."""
        ...


def joined(
    prompt: Prompt,
    events: Iterable[Event_contra],
    said: Joined[Event_contra],
    read_reply: Callable[[Prompt, Mapping[str, Any]], Reply],
) -> Generator[str | Reply, None, None]:
    """The pieces of text in the events, then the reply. Raises TryError; not for a connection that is lost
    behind the end of the reply, where only its usage is still to come."""
    try:
        for event in events:
            if piece := said.take(event):
                yield piece
    except TryError:
        if said.reason is None:
            raise
    if piece := said.pieces.rest():
        yield piece
    if said.reason is None:
        raise TryError(ModelUnavailable("broken") if said.begun else MalformedOutput("empty"), again=True)
    yield read_reply(prompt, said.whole())
