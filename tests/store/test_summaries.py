"""Running summaries: the window is cut, whoever comes between, and nothing is lost or told twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noted import ids
from noted.context import layout
from noted.conversation.compacting import compact
from noted.conversation.turn import Kept, Summary
from noted.conversation.window import WINDOW, WindowLimits, compaction_due
from noted.errors import ModelError, ModelRefused, ModelUnavailable
from noted.models.seam import Block, Prompt, Reply
from noted.privacy.erasure import Erasure
from noted.privacy.masking import Masker
from noted.store.database import Database
from noted.store.outbox import Outbox, Renewed
from noted.store.queue import SummaryJob

from .builders import NOON, FixedClock, conversation, repository, turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.conversation.turn import Conversation, Turn
    from noted.store.memory import Memory

LIMITS = WindowLimits(low=3, high=6, budget_tokens=100_000)
PHONE = "⟦phone:kqzxmhwbtrnvdlcs⟧"


def masker(memory: Memory) -> Masker:
    """What masks the texts of one user."""
    return Masker(memory.sealer.blind)


class Summariser:
    """A model that keeps what it was given. `fails`: what it raises, call by call, None to answer; `during`
    is done while it works."""

    name = "summariser"

    def __init__(self, text: str = "A summary.") -> None:
        self.text = text
        self.given: list[str] = []
        self.fails: list[ModelError | None] = []
        self.during: Callable[[], object] = lambda: None

    def call(self, prompt: Prompt) -> Reply:
        error = self.fails.pop(0) if self.fails else None
        if error:
            raise error
        blocks = [block for message in prompt.messages for block in message.blocks]
        self.given.append("\n".join(block.text for block in blocks if isinstance(block, Block)))
        self.during()
        return Reply(self.text)

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        yield self.call(prompt)


@dataclass
class World:
    """A user with a conversation, the worker that cuts its window, and what it sends."""

    dynamodb: DynamoDBClient
    prefix: str
    subject: str = "alice"
    model: Summariser = field(default_factory=Summariser)
    clock: FixedClock = field(default_factory=FixedClock)
    sent: list[str] = field(default_factory=list)
    limits: WindowLimits = LIMITS

    def __post_init__(self) -> None:
        self.repository = repository(self.dynamodb, self.prefix, self.subject, self.clock)
        self.repository.admit()
        self.store = self.repository.memory(1).conversations
        self.chat = conversation()
        self.store.begin(self.chat)
        self.said = 0

    def send(self, body: str, group: str) -> None:
        """The queue's end that the worker sees."""
        self.sent.append(body)

    @property
    def job(self) -> SummaryJob:
        """What asks for a cut."""
        return SummaryJob(self.repository.principal, 1, self.chat.conversation_id)

    def say(self, turns: int = 1, **changes: object) -> None:
        for _ in range(turns):
            self.said += 1
            # In letters, so that no rule about figures has anything to carry.
            name = "m" + "".join(chr(ord("a") + int(digit)) for digit in f"{self.said:03}")
            each = replace(turn(self.chat, self.said, name), **changes)  # type: ignore[arg-type]
            state, window = self.thread()
            due = compaction_due([layout.tokens(one) for one in (*window, each)], self.limits)
            self.store.commit(each, compact=due and not state.compacting)

    def thread(self) -> tuple[Conversation, list[Turn]]:
        return self.store.thread(self.chat.conversation_id, 1_000)

    def summary(self) -> Summary:
        summary = self.thread()[0].summary
        assert summary is not None
        return summary

    def window(self) -> list[str]:
        return [each.message for each in self.thread()[1]]

    def work(self, *, last_try: bool = False) -> None:
        compact(
            self.job,
            self.repository,
            self.model,
            self,
            self.clock,
            masker,
            last_try=last_try,
            limits=self.limits,
        )

    def marked(self) -> bool:
        outbox = Outbox(Database(self.dynamodb, self.prefix, self.clock))
        return self.job in outbox.waiting(NOON + timedelta(days=1))


@pytest.fixture
def world(dynamodb: DynamoDBClient, tables: str) -> World:
    return World(dynamodb, tables)


def names(texts: list[str]) -> list[str]:
    return [name for text in texts for name in re.findall(r"\bm[a-j]{3}\b", text)]


def named(first: int, last: int) -> list[str]:
    return ["m" + "".join(chr(ord("a") + int(d)) for d in f"{n:03}") for n in range(first, last + 1)]


def test_the_turns_that_leave_go_into_the_summary_and_the_mark_goes(world: World) -> None:
    world.say(5)
    assert not world.marked()
    world.say()
    assert world.marked()
    assert world.thread()[0].compacting
    world.work()
    assert names(world.model.given) == named(1, 3)
    assert world.window() == named(4, 6)
    assert (world.summary().text, world.summary().pinned) == ("A summary.", ())
    assert ids.order(world.summary().covers_through) == 3
    assert not world.marked()
    assert not world.thread()[0].compacting
    assert world.sent == []


