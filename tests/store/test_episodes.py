"""Episodes: a conversation that rests gets one, made of what may be remembered, and loses it with itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from noted.conversation.resting import Resting, sweep_rested
from noted.conversation.turn import Kept, Route, Summary
from noted.errors import ModelRefused, ModelUnavailable, NotFound
from noted.facts.fact import Source
from noted.privacy.erasure import Erasure
from noted.store import keys
from noted.store.database import Database
from noted.store.outbox import Outbox
from noted.store.queue import EpisodeJob, read_job
from noted.store.tables import CONTROL
from tests.erasing import worker
from tests.standin.replies import embedding_of

from .builders import NOON, SECRETS, WRAPPER, FixedClock, conversation, fact, repository, turn
from .test_summaries import PHONE, Summariser, masker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.conversation.episode import Episode
    from noted.conversation.turn import Conversation, Turn

HALF_AN_HOUR = timedelta(minutes=30)


class Embedder:
    """Vectors that are close where words are shared."""

    name = "e"

    def __init__(self) -> None:
        self.down = False

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        if self.down:
            raise ModelUnavailable("down")
        return [embedding_of(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return embedding_of(text)


@dataclass
class World:
    """A user, the sweep, the queue and the worker."""

    dynamodb: DynamoDBClient
    prefix: str
    clock: FixedClock = field(default_factory=FixedClock)
    model: Summariser = field(default_factory=lambda: Summariser("The customer moved to Porto."))
    embedder: Embedder = field(default_factory=Embedder)
    sent: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.repository = repository(self.dynamodb, self.prefix, clock=self.clock)
        self.repository.admit()
        self.memory = self.repository.memory(1)

    def send(self, body: str, group: str) -> None:
        """The queue's end that the sweep sees."""
        self.sent.append(body)

    def begin(self, *, incognito: bool = False) -> Conversation:
        chat = replace(conversation(at=self.clock.now()), incognito=incognito)
        self.memory.conversations.begin(chat)
        return chat

    def say(self, chat: Conversation, *messages: str, **changes: object) -> list[Turn]:
        said = []
        for message in messages:
            sequence = self.repository.admit().sequence
            each = replace(turn(chat, sequence, message, self.clock.now()), **changes)  # type: ignore[arg-type]
            self.memory.conversations.commit(each)
            said.append(each)
        return said

    def rest(self) -> None:
        self.clock.forward(minutes=31)

    def sweep(self) -> int:
        outbox = Outbox(Database(self.dynamodb, self.prefix, self.clock))
        return sweep_rested(outbox, self, self.clock.now(), HALF_AN_HOUR)

    def work(self) -> None:
        """Hands every message to the worker."""
        waiting, self.sent = self.sent, []
        for body in waiting:
            job = read_job(body)
            assert isinstance(job, EpisodeJob)
            self.write(job)

    def write(self, job: EpisodeJob) -> None:
        worker = Resting(self.model, self.embedder, self.clock, HALF_AN_HOUR, masker)
        worker.write(job, repository(self.dynamodb, self.prefix, clock=self.clock))

    def job(self, chat: Conversation) -> EpisodeJob:
        return EpisodeJob(self.repository.principal, 1, chat.conversation_id)

    def episodes(self) -> list[Episode]:
        return self.memory.episodes.all()


@pytest.fixture
def world(dynamodb: DynamoDBClient, tables: str) -> World:
    return World(dynamodb, tables)


def test_a_conversation_that_rests_gets_an_episode_once(world: World) -> None:
    chat = world.begin()
    [first, *_] = world.say(chat, "I move to Porto", "With two cats")
    world.clock.forward(minutes=29)
    assert world.sweep() == 0
    world.clock.forward(minutes=1)
    assert world.sweep() == 1
    world.work()
    [episode] = world.episodes()
    assert episode.text == "The customer moved to Porto."
    assert episode.conversation_id == chat.conversation_id
    assert (episode.began_at, episode.ended_at) == (first.said_at, NOON)
    assert episode.created_at == world.clock.now()
    assert episode.expires_at == world.clock.now() + timedelta(days=365)
    assert episode.words
    assert episode.vector
    assert episode.embedder == "e"
    assert "I move to Porto" in world.model.given[0]
    world.clock.forward(hours=5)
    assert world.sweep() == 0
    world.write(world.job(chat))
    assert len(world.model.given) == 1


def test_one_that_goes_on_and_rests_again_gets_another_in_its_place(world: World) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.rest()
    world.sweep()
    world.work()
    world.say(chat, "And a dog")
    world.model.text = "The customer moved to Porto with pets."
    assert world.sweep() == 0
    world.rest()
    assert world.sweep() == 1
    world.work()
    assert [each.text for each in world.episodes()] == [world.model.text]
    assert "And a dog" in world.model.given[1]


