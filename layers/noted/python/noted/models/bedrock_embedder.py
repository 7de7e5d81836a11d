"""Embeddings of Amazon Bedrock through InvokeModel. Their purpose in the request metadata is `embedding`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from noted.errors import MalformedOutput
from noted.models.bedrock import BedrockRuntime, send
from noted.models.bedrock_request import PURPOSE_KEY
from noted.models.parsing import checked_vectors, without_surrogates
from noted.models.retry import ANSWER_SECONDS, QUERY_SECONDS, Retry, TryError

EMBEDDING_PURPOSE = "embedding"
_TITAN_DIMENSIONS = 512
_COHERE_DIMENSIONS = 1024
_COHERE_TEXTS_PER_CALL = 96
# Cohere takes 2,048 characters and Titan 8,192 tokens, which is as much at one token a byte.
_MAX_CHARACTERS = 2048


class BedrockEmbedder:
    """Titan Text Embeddings V2 (512 dimensions), Cohere Embed 3 and 4 (1,024), chosen by the id.

    Raises ValueError for an id of any other model, whose requests look different.
    """

    def __init__(self, model: str, client: BedrockRuntime, retry: Retry | None = None) -> None:
        self._titan = "amazon.titan-embed-text-v2" in model
        self._cohere_4 = "cohere.embed-v4" in model
        if not (self._titan or self._cohere_4 or "cohere.embed-" in model):
            raise ValueError(
                "a Bedrock embedder is amazon.titan-embed-text-v2:0, cohere.embed-multilingual-v3, "
                "cohere.embed-english-v3, cohere.embed-v4:0 or an inference profile of one of them"
            )
        self.name = f"bedrock:{model}"
        self._model = model
        self._client = client
        self._retry = retry or Retry()

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text. Raises ModelUnavailable or MalformedOutput."""
        size = 1 if self._titan else _COHERE_TEXTS_PER_CALL
        vectors: list[list[float]] = []
        for start in range(0, len(texts), size):
            vectors += self._embed(texts[start : start + size], "search_document", ANSWER_SECONDS)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search with. Raises ModelUnavailable or MalformedOutput."""
        return self._embed([text], "search_query", QUERY_SECONDS)[0]

    def _embed(self, texts: Sequence[str], input_type: str, seconds: float) -> list[list[float]]:
        request = {
            "modelId": self._model,
            "body": json.dumps(self._body([without_surrogates(text) for text in texts], input_type)),
            "contentType": "application/json",
            "accept": "application/json",
            # Converse takes a map here, InvokeModel the JSON of one.
            "requestMetadata": json.dumps({PURPOSE_KEY: EMBEDDING_PURPOSE}),
        }

        def attempt(_seconds: float) -> list[list[float]]:
            answer = send(self._invoke, request)
            try:
                return checked_vectors(self._vectors(json.loads(answer)), len(texts))
            except (ValueError, KeyError, TypeError, MalformedOutput):
                raise TryError(MalformedOutput("malformed"), again=True) from None

        vectors, _ = self._retry.run(attempt, seconds)
        return vectors

    def _invoke(self, **request: Any) -> Any:
        return self._client.invoke_model(**request)["body"].read()

    def _body(self, texts: Sequence[str], input_type: str) -> dict[str, Any]:
        clipped = [text[:_MAX_CHARACTERS] for text in texts]
        if self._titan:
            return {"inputText": clipped[0], "dimensions": _TITAN_DIMENSIONS, "normalize": True}
        if self._cohere_4:
            return {
                "texts": clipped,
                "input_type": input_type,
                "embedding_types": ["float"],
                "output_dimension": _COHERE_DIMENSIONS,
            }
        return {"texts": clipped, "input_type": input_type, "truncate": "END"}

    def _vectors(self, body: Mapping[str, Any]) -> object:
        if self._titan:
            return [body["embedding"]]
        return body["embeddings"]["float"] if self._cohere_4 else body["embeddings"]