def test_a_second_delivery_calls_no_model(world: World) -> None:
    world.say(6)
    world.work()
    world.work()
    assert len(world.model.given) == 1


def test_the_next_summary_is_made_of_the_one_before_and_the_turns_since(world: World) -> None:
    world.say(6)
    world.work()
    world.say(3)
    world.work()
    assert names(world.model.given[1:]) == named(4, 6)
    assert world.model.given[1].count("A summary.") == 1
    assert world.window() == named(7, 9)


def test_a_failed_summary_keeps_the_turns_and_the_mark_until_the_last_try(world: World) -> None:
    world.say(6)
    world.model.fails = [ModelUnavailable("timeout")] * 2
    with pytest.raises(ModelUnavailable):
        world.work()
    assert (world.window(), world.thread()[0].summary) == (named(1, 6), None)
    assert world.marked()
    with pytest.raises(ModelUnavailable):
        world.work(last_try=True)
    assert world.window() == named(1, 6)
    assert not world.marked()
    world.say()
    assert world.marked()
    world.work()
    assert names(world.model.given) == named(1, 4)
    assert world.window() == named(5, 7)


def test_a_model_that_refuses_is_not_asked_again_for_the_same(world: World) -> None:
    world.say(6)
    world.model.fails = [ModelRefused("content")]
    world.work()
    assert world.window() == named(1, 6)
    assert not world.marked()


@pytest.mark.parametrize("error", [ModelUnavailable("timeout"), ModelRefused("content")])
def test_a_window_that_has_outgrown_what_may_wait_is_cut_by_code(world: World, error: ModelError) -> None:
    world.say(3)
    world.say(message="The order is PO-7741")
    world.say(8)
    world.model.fails = [error]
    world.work(last_try=True)
    assert world.window() == named(10, 12)
    summary = world.summary()
    assert (summary.text, summary.pinned) == ("", ("Customer: The order is PO-7741",))
    assert summary.unsummarised == 9
    assert not world.marked()


def test_of_two_workers_one_writes(world: World) -> None:
    world.say(6)
    first = Summariser("The first.")

    def overtaken() -> None:
        compact(world.job, world.repository, first, world, world.clock, masker, last_try=False, limits=LIMITS)

    world.model.during = overtaken
    world.work()
    assert world.summary().text == "The first."
    assert world.window() == named(4, 6)


def test_turns_that_are_said_while_the_summary_is_made_stay_and_ask_for_another_look(world: World) -> None:
    world.say(6)
    world.model.during = lambda: world.say(2)
    world.work()
    assert world.window() == named(4, 8)
    assert world.summary().text == "A summary."
    assert (world.marked(), len(world.sent)) == (True, 1)
    world.model.during = lambda: None
    world.work()
    assert (world.marked(), len(world.model.given)) == (False, 1)


def test_a_window_that_grew_while_the_summary_was_made_is_cut_without_another_turn(world: World) -> None:
    world.say(6)
    world.model.during = lambda: world.say(5) if world.said == 6 else None
    world.work()
    while world.sent:
        world.sent.clear()
        world.work()
    assert names(world.model.given) == named(1, 8)
    assert world.window() == named(9, 11)
    assert not world.marked()


def test_a_mark_stays_while_turns_come_that_made_none(world: World) -> None:
    world.say(6)
    *_, before, last = world.thread()[1]
    world.store.unmark_window(world.chat.conversation_id, before.turn_id)
    assert world.marked()
    world.store.unmark_window(world.chat.conversation_id, last.turn_id)
    assert not world.marked()


def test_a_conversation_tells_when_its_window_was_not_read_in_full(world: World) -> None:
    world.say(5)
    chat = world.chat.conversation_id
    for read, beyond in ((6, False), (5, False), (4, True)):
        state, window = world.store.thread(chat, read)
        assert (state.beyond, len(window)) == (beyond, min(read, 5))
    state, window = world.thread()
    world.store.keep_summary(
        state, Summary("Talk.", (), window[1].turn_id), window[2].turn_id, more_since=None
    )
    assert not world.store.thread(chat, 3)[0].beyond
    assert world.store.thread(chat, 2)[0].beyond


def test_a_short_window_of_a_long_conversation_is_read_in_one_small_page(world: World) -> None:
    world.say(60)
    state, window = world.thread()
    world.store.keep_summary(
        state, Summary("Talk.", (), window[49].turn_id), window[50].turn_id, more_since=None
    )
    limits: list[int] = []
    world.dynamodb.meta.events.register(
        "provide-client-params.dynamodb.Query", lambda params, **_: limits.append(params["Limit"])
    )
    _, window = world.store.thread(world.chat.conversation_id, WINDOW.most)
    assert len(window) == 10
    assert limits == [WINDOW.high + 2]