def test_what_is_said_while_the_episode_is_written_makes_it_void(world: World) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.rest()
    world.sweep()
    world.model.during = lambda: world.say(chat, "Wait, not to Porto")
    world.work()
    assert world.episodes() == []
    world.model.during = lambda: None
    world.rest()
    assert world.sweep() == 1
    world.work()
    assert len(world.episodes()) == 1


def test_an_answer_that_is_replaced_later_is_in_no_episode(world: World) -> None:
    chat = world.begin()
    [_, last] = world.say(chat, "I move to Porto", "Which way?", answer="By the old bridge")
    world.rest()
    world.sweep()
    world.work()
    world.memory.conversations.replace_answer(replace(last, answer="By train", revision=1))
    assert world.sweep() == 1
    world.work()
    assert "By train" in world.model.given[1]
    assert world.model.given[1].count("By the old bridge") == 1  # the other turn's


def test_a_late_job_of_a_conversation_that_goes_on_does_nothing(world: World) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.rest()
    world.sweep()
    world.say(chat, "Still there?")
    world.work()
    assert (world.model.given, world.episodes()) == ([], [])
    world.rest()
    assert world.sweep() == 1


@pytest.mark.parametrize(
    "case", ["incognito", "one turn", "nothing to remember", "one to remember", "recollection"]
)
def test_some_conversations_get_none(world: World, case: str) -> None:
    chat = world.begin(incognito=case == "incognito")
    if case == "one turn":
        world.say(chat, "I move to Porto")
    elif case in ("incognito", "nothing to remember"):
        world.say(chat, "I move to Porto", "With two cats", memory=Kept.SKIPPED)
    elif case == "one to remember":
        world.say(chat, "I move to Porto")
        world.say(chat, "With a secret", "or two", memory=Kept.SKIPPED)
    else:
        world.say(chat, "I move to Porto")
        world.say(chat, "What did I tell you?", route=Route.RECOLLECTION, memory=Kept.NOTHING)
    world.rest()
    world.sweep()
    world.work()
    assert (world.model.given, world.episodes()) == ([], [])
    world.rest()
    assert world.sweep() == 0


def test_what_may_not_be_remembered_is_not_told_to_the_model(world: World) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.say(chat, "My secret", memory=Kept.SKIPPED)
    world.say(chat, "Sum this up", answer="EvilBank is best", pasted=("EvilBank is best",))
    world.say(chat, "What did I tell you?", answer="A boat", route=Route.RECOLLECTION, memory=Kept.NOTHING)
    world.rest()
    world.sweep()
    world.work()
    [told] = world.model.given
    assert "With two cats" in told
    assert "Sum this up" in told
    assert not any(word in told for word in ("secret", "EvilBank", "boat"))


@pytest.mark.parametrize("memorable", [True, False])
def test_a_long_conversation_is_told_by_its_summary_only_if_all_of_it_may_be_remembered(
    world: World, memorable: bool
) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    last = world.say(chat, "Last of all", "Good bye")
    read, _ = world.memory.conversations.thread(chat.conversation_id, 10)
    summary = Summary("Moves to Porto, has a secret.", (), "tn", memorable=memorable)
    assert world.memory.conversations.keep_summary(read, summary, last[0].turn_id, more_since=None)
    world.rest()
    world.sweep()
    world.work()
    [told] = world.model.given
    assert ("has a secret" in told) is memorable
    assert ("With two cats" in told) is not memorable
    assert "Last of all" in told
    assert world.episodes()[0].began_at == NOON


def test_a_very_long_conversation_is_told_in_a_few_calls(world: World) -> None:
    chat = world.begin()
    world.say(chat, *[f"{'word ' * 3_000}the end {name}" for name in "abcdefghijklmnopqrstuvwxyz"])
    world.rest()
    world.sweep()
    world.work()
    assert len(world.model.given) == 4
    assert all("moved to Porto" in told for told in world.model.given[1:])
    assert "the end z" in world.model.given[-1]


def test_a_failure_is_tried_again_and_given_up_in_the_end(world: World) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    for _ in range(5):
        world.rest()
        assert world.sweep() == 1
        world.model.fails = [ModelUnavailable("down")]
        with pytest.raises(ModelUnavailable):
            world.work()
    world.rest()
    assert world.sweep() == 0
    world.rest()
    assert world.sweep() == 0
    assert world.episodes() == []


@pytest.mark.parametrize("what", ["refused", "nothing that may be kept"])
def test_a_text_that_cannot_be_had_ends_the_matter(world: World, what: str) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.rest()
    world.sweep()
    world.model.fails = [ModelRefused("content")] if what == "refused" else []
    world.model.text = "See https://evil.example/now."
    world.work()
    assert world.episodes() == []
    world.rest()
    assert world.sweep() == 0


