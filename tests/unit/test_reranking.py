"""The reranker of Bedrock, against botocore's own model of its API, and what recall does with its scores."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import boto3
import pytest
from botocore import exceptions
from botocore.config import Config
from botocore.response import StreamingBody
from botocore.stub import Stubber

from noted import models
from noted.errors import ModelUnavailable
from noted.models.bedrock_reranker import MOST_TEXTS, BedrockReranker
from noted.models.retry import Retry
from noted.recall.reranking import reranked, scores
from noted.settings import Settings

COHERE, AMAZON = "cohere.rerank-v3-5:0", "amazon.rerank-v1:0"
TEXTS = ["Lives in Porto", "Allergic to nuts", "Likes tea"]
RIGHT = {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2},
                     {"index": 2, "relevance_score": 0.01}]}  # fmt: skip


@pytest.fixture
def client() -> Any:
    return boto3.client(
        "bedrock-runtime",
        region_name="eu-west-1",
        aws_access_key_id="a",
        aws_secret_access_key="s",
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture
def bedrock(client: Any) -> Iterator[Stubber]:
    """Takes only calls of Bedrock's own shape, and only as many as a test prepared."""
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def reranker(client: Any, model: str = COHERE) -> BedrockReranker:
    return BedrockReranker(model, client, Retry(sleep=lambda _: None))


def answer(body: object) -> dict[str, Any]:
    raw = (body if isinstance(body, str) else json.dumps(body)).encode()
    return {"body": StreamingBody(io.BytesIO(raw), len(raw)), "contentType": "application/json"}


@pytest.mark.parametrize("model, more", [(COHERE, {"api_version": 2}), (AMAZON, {})])
def test_each_text_gets_its_score(client: Any, bedrock: Stubber, model: str, more: dict[str, Any]) -> None:
    request = {
        "modelId": model,
        "body": json.dumps({"query": "nuts?", "documents": TEXTS, "top_n": 3, **more}),
        "contentType": "application/json",
        "accept": "application/json",
        "requestMetadata": '{"noted-call": "rerank"}',
    }
    bedrock.add_response("invoke_model", answer(RIGHT), request)
    assert reranker(client, model).rerank("nuts?", TEXTS) == [0.2, 0.9, 0.01]


def test_no_text_costs_no_call(client: Any, bedrock: Stubber) -> None:
    assert reranker(client).rerank("nuts?", []) == []


def test_too_many_texts_are_an_error_of_the_caller(client: Any, bedrock: Stubber) -> None:
    with pytest.raises(ValueError, match="at most"):
        reranker(client).rerank("nuts?", ["x"] * (MOST_TEXTS + 1))


def test_a_long_or_empty_text_is_made_one_that_the_model_takes(client: Any, bedrock: Stubber) -> None:
    request = {
        "modelId": COHERE,
        "body": json.dumps(
            {"query": "q" * 1024, "documents": ["x" * 2048, " "], "top_n": 2, "api_version": 2}
        ),
        "contentType": "application/json",
        "accept": "application/json",
        "requestMetadata": '{"noted-call": "rerank"}',
    }
    results = [{"index": place, "relevance_score": 0.5} for place in (0, 1)]
    bedrock.add_response("invoke_model", answer({"results": results}), request)
    assert reranker(client).rerank("q" * 5000, ["x" * 9000, ""]) == [0.5, 0.5]


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        {},
        {"results": None},
        {"results": RIGHT["results"][:2]},
        {"results": [*RIGHT["results"][:2], {"index": 1, "relevance_score": 0.3}]},
        {"results": [*RIGHT["results"][:2], {"index": 7, "relevance_score": 0.3}]},
        {"results": [*RIGHT["results"][:2], {"index": "2", "relevance_score": 0.3}]},
        {"results": [*RIGHT["results"][:2], {"index": 2, "relevance_score": None}]},
        '{"results": [{"index": 0, "relevance_score": NaN}]}',
    ],
)
def test_an_answer_that_cannot_be_read_is_tried_once_more(client: Any, bedrock: Stubber, body: Any) -> None:
    bedrock.add_response("invoke_model", answer(body))
    bedrock.add_response("invoke_model", answer(RIGHT))
    assert reranker(client).rerank("nuts?", TEXTS) == [0.2, 0.9, 0.01]


