"""Embeddings of any server that speaks OpenAI's protocol. Their purpose in `X-Noted-Call` is `embedding`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noted.errors import MalformedOutput
from noted.models.openai import send
from noted.models.parsing import checked_vectors, without_surrogates
from noted.models.retry import ANSWER_SECONDS, QUERY_SECONDS, Retry, TryError

if TYPE_CHECKING:
    from openai import OpenAI

EMBEDDING_PURPOSE = "embedding"
_TEXTS_PER_CALL = 64


class OpenAIEmbedder:
    """An embedding model behind OpenAI's embeddings."""

    def __init__(self, model: str, client: OpenAI, retry: Retry | None = None) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._client = client
        self._retry = retry or Retry()

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text. Raises ModelUnavailable or MalformedOutput."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            vectors += self._embed(texts[start : start + _TEXTS_PER_CALL], ANSWER_SECONDS)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search with. Raises ModelUnavailable or MalformedOutput."""
        return self._embed([text], QUERY_SECONDS)[0]

    def _embed(self, texts: Sequence[str], seconds: float) -> list[list[float]]:
        request = {
            "model": self._model,
            "input": [without_surrogates(text) for text in texts],
            "encoding_format": "float",
        }

        def attempt(seconds: float) -> list[list[float]]:
            body = send(self._client.embeddings.with_raw_response.create, EMBEDDING_PURPOSE, request, seconds)
            try:
                rows = sorted(body["data"], key=lambda row: row["index"])
                return checked_vectors([row["embedding"] for row in rows], len(texts))
            except (KeyError, TypeError, MalformedOutput):
                raise TryError(MalformedOutput("malformed"), again=True) from None

        vectors, _ = self._retry.run(attempt, seconds)
        return vectors