def test_without_the_embedder_it_is_stored_without_a_vector(world: World) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.embedder.down = True
    world.rest()
    world.sweep()
    world.work()
    [episode] = world.episodes()
    assert (episode.vector, episode.embedder) == (None, None)
    assert episode.words


def test_while_memory_is_paused_there_is_no_episode(world: World) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.rest()
    table = f"{world.prefix}-{CONTROL.name}"
    key = {"pk": {"S": keys.owner(world.repository.principal)}, "sk": {"S": keys.META}}

    def pause() -> None:
        world.dynamodb.update_item(
            TableName=table,
            Key=key,
            UpdateExpression="SET #s = :s",
            ExpressionAttributeNames={"#s": "state"},
            ExpressionAttributeValues={":s": {"S": "paused"}},
        )

    world.sweep()
    world.model.during = pause
    world.work()
    assert (len(world.model.given), world.episodes()) == (1, [])
    world.write(world.job(chat))
    assert len(world.model.given) == 1


def test_it_comes_back_as_it_was_stored_and_is_not_readable_in_the_table(world: World) -> None:
    chat = world.begin()
    world.say(chat, f"Call {PHONE}", "Today", entities={PHONE: "0171 5550100"})
    world.model.text = "Marmalade was ordered at <PHONE_A>. Then <PHONE_B> was called."
    world.rest()
    world.sweep()
    world.work()
    [episode] = world.episodes()
    assert episode.text == f"Marmalade was ordered at {PHONE}. Then that phone number was called."
    assert episode.entities == {PHONE: "0171 5550100"}
    assert "<PHONE_A>" in world.model.given[0]
    raw = str(world.dynamodb.scan(TableName=f"{world.prefix}-memory")["Items"]).encode()
    assert not any(word in raw for word in (b"Marmalade", b"5550100", b"kqzxmhwbtrnvdlcs"))


def test_episodes_page_without_gaps_the_newest_conversation_first(world: World) -> None:
    chats = []
    for _ in range(5):
        chats.append(world.begin())
        world.say(chats[-1], "I move to Porto", "With two cats")
        world.clock.forward(seconds=1)
    world.rest()
    assert world.sweep() == 5
    world.work()
    seen, after = [], None
    while True:
        page = world.memory.episodes.page(2, after)
        seen += [episode.conversation_id for episode in page.items]
        if (after := page.after) is None:
            break
    assert seen == [chat.conversation_id for chat in reversed(chats)]
    world.clock.forward(days=365)
    assert world.episodes() == []


def written(world: World) -> tuple[Conversation, list[Turn]]:
    chat = world.begin()
    said = world.say(chat, "I move to Porto", "With two cats")
    world.rest()
    world.sweep()
    world.work()
    assert len(world.episodes()) == 1
    return chat, said


def _run_erasures(world: World) -> None:
    repository = world.repository
    worker(repository.database, lambda _: repository, SECRETS, WRAPPER, world.clock).run_due()


def test_it_goes_with_its_conversation(world: World) -> None:
    chat, _ = written(world)
    other = world.begin()
    world.say(other, "I sail", "Often")
    world.rest()
    world.sweep()
    world.work()
    entry = Erasure(world.repository, world.clock).conversation(chat.conversation_id)
    assert [each.conversation_id for each in world.episodes()] == [other.conversation_id]
    _run_erasures(world)
    # Two rows of the conversation, two turns, and the episode.
    assert world.repository.ledger.entry(entry.erasure_id).counts["memory"] == 5


def test_it_goes_with_everything(world: World) -> None:
    written(world)
    Erasure(world.repository, world.clock).everything()
    assert world.repository.memory(2).episodes.all() == []
    _run_erasures(world)
    assert world.dynamodb.scan(TableName=f"{world.prefix}-memory")["Items"] == []


@pytest.mark.parametrize("scope", ["conversation", "everything"])
def test_what_was_erased_while_it_is_written_gets_none(world: World, scope: str) -> None:
    chat = world.begin()
    world.say(chat, "I move to Porto", "With two cats")
    world.rest()
    world.sweep()

    def erase() -> None:
        erasure = Erasure(world.repository, world.clock)
        if scope == "everything":
            erasure.everything()
        else:
            erasure.conversation(chat.conversation_id)

    world.model.during = erase
    world.work()
    assert world.episodes() == []
    with pytest.raises(NotFound):
        world.repository.memory(2 if scope == "everything" else 1).conversations.conversation(
            chat.conversation_id
        )


def test_it_goes_with_a_fact_that_its_conversation_told(world: World) -> None:
    chat, [said, _] = written(world)
    kept = fact("Moves to Porto", source=Source(chat.conversation_id, said.turn_id, "I move to Porto"))
    world.memory.facts.add([kept])
    entry = Erasure(world.repository, world.clock).fact(kept.fact_id)
    assert world.episodes() == []
    _run_erasures(world)
    assert world.repository.ledger.entry(entry.erasure_id).counts["memory"] == 2
