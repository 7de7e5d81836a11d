"""Conversations and turns as the tables keep them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from noted.conversation.turn import Extraction, ExtractionStatus
from noted.errors import NotFound
from noted.facts.change import Change, adding
from noted.privacy.erasure import Erasure
from noted.store.conversations import Committed
from noted.store.database import Database
from noted.store.outbox import Outbox, Renewed
from noted.store.queue import ExtractionJob

from .builders import NOON, FixedClock, commit_extraction, conversation, fact, repository, turn

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.conversation.turn import Conversation, Turn
    from noted.store.memory import Memory
    from noted.store.repository import Repository

DONE = Extraction(ExtractionStatus.DONE)


def memory_of(repo: Repository) -> Memory:
    """What a user has who has just been seen."""
    return repo.memory(repo.admit().generation)


def begun(repo: Repository) -> tuple[Memory, Conversation, Turn]:
    """A user's memory with a conversation of one turn, which is still to be extracted."""
    repo.admit()
    memory, chat = repo.memory(1), conversation()
    memory.conversations.begin(chat)
    said = turn(chat, 1)
    memory.conversations.commit(said)
    return memory, chat, said


def test_a_turn_comes_back_as_it_was_stored(dynamodb: DynamoDBClient, tables: str) -> None:
    store = memory_of(repository(dynamodb, tables)).conversations
    chat = conversation()
    store.begin(chat)
    said = replace(
        turn(chat, 1, "¿Qué tal? 🙂\u2028"), pasted=("a mail",), recalled=("ft_x",), degraded=("embedding",)
    )
    store.commit(said)
    assert store.turn(chat.conversation_id, said.turn_id) == said
    assert store.conversation(chat.conversation_id) == chat


def test_no_text_of_a_turn_is_readable_in_the_table(dynamodb: DynamoDBClient, tables: str) -> None:
    store = memory_of(repository(dynamodb, tables)).conversations
    chat = conversation()
    store.begin(chat)
    store.commit(turn(chat, 1, "marmalade sandwich"))
    assert b"marmalade" not in str(dynamodb.scan(TableName=f"{tables}-memory")["Items"]).encode()


def test_the_thread_is_the_window_oldest_first(dynamodb: DynamoDBClient, tables: str) -> None:
    store = memory_of(repository(dynamodb, tables)).conversations
    chat, other = conversation(), conversation(1)
    store.begin(chat)
    store.begin(other)
    turns = [turn(chat, number, f"message {number}") for number in range(1, 8)]
    for each in turns:
        store.commit(each)
    store.commit(turn(other, 9))
    assert store.thread(chat.conversation_id, 20) == (chat, turns)
    assert store.thread(chat.conversation_id, 3)[1] == turns[-3:]


def test_large_turns_are_read_on_over_pages_of_a_megabyte(dynamodb: DynamoDBClient, tables: str) -> None:
    store = memory_of(repository(dynamodb, tables)).conversations
    chat = conversation()
    store.begin(chat)
    turns = [turn(chat, number, f"{number} " + "x" * 120_000) for number in range(1, 21)]
    for each in turns:
        store.commit(each)
    assert [each.message for each in store.thread(chat.conversation_id, 20)[1]] == [t.message for t in turns]
    assert len(store.turns(chat.conversation_id, 100, None).items) == 20


def test_turns_and_conversations_page_without_gaps(dynamodb: DynamoDBClient, tables: str) -> None:
    store = memory_of(repository(dynamodb, tables)).conversations
    chats = [conversation(number) for number in range(7)]
    for chat in chats:
        store.begin(chat)
    for number in range(1, 8):
        store.commit(turn(chats[0], number))
    seen, after = [], None
    while True:
        page = store.page(3, after)
        seen += page.items
        if (after := page.after) is None:
            break
    assert [each.conversation_id for each in seen] == [each.conversation_id for each in reversed(chats)]
    first = store.turns(chats[0].conversation_id, 7, None)
    assert (len(first.items), first.after) == (7, None)
    assert len(store.turns(chats[0].conversation_id, 6, None).items) == 6


@pytest.mark.parametrize("of_another", [False, True])
def test_what_is_not_there_and_what_is_anothers_look_the_same(
    dynamodb: DynamoDBClient, tables: str, of_another: bool
) -> None:
    chat = conversation()
    if of_another:
        repository(dynamodb, tables, "bob").memory(1).conversations.begin(chat)
    store = memory_of(repository(dynamodb, tables, "alice")).conversations
    with pytest.raises(NotFound):
        store.conversation(chat.conversation_id)
    with pytest.raises(NotFound):
        store.thread(chat.conversation_id, 20)
    with pytest.raises(NotFound):
        store.turns(chat.conversation_id, 20, None)
    with pytest.raises(NotFound):
        store.commit(turn(chat, 1))


