"""The client of Amazon Bedrock, against botocore's own model of its API."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import boto3
import pytest
from botocore import exceptions
from botocore.config import Config
from botocore.response import StreamingBody
from botocore.stub import Stubber

from noted import models
from noted.errors import MalformedOutput, ModelError, ModelRefused, ModelUnavailable
from noted.models.bedrock import BedrockLanguageModel, bedrock_runtime
from noted.models.bedrock_embedder import BedrockEmbedder
from noted.models.retry import Retry
from noted.models.seam import Block, Prompt, PromptMessage, Purpose, Usage

CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
AT_ONCE = Retry(sleep=lambda _: None)
SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {"facts": {"type": "array"}}}
ONE_FACT = {"facts": ["Lives in Porto"]}


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


@pytest.fixture
def model(client: Any) -> BedrockLanguageModel:
    return BedrockLanguageModel(CLAUDE, client, AT_ONCE)


def asking(purpose: Purpose = Purpose.ANSWER, schema: Mapping[str, Any] | None = None) -> Prompt:
    message = PromptMessage("user", (Block("Where do I live?"),))
    return Prompt(purpose, (Block("You are helpful."),), (message,), schema, max_output_tokens=300)


EXTRACTION = asking(Purpose.EXTRACTION, SCHEMA)


def response(stop_reason: str, *content: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": stop_reason,
        "usage": {
            "inputTokens": 8,
            "outputTokens": 5,
            "totalTokens": 45,
            "cacheReadInputTokens": 30,
            "cacheWriteInputTokens": 2,
        },
        "metrics": {"latencyMs": 1},
    }


def tool_use(name: str = "extraction", data: Any = ONE_FACT) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "t-1", "name": name, "input": data}}


def text(words: str) -> dict[str, Any]:
    return {"text": words}


def test_a_text_comes_back_with_what_it_cost(bedrock: Stubber, model: BedrockLanguageModel) -> None:
    request = {
        "modelId": CLAUDE,
        "system": [{"text": "You are helpful."}],
        "messages": [{"role": "user", "content": [{"text": "Where do I live?"}]}],
        "inferenceConfig": {"maxTokens": 300},
        "requestMetadata": {"noted-call": "answer"},
    }
    bedrock.add_response("converse", response("end_turn", text("In "), text("Porto.")), request)
    reply = model.call(asking())
    assert (reply.text, reply.data) == ("In Porto.", None)
    assert reply.usage == Usage(40, 5, cache_read_tokens=30, cache_write_tokens=2, model_calls=1)


def test_data_is_the_input_of_a_forced_tool(bedrock: Stubber, model: BedrockLanguageModel) -> None:
    request = {
        "modelId": CLAUDE,
        "system": [{"text": "You are helpful."}],
        "messages": [{"role": "user", "content": [{"text": "Where do I live?"}]}],
        "inferenceConfig": {"maxTokens": 300},
        "requestMetadata": {"noted-call": "extraction"},
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "extraction",
                        "description": "Takes the result of the extraction.",
                        "inputSchema": {"json": SCHEMA},
                    }
                }
            ],
            "toolChoice": {"tool": {"name": "extraction"}},
        },
    }
    bedrock.add_response("converse", response("tool_use", text("Noting."), tool_use()), request)
    assert model.call(EXTRACTION).data == ONE_FACT


@pytest.mark.parametrize("stop_reason", ["end_turn", "stop_sequence"])
@pytest.mark.parametrize(
    "content", [tool_use(), text('```json\n{"facts": ["Lives in Porto"]}\n```')], ids=["tool", "text"]
)
def test_data_is_taken_also_from_a_model_that_ends_otherwise(
    bedrock: Stubber, model: BedrockLanguageModel, stop_reason: str, content: Mapping[str, Any]
) -> None:
    bedrock.add_response("converse", response(stop_reason, content))
    assert model.call(EXTRACTION).data == ONE_FACT


@pytest.mark.parametrize(
    "stop_reason", ["end_turn", "stop_sequence", "max_tokens", "model_context_window_exceeded"]
)
def test_an_answer_is_given_as_far_as_it_goes(
    bedrock: Stubber, model: BedrockLanguageModel, stop_reason: str
) -> None:
    bedrock.add_response("converse", response(stop_reason, text("You live in")))
    assert model.call(asking()).text == "You live in"


@pytest.mark.parametrize(
    "stop_reason, reason", [("guardrail_intervened", "guardrail"), ("content_filtered", "filtered")]
)
@pytest.mark.parametrize("prompt", [asking(), EXTRACTION], ids=["text", "data"])
def test_a_refusal_is_final(
    bedrock: Stubber, model: BedrockLanguageModel, stop_reason: str, reason: str, prompt: Prompt
) -> None:
    bedrock.add_response("converse", response(stop_reason, text("Sorry, I cannot.")))
    with pytest.raises(ModelRefused) as refused:
        model.call(prompt)
    assert refused.value.reason == reason


UNREADABLE_DATA = [
    pytest.param(response("max_tokens", tool_use()), id="truncated"),
    pytest.param(response("malformed_model_output"), id="malformed output"),
    pytest.param(response("malformed_tool_use", tool_use()), id="malformed tool use"),
    pytest.param(response("tool_use", tool_use("answer")), id="another tool"),
    pytest.param(response("tool_use", tool_use(), tool_use()), id="two objects"),
    pytest.param(response("tool_use", tool_use(data=["Lives in Porto"])), id="a list"),
    pytest.param(response("tool_use"), id="no content"),
    pytest.param(response("end_turn", text("No facts.")), id="prose"),
    pytest.param(response("a_new_reason", tool_use()), id="unknown reason"),
]
UNREADABLE_TEXT = [
    pytest.param(response("end_turn"), id="no content"),
    pytest.param(response("max_tokens", text(" ")), id="blank"),
    pytest.param(response("tool_use", text("Porto"), tool_use()), id="tool use"),
    pytest.param(response("malformed_model_output", text("Porto")), id="malformed output"),
    pytest.param(response("malformed_tool_use", text("Porto")), id="malformed tool use"),
]


@pytest.mark.parametrize("first", UNREADABLE_DATA)
def test_data_that_cannot_be_read_is_asked_for_once_more(
    bedrock: Stubber, model: BedrockLanguageModel, first: dict[str, Any]
) -> None:
    bedrock.add_response("converse", first)
    bedrock.add_response("converse", response("tool_use", tool_use()))
    reply = model.call(EXTRACTION)
    assert reply.data == ONE_FACT
    assert reply.usage == Usage(80, 10, 60, 4, model_calls=2)


@pytest.mark.parametrize("both", UNREADABLE_DATA)
def test_data_that_cannot_be_read_twice_is_malformed(
    bedrock: Stubber, model: BedrockLanguageModel, both: dict[str, Any]
) -> None:
    bedrock.add_response("converse", both)
    bedrock.add_response("converse", both)
    with pytest.raises(MalformedOutput):
        model.call(EXTRACTION)


@pytest.mark.parametrize("both", UNREADABLE_TEXT)
def test_an_answer_that_is_none_twice_is_malformed(
    bedrock: Stubber, model: BedrockLanguageModel, both: dict[str, Any]
) -> None:
    bedrock.add_response("converse", both)
    bedrock.add_response("converse", both)
    with pytest.raises(MalformedOutput):
        model.call(asking())


def test_a_full_context_window_would_be_full_again(bedrock: Stubber, model: BedrockLanguageModel) -> None:
    bedrock.add_response("converse", response("model_context_window_exceeded", tool_use()))
    with pytest.raises(MalformedOutput) as failed:
        model.call(EXTRACTION)
    assert failed.value.reason == "truncated"


PASSING = [
    ("ThrottlingException", 429, "throttled"),
    ("ModelTimeoutException", 408, "timeout"),
    ("ModelErrorException", 424, "failed"),
    ("ModelNotReadyException", 429, "failed"),
    ("ServiceUnavailableException", 503, "failed"),
    ("InternalServerException", 500, "failed"),
    ("SomethingNewException", 500, "failed"),
]


@pytest.mark.parametrize("code, status, reason", PASSING)
def test_a_passing_failure_is_tried_once_more(
    bedrock: Stubber, model: BedrockLanguageModel, code: str, status: int, reason: str
) -> None:
    bedrock.add_client_error("converse", code, "Where do I live?", status)
    bedrock.add_response("converse", response("end_turn", text("Porto.")))
    reply = model.call(asking())
    assert (reply.text, reply.usage.model_calls) == ("Porto.", 2)


@pytest.mark.parametrize("code, status, reason", PASSING)
def test_and_no_more_than_once(
    bedrock: Stubber, model: BedrockLanguageModel, code: str, status: int, reason: str
) -> None:
    bedrock.add_client_error("converse", code, "Where do I live?", status)
    bedrock.add_client_error("converse", code, "Where do I live?", status)
    with pytest.raises(ModelUnavailable) as failed:
        model.call(asking())
    assert str(failed.value) == reason


@pytest.mark.parametrize(
    "code, status",
    [
        ("ValidationException", 400),
        ("AccessDeniedException", 403),
        ("ResourceNotFoundException", 404),
        ("ServiceQuotaExceededException", 400),
        ("ExpiredTokenException", 403),
    ],
)
def test_a_rejected_request_is_not_repeated_and_its_text_not_told(
    bedrock: Stubber, model: BedrockLanguageModel, code: str, status: int
) -> None:
    bedrock.add_client_error("converse", code, "Where do I live?", status)
    with pytest.raises(ModelUnavailable) as failed:
        model.call(asking())
    assert str(failed.value) == "rejected"
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None


class Breaking:
    """A client whose connection breaks, as botocore reports it."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.calls = 0

    def converse(self, **_request: Any) -> dict[str, Any]:
        self.calls += 1
        raise self.error

    def converse_stream(self, **_request: Any) -> dict[str, Any]:
        return self.converse()

    def invoke_model(self, **_request: Any) -> dict[str, Any]:
        return self.converse()


