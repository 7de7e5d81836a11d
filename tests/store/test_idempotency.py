"""Idempotency keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from noted.errors import Conflict, InvalidRequest
from noted.store.idempotency import Claim, Done

from .builders import FixedClock, conversation, repository

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def test_the_same_key_does_the_work_once(dynamodb: DynamoDBClient, tables: str) -> None:
    memory = repository(dynamodb, tables).memory(1)
    keys, chat = memory.idempotency, conversation()
    claim = keys.claim("key", "POST /x")
    assert isinstance(claim, Claim)
    with pytest.raises(Conflict):
        keys.claim("key", "POST /x")
    memory.conversations.begin(chat, [keys.done(claim, {"conversation_id": chat.conversation_id})])
    assert keys.claim("key", "POST /x") == Done({"conversation_id": chat.conversation_id})
    with pytest.raises(InvalidRequest):
        keys.claim("key", "POST /y")


def test_a_key_is_one_users(dynamodb: DynamoDBClient, tables: str) -> None:
    assert isinstance(repository(dynamodb, tables, "alice").memory(1).idempotency.claim("key", "a"), Claim)
    assert isinstance(repository(dynamodb, tables, "bob").memory(1).idempotency.claim("key", "b"), Claim)


def test_a_key_whose_work_failed_can_be_used_again(dynamodb: DynamoDBClient, tables: str) -> None:
    keys = repository(dynamodb, tables).memory(1).idempotency
    claim = keys.claim("key", "POST /x")
    assert isinstance(claim, Claim)
    keys.release(claim)
    with pytest.raises(InvalidRequest):
        keys.claim("key", "POST /y")
    assert isinstance(keys.claim("key", "POST /x"), Claim)


def test_the_claim_of_a_dead_request_runs_out_and_cannot_be_ended_any_more(
    dynamodb: DynamoDBClient, tables: str
) -> None:
    clock = FixedClock()
    memory = repository(dynamodb, tables, clock=clock).memory(1)
    dead = memory.idempotency.claim("key", "POST /x")
    assert isinstance(dead, Claim)
    clock.forward(seconds=61)
    assert isinstance(memory.idempotency.claim("key", "POST /x"), Claim)
    memory.idempotency.release(dead)
    with pytest.raises(Conflict):
        memory.idempotency.claim("key", "POST /x")
    with pytest.raises(Conflict):
        memory.conversations.begin(conversation(), [memory.idempotency.done(dead, {})])
    assert memory.conversations.page(10, None).items == []


def test_a_key_means_something_new_after_a_day(dynamodb: DynamoDBClient, tables: str) -> None:
    clock = FixedClock()
    memory = repository(dynamodb, tables, clock=clock).memory(1)
    claim = memory.idempotency.claim("key", "POST /x")
    assert isinstance(claim, Claim)
    memory.conversations.begin(conversation(), [memory.idempotency.done(claim, {})])
    clock.forward(hours=24)
    assert isinstance(memory.idempotency.claim("key", "POST /y"), Claim)
