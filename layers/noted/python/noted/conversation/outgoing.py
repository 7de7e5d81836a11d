"""A model's answer on its way to the user: without links that lead elsewhere, and with values in the place of
placeholders and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.privacy.links import LinkFilter
    from noted.privacy.unmasking import StreamRestorer


class Outgoing:
    """One answer, in pieces that may end anywhere. Links go first, while the text is as the model wrote it:
    what is shown and what is stored have lost the same ones."""

    def __init__(self, links: LinkFilter, restorer: StreamRestorer) -> None:
        self._links = links
        self._restorer = restorer

    @property
    def stored(self) -> str:
        """The text so far as it is stored: ids for tokens, labels as tools name them."""
        return self._restorer.stored

    def feed(self, piece: str) -> str:
        """Takes the next piece; returns what can be shown now."""
        return self._restorer.feed(self._links.feed(piece))

    def finish(self) -> str:
        """Returns what was held back: no more will come."""
        return self._restorer.feed(self._links.finish()) + self._restorer.finish()