@pytest.mark.parametrize(
    "error, reason, calls",
    [
        (exceptions.ReadTimeoutError(endpoint_url="u"), "timeout", 2),
        (exceptions.ConnectTimeoutError(endpoint_url="u"), "timeout", 2),
        (exceptions.EndpointConnectionError(endpoint_url="u"), "unreachable", 2),
        (exceptions.ConnectionClosedError(endpoint_url="u"), "unreachable", 2),
        (exceptions.SSLError(endpoint_url="u", error=OSError()), "unreachable", 2),
        (exceptions.IncompleteReadError(actual_bytes=1, expected_bytes=2), "unreachable", 2),
        (exceptions.NoCredentialsError(), "rejected", 1),
        (exceptions.ParamValidationError(report="Where do I live?"), "rejected", 1),
    ],
)
def test_a_broken_connection_is_unavailable(error: Exception, reason: str, calls: int) -> None:
    client = Breaking(error)
    with pytest.raises(ModelUnavailable) as failed:
        BedrockLanguageModel(CLAUDE, client, AT_ONCE).call(asking())
    assert (str(failed.value), client.calls) == (reason, calls)
    with pytest.raises(ModelUnavailable) as failed:
        list(BedrockLanguageModel(CLAUDE, client, AT_ONCE).stream(asking()))
    assert (str(failed.value), client.calls) == (reason, 2 * calls)
    with pytest.raises(ModelUnavailable):
        BedrockEmbedder("amazon.titan-embed-text-v2:0", client, AT_ONCE).embed_query("Porto")


