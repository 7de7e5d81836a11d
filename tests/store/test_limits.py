"""What a user's retention does to rows that are there: nothing that it has ended is read again, by any
way."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from noted import ids
from noted.conversation.episode import Episode
from noted.errors import EpochChanged, NotFound
from noted.exporting import Position, held
from noted.facts.change import adding
from noted.facts.fact import GivenVerdict, Verdict
from noted.preferring import Wanted, limit, prefer
from noted.store.outbox import Outbox
from noted.store.queue import RetentionJob, read_job
from noted.store.tables import EXPIRY, MEMORY
from tests.store.builders import NOON, FixedClock, conversation, fact, repository, turn

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.facts.fact import Fact
    from noted.store.memory import Memory
    from noted.store.repository import Repository


def stated(text: str, at: datetime) -> Fact:
    """A fact that is kept since an instant."""
    return replace(
        fact(text),
        fact_id=ids.at(ids.FACT, at),
        created_at=at,
        last_confirmed_at=at,
        kept_at=at,
        expires_at=at + timedelta(days=365),
    )


class World:
    """One user whose things are of three days, ten days apart."""

    def __init__(self, dynamodb: DynamoDBClient, prefix: str) -> None:
        self.clock = FixedClock()
        self.dynamodb, self.prefix = dynamodb, prefix
        self.alice: Repository = repository(dynamodb, prefix, clock=self.clock)
        for day in range(3):
            self._store(day)
            self.clock.forward(days=10)
        # It is noon of day 30: the things are 30, 20 and 10 days old.

    def _store(self, day: int) -> None:
        now = self.clock.now()
        standing = self.alice.admit()
        memory = self.alice.memory(standing.generation)
        talk = conversation(at=now)
        memory.conversations.begin(talk)
        memory.conversations.commit(turn(talk, standing.sequence, at=now))
        kept = stated(f"Owns boat {day}", now)
        memory.facts.apply(adding(kept))
        verdict_id = ids.ordered(ids.VERDICT, standing.sequence)
        given = GivenVerdict(verdict_id, kept.fact_id, Verdict.CONFIRMED, now, standing.sequence)
        memory.facts.judge(kept, given, kept.expires_at)
        tail = talk.conversation_id.removeprefix(ids.CONVERSATION)
        episode = Episode(
            f"{ids.EPISODE}{tail}",
            talk.conversation_id,
            f"About boat {day}",
            now,
            now,
            now,
            now + timedelta(days=365),
        )
        assert memory.episodes.write(episode, memory.episodes.last_use(talk.conversation_id) or "")

    def set(self, days: int | None) -> None:
        """Sets the retention."""
        prefer(self.alice, self.alice.admit(), Wanted(retention_days=days), self.clock)

    def memory(self) -> Memory:
        """What a call sees."""
        return self.alice.memory(self.alice.standing().generation)

    def seen(self) -> dict[str, int]:
        """How many things of each kind every way of reading gives."""
        memory = self.memory()
        talks = memory.conversations.page(100, None).items
        facts = memory.facts.all()
        told = [thing for _, thing in held(memory, self.alice.ledger, self.clock.now(), Position())]
        names = [type(thing).__name__ for thing in told]
        return {
            "conversations": len(talks),
            "turns": sum(len(memory.conversations.thread(each.conversation_id, 20)[1]) for each in talks),
            "facts": len(facts),
            "some": len(memory.facts.some([each.fact_id for each in facts])),
            "verdicts": sum(len(memory.facts.verdicts(each.fact_id)) for each in facts),
            "episodes": len(memory.episodes.all()),
            "exported": names.count("Kept") + names.count("Judged") + names.count("Episode"),
        }


def count(number: int) -> dict[str, int]:
    """What is seen of so many days."""
    kinds = ("conversations", "turns", "facts", "some", "verdicts", "episodes")
    return dict.fromkeys(kinds, number) | {"exported": 4 * number}


@pytest.fixture
def world(dynamodb: DynamoDBClient, tables: str) -> World:
    return World(dynamodb, tables)


def test_a_shorter_retention_ends_things_at_once_and_a_longer_one_brings_none_back(world: World) -> None:
    assert world.seen() == count(3)
    world.set(25)
    assert world.seen() == count(2)
    world.clock.forward(days=5)  # the second is 25 days old
    assert world.seen() == count(1)
    # Set back before any work was done on the rows.
    world.set(None)
    assert world.seen() == count(1)
    world.set(3650)
    assert world.seen() == count(1)
    world.set(15)
    assert world.seen() == count(0)
    world.set(None)
    assert world.seen() == count(0)


def test_what_is_read_tells_the_end_that_it_has_now(world: World) -> None:
    newest = world.memory().facts.all()[0]
    world.set(25)
    [first, second] = world.memory().facts.all()
    kept: datetime = NOON + timedelta(days=20)
    assert first.fact_id == newest.fact_id
    assert first.expires_at == kept + timedelta(days=25)
    assert second.expires_at == kept + timedelta(days=15)
    gone = newest.fact_id[:13] + "0" * 16
    with pytest.raises(NotFound):
        world.memory().facts.fact(gone)


def test_the_rows_get_their_new_ends_by_a_job_that_changes_nothing_twice(world: World) -> None:
    world.set(25)
    outbox = Outbox(world.alice.database)
    [job] = [each for each in outbox.waiting(world.clock.now()) if isinstance(each, RetentionJob)]
    assert read_job(job.body()) == job
    limit(job, world.alice)
    limit(job, world.alice)
    assert not [each for each in outbox.waiting(world.clock.now()) if isinstance(each, RetentionJob)]
    # Without any limit at all, rows that were to end in a year end as the limit said.
    table = f"{world.prefix}-{MEMORY.name}"
    rows = world.dynamodb.scan(TableName=table)["Items"]
    ends = {
        row["sk"]["S"]: int(row[EXPIRY]["N"])
        for row in rows
        if row["sk"]["S"].startswith(("FACT#", "EPIS#", "CONV#", "THREAD#"))
    }
    last = int((NOON + timedelta(days=45)).timestamp())
    assert len(ends) == 3 * 5
    assert all(end <= last for end in ends.values())
    assert sum(end == last for end in ends.values()) == 5
    assert world.seen() == count(2)


def test_an_index_of_facts_tells_the_ends_that_the_limit_sets(world: World) -> None:
    memory, now = world.memory(), world.clock.now()
    old = now - timedelta(days=20)
    for start, kept_at in ((0, old), (40, now)):
        texts = [f"Knows town {number}" for number in range(start, start + 40)]
        memory.facts.apply(adding(*(stated(text, kept_at) for text in texts)))
    assert memory.index.open() is not None
    world.set(15)
    # It is given up with the old ends, and made again with the next change.
    memory = world.memory()
    assert memory.index.open() is None
    assert len(memory.facts.all()) == 40 + 1
    memory.facts.apply(adding(*(stated(f"Knows lake {number}", now) for number in range(30))))
    index = world.memory().index.open()
    assert index is not None
    assert len(index.newest(500, now)) == 40 + 1 + 30
    assert index.newest(500, now + timedelta(days=15)) == []


def test_settings_of_an_erased_generation_write_nothing(world: World) -> None:
    standing = world.alice.admit()
    later = repository(world.dynamodb, world.prefix, clock=world.clock)
    key = {"pk": {"S": later.principal.owner}, "sk": {"S": "META"}}
    world.dynamodb.update_item(
        TableName=f"{world.prefix}-control",
        Key=key,
        UpdateExpression="SET generation = :next",
        ExpressionAttributeValues={":next": {"N": str(standing.generation + 1)}},
    )
    with pytest.raises(EpochChanged):
        prefer(world.alice, standing, Wanted(paused=True, retention_days=1), world.clock)
    after = later.standing()
    assert (after.paused, after.preferences.retention_days) == (False, None)
