"""The text of a reply while it comes in: what can be given on, and what must wait for the next piece."""

from __future__ import annotations

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_FIRST_HALF = re.compile(r"[\ud800-\udbff]\Z")


class Pieces:
    """Takes the pieces of a text as a provider cut them. Joined, what it gives on is `text`.

    Blanks before the first word wait for it: until then nothing has been given, and the call can be tried
    again. Half a character (of a server that cuts UTF-16) waits for its other half.
    """

    def __init__(self) -> None:
        self._given: list[str] = []
        self._held = ""

    @property
    def text(self) -> str:
        """All that was given on so far."""
        return "".join(self._given)

    def take(self, piece: str) -> str:
        """What can be given on with this piece; "" for nothing."""
        piece = self._held + piece
        half = _FIRST_HALF.search(piece)
        self._held = half[0] if half else ""
        return self._give(piece[: half.start()] if half else piece)

    def rest(self) -> str:
        """What waits when no more comes, without blanks that no word followed."""
        piece, self._held = self._held, ""
        return self._give(piece)

    def _give(self, piece: str) -> str:
        if not self._given and not piece.strip():
            self._held = piece + self._held
            return ""
        if piece:
            piece = _whole(piece)
            self._given.append(piece)
        return piece


def _whole(text: str) -> str:
    """Halves of a character joined; a half without its other becomes U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
