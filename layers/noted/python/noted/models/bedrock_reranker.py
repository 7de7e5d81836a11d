"""Reranking models of Amazon Bedrock through InvokeModel. Their purpose in its metadata is `rerank`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from noted.errors import MalformedOutput, ModelUnavailable
from noted.models.bedrock import BedrockRuntime, send
from noted.models.bedrock_request import PURPOSE_KEY
from noted.models.parsing import without_surrogates
from noted.models.retry import QUERY_SECONDS, Retry, TryError

RERANKING_PURPOSE = "rerank"
# Both models take 1,000 texts a call; Cohere bills a hundred of them as one query. A query and a text
# together have 4,096 tokens, which is as many characters at one token a byte.
MOST_TEXTS = 100
_QUERY_CHARACTERS, _TEXT_CHARACTERS = 1024, 2048


class BedrockReranker:
    """Amazon Rerank 1.0 and Cohere Rerank 3.5, chosen by the id.

    Raises ValueError for an id of any other model, whose requests look different.
    """

    def __init__(self, model: str, client: BedrockRuntime, retry: Retry | None = None) -> None:
        self._cohere = "cohere.rerank-" in model
        if not (self._cohere or "amazon.rerank-" in model):
            raise ValueError("a Bedrock reranker is amazon.rerank-v1:0 or cohere.rerank-v3-5:0")
        self.name = f"bedrock:{model}"
        self._model = model
        self._client = client
        self._retry = retry or Retry()

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score from 0 to 1 for each text, in their order. Raises ModelUnavailable whatever went wrong, and
        ValueError for more than `MOST_TEXTS`."""
        if len(texts) > MOST_TEXTS:
            raise ValueError(f"at most {MOST_TEXTS} texts are reranked at once")
        if not texts:
            return []
        request = {
            "modelId": self._model,
            "body": json.dumps(self._body(query, texts)),
            "contentType": "application/json",
            "accept": "application/json",
            "requestMetadata": json.dumps({PURPOSE_KEY: RERANKING_PURPOSE}),
        }

        def attempt(_seconds: float) -> list[float]:
            answer = send(self._invoke, request)
            try:
                return _scores(json.loads(answer), len(texts))
            except (ValueError, KeyError, TypeError, MalformedOutput):
                raise TryError(ModelUnavailable("malformed"), again=True) from None

        scores, _ = self._retry.run(attempt, QUERY_SECONDS)
        return scores

    def _invoke(self, **request: Any) -> Any:
        return self._client.invoke_model(**request)["body"].read()

    def _body(self, query: str, texts: Sequence[str]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "query": without_surrogates(query)[:_QUERY_CHARACTERS],
            "documents": [without_surrogates(text)[:_TEXT_CHARACTERS] or " " for text in texts],
            "top_n": len(texts),
        }
        return {**body, "api_version": 2} if self._cohere else body


def _scores(answer: Any, count: int) -> list[float]:
    """The scores by the place of their texts. Raises MalformedOutput unless each text has a finite one."""
    scores: dict[int, float] = {}
    for result in answer["results"]:
        place, score = result["index"], result["relevance_score"]
        if type(place) is not int or isinstance(score, bool) or not math.isfinite(score):
            raise MalformedOutput("malformed")
        scores[place] = min(max(float(score), 0.0), 1.0)
    if len(answer["results"]) != count or scores.keys() != set(range(count)):
        raise MalformedOutput("malformed")
    return [scores[place] for place in range(count)]
