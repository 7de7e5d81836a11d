"""Streams of Amazon Bedrock: real event-stream bytes over HTTP, read by botocore."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from noted.errors import MalformedOutput, ModelError, ModelRefused, ModelUnavailable
from noted.models.bedrock import BedrockLanguageModel
from noted.models.retry import Retry
from noted.models.seam import Block, Prompt, PromptMessage, Purpose, Reply, ToolCall, ToolDefinition, Usage
from tests.standin.bedrock import BedrockStandIn, Part, error, event, exception

CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
AT_ONCE = Retry(sleep=lambda _: None)
SEARCH = ToolDefinition("search", "Searches.", {"type": "object"})

START = event("messageStart", role="assistant")
METADATA = event(
    "metadata",
    usage={
        "inputTokens": 8,
        "outputTokens": 5,
        "totalTokens": 45,
        "cacheReadInputTokens": 30,
        "cacheWriteInputTokens": 2,
    },
    metrics={"latencyMs": 1},
)
COST = Usage(40, 5, cache_read_tokens=30, cache_write_tokens=2, model_calls=1)


def text(words: str, index: int = 0) -> bytes:
    return event("contentBlockDelta", delta={"text": words}, contentBlockIndex=index)


def use(call_id: str, name: str, index: int) -> bytes:
    return event(
        "contentBlockStart", start={"toolUse": {"toolUseId": call_id, "name": name}}, contentBlockIndex=index
    )


def put(part: str, index: int) -> bytes:
    return event("contentBlockDelta", delta={"toolUse": {"input": part}}, contentBlockIndex=index)


def end(index: int = 0) -> bytes:
    return event("contentBlockStop", contentBlockIndex=index)


def stop(reason: str) -> bytes:
    return event("messageStop", stopReason=reason)


PORTO = (START, text("Por"), text("to."), end(), stop("end_turn"), METADATA)


@pytest.fixture
def bedrock() -> Iterator[BedrockStandIn]:
    """Must be asked as often as a test prepared."""
    with BedrockStandIn() as standin:
        yield standin
        assert not standin.streams


@pytest.fixture
def model(bedrock: BedrockStandIn) -> BedrockLanguageModel:
    return BedrockLanguageModel(CLAUDE, bedrock.client(), AT_ONCE)


def asking(*tools: ToolDefinition) -> Prompt:
    message = PromptMessage("user", (Block("Where do I live?"),))
    return Prompt(Purpose.ANSWER, (Block("You are helpful."),), (message,), tools=tools)


def streamed(model: BedrockLanguageModel, prompt: Prompt) -> tuple[list[str], Reply]:
    """The pieces and the reply, which has to be the last item."""
    *pieces, reply = model.stream(prompt)
    assert isinstance(reply, Reply)
    texts = [piece for piece in pieces if isinstance(piece, str)]
    assert len(texts) == len(pieces)
    return texts, reply


def failing(model: BedrockLanguageModel, prompt: Prompt) -> tuple[list[object], ModelError]:
    """What came before the failure, and the failure."""
    given: list[object] = []
    with pytest.raises(ModelError) as failed:
        given.extend(model.stream(prompt))
    return given, failed.value


def test_a_text_comes_in_pieces_with_what_it_cost(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    bedrock.reply(*PORTO)
    assert streamed(model, asking()) == (["Por", "to."], Reply("Porto.", usage=COST))
    assert bedrock.requests == [
        {
            "system": [{"text": "You are helpful."}],
            "messages": [{"role": "user", "content": [{"text": "Where do I live?"}]}],
            "inferenceConfig": {"maxTokens": 1024},
            "requestMetadata": {"noted-call": "answer"},
        }
    ]


def test_a_piece_is_given_on_before_the_next_one_is_there(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    read = threading.Event()
    bedrock.reply(START, text("Por"), lambda: read.wait(30), text("to."), stop("end_turn"), METADATA)
    pieces = model.stream(asking())
    assert next(pieces) == "Por"
    read.set()
    assert next(pieces) == "to."
    assert next(pieces) == Reply("Porto.", usage=COST)


def test_events_that_are_cut_anywhere_are_put_together(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    whole = b"".join(PORTO)
    bedrock.reply(*(whole[start : start + 7] for start in range(0, len(whole), 7)))
    assert streamed(model, asking()) == (["Por", "to."], Reply("Porto.", usage=COST))


def test_tool_calls_are_put_together_by_their_place(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    bedrock.reply(
        START,
        text("Looking."),
        end(),
        use("t-1", "search", 1),
        use("t-2", "search", 2),
        put('{"q": "t', 1),
        put('{"q": "co', 2),
        put('ea"}', 1),
        put('ffee"}', 2),
        end(1),
        end(2),
        use("t-3", "search", 3),
        put("", 3),
        end(3),
        stop("tool_use"),
        METADATA,
    )
    assert streamed(model, asking(SEARCH)) == (
        ["Looking."],
        Reply(
            "Looking.",
            usage=COST,
            tool_calls=(
                ToolCall("t-1", "search", {"q": "tea"}),
                ToolCall("t-2", "search", {"q": "coffee"}),
                ToolCall("t-3", "search", {}),
            ),
        ),
    )


def test_what_a_model_thinks_or_cites_is_not_its_answer(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    bedrock.reply(
        START,
        event("contentBlockDelta", delta={"reasoningContent": {"text": "Hm."}}, contentBlockIndex=0),
        event("contentBlockDelta", delta={"reasoningContent": {"signature": "s"}}, contentBlockIndex=0),
        end(),
        text("Porto.", 1),
        event("contentBlockDelta", delta={"citation": {"title": "Map"}}, contentBlockIndex=1),
        event("somethingNew", text="?"),
        end(1),
        stop("end_turn"),
        METADATA,
    )
    assert streamed(model, asking()) == (["Porto."], Reply("Porto.", usage=COST))


@pytest.mark.parametrize(
    "reason", ["end_turn", "stop_sequence", "max_tokens", "model_context_window_exceeded"]
)
def test_an_answer_is_given_as_far_as_it_goes(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, reason: str
) -> None:
    bedrock.reply(START, text("You live in"), end(), stop(reason), METADATA)
    assert streamed(model, asking())[1].text == "You live in"


@pytest.mark.parametrize(
    "reason, word", [("guardrail_intervened", "guardrail"), ("content_filtered", "filtered")]
)
def test_a_refusal_half_way_is_final(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, reason: str, word: str
) -> None:
    bedrock.reply(START, text("Well, "), end(), stop(reason), METADATA)
    given, failed = failing(model, asking())
    assert (given, type(failed), failed.reason) == (["Well, "], ModelRefused, word)


@pytest.mark.parametrize(
    "reason", ["malformed_model_output", "malformed_tool_use", "tool_use", "a_new_reason"]
)
def test_a_reply_that_cannot_be_read_is_malformed_behind_its_pieces(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, reason: str
) -> None:
    bedrock.reply(START, text("Well, "), end(), stop(reason), METADATA)
    given, failed = failing(model, asking(SEARCH))
    assert (given, type(failed)) == (["Well, "], MalformedOutput)


UNREADABLE: list[tuple[Part, ...]] = [
    (),
    (METADATA,),
    (START, stop("end_turn"), METADATA),
    (START, text(" \n"), end(), stop("end_turn"), METADATA),
    (START, stop("malformed_tool_use"), METADATA),
    (START, stop("malformed_model_output"), METADATA),
    (START, stop("tool_use"), METADATA),
    (START, use("t-1", "search", 0), put('{"q": ', 0), stop("max_tokens"), METADATA),
    (START, use("t-1", "search", 0), put('{"q": ', 0), stop("tool_use"), METADATA),
    (START, use("t-1", "search", 0), put("[1]", 0), stop("tool_use"), METADATA),
    (START, use("", "search", 0), stop("tool_use"), METADATA),
    (START, use("t-1", "", 0), stop("tool_use"), METADATA),
    (START, put('{"q": 1}', 0), stop("tool_use"), METADATA),
    (START, use("t-1", "search", 0), use("t-1", "search", 1), stop("tool_use"), METADATA),
]


@pytest.mark.parametrize("parts", UNREADABLE)
def test_what_cannot_be_read_is_asked_for_once_more(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, parts: tuple[Part, ...]
) -> None:
    bedrock.reply(*parts)
    bedrock.reply(*PORTO)
    pieces, reply = streamed(model, asking(SEARCH))
    assert (pieces, reply.text, reply.usage.model_calls) == (["Por", "to."], "Porto.", 2)


@pytest.mark.parametrize("parts", UNREADABLE)
def test_and_no_more_than_once(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, parts: tuple[Part, ...]
) -> None:
    bedrock.reply(*parts)
    bedrock.reply(*parts)
    given, failed = failing(model, asking(SEARCH))
    assert (given, type(failed)) == ([], MalformedOutput)


EVENTS_THAT_FAIL = [
    pytest.param(exception("throttlingException", message="Where?"), "throttled", id="throttled"),
    pytest.param(exception("internalServerException", message="Where?"), "failed", id="internal"),
    pytest.param(exception("serviceUnavailableException", message="Where?"), "failed", id="unavailable"),
    pytest.param(
        exception("modelStreamErrorException", message="Where?", originalStatusCode=500),
        "failed",
        id="model stream error",
    ),
    pytest.param(exception("modelTimeoutException", message="Where?"), "failed", id="not of a stream"),
    pytest.param(error("InternalFailure", "Where?"), "failed", id="outside the model"),
    pytest.param(START[:-1] + b"!", "broken", id="wrong checksum"),
]


@pytest.mark.parametrize("part, reason", EVENTS_THAT_FAIL)
def test_an_exception_in_a_stream_is_tried_once_more_where_nothing_was_given(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, part: bytes, reason: str
) -> None:
    bedrock.reply(START, part)
    bedrock.reply(*PORTO)
    pieces, reply = streamed(model, asking())
    assert (pieces, reply.usage.model_calls) == (["Por", "to."], 2)
    bedrock.reply(part)
    bedrock.reply(part)
    given, failed = failing(model, asking())
    assert (given, type(failed), str(failed)) == ([], ModelUnavailable, reason)


@pytest.mark.parametrize("part, reason", EVENTS_THAT_FAIL)
def test_an_exception_half_way_is_told_and_not_tried_again(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, part: bytes, reason: str
) -> None:
    bedrock.reply(START, text("You "), part)
    given, failed = failing(model, asking())
    assert (given, type(failed), str(failed)) == (["You "], ModelUnavailable, reason)
    assert (failed.__cause__, failed.__context__) == (None, None)


def test_a_request_that_a_stream_finds_wrong_is_not_repeated(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    bedrock.reply(exception("validationException", message="Where?"))
    given, failed = failing(model, asking())
    assert (given, type(failed), str(failed)) == ([], ModelUnavailable, "rejected")


@pytest.mark.parametrize("broken", [True, False], ids=["lost", "ended early"])
def test_a_connection_that_ends_half_way_is_broken(
    bedrock: BedrockStandIn, model: BedrockLanguageModel, broken: bool
) -> None:
    bedrock.reply(START, text("You live "), broken=broken)
    given, failed = failing(model, asking())
    assert (given, type(failed), str(failed)) == (["You live "], ModelUnavailable, "broken")


def test_before_the_first_piece_it_is_tried_once_more(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    bedrock.reply(START, text("\n"), broken=True)
    bedrock.reply(*PORTO)
    assert streamed(model, asking())[0] == ["Por", "to."]


def test_an_answer_that_was_whole_needs_no_count(
    bedrock: BedrockStandIn, model: BedrockLanguageModel
) -> None:
    bedrock.reply(START, text("Porto."), end(), stop("end_turn"), broken=True)
    assert streamed(model, asking()) == (["Porto."], Reply("Porto.", usage=Usage(model_calls=1)))


class TestBeforeTheStream:
    @pytest.fixture
    def client(self) -> Any:
        return boto3.client(
            "bedrock-runtime", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="s"
        )

    @pytest.mark.parametrize(
        "code, status, reason",
        [
            ("ThrottlingException", 429, "throttled"),
            ("ModelTimeoutException", 408, "timeout"),
            ("ModelErrorException", 424, "failed"),
            ("ModelNotReadyException", 429, "failed"),
            ("ServiceUnavailableException", 503, "failed"),
            ("InternalServerException", 500, "failed"),
        ],
    )
    def test_a_passing_failure_is_tried_twice(self, client: Any, code: str, status: int, reason: str) -> None:
        with Stubber(client) as stubber:
            for _ in range(2):
                stubber.add_client_error("converse_stream", code, "Where do I live?", status)
            given, failed = failing(BedrockLanguageModel(CLAUDE, client, AT_ONCE), asking())
            assert (given, type(failed), str(failed)) == ([], ModelUnavailable, reason)
            stubber.assert_no_pending_responses()

    @pytest.mark.parametrize(
        "code, status",
        [("ValidationException", 400), ("AccessDeniedException", 403), ("ResourceNotFoundException", 404)],
    )
    def test_a_rejected_request_is_not_repeated(self, client: Any, code: str, status: int) -> None:
        with Stubber(client) as stubber:
            stubber.add_client_error("converse_stream", code, "Where do I live?", status)
            _, failed = failing(BedrockLanguageModel(CLAUDE, client, AT_ONCE), asking())
            assert (type(failed), str(failed)) == (ModelUnavailable, "rejected")
            assert (failed.__cause__, failed.__context__) == (None, None)
