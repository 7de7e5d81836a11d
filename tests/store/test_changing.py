"""Changes of facts in the tables: made once, on the condition that nothing changed meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import boto3
import pytest

from noted.errors import EpochChanged, ModelUnavailable
from noted.facts.change import Altered, Change, Stored
from noted.facts.consolidating import Consolidation
from noted.facts.fact import Fact, Source, Verdict
from noted.facts.live import live
from noted.facts.reindexing import reindex
from noted.facts.sameness import same_mark
from noted.identity import Principal
from noted.privacy.erasure import Erasure
from noted.recall import vectors
from noted.retention import Retention
from noted.store.changing import FactsChanged
from noted.store.database import Database
from noted.store.memory import Memory
from noted.store.repository import Repository
from noted.store.tables import create_tables
from noted.store.unembedded import Unembedded

from .builders import NOON, FixedClock, conversation, fact, repository
from .test_facts import given

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.dynamodb import DynamoDBLocal

LATER = NOON + timedelta(days=1)
CHATS = {number: conversation(number) for number in (1, 2)}


@pytest.fixture
def memory(dynamodb: DynamoDBClient, tables: str) -> Memory:
    repo = repository(dynamodb, tables)
    repo.admit()
    return repo.memory(1)


def marked(memory: Memory, new: Fact) -> Fact:
    return replace(new, same=same_mark(memory.sealer, new.kind, new.text))


def said(memory: Memory, text: str, number: int = 0, chat: int = 1, **more: object) -> Fact:
    source = Source(CHATS[chat].conversation_id, f"tn_{number}", text)
    return marked(memory, fact(text, number, source=source, **more))


def learn(memory: Memory, *statements: Fact) -> Change:
    consolidation = Consolidation(statements, LATER, Retention(), None)
    return memory.facts.settled(consolidation, memory.facts.apply)[0]


def test_what_is_said_again_is_one_row_that_is_confirmed(memory: Memory) -> None:
    first, again = said(memory, "Has a cat", 1), said(memory, "has a cat!", 90)
    learn(memory, first)
    change = learn(memory, again)
    [row] = memory.facts.all()
    assert change.kept == (row,)
    assert row == replace(
        first,
        last_confirmed_at=again.created_at,
        expires_at=Retention().fact("other", LATER),
        kept_at=LATER,
        provenance="said",
    )


def test_a_richer_text_ends_the_poorer_one(memory: Memory) -> None:
    poorer, richer = said(memory, "Has a dog", 1), said(memory, "Has a brown dog", 9)
    learn(memory, poorer)
    learn(memory, richer)
    by_id = {each.fact_id: each for each in memory.facts.all()}
    assert by_id[poorer.fact_id].superseded_by == richer.fact_id
    assert by_id[poorer.fact_id].valid_until == richer.created_at
    assert by_id[richer.fact_id].supersedes == poorer.fact_id
    assert live(memory.facts.all(), LATER) == [by_id[richer.fact_id]]


def test_times_that_are_altered_stand_above_those_that_were_sealed(memory: Memory) -> None:
    old = said(memory, "Has a cat", 50, valid_from=NOON + timedelta(seconds=40))
    learn(memory, old)
    learn(memory, said(memory, "Has a cat", 10))
    [row] = memory.facts.all()
    assert (row.valid_from, row.created_at) == (NOON + timedelta(seconds=10), old.created_at)


def test_a_change_of_facts_that_have_changed_writes_nothing(memory: Memory) -> None:
    stored = memory.facts.stored()
    assert stored == Stored(0)
    memory.facts.apply(Change(stored.revision, added=(said(memory, "Has a cat", 1),)))
    with pytest.raises(FactsChanged):
        memory.facts.apply(Change(stored.revision, added=(said(memory, "Has a dog", 2),)))
    assert memory.facts.stored().revision == 1
    assert [each.text for each in memory.facts.all()] == ["Has a cat"]
    memory.facts.apply(Change(1, added=(said(memory, "Has a dog", 3),)))
    assert memory.facts.stored().revision == 2


def altering(memory: Memory, before: Fact) -> Change:
    after = replace(before, last_confirmed_at=LATER)
    return Change(memory.facts.stored().revision, altered=(Altered(before, after),))


def test_a_fact_that_was_judged_meanwhile_is_not_altered(memory: Memory) -> None:
    cat = said(memory, "Has a cat", 1)
    learn(memory, cat)
    [read] = memory.facts.all()
    change = altering(memory, read)
    memory.facts.judge(read, given(read.fact_id, Verdict.REJECTED, 7), None)
    with pytest.raises(FactsChanged):
        memory.facts.apply(change)
    [row] = memory.facts.all()
    assert row.last_confirmed_at == cat.last_confirmed_at
    memory.facts.apply(altering(memory, row))


def test_nor_one_that_was_erased(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    repo.admit()
    memory = repo.memory(1)
    learn(memory, said(memory, "Has a cat", 1))
    [read] = memory.facts.all()
    change = altering(memory, read)
    Erasure(repo, FixedClock()).fact(read.fact_id)
    with pytest.raises(FactsChanged):
        memory.facts.apply(change)
    assert memory.facts.all() == []


def test_nothing_is_changed_behind_the_fence(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    repo.admit()
    memory = repo.memory(1)
    learn(memory, said(memory, "Has a cat", 1))
    change = altering(memory, memory.facts.all()[0])
    Erasure(repo, FixedClock()).everything()
    with pytest.raises(EpochChanged):
        memory.facts.apply(change)
    with pytest.raises(EpochChanged):
        learn(memory, said(memory, "Has a dog", 2))


def test_workers_that_hear_the_same_at_once_keep_it_once(
    dynamodb_local: DynamoDBLocal, table_prefix: str
) -> None:
    # Moto takes one request at a time. All have read before the first one writes.
    dynamodb = boto3.client("dynamodb", region_name="eu-west-1", endpoint_url=dynamodb_local.endpoint)
    create_tables(dynamodb, table_prefix)
    tables = table_prefix
    repo = repository(dynamodb, tables)
    repo.admit()
    meeting = threading.Barrier(4, timeout=30)

    class Meeting(Consolidation):
        met = False

        def change(self, stored: Stored) -> Change:
            change = super().change(stored)
            if not self.met:
                self.met = True
                meeting.wait()
            return change

    def work(number: int) -> None:
        memory = repository(dynamodb, tables).memory(1)
        statements = [said(memory, "Has a cat", number), said(memory, f"Owns book {number}", number)]
        consolidation = Meeting(statements, LATER, Retention(), None)
        memory.facts.settled(consolidation, memory.facts.apply)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    kept = [each.text for each in repo.memory(1).facts.all()]
    assert sorted(kept) == ["Has a cat", *(f"Owns book {number}" for number in range(4))]
    dynamodb.close()


class TestErasure:
    @pytest.fixture
    def repo(self, dynamodb: DynamoDBClient, tables: str) -> Repository:
        repo = repository(dynamodb, tables)
        repo.admit()
        memory = repo.memory(1)
        for chat in (1, 2):
            memory.conversations.begin(CHATS[chat])
            learn(memory, said(memory, "Has a cat", 10 * chat, chat))
        assert len(memory.facts.all()) == 1
        return repo

    def test_a_fact_of_two_conversations_outlives_either(self, repo: Repository) -> None:
        memory, erasure = repo.memory(1), Erasure(repo, FixedClock())
        erasure.conversation(CHATS[1].conversation_id)
        [left] = memory.facts.all()
        assert left.source is not None
        assert left.source.conversation_id == CHATS[2].conversation_id
        erasure.conversation(CHATS[2].conversation_id)
        assert memory.facts.all() == []

    def test_it_does_not_outlive_its_own_erasure(self, repo: Repository) -> None:
        memory = repo.memory(1)
        [row] = memory.facts.all()
        Erasure(repo, FixedClock()).fact(row.fact_id)
        assert memory.facts.all() == []

    def test_nor_a_rejection(self, repo: Repository) -> None:
        memory = repo.memory(1)
        [row] = memory.facts.all()
        memory.facts.judge(row, given(row.fact_id, Verdict.REJECTED, 7), None)
        Erasure(repo, FixedClock()).conversation(CHATS[1].conversation_id)
        assert live(memory.facts.all(), LATER) == []

    def test_a_verdict_stands_without_the_copy(self, repo: Repository) -> None:
        memory = repo.memory(1)
        [row] = memory.facts.all()
        Erasure(repo, FixedClock()).conversation(CHATS[2].conversation_id)
        verdict = given(row.fact_id, Verdict.REJECTED, 7)
        memory.facts.judge(row, verdict, None)
        [judged] = memory.facts.all()
        assert judged.latest_verdict == verdict


class Embeds:
    """An embedder that can be down, and that refuses one text."""

    name = "one"

    def __init__(self) -> None:
        self.down = False
        self.asked: list[str] = []

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        if self.down:
            raise ModelUnavailable("timeout")
        if "refused" in texts[0]:
            raise ValueError
        return [[1.0, 2.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_facts([text])[0]


class TestReindex:
    @pytest.fixture
    def reindexed(self, dynamodb: DynamoDBClient, tables: str) -> Callable[[], int]:
        unembedded = Unembedded(Database(dynamodb, tables, FixedClock()))

        def of(principal: Principal) -> Repository:
            owner = {repository(dynamodb, tables, name).principal: name for name in ("alice", "bob")}
            return repository(dynamodb, tables, owner[principal])

        self.embedder = Embeds()
        return lambda: reindex(unembedded, of, self.embedder, LATER)

    def test_facts_without_a_vector_get_one(
        self, dynamodb: DynamoDBClient, tables: str, reindexed: Callable[[], int]
    ) -> None:
        memories = []
        for name in ("alice", "bob"):
            repo = repository(dynamodb, tables, name)
            repo.admit()
            memories.append(repo.memory(1))
        alice, bob = memories
        learn(alice, said(alice, "Has a cat", 1), said(alice, "Is refused", 2))
        embedded = said(bob, "Has it", 2, vector=vectors.pack([3.0, 1.0]), embedder="another")
        learn(bob, said(bob, "Has a dog", 1), embedded)
        learn(alice, said(alice, "Has a cat", 30))
        before = {each.fact_id: each for memory in memories for each in memory.facts.all()}
        self.embedder.down = True
        assert reindexed() == 0
        assert len(self.embedder.asked) == 1
        self.embedder.down = False
        self.embedder.asked.clear()
        assert reindexed() == 2
        assert sorted(self.embedder.asked) == ["Has a cat", "Has a dog", "Is refused"]
        for memory in memories:
            for row in memory.facts.all():
                expected = before[row.fact_id]
                if expected.text in ("Has a cat", "Has a dog"):
                    expected = replace(expected, vector=vectors.pack([1.0, 2.0]), embedder="one")
                assert row == expected
        assert reindexed() == 0
        assert len(self.embedder.asked) == 3

    def test_what_was_erased_is_left_alone(
        self, dynamodb: DynamoDBClient, tables: str, reindexed: Callable[[], int]
    ) -> None:
        repo = repository(dynamodb, tables)
        repo.admit()
        learn(repo.memory(1), said(repo.memory(1), "Has a cat", 1))
        Erasure(repo, FixedClock()).everything()
        assert reindexed() == 0
        assert self.embedder.asked == []
        assert repo.memory(2).facts.all() == []
