"""The shortest stories that run into the walls by which promises are kept, one for each. A story ends well as
long as its wall stands; `tests/mutations` takes the walls down one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from noted.privacy.gate import Decision, Outcome, Reason
from noted.privacy.wrapping import CannotUnwrap
from tests.dynamodb_double import Operation
from tests.stateful import checks
from tests.stateful.client import Conversation, Request
from tests.stateful.machine import Service
from tests.stateful.models import words_in
from tests.stateful.oracle import Word
from tests.stateful.service import PREFIX, Message, Plan, Reply


class Alice:
    """One user of a service, led by hand."""

    def __init__(self) -> None:
        self.machine = Service()
        self.clients, self.service = self.machine.clients, self.machine.service
        self.machine.begin()

    @property
    def chat(self) -> Conversation:
        return self.clients.mine("alice")[0]

    @property
    def word(self) -> Word:
        """The last that was told."""
        return list(self.clients.oracle.words.values())[-1]

    def look(self) -> None:
        """Raises AssertionError when anything is not as she was told."""
        self.machine.all_is_as_told()

    def sent(self, request: Request, plan: Plan | None = None) -> Reply:
        """The answer to a request, after which everything is looked at."""
        reply = self.clients.send(request, plan)
        assert reply is not None
        self.look()
        return reply

    def told(self) -> Word:
        """A fact of her own telling."""
        assert self.sent(self.clients.tell("alice")).status == 201
        return self.word

    def erased(self) -> None:
        """An erasure of everything."""
        self.clients.send(self.clients.erase_everything("alice", officer=False))

    def rows(self, table: str, beginning: str) -> list[tuple[str, str]]:
        """The keys of her rows whose sort key begins so."""
        rows = checks.rows_of(self.clients, "alice")
        return [key[1:] for key in rows if key[0] == table and key[2].startswith(beginning)]


@contextmanager
def alice() -> Iterator[Alice]:
    """A story of Alice. When it has been told all work is done, and nothing may be left of what is gone."""
    story = Alice()
    ended = False
    try:
        yield story
        story.look()
        ended = True
    finally:
        if not ended:
            story.clients.wrong.append("the story broke off")
        story.machine.teardown()


def _commits(beginning: str) -> Callable[[Operation], bool]:
    """Chooses the transaction that writes a row whose sort key begins so."""
    return lambda operation: (
        operation.name == "transact_write_items"
        and f"'sk': {{'S': '{beginning}" in repr(operation.parameters)
    )


def a_writer_that_is_late_is_refused() -> None:
    """Everything is erased just before a fact is committed: it is refused, and no fact is written."""
    with alice() as story:
        plan = Plan(work=story.erased, when=_commits("FACT#"))
        assert story.sent(story.clients.tell("alice"), plan).status == 409
        assert story.rows("memory", "FACT#") == []


def what_lands_behind_the_first_sweep_is_swept() -> None:
    """A conversation is begun, and committed after its generation was erased and swept: nothing of it is left
    in the end."""
    with alice() as story:

        def erased_and_swept() -> None:
            story.erased()
            story.clients.scheduled("erasure", "run-erasures")

        begun = story.clients.begin("alice", private=False)
        begun.key = None  # the claim of a key is swept too, and a writer that has lost its claim stops
        story.clients.send(begun, Plan(work=erased_and_swept, when=_commits("CONV#")))
        assert story.rows("memory", "CONV#") != []


def a_client_that_was_away_brings_nothing_back() -> None:
    """A client sends again what was not answered before an erasure."""
    with alice() as story:
        assert story.clients.send(story.clients.say(story.chat, "remember"), Plan(1, crash="before")) is None
        story.erased()
        assert story.sent(story.clients.unanswered.pop()).status == 409


def a_turn_is_learnt_from_once() -> None:
    """A fact is erased, and the message that it was learnt from is delivered again."""
    with alice() as story:
        story.sent(story.clients.say(story.chat, "tea"))
        message = story.service.queue.pop()
        story.clients.deliver(Message(message.body))
        story.look()
        assert story.sent(story.clients.erase_fact(story.word)).status == 202
        story.clients.deliver(Message(message.body))


def what_has_expired_is_not_there() -> None:
    """A fact whose time is over, and whose row still lies there."""
    with alice() as story:
        story.told()
        story.service.clock.forward(days=6)
        story.look()
        assert story.rows("memory", "FACT#") != []


def what_was_rejected_is_not_told() -> None:
    """A verdict takes a fact out of every list at once."""
    with alice() as story:
        fact = story.told()
        assert story.sent(story.clients.judge(fact, "rejected")).status == 201
        checks.recall_finds(story.clients, "alice", fact)


def what_was_sealed_opens_at_its_place_alone() -> None:
    """The contents of two rows are exchanged: neither is shown in the place of the other."""
    with alice() as story:
        story.told()
        story.told()
        facts = {each.fact_id: each.word for each in story.clients.oracle.of("alice")}
        one, other = story.rows("memory", "FACT#")
        table, database = f"{PREFIX}-memory", story.service.database
        items = {
            key: database.get_item(TableName=table, Key={"pk": {"S": key[0]}, "sk": {"S": key[1]}})["Item"]
            for key in (one, other)
        }
        before = database.copy()
        for key, source in ((one, other), (other, one)):
            database.put_item(TableName=table, Item={**items[key], "content": items[source]["content"]})
        shown = story.service.ask("GET", "/v1/facts?status=all&limit=100", "alice")
        for fact in shown.body["items"] if shown.status == 200 else ():
            assert words_in(fact["text"]) == [facts[fact["fact_id"]]]
        database.restore(before)
        story.service.clock.forward(minutes=6)
        story.machine.run_erasures(fault=None)


def what_is_held_is_not_told() -> None:
    """A fact that the write gate finds doubtful is in no list of live facts, and in no prompt."""
    held = Decision(Outcome.HOLD, Reason.NOT_OWN_WORDS)
    with alice() as story, patch("noted.facts.gating.judge", lambda *_, **__: held):
        story.clients.send(story.clients.tell("alice"))
        told = story.word
        told.live, told.learns = type(told.live).NO, False
        story.look()
        story.sent(story.clients.begin("alice", private=False))
        story.sent(story.clients.ask(story.clients.mine("alice")[-1]))


def an_answer_links_nowhere() -> None:
    """A link that nobody typed does not reach the user."""
    with alice() as story:
        story.service.answer = "As you like. ![](https://collect.example/p?d=1)"
        reply = story.sent(story.clients.say(story.chat, "tea"))
        assert reply.status == 201
        assert "collect.example" not in reply.text


def a_key_is_destroyed_first() -> None:
    """After the first pass over an erasure the data key opens nothing any more, not even out of a backup."""
    with alice() as story:
        story.told()
        database, table = story.service.database, f"{PREFIX}-keys"
        [(partition, sort_key)] = story.rows("keys", "")
        place = {"pk": {"S": partition}, "sk": {"S": sort_key}}
        wrapped = database.get_item(TableName=table, Key=place)["Item"]["wrapped"]["B"]
        story.erased()
        story.clients.scheduled("erasure", "run-erasures")
        assert story.rows("keys", "") == []
        with pytest.raises(CannotUnwrap):
            story.service.wrapper.unwrap(wrapped, partition)


def a_restore_brings_nothing_back() -> None:
    """Rows of a backup from before an erasure, after the ledger was replayed."""
    with alice() as story:
        fact = story.told()
        story.machine.back_up()
        assert story.sent(story.clients.erase_fact(fact)).status == 202
        story.machine.restore(whole=False, replayed=False)
        story.machine.run_erasures(fault=None)


def nothing_is_served_before_the_ledger_was_replayed() -> None:
    """The same rows, before that."""
    with alice() as story:
        fact = story.told()
        story.machine.back_up()
        assert story.sent(story.clients.erase_fact(fact)).status == 202
        story.machine.restore(whole=False, replayed=False)
        story.look()


STORIES = (
    a_writer_that_is_late_is_refused,
    what_lands_behind_the_first_sweep_is_swept,
    a_client_that_was_away_brings_nothing_back,
    a_turn_is_learnt_from_once,
    what_has_expired_is_not_there,
    what_was_rejected_is_not_told,
    what_was_sealed_opens_at_its_place_alone,
    what_is_held_is_not_told,
    an_answer_links_nowhere,
    a_key_is_destroyed_first,
    a_restore_brings_nothing_back,
    nothing_is_served_before_the_ledger_was_replayed,
)