def test_a_model_that_says_nothing_is_a_timeout() -> None:
    release = threading.Event()

    class Hanging(Breaking):
        def converse(self, **_request: Any) -> dict[str, Any]:
            release.wait(30)
            raise self.error

    client = Hanging(exceptions.ReadTimeoutError(endpoint_url="u"))
    with pytest.raises(ModelUnavailable) as failed:
        BedrockLanguageModel(CLAUDE, client, AT_ONCE).call(asking(Purpose.QUERY))
    release.set()
    assert failed.value.reason == "timeout"


class TestCachePoints:
    POINT: Mapping[str, Any] = {"cachePoint": {"type": "default"}}

    def request(self, bedrock: Stubber, client: Any, model: str, prompt: Prompt) -> dict[str, Any]:
        sent: list[dict[str, Any]] = []
        client.meta.events.register(
            "provide-client-params.bedrock-runtime.Converse", lambda params, **_: sent.append(params)
        )
        bedrock.add_response("converse", response("end_turn", text("ok")))
        BedrockLanguageModel(model, client, AT_ONCE).call(prompt)
        return sent[0]

    def long(self) -> Prompt:
        mark = Block("same words", cache_point=True)
        return Prompt(
            Purpose.ANSWER,
            system=(mark, mark, Block("summary", cache_point=True)),
            messages=(
                PromptMessage("user", (Block("Hello"),)),
                PromptMessage("assistant", (Block("Hi", cache_point=True),)),
                PromptMessage("user", (Block("", cache_point=True), mark, Block("Where?"))),
            ),
        )

    def test_the_last_four_blocks_that_ask_get_one(self, bedrock: Stubber, client: Any) -> None:
        sent = self.request(bedrock, client, CLAUDE, self.long())
        assert sent["system"] == [
            {"text": "same words"},
            {"text": "same words"},
            self.POINT,
            {"text": "summary"},
            self.POINT,
        ]
        assert [message["content"] for message in sent["messages"]] == [
            [{"text": "Hello"}],
            [{"text": "Hi"}, self.POINT],
            [{"text": "same words"}, self.POINT, {"text": "Where?"}],
        ]

    @pytest.mark.parametrize(
        "model", ["meta.llama3-70b-instruct-v1:0", "anthropic.claude-3-haiku-20240307-v1:0"]
    )
    def test_none_for_a_model_that_refuses_them(self, bedrock: Stubber, client: Any, model: str) -> None:
        sent = self.request(bedrock, client, model, self.long())
        assert self.POINT not in [*sent["system"], *(part for m in sent["messages"] for part in m["content"])]

    @pytest.mark.parametrize(
        "model",
        [
            "amazon.nova-lite-v1:0",
            "arn:aws:bedrock:eu-west-1:111122223333:application-inference-profile/a1b2c3d4e5f6",
        ],
    )
    def test_nova_and_profiles_get_them(self, bedrock: Stubber, client: Any, model: str) -> None:
        assert self.request(bedrock, client, model, self.long())["system"][-1] == self.POINT


