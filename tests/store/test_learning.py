"""Turns that wait for each other and are extracted in one call, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Turn
from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.facts.change import Change
from noted.facts.keeping import Keeper
from noted.facts.learning import STALE_AFTER, learn
from noted.models.offline import OfflineLanguageModel
from noted.models.seam import Prompt, Purpose, Reply
from noted.retention import Retention
from noted.store.memory import Memory
from noted.store.outbox import Outbox
from noted.store.queue import ExtractionJob
from noted.store.repository import Repository, Standing

from .builders import FixedClock, commit_extraction, conversation, repository, turn

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EVERY = 3


def item(number: int, text: str, quote: str, **more: Any) -> dict[str, Any]:
    return {"kind": "fact", "category": "other", "text": text, "quote": quote, "turn": number, **more}


class Model:
    """Says what it is told to, and keeps what it was asked."""

    name = "written"

    def __init__(self) -> None:
        self.facts: list[dict[str, Any]] = []
        self.prompts: list[Prompt] = []
        self.failures: list[Exception] = []

    def call(self, prompt: Prompt) -> Reply:
        if prompt.purpose is not Purpose.EXTRACTION:
            return Reply("", {"decisions": []})
        self.prompts.append(prompt)
        if self.failures:
            raise self.failures.pop(0)
        return Reply("", {"facts": self.facts})

    def stream(self, prompt: Prompt) -> Any:
        raise NotImplementedError


class Embeds:
    name = "one"

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 2.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 2.0]


@dataclass
class World:
    repository: Repository
    clock: FixedClock
    chat: Conversation
    model: Any = field(default_factory=Model)
    turns: list[Turn] = field(default_factory=list)

    @property
    def memory(self) -> Memory:
        return self.repository.memory(1)

    def say(self, message: str, at: datetime | None = None) -> Turn:
        said = turn(self.chat, len(self.turns) + 1, message, at or self.clock.at)
        self.memory.conversations.commit(said)
        self.turns.append(said)
        return said

    def learn(self, of: Turn, every: int = EVERY, *, last_try: bool = False) -> None:
        job = ExtractionJob(self.repository.principal, 1, of.conversation_id, of.turn_id)

        def keeper(memory: Memory, _: Standing) -> Keeper:
            return Keeper(self.model, Embeds(), memory.sealer, Retention())

        learn(job, self.repository, keeper, self.clock, last_try=last_try, every=every)

    def extracted(self) -> Mapping[str, Extraction | None]:
        return {each.turn_id: self.memory.conversations.extraction(each.turn_id) for each in self.turns}

    def waiting(self) -> int:
        return len(self.memory.conversations.queued(self.chat.conversation_id, 30))


@pytest.fixture
def world(dynamodb: DynamoDBClient, tables: str) -> World:
    clock = FixedClock()
    repo = repository(dynamodb, tables, clock=clock)
    repo.admit()
    chat = conversation()
    repo.memory(1).conversations.begin(chat)
    return World(repo, clock, chat)


def test_turns_are_extracted_in_one_call_once_they_are_enough(world: World) -> None:
    world.model.facts = [
        item(1, "Has a cat", "I have a cat"),
        item(2, "Lives in Porto since yesterday", "I live in Porto since yesterday", valid_from="2026-03-09"),
        item(3, "Has a dog", "I have a dog"),
        item(3, "Has a cat", "I have a cat"),
        item(4, "Has a fox", "I have a cat"),
    ]
    for place, message in enumerate(["I have a cat", "I live in Porto since yesterday", "I have a dog"]):
        said = world.say(message)
        world.learn(said)
        assert len(world.model.prompts) == (1 if place == 2 else 0)
    [prompt] = world.model.prompts
    texts = [getattr(block, "text", "") for block in prompt.messages[0].blocks]
    assert texts == [
        "Turn 1, typed on Tuesday, 2026-03-10:\nI have a cat",
        "Turn 2, typed on Tuesday, 2026-03-10:\nI live in Porto since yesterday",
        "Turn 3, typed on Tuesday, 2026-03-10:\nI have a dog",
    ]
    by_turn = {fact.source.turn_id: fact.text for fact in world.memory.facts.all() if fact.source}
    assert by_turn == {
        world.turns[0].turn_id: "Has a cat",
        world.turns[1].turn_id: "Lives in Porto since yesterday",
        world.turns[2].turn_id: "Has a dog",
    }
    # A quote of another turn is none, and there is no fourth turn.
    dropped = [each.dropped for each in world.extracted().values() if each]
    assert dropped == [{"quote": 1}, {}, {"quote": 1}]
    assert world.waiting() == 0
    world.learn(world.turns[0])
    assert len(world.model.prompts) == 1


def test_they_wait_two_minutes_at_most(world: World) -> None:
    first = world.say("I have a cat")
    world.clock.forward(seconds=60)
    world.say("I have a dog")
    world.clock.forward(seconds=59)
    world.learn(first)
    assert world.model.prompts == []
    outbox = Outbox(world.repository.database)
    assert len(outbox.waiting(world.clock.at)) == 2
    world.clock.forward(seconds=1)
    assert world.clock.at == first.created_at + STALE_AFTER
    world.learn(first)
    assert len(world.model.prompts) == 1
    assert world.waiting() == 0


def test_a_turn_is_extracted_alone_where_one_is_enough(world: World) -> None:
    said = world.say("I have a cat")
    world.model.facts = [item(1, "Has a cat", "I have a cat")]
    world.learn(said, every=1)
    [block] = world.model.prompts[0].messages[0].blocks
    assert getattr(block, "text", "") == "I have a cat"
    assert world.waiting() == 0


def test_a_message_that_asks_to_remember_has_a_call_of_its_own(world: World) -> None:
    for message in ("I have a cat", "Remember that I like tea", "I have a dog"):
        said = world.say(message)
    world.learn(said)
    assert [len(prompt.messages[0].blocks) for prompt in world.model.prompts] == [2, 1]


@pytest.mark.parametrize("failure", [ModelRefused("guardrail"), MalformedOutput("malformed")])
def test_one_bad_turn_does_not_take_the_others_with_it(world: World, failure: Exception) -> None:
    for message in ("I have a cat", "I have a fox", "I have a dog"):
        said = world.say(message)
    world.model.failures = [failure]
    world.model.facts = [item(1, "Has a cat", "I have a cat")]
    world.learn(said)
    assert [len(prompt.messages[0].blocks) for prompt in world.model.prompts] == [3, 1, 1, 1]
    assert [fact.text for fact in world.memory.facts.all()] == ["Has a cat"]
    assert all(each and each.status is ExtractionStatus.DONE for each in world.extracted().values())


def test_a_model_that_is_down_is_noted_for_all_of_them(world: World) -> None:
    for message in ("I have a cat", "I have a fox", "I have a dog"):
        said = world.say(message)
    world.model.failures = [ModelUnavailable("timeout")] * 2
    with pytest.raises(ModelUnavailable):
        world.learn(said)
    assert all(each and each.status is ExtractionStatus.FAILED for each in world.extracted().values())
    assert world.waiting() == 3
    with pytest.raises(ModelUnavailable):
        world.learn(said, last_try=True)
    assert world.waiting() == 2
    world.learn(world.turns[0])
    world.clock.forward(minutes=3)
    world.learn(world.turns[0])
    assert world.waiting() == 0


def test_what_another_worker_has_done_meanwhile_is_left_out(world: World) -> None:
    for message in ("I have a cat", "I have a fox", "I have a dog"):
        said = world.say(message)
    world.model.facts = [
        item(1, "Has a cat", "I have a cat"),
        item(2, "Has a fox", "I have a fox"),
        item(3, "Has a dog", "I have a dog"),
    ]
    conversations = world.memory.conversations
    call = world.model.call

    def overtaken(prompt: Prompt) -> Reply:
        world.model.call = call
        commit_extraction(conversations, world.turns[1], Extraction(ExtractionStatus.DONE), Change())
        reply: Reply = call(prompt)
        return reply

    world.model.call = overtaken
    world.learn(said)
    assert sorted(fact.text for fact in world.memory.facts.all()) == ["Has a cat", "Has a dog"]
    kept = {key: len(each.facts) for key, each in world.extracted().items() if each}
    assert list(kept.values()) == [1, 0, 1]


def test_a_fact_of_two_turns_is_one_fact_that_both_have_kept(world: World) -> None:
    for message in ("I have a cat", "Yes, I have a cat", "I have a dog"):
        said = world.say(message)
    world.model.facts = [item(1, "Has a cat", "I have a cat"), item(2, "Has a cat", "I have a cat")]
    world.learn(said)
    [fact] = world.memory.facts.all()
    assert [each.facts for each in world.extracted().values() if each] == [
        (fact.fact_id,), (fact.fact_id,), ()
    ]  # fmt: skip


def test_the_offline_stand_in_reads_several_turns(world: World) -> None:
    world.model = OfflineLanguageModel()
    for message in ("I live in Porto", "Thanks!", "I have two dogs"):
        said = world.say(message)
    world.learn(said)
    kept = [len(each.facts) for each in world.extracted().values() if each]
    assert kept == [1, 0, 1]
