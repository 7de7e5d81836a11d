"""Data keys: one a user and generation, made once, kept for a while, and gone for good."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from noted.errors import EpochChanged, KeyLost
from noted.identity import Principal
from noted.privacy.erasure import Erasure
from noted.privacy.sealing import CannotOpen, Place
from noted.retention import Retention
from noted.store import keys
from noted.store.caches import Caches
from noted.store.key_cache import KeyCache
from noted.store.repository import Deployment, Repository
from tests.wrapping import MemoryWrapper

from .builders import NOON, SECRETS, FixedClock, conversation, principal, turn

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.store.memory import Memory

ALICE = principal("alice")
PLACE = Place("memory", "a", "b", "c")


class World:
    """One deployment; each process of it has caches of its own."""

    def __init__(self, dynamodb: DynamoDBClient, prefix: str) -> None:
        self.dynamodb = dynamodb
        self.prefix = prefix
        self.wrapper = MemoryWrapper()
        self.clock = FixedClock()
        self.caches = Caches()

    def repository(self, who: Principal = ALICE, caches: Caches | None = None) -> Repository:
        deployment = Deployment(
            self.prefix, SECRETS, Retention(), self.clock, self.wrapper, caches or self.caches
        )
        return Repository(self.dynamodb, deployment, who)

    def reading(self, caches: Caches | None = None) -> Memory:
        repository = self.repository(caches=caches)
        return repository.memory(repository.standing().generation)

    def writing(self, who: Principal = ALICE, caches: Caches | None = None) -> Memory:
        repository = self.repository(who, caches)
        return repository.memory(repository.admit().generation)

    def key_rows(self) -> list[str]:
        found = self.dynamodb.scan(TableName=f"{self.prefix}-keys")["Items"]
        return sorted(item["pk"]["S"] for item in found)

    def lose(self) -> None:
        for partition in self.key_rows():
            key = {"pk": {"S": partition}, "sk": {"S": keys.KEY}}
            self.dynamodb.delete_item(TableName=f"{self.prefix}-keys", Key=key)


@pytest.fixture
def world(dynamodb: DynamoDBClient, tables: str) -> World:
    return World(dynamodb, tables)


def test_a_user_gets_one_key_a_generation_which_every_process_opens(world: World) -> None:
    sealed = world.writing().sealer.seal(b"tea", PLACE)
    assert world.key_rows() == [f"{ALICE.owner}#g1"]
    assert world.reading(Caches()).sealer.open(sealed, PLACE) == b"tea"
    assert world.writing(caches=Caches()).sealer.open(sealed, PLACE) == b"tea"
    assert world.key_rows() == [f"{ALICE.owner}#g1"]


def test_neither_another_user_nor_another_generation_opens_it(world: World) -> None:
    sealed = world.writing().sealer.seal(b"tea", PLACE)
    for other in (world.writing(principal("bob")), _next_generation(world)):
        other.sealer.seal(b"coffee", PLACE)
        with pytest.raises(CannotOpen):
            other.sealer.open(sealed, PLACE)
    assert len(world.key_rows()) >= 2


def _next_generation(world: World) -> Memory:
    Erasure(world.repository(), world.clock).everything()
    return world.writing()


def test_a_reader_makes_no_key(world: World) -> None:
    memory = world.reading()
    assert len(memory.sealer.blind("phone", "1")) == 32
    with pytest.raises(CannotOpen):
        memory.sealer.open(b"\x01" + bytes(40), PLACE)
    assert world.key_rows() == []


def test_what_a_writer_compares_by_is_the_same_in_the_next_request(world: World) -> None:
    mark = world.writing().sealer.blind("phone", "1")
    assert world.reading(Caches()).sealer.blind("phone", "1") == mark


def test_of_two_processes_that_make_the_key_at_once_both_have_the_same(world: World) -> None:
    one, other = world.writing(caches=Caches()), world.writing(caches=Caches())
    # Both have looked before either has made one.
    assert world.key_rows() == []
    sealed = one.sealer.seal(b"tea", PLACE)
    assert other.sealer.open(sealed, PLACE) == b"tea"
    assert one.sealer.open(other.sealer.seal(b"milk", PLACE), PLACE) == b"milk"


def test_a_late_writer_of_a_generation_that_is_over_makes_no_key(world: World) -> None:
    late = world.writing()
    Erasure(world.repository(), world.clock).everything()
    with pytest.raises(EpochChanged):
        late.sealer.seal(b"tea", PLACE)
    assert world.key_rows() == []


def test_a_key_that_is_gone_is_told_and_never_made_again(world: World) -> None:
    memory = world.writing()
    chat = conversation()
    memory.conversations.begin(chat)
    memory.conversations.commit(turn(chat, 1))
    world.lose()
    for lost in (world.reading(Caches()), world.writing(caches=Caches())):
        with pytest.raises(KeyLost):
            lost.conversations.thread(chat.conversation_id, 10)
        with pytest.raises(KeyLost):
            lost.sealer.seal(b"milk", PLACE)
        with pytest.raises(KeyLost):
            lost.sealer.blind("phone", "1")
    assert world.key_rows() == []
    # Erasing needs no key, and after it the user begins anew.
    anew = _next_generation(world)
    assert anew.sealer.open(anew.sealer.seal(b"milk", PLACE), PLACE) == b"milk"


def test_a_wrapped_key_that_was_moved_to_another_user_opens_nothing(world: World) -> None:
    world.writing().sealer.seal(b"tea", PLACE)
    bob = principal("bob")
    world.writing(bob).sealer.seal(b"tea", PLACE)
    table = f"{world.prefix}-keys"
    mine = {"pk": {"S": f"{ALICE.owner}#g1"}, "sk": {"S": keys.KEY}}
    item = world.dynamodb.get_item(TableName=table, Key=mine)["Item"]
    world.dynamodb.put_item(TableName=table, Item=item | {"pk": {"S": f"{bob.owner}#g1"}})
    with pytest.raises(KeyLost):
        world.writing(bob, Caches()).sealer.seal(b"milk", PLACE)


def test_a_key_is_unwrapped_once_in_five_minutes(world: World) -> None:
    world.writing().sealer.seal(b"tea", PLACE)
    caches = Caches()
    before = world.wrapper.unwrapped
    for _ in range(3):
        world.reading(caches).sealer.seal(b"milk", PLACE)
    assert world.wrapper.unwrapped == before + 1
    world.clock.forward(minutes=5)
    world.reading(caches).sealer.seal(b"milk", PLACE)
    assert world.wrapper.unwrapped == before + 2


class TestKeyCache:
    """What a warm function keeps."""

    def test_it_keeps_no_more_than_it_may_and_lets_go_of_the_oldest(self) -> None:
        cache = KeyCache(most=2)
        for number in range(3):
            cache.put(f"user {number}", 1, bytes([number]), NOON)
        assert [cache.get(f"user {number}", 1, NOON) for number in range(3)] == [None, b"\x01", b"\x02"]

    def test_a_new_generation_takes_the_old_key_out(self) -> None:
        cache = KeyCache()
        cache.put("alice", 1, b"old", NOON)
        assert cache.get("alice", 2, NOON) is None
        assert cache.get("alice", 1, NOON) is None
        cache.put("alice", 2, b"new", NOON)
        cache.put("alice", 1, b"old", NOON)  # a worker that began before
        assert (cache.get("alice", 2, NOON), cache.get("alice", 1, NOON)) == (b"new", None)

    def test_a_key_is_kept_for_five_minutes_and_not_before_its_time(self) -> None:
        cache = KeyCache()
        cache.put("alice", 1, b"key", NOON)
        assert cache.get("alice", 1, NOON + timedelta(seconds=299)) == b"key"
        assert cache.get("alice", 1, NOON + timedelta(seconds=300)) is None
        cache.put("alice", 1, b"key", NOON)
        assert cache.get("alice", 1, NOON - timedelta(seconds=1)) is None