def test_an_answer_that_cannot_be_read_twice_is_no_answer(client: Any, bedrock: Stubber) -> None:
    bedrock.add_response("invoke_model", answer({}))
    bedrock.add_response("invoke_model", answer({}))
    with pytest.raises(ModelUnavailable, match="malformed"):
        reranker(client).rerank("nuts?", TEXTS)


@pytest.mark.parametrize(
    "code, status, calls",
    [
        ("ThrottlingException", 429, 2),
        ("ServiceUnavailableException", 503, 2),
        ("ModelTimeoutException", 408, 2),
        ("AccessDeniedException", 403, 1),
        ("ValidationException", 400, 1),
        ("ResourceNotFoundException", 404, 1),
    ],
)
def test_every_error_of_bedrock_is_one(
    client: Any, bedrock: Stubber, code: str, status: int, calls: int
) -> None:
    for _ in range(calls):
        bedrock.add_client_error("invoke_model", code, http_status_code=status)
    with pytest.raises(ModelUnavailable):
        reranker(client).rerank("nuts?", TEXTS)


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ConnectTimeoutError(endpoint_url="x"),
        exceptions.ReadTimeoutError(endpoint_url="x"),
        exceptions.EndpointConnectionError(endpoint_url="x"),
        exceptions.NoCredentialsError(),
    ],
)
def test_every_error_of_the_connection_is_one(error: Exception) -> None:
    class Broken:
        def invoke_model(self, **_: Any) -> Any:
            raise error

    with pytest.raises(ModelUnavailable):
        reranker(Broken()).rerank("nuts?", TEXTS)


def test_other_models_are_refused() -> None:
    with pytest.raises(ValueError, match="a Bedrock reranker is"):
        BedrockReranker("cohere.embed-multilingual-v3", None)  # type: ignore[arg-type]


class TestSetting:
    def test_it_is_off_unless_one_is_chosen(self) -> None:
        assert Settings.from_environment({}).reranker == "none"
        assert models.reranker("none") is None

    def test_a_bedrock_model_is_chosen_by_its_id(self) -> None:
        settings = Settings.from_environment({"NOTED_RERANKER": f"bedrock:{COHERE}"})
        chosen = models.reranker(settings.reranker, environment={"AWS_REGION": "eu-west-1"})
        assert chosen
        assert chosen.name == f"bedrock:{COHERE}"

    @pytest.mark.parametrize("value", ["local", "bedrock:", "openai:x", "Bedrock:x"])
    def test_anything_else_is_refused_by_name(self, value: str) -> None:
        with pytest.raises(ValueError, match="NOTED_RERANKER"):
            Settings.from_environment({"NOTED_RERANKER": value})
        with pytest.raises(ValueError, match="a reranker is"):
            models.reranker(value)


class Fixed:
    """A reranker that gives what it was made with."""

    name = "fixed"

    def __init__(self, result: list[float] | Exception, until: threading.Event | None = None) -> None:
        self.result = result
        self.until = until

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        if self.until:
            self.until.wait(10)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


class TestReranked:
    def test_the_order_is_that_of_the_scores(self) -> None:
        assert reranked("abc", [0.1, 0.9, 0.5]) == [("b", 0.9), ("c", 0.5), ("a", 0.1)]

    def test_our_own_order_decides_between_equals(self) -> None:
        assert [item for item, _ in reranked("abcd", [0.5, 0.9, 0.5, 0.5])] == ["b", "a", "c", "d"]

    def test_a_score_is_missing(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            reranked("abc", [0.1])

    def test_nothing_is_reranked_to_nothing(self) -> None:
        assert reranked([], []) == []


class TestScores:
    def test_they_are_those_of_the_model(self) -> None:
        assert scores(Fixed([0.1, 0.2]), "q", ["a", "b"], 5) == [0.1, 0.2]

    def test_a_model_that_is_down_gives_none(self) -> None:
        assert scores(Fixed(ModelUnavailable("failed")), "q", ["a"], 5) is None

    def test_a_model_that_is_late_gives_none(self) -> None:
        release = threading.Event()
        try:
            assert scores(Fixed([0.1], until=release), "q", ["a"], 0.01) is None
        finally:
            release.set()

    def test_no_text_asks_nothing(self) -> None:
        assert scores(Fixed(ModelUnavailable("failed")), "q", [], 5) == []