class TestEmbedder:
    VECTOR = (0.6, 0.8)

    def prepare(self, bedrock: Stubber, model: str, sent: Mapping[str, Any], answer: Any) -> None:
        payload = json.dumps(answer).encode()
        expected = {
            "modelId": model,
            "body": json.dumps(sent),
            "contentType": "application/json",
            "accept": "application/json",
            "requestMetadata": '{"noted-call": "embedding"}',
        }
        body = StreamingBody(io.BytesIO(payload), len(payload))
        bedrock.add_response("invoke_model", {"body": body, "contentType": "application/json"}, expected)

    def test_titan_takes_one_text_a_call(self, bedrock: Stubber, client: Any) -> None:
        model = "amazon.titan-embed-text-v2:0"
        for words in ("Lives in Porto", "Is a nurse"):
            sent = {"inputText": words, "dimensions": 512, "normalize": True}
            self.prepare(bedrock, model, sent, {"embedding": self.VECTOR, "inputTextTokenCount": 4})
        embedder = BedrockEmbedder(model, client, AT_ONCE)
        assert embedder.embed_facts(["Lives in Porto", "Is a nurse"]) == [[0.6, 0.8], [0.6, 0.8]]
        assert embedder.name == "bedrock:amazon.titan-embed-text-v2:0"

    def test_cohere_3_tells_facts_from_queries(self, bedrock: Stubber, client: Any) -> None:
        model = "cohere.embed-multilingual-v3"
        for input_type in ("search_document", "search_query"):
            sent = {"texts": ["Porto"], "input_type": input_type, "truncate": "END"}
            self.prepare(bedrock, model, sent, {"embeddings": [self.VECTOR]})
        embedder = BedrockEmbedder(model, client, AT_ONCE)
        assert embedder.embed_facts(["Porto"]) == [[0.6, 0.8]]
        assert embedder.embed_query("Porto") == [0.6, 0.8]

    def test_cohere_4_names_the_kind_of_numbers(self, bedrock: Stubber, client: Any) -> None:
        model = "eu.cohere.embed-v4:0"
        sent = {
            "texts": ["Porto"],
            "input_type": "search_query",
            "embedding_types": ["float"],
            "output_dimension": 1024,
        }
        self.prepare(bedrock, model, sent, {"embeddings": {"float": [self.VECTOR]}})
        assert BedrockEmbedder(model, client, AT_ONCE).embed_query("Porto") == [0.6, 0.8]

    def test_cohere_takes_96_texts_a_call_of_2048_characters(self, bedrock: Stubber, client: Any) -> None:
        model = "cohere.embed-english-v3"
        for count in (96, 4):
            sent = {"texts": ["a" * 2048] * count, "input_type": "search_document", "truncate": "END"}
            self.prepare(bedrock, model, sent, {"embeddings": [self.VECTOR] * count})
        assert len(BedrockEmbedder(model, client, AT_ONCE).embed_facts(["a" * 3000] * 100)) == 100

    @pytest.mark.parametrize("answer", [{}, {"embedding": "a"}, {"embedding": []}, []])
    def test_what_is_no_vector_is_malformed(self, bedrock: Stubber, client: Any, answer: Any) -> None:
        model = "amazon.titan-embed-text-v2:0"
        for _ in range(2):
            sent = {"inputText": "Porto", "dimensions": 512, "normalize": True}
            self.prepare(bedrock, model, sent, answer)
        with pytest.raises(MalformedOutput):
            BedrockEmbedder(model, client, AT_ONCE).embed_query("Porto")

    def test_a_passing_failure_is_tried_once_more(self, bedrock: Stubber, client: Any) -> None:
        model = "amazon.titan-embed-text-v2:0"
        bedrock.add_client_error("invoke_model", "ThrottlingException", http_status_code=429)
        sent = {"inputText": "Porto", "dimensions": 512, "normalize": True}
        self.prepare(bedrock, model, sent, {"embedding": self.VECTOR})
        assert BedrockEmbedder(model, client, AT_ONCE).embed_query("Porto") == [0.6, 0.8]

    def test_down_is_unavailable(self, bedrock: Stubber, client: Any) -> None:
        for _ in range(2):
            bedrock.add_client_error("invoke_model", "InternalServerException", http_status_code=500)
        with pytest.raises(ModelError):
            BedrockEmbedder("cohere.embed-v4:0", client, AT_ONCE).embed_query("Porto")

    @pytest.mark.parametrize("model", ["amazon.titan-embed-image-v1", "anthropic.claude-sonnet-4-5", "x"])
    def test_a_model_of_another_shape_is_a_wrong_setting(self, client: Any, model: str) -> None:
        with pytest.raises(ValueError, match="titan-embed-text-v2"):
            BedrockEmbedder(model, client)


def test_the_client_makes_each_request_once_and_bounds_it() -> None:
    client: Any = bedrock_runtime({"AWS_REGION": "eu-west-1"})
    config = client.meta.config
    assert (config.connect_timeout, config.read_timeout) == (1, 20)
    assert config.retries["total_max_attempts"] == 1
    assert client.meta.region_name == "eu-west-1"


def test_no_region_is_a_wrong_setting() -> None:
    with pytest.raises(ValueError, match="AWS_REGION"):
        models.language_model(f"bedrock:{CLAUDE}", environment={})