@pytest.mark.parametrize(
    "written, kept",
    [
        ("Called Marmalade. Reach them at +49 30 901820.", "Called Marmalade."),
        ("Called Marmalade. Call ⟦phone:aaaaaaaaaaaaaaaa⟧.", "Called Marmalade."),
        ("Called Marmalade, see https://evil.example/x.", None),
    ],
)
def test_what_a_model_invents_is_in_no_summary(world: World, written: str, kept: str | None) -> None:
    world.say(6)
    world.model.text = written
    with suppress(ModelError):
        world.work()
    summary = world.thread()[0].summary
    assert (summary.text if summary else None) == kept
    assert not summary or not summary.entities


@pytest.mark.parametrize("scope", ["conversation", "everything"])
def test_what_was_erased_meanwhile_gets_no_summary(world: World, scope: str) -> None:
    world.say(6)

    def erase() -> None:
        erasure = Erasure(world.repository, world.clock)
        if scope == "everything":
            erasure.everything()
        else:
            erasure.conversation(world.chat.conversation_id)

    world.model.during = erase
    world.work()
    rows = world.dynamodb.scan(TableName=f"{world.prefix}-memory")["Items"]
    assert not any("summary" in row for row in rows)
    world.model.during = lambda: None
    world.work()
    assert len(world.model.given) == 1


def test_a_window_that_grew_long_is_cut_in_steps_each_small_enough_for_a_call(world: World) -> None:
    world.say(14, answer="words " * 1600)  # about 2,400 tokens a turn: three fit
    world.work()
    while world.sent:
        assert world.marked()
        world.sent.clear()
        world.work()
    assert not world.marked()
    assert [len(names([told])) for told in world.model.given] == [3, 3, 3]
    assert names(world.model.given) == named(1, 9)
    assert world.window() == named(10, 14)


def test_a_mark_is_sent_again_until_it_is_given_up(world: World) -> None:
    world.say(6)
    outbox = Outbox(Database(world.dynamodb, world.prefix, world.clock))
    assert outbox.renew(world.job, NOON, most=1) is Renewed.SEND
    assert outbox.renew(world.job, NOON, most=1) is Renewed.GIVEN_UP
    assert not world.marked()


def test_a_summary_comes_back_as_it_was_stored_and_is_not_readable_in_the_table(world: World) -> None:
    world.say(6)
    summary = Summary(
        "Marmalade for ⟦phone:kqzxmhwbtrnvdlcs⟧ 🙂",
        ("Customer: Sandwich",),
        "tn",
        unsummarised=3,
        dropped=2,
        memorable=False,
        entities={PHONE: "0171 5550100"},
    )
    read, window = world.thread()
    assert world.store.keep_summary(read, summary, window[3].turn_id, more_since=None)
    assert world.summary() == summary
    raw = str(world.dynamodb.scan(TableName=f"{world.prefix}-memory")["Items"]).encode()
    assert not any(word in raw for word in (b"Marmalade", b"Sandwich", b"5550100", b"kqzxmhwbtrnvdlcs"))
    read, window = world.thread()
    later = Summary("Nothing.", (), "tn")
    assert world.store.keep_summary(read, later, window[1].turn_id, more_since=None)
    assert world.summary() == later


def test_a_turn_that_memory_may_not_learn_from_is_summed_up_and_told_apart(world: World) -> None:
    world.say(5)
    world.say(memory=Kept.SKIPPED)
    world.work()
    assert world.summary().memorable
    world.say(3)
    world.work()
    assert names(world.model.given) == named(1, 6)
    assert not world.summary().memorable


ACTIONS = st.lists(st.sampled_from(["say", "say", "say", "work", "fail", "give up", "twice"]), max_size=30)


def test_every_turn_is_in_the_window_or_went_into_one_summary(dynamodb: DynamoDBClient, tables: str) -> None:
    users = map(str, count())

    @settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
    @given(ACTIONS)
    def holds(actions: list[str]) -> None:
        world = World(dynamodb, tables, next(users), limits=WindowLimits(2, 4, 100_000))
        for action in actions:
            if action == "say":
                world.say()
                continue
            world.model.fails = [ModelUnavailable("down")] if action in ("fail", "give up") else []
            for _ in range(2 if action == "twice" else 1):
                with suppress(ModelUnavailable):
                    world.work(last_try=action == "give up")
        told, window = names(world.model.given), world.window()
        all_said = named(1, world.said)
        summary = world.thread()[0].summary
        assert told == [each for each in all_said if each in told]  # once each, in order
        assert not set(told) & set(window)
        assert len(all_said) - len(told) - len(window) == (summary.unsummarised if summary else 0)
        assert window == named(world.said - len(window) + 1, world.said)

    holds()
