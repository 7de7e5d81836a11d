"""A query that several searches ask for is embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.models.seam import Embedder


class Once:
    """An embedder for one query. `made` is the query's vector once it is there, else None: a search that came
    later, or ran out of time before, looks at it without another call."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.made: list[float] | None = None
        self._embedder = embedder

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """As the embedder does it."""
        return self._embedder.embed_facts(texts)

    def embed_query(self, text: str) -> list[float]:
        """As the embedder does it; kept."""
        self.made = self._embedder.embed_query(text)
        return self.made