def test_what_has_expired_is_gone_before_it_is_deleted(dynamodb: DynamoDBClient, tables: str) -> None:
    clock = FixedClock()
    store = memory_of(repository(dynamodb, tables, clock=clock)).conversations
    chat = conversation()
    store.begin(chat)
    said = turn(chat, 1)
    store.commit(said)
    clock.at = NOON + timedelta(days=90)
    with pytest.raises(NotFound):
        store.turn(chat.conversation_id, said.turn_id)
    assert store.page(10, None).items == []
    assert len(dynamodb.scan(TableName=f"{tables}-memory")["Items"]) == 3


def test_an_extraction_is_committed_once(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    memory, _, said = begun(repo)
    kept = fact("Lives in Porto")
    extraction = replace(DONE, facts=(kept.fact_id,), dropped={"question": 1})
    commit = partial(commit_extraction, memory.conversations)
    assert commit(said, extraction, adding(kept)) is Committed.WRITTEN
    assert commit(said, DONE, adding(fact("Lives in Porto, in other words"))) is Committed.ALREADY
    assert memory.facts.all() == [kept]
    assert memory.conversations.extraction(said.turn_id) == extraction


def test_an_extraction_of_an_erased_generation_writes_nothing(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    memory, _, said = begun(repo)
    Erasure(repo, FixedClock()).everything()
    assert commit_extraction(memory.conversations, said, DONE, adding(fact("Has a cat"))) is Committed.FENCED
    assert memory.facts.all() == []
    assert repo.memory(2).facts.all() == []


def test_an_extraction_of_an_erased_conversation_writes_nothing(
    dynamodb: DynamoDBClient, tables: str
) -> None:
    repo = repository(dynamodb, tables)
    memory, chat, said = begun(repo)
    Erasure(repo, FixedClock()).conversation(chat.conversation_id)
    assert commit_extraction(memory.conversations, said, DONE, adding(fact("Has a cat"))) is Committed.GONE
    assert memory.facts.all() == []


def test_a_failure_is_noted_and_a_later_success_replaces_it(dynamodb: DynamoDBClient, tables: str) -> None:
    memory, _, said = begun(repository(dynamodb, tables))
    store = memory.conversations
    store.note_failure(said, "ModelUnavailable")
    failed = store.extraction(said.turn_id)
    assert failed is not None
    assert (failed.status, failed.error_type) == (ExtractionStatus.FAILED, "ModelUnavailable")
    assert commit_extraction(store, said, DONE, Change()) is Committed.WRITTEN
    store.note_failure(said, "ModelUnavailable")
    assert store.extraction(said.turn_id) == DONE


def test_the_outbox_finds_turns_until_they_are_extracted(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    repo.admit()
    store = repo.memory(1).conversations
    chat = conversation()
    store.begin(chat)
    turns = [turn(chat, number) for number in range(1, 4)]
    for each in turns:
        store.commit(each)
    outbox = Outbox(Database(dynamodb, tables, FixedClock()))
    assert outbox.waiting(NOON - timedelta(seconds=1)) == []
    found = outbox.waiting(NOON)
    assert {job.turn_id for job in found if isinstance(job, ExtractionJob)} == {t.turn_id for t in turns}
    assert {(job.principal, job.generation) for job in found} == {(repo.principal, 1)}
    commit_extraction(store, turns[0], DONE, Change())
    store.unmark(turns[1])
    [left] = outbox.waiting(NOON)
    assert isinstance(left, ExtractionJob)
    assert left.turn_id == turns[2].turn_id


def test_a_mark_that_was_sent_again_is_left_alone_for_a_while_and_given_up_in_the_end(
    dynamodb: DynamoDBClient, tables: str
) -> None:
    store = memory_of(repository(dynamodb, tables)).conversations
    chat = conversation()
    store.begin(chat)
    store.commit(turn(chat, 1))
    outbox = Outbox(Database(dynamodb, tables, FixedClock()))
    [job] = outbox.waiting(NOON)
    assert outbox.renew(job, NOON + timedelta(minutes=2), most=2) is Renewed.SEND
    assert outbox.waiting(NOON + timedelta(minutes=1)) == []
    assert outbox.renew(job, NOON, most=2) is Renewed.SEND
    assert outbox.renew(job, NOON, most=2) is Renewed.GIVEN_UP
    assert outbox.renew(job, NOON, most=2) is Renewed.DONE
    assert outbox.waiting(NOON + timedelta(days=1)) == []
