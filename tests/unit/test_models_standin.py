"""The stand-in model server, through the clients that the library uses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from noted import models
from noted.facts import extraction
from noted.models.seam import (
    Block,
    LanguageModel,
    Prompt,
    PromptMessage,
    Purpose,
    Reply,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from tests.standin import Call, Say, StandIn, embedding_of


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn() as standin:
        yield standin


@pytest.fixture
def model(server: StandIn) -> LanguageModel:
    return models.language_model(server.environment["NOTED_MODEL"], environment=server.environment)


def asking(purpose: Purpose, text: str = "Hello") -> Prompt:
    schema = {"type": "object"} if purpose in ("extraction", "consolidation", "query") else None
    return Prompt(purpose, (Block("System."),), (PromptMessage("user", (Block(text),)),), schema)


def test_every_purpose_has_a_reply_that_changes_nothing(model: LanguageModel) -> None:
    assert model.call(asking(Purpose.ANSWER)).text == "ok"
    assert model.call(asking(Purpose.EXTRACTION)).data == {"facts": []}
    assert model.call(asking(Purpose.CONSOLIDATION)).data == {"decisions": []}
    assert model.call(asking(Purpose.QUERY, "Where?")).data == {
        "query": "Where?",
        "since": None,
        "until": None,
    }
    assert model.call(asking(Purpose.RECOLLECTION, "Facts:\n- Lives in Porto")).text == "Lives in Porto"
    assert model.call(asking(Purpose.SUMMARY)).text
    assert model.call(asking(Purpose.EPISODE)).text


def test_replies_are_given_in_order_and_the_last_one_stays(server: StandIn, model: LanguageModel) -> None:
    server.reply("answer", "one", lambda call: f"{call.purpose} to {call.user}", "three")
    said = [model.call(asking(Purpose.ANSWER, "you")).text for _ in range(4)]
    assert said == ["one", "answer to you", "three", "three"]
    assert len(server.calls["answer"]) == 4


def test_facts_are_items_that_an_extraction_reads(server: StandIn, model: LanguageModel) -> None:
    server.reply(
        "extraction",
        server.facts(
            "Lives in Porto",
            ("Is a nurse", "I am a nurse"),
            {"kind": "goal", "text": "Plans to retire at 55", "quote": "retire at 55", "category": "project"},
            quote="I live in Porto",
        ),
    )
    data = model.call(asking(Purpose.EXTRACTION)).data
    assert data is not None
    read = extraction.read(data)
    assert read.unreadable == 0
    assert [(fact.kind, fact.category, fact.text, fact.quote, fact.turn) for fact in read.proposed] == [
        ("fact", "other", "Lives in Porto", "I live in Porto", 1),
        ("fact", "other", "Is a nurse", "I am a nurse", 1),
        ("goal", "project", "Plans to retire at 55", "retire at 55", 1),
    ]


def test_calls_are_kept_by_purpose(server: StandIn, model: LanguageModel) -> None:
    model.call(asking(Purpose.ANSWER, "Where do I live?"))
    assert {purpose for purpose, calls in server.calls.items() if calls} == {"answer"}
    (call,) = server.calls["answer"]
    assert isinstance(call, Call)
    assert (call.system, call.user) == ("System.", "Where do I live?")
    assert call.prompt == "System.\nWhere do I live?"


def test_texts_with_the_same_words_have_close_vectors(server: StandIn) -> None:
    embedder = models.embedder(server.environment["NOTED_EMBEDDER"], environment=server.environment)
    near, far = embedder.embed_facts(["Lives in Porto", "Is a nurse"])
    asked = embedder.embed_query("in Porto")
    assert near == pytest.approx(embedding_of("lives in porto"))
    assert sum(a * b for a, b in zip(asked, near, strict=True)) > sum(
        a * b for a, b in zip(asked, far, strict=True)
    )
    assert [call.prompt for call in server.calls["embedding"]] == ["Lives in Porto\nIs a nurse", "in Porto"]


SEARCH = ToolDefinition("search", "Searches.", {"type": "object"})


def test_a_stream_is_cut_behind_its_words_or_where_a_test_says(server: StandIn, model: LanguageModel) -> None:
    server.reply("answer", "You live in Porto.", Say("You live.", split=(1, 4)), Say("You live.", split=()))
    cut = [
        [piece for piece in model.stream(asking(Purpose.ANSWER)) if isinstance(piece, str)] for _ in range(3)
    ]
    assert cut == [["You ", "live ", "in ", "Porto."], ["Y", "ou ", "live."], ["You live."]]


def test_several_rounds_of_tool_calls_are_several_replies(server: StandIn, model: LanguageModel) -> None:
    server.reply(
        "answer",
        server.calling(("search", {"q": "tea"}), ("search", {"q": "coffee"})),
        server.calling(("search", {"q": "water"}), content="And?"),
        lambda call: f"From {call.tools}: {'; '.join(call.results)}",
    )
    messages = [PromptMessage("user", (Block("What do I drink?"),))]
    rounds = []
    for _ in range(3):
        reply = model.call(Prompt(Purpose.ANSWER, (), tuple(messages), tools=(SEARCH,)))
        rounds.append(reply)
        messages += [
            PromptMessage("assistant", (Block(reply.text), *reply.tool_calls)),
            PromptMessage(
                "user",
                tuple(ToolResult(call.call_id, f"{call.arguments['q']}: yes") for call in reply.tool_calls),
            ),
        ]
    assert [reply.tool_calls for reply in rounds] == [
        (ToolCall("call_1", "search", {"q": "tea"}), ToolCall("call_2", "search", {"q": "coffee"})),
        (ToolCall("call_3", "search", {"q": "water"}),),
        (),
    ]
    assert rounds[2].text == "From ['search']: tea: yes; coffee: yes; water: yes"


class TestCachedTokens:
    """Four characters are a token. A user's message of n characters has n + 28: 26 stand before its words, in
    {"role":"user","content":"..."}, and 2 behind them. One of the assistant has n + 33."""

    def usage(self, model: LanguageModel, *texts: str, purpose: Purpose = Purpose.ANSWER) -> tuple[int, int]:
        messages = tuple(
            PromptMessage("assistant" if number % 2 else "user", (Block(text),))
            for number, text in enumerate(texts)
        )
        usage = model.call(Prompt(purpose, (), messages)).usage
        return usage.input_tokens, usage.cache_read_tokens

    def test_the_longest_beginning_that_any_earlier_prompt_had(self, model: LanguageModel) -> None:
        assert self.usage(model, "a" * 52) == (20, 0)
        # All 80 characters, the same once more.
        assert self.usage(model, "a" * 52) == (20, 20)
        # 26 and the first 30 of the words: 56.
        assert self.usage(model, "a" * 30 + "b" * 22) == (20, 14)
        # 26, which are 6 whole tokens.
        assert self.usage(model, "c" * 52) == (20, 6)
        # 26 and 40 of the words of the third: 66, which are 16 whole tokens.
        assert self.usage(model, "a" * 30 + "b" * 10 + "c" * 12) == (20, 16)

    def test_an_appended_turn_finds_all_before_it(self, model: LanguageModel) -> None:
        self.usage(model, "a" * 52)
        # Three lines of 80, 43 and 38 characters and two breaks between them: 163.
        assert self.usage(model, "a" * 52, "b" * 10, "c" * 10) == (41, 20)

    def test_a_change_at_the_beginning_loses_all(self, model: LanguageModel) -> None:
        prompt = Prompt(Purpose.ANSWER, (Block("x" * 400),), asking(Purpose.ANSWER, "a" * 400).messages)
        changed = Prompt(Purpose.ANSWER, (Block("y" + "x" * 399),), prompt.messages)
        model.call(prompt)
        # {"role":"system","content":" is 28 characters long.
        assert model.call(changed).usage.cache_read_tokens == 7

    def test_tools_stand_before_everything(self, model: LanguageModel) -> None:
        messages = asking(Purpose.ANSWER).messages
        model.call(Prompt(Purpose.ANSWER, (), messages, tools=(SEARCH,)))
        other = ToolDefinition("recall", "Searches.", {"type": "object"})
        # {"type":"function","function":{"name":" is 39 characters long: 9 whole tokens.
        assert model.call(Prompt(Purpose.ANSWER, (), messages, tools=(other,))).usage.cache_read_tokens == 9

    def test_purposes_share_nothing_and_failures_are_not_kept(
        self, server: StandIn, model: LanguageModel
    ) -> None:
        self.usage(model, "a" * 52, purpose=Purpose.SUMMARY)
        server.reply("answer", 500, "ok")
        assert self.usage(model, "a" * 52) == (20, 0)

    def test_streams_count_the_same(self, model: LanguageModel) -> None:
        prompt = asking(Purpose.ANSWER, "a" * 50)
        model.call(prompt)
        *_, reply = model.stream(prompt)
        assert isinstance(reply, Reply)
        assert reply.usage == model.call(prompt).usage
        # The system's line of 37 characters, a break, and 78.
        assert (reply.usage.input_tokens, reply.usage.cache_read_tokens) == (29, 29)
