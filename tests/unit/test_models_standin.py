"""The stand-in model server, through the clients that the library uses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from noted import models
from noted.facts import extraction
from noted.models.seam import Block, LanguageModel, Prompt, PromptMessage, Purpose
from tests.standin import Call, StandIn, embedding_of


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
