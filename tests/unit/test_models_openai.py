"""The client of OpenAI's protocol, against a server that speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import openai
import pytest

from noted import models
from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.models.openai import OpenAILanguageModel, openai_client
from noted.models.openai_embedder import OpenAIEmbedder
from noted.models.retry import Retry
from noted.models.seam import Block, Prompt, PromptMessage, Purpose, Usage
from tests.standin import Call, Say, StandIn

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
ONE_FACT = {"facts": ["Lives in Porto"]}


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as standin:
        yield standin


@pytest.fixture
def model(server: StandIn) -> OpenAILanguageModel:
    # The second try comes at once: these tests are about what happens, not when.
    return OpenAILanguageModel("m-1", openai_client(server.environment), Retry(sleep=lambda _: None))


def asking(purpose: Purpose = Purpose.ANSWER, schema: Mapping[str, Any] | None = None) -> Prompt:
    return Prompt(
        purpose,
        system=(Block("You are helpful.", cache_point=True), Block("Snapshot.")),
        messages=(
            PromptMessage("user", (Block("Hello"),)),
            PromptMessage("assistant", (Block("Hi"),)),
            PromptMessage("user", (Block("Today is Tuesday."), Block("Where do I live?"))),
        ),
        schema=schema,
        max_output_tokens=300,
    )


EXTRACTION = asking(Purpose.EXTRACTION, SCHEMA)


def test_a_text_comes_back_with_what_it_cost(server: StandIn, model: OpenAILanguageModel) -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 32}}
    server.reply("answer", Say("You live in Porto.", usage=usage))
    reply = model.call(asking())
    assert (reply.text, reply.data) == ("You live in Porto.", None)
    assert reply.usage == Usage(40, 5, cache_read_tokens=32, model_calls=1)


def test_the_request_has_the_purpose_and_stable_leading_bytes(
    server: StandIn, model: OpenAILanguageModel
) -> None:
    model.call(asking())
    (call,) = server.calls["answer"]
    assert call.headers["x-noted-call"] == "answer"
    assert call.headers["authorization"] == "Bearer stand-in"
    assert call.body == {
        "model": "m-1",
        "max_tokens": 300,
        "messages": [
            {"role": "system", "content": "You are helpful.\n\nSnapshot."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi"},
            {"role": "user", "content": "Today is Tuesday.\n\nWhere do I live?"},
        ],
    }


def test_nothing_about_this_machine_is_sent(server: StandIn, model: OpenAILanguageModel) -> None:
    model.call(asking())
    (call,) = server.calls["answer"]
    assert [name for name in call.headers if name.startswith("x-stainless")] == ["x-stainless-raw-response"]


def test_data_is_asked_for_by_schema(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("extraction", ONE_FACT)
    assert model.call(EXTRACTION).data == ONE_FACT
    assert server.calls["extraction"][0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "extraction", "schema": SCHEMA, "strict": True},
    }


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"additionalProperties": True}, id="open"),
        pytest.param({"required": []}, id="optional field"),
        pytest.param({"minProperties": 1}, id="a word that strict mode does not know"),
        pytest.param({"properties": {"facts": {"type": "object"}}}, id="an open object inside"),
    ],
)
def test_strict_only_for_a_schema_that_allows_it(
    server: StandIn, model: OpenAILanguageModel, changed: Mapping[str, Any]
) -> None:
    server.reply("extraction", ONE_FACT)
    model.call(asking(Purpose.EXTRACTION, {**SCHEMA, **changed}))
    assert "strict" not in server.calls["extraction"][0].body["response_format"]["json_schema"]


def test_fenced_data_is_read(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("extraction", 'Here it is:\n```json\n{"facts": ["Lives in Porto"]}\n```')
    assert model.call(EXTRACTION).data == ONE_FACT
    assert len(server.calls["extraction"]) == 1


MALFORMED = [
    pytest.param("", id="empty"),
    pytest.param("No facts, sorry.", id="prose"),
    pytest.param('["Lives in Porto"]', id="wrong type"),
    pytest.param(Say('{"facts": ["Lives in Po', finish_reason="length"), id="truncated"),
    pytest.param(Say('{"facts": ["Lives in Porto"]}', finish_reason="length"), id="whole by chance"),
    pytest.param(Say(None), id="no content"),
    pytest.param(Say(None, finish_reason="tool_calls", message={"tool_calls": []}), id="tool call"),
    pytest.param(Say(body={"choices": []}), id="no choice"),
    pytest.param(Say(body={"choices": [{"message": "text"}]}), id="message of the wrong type"),
    pytest.param(Say(body=[1, 2]), id="body of the wrong type"),
    pytest.param(Say(body="<html>welcome</html>"), id="no JSON at all"),
]


@pytest.mark.parametrize("reply", MALFORMED)
def test_data_that_cannot_be_read_is_asked_for_once_more(
    server: StandIn, model: OpenAILanguageModel, reply: Say | str
) -> None:
    server.reply("extraction", reply, ONE_FACT)
    got = model.call(EXTRACTION)
    assert got.data == ONE_FACT
    assert got.usage.model_calls == 2


@pytest.mark.parametrize("reply", MALFORMED)
def test_data_that_cannot_be_read_twice_is_malformed(
    server: StandIn, model: OpenAILanguageModel, reply: Say | str
) -> None:
    server.reply("extraction", reply)
    with pytest.raises(MalformedOutput):
        model.call(EXTRACTION)
    assert len(server.calls["extraction"]) == 2


def test_an_answer_that_was_cut_off_is_given_as_it_is(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say("You live in", finish_reason="length"))
    assert model.call(asking()).text == "You live in"


def test_an_empty_answer_is_no_answer(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", "  \n", "Porto.")
    assert model.call(asking()).text == "Porto."


def test_a_server_that_tells_little_is_understood(server: StandIn, model: OpenAILanguageModel) -> None:
    parts = [{"type": "text", "text": "Por"}, {"type": "text", "text": "to."}]
    server.reply("answer", Say(body={"choices": [{"message": {"content": parts}}]}))
    reply = model.call(asking())
    assert (reply.text, reply.usage) == ("Porto.", Usage(model_calls=1))


@pytest.mark.parametrize(
    "reply, reason",
    [
        pytest.param(Say(None, message={"refusal": "I cannot help."}), "refused", id="refusal"),
        pytest.param(Say("", finish_reason="content_filter"), "filtered", id="filtered output"),
        pytest.param(
            Say(status=400, body={"error": {"code": "content_filter", "message": "x"}}),
            "filtered",
            id="filtered input",
        ),
    ],
)
def test_a_refusal_is_final(server: StandIn, model: OpenAILanguageModel, reply: Say, reason: str) -> None:
    server.reply("answer", reply)
    with pytest.raises(ModelRefused) as refused:
        model.call(asking())
    assert refused.value.reason == reason
    assert len(server.calls["answer"]) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_once_more(
    server: StandIn, model: OpenAILanguageModel, status: int
) -> None:
    server.reply("answer", status, "Porto.")
    reply = model.call(asking())
    assert (reply.text, reply.usage.model_calls) == ("Porto.", 2)


@pytest.mark.parametrize("status, reason", [(429, "throttled"), (500, "failed"), (408, "timeout")])
def test_and_no_more_than_once(server: StandIn, model: OpenAILanguageModel, status: int, reason: str) -> None:
    server.reply("answer", status)
    with pytest.raises(ModelUnavailable) as failed:
        model.call(asking())
    assert failed.value.reason == reason
    assert len(server.calls["answer"]) == 2


def test_a_throttled_call_waits_as_long_as_it_is_told(server: StandIn) -> None:
    slept: list[float] = []
    model = OpenAILanguageModel("m-1", openai_client(server.environment), Retry(sleep=slept.append))
    server.reply("answer", Say(status=429, headers={"retry-after": "2"}, body={}), "Porto.")
    assert model.call(asking()).text == "Porto."
    assert slept == [2.0]


def test_but_not_for_long(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say(status=429, headers={"retry-after": "60"}, body={}))
    with pytest.raises(ModelUnavailable):
        model.call(asking())
    assert len(server.calls["answer"]) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_rejected_request_is_not_repeated_and_its_text_not_told(
    server: StandIn, model: OpenAILanguageModel, status: int
) -> None:
    server.reply("answer", Say(status=status, body={"error": {"message": "Where do I live?"}}))
    with pytest.raises(ModelUnavailable) as failed:
        model.call(asking())
    assert str(failed.value) == "rejected"
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
    assert len(server.calls["answer"]) == 1


def test_a_redirect_is_not_followed(server: StandIn, model: OpenAILanguageModel) -> None:
    with StandIn() as elsewhere:
        location = {"location": f"{elsewhere.url}/chat/completions"}
        server.reply("answer", Say(status=307, headers=location, body={}))
        with pytest.raises(ModelUnavailable):
            model.call(asking())
        assert elsewhere.calls == {}


def test_a_dropped_connection_is_tried_once_more(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say(hang_up=True), "Porto.")
    assert model.call(asking()).text == "Porto."


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with StandIn() as gone:
        environment = gone.environment
    model = OpenAILanguageModel("m-1", openai_client(environment), Retry(sleep=lambda _: None))
    with pytest.raises(ModelUnavailable) as failed:
        model.call(asking())
    assert failed.value.reason == "unreachable"


def test_a_server_that_is_too_slow_is_a_timeout(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("query", Say("late", delay=60))
    with pytest.raises(ModelUnavailable) as failed:
        model.call(asking(Purpose.QUERY))
    assert failed.value.reason == "timeout"


def test_a_slow_answer_is_waited_for(server: StandIn, model: OpenAILanguageModel) -> None:
    server.reply("answer", Say("Porto.", delay=0.3))
    reply = model.call(asking())
    assert (reply.text, reply.usage.model_calls) == ("Porto.", 1)


def test_half_a_character_is_sent_as_a_mark(server: StandIn, model: OpenAILanguageModel) -> None:
    message = PromptMessage("user", (Block("tea \ud83c"),))
    model.call(Prompt(Purpose.ANSWER, (), (message,)))
    assert server.calls["answer"][0].messages == [{"role": "user", "content": "tea \ufffd"}]


def test_openai_itself_is_told_the_limit_by_its_newer_name() -> None:
    sent: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content))
        return httpx2.Response(200, json={"choices": [{"message": {"content": "Porto."}}]})

    transport = openai.DefaultHttpxClient(transport=httpx2.MockTransport(answer))
    OpenAILanguageModel("m-1", openai.OpenAI(api_key="k", http_client=transport)).call(asking())
    assert (sent[0]["max_completion_tokens"], "max_tokens" in sent[0]) == (300, False)


def test_a_server_of_ones_own_needs_no_key(server: StandIn) -> None:
    models.language_model("openai:m-1", environment={"OPENAI_BASE_URL": server.url}).call(asking())
    assert len(server.calls["answer"]) == 1


def test_neither_server_nor_key_is_a_wrong_setting() -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        models.language_model("openai:m-1", environment={})


class TestEmbedder:
    @pytest.fixture
    def embedder(self, server: StandIn) -> OpenAIEmbedder:
        return OpenAIEmbedder("e-1", openai_client(server.environment), Retry(sleep=lambda _: None))

    def test_one_vector_a_text_in_order(self, server: StandIn, embedder: OpenAIEmbedder) -> None:
        def backwards(call: Call) -> Say:
            rows = [
                {"index": n, "embedding": [float(text), 1.0]} for n, text in enumerate(call.body["input"])
            ]
            return Say(body={"data": rows[::-1]})

        server.reply("embedding", backwards)
        texts = [str(number) for number in range(100)]
        assert embedder.embed_facts(texts) == [[float(number), 1.0] for number in range(100)]
        assert [len(call.body["input"]) for call in server.calls["embedding"]] == [64, 36]

    def test_a_query_and_a_fact_of_the_same_words_meet(
        self, server: StandIn, embedder: OpenAIEmbedder
    ) -> None:
        assert embedder.embed_query("lives in Porto") == embedder.embed_facts(["Lives in Porto"])[0]
        assert {call.headers["x-noted-call"] for call in server.calls["embedding"]} == {"embedding"}
        assert embedder.name == "openai:e-1"

    def test_no_texts_no_call(self, server: StandIn, embedder: OpenAIEmbedder) -> None:
        assert embedder.embed_facts([]) == []
        assert server.calls["embedding"] == []

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param({"data": []}, id="none"),
            pytest.param({"data": [{"index": 0, "embedding": ["a"]}]}, id="no numbers"),
            pytest.param({"data": [{"embedding": [1.0]}]}, id="no index"),
            pytest.param({"data": 1}, id="no list"),
            pytest.param({}, id="nothing"),
        ],
    )
    def test_what_is_no_vector_is_malformed(
        self, server: StandIn, embedder: OpenAIEmbedder, body: Mapping[str, Any]
    ) -> None:
        server.reply("embedding", body)
        with pytest.raises(MalformedOutput):
            embedder.embed_query("Porto")
        assert len(server.calls["embedding"]) == 2

    def test_a_passing_failure_is_tried_once_more(self, server: StandIn, embedder: OpenAIEmbedder) -> None:
        server.reply("embedding", 503, Say())
        assert len(embedder.embed_query("Porto")) == 64

    def test_down_is_unavailable(self, server: StandIn, embedder: OpenAIEmbedder) -> None:
        server.reply("embedding", 500)
        with pytest.raises(ModelUnavailable):
            embedder.embed_query("Porto")
