"""Facts and verdicts as the tables keep them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from noted import ids
from noted.errors import EpochChanged, NotFound
from noted.facts.change import adding
from noted.facts.fact import GivenVerdict, Source, Status, Verdict
from noted.facts.live import live, statuses
from noted.privacy.erasure import Erasure
from noted.privacy.sealing import CannotOpen
from noted.store.memory import Memory

from .builders import NOON, FixedClock, fact, repository

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def memory(dynamodb: DynamoDBClient, tables: str) -> Memory:
    repo = repository(dynamodb, tables)
    repo.admit()
    return repo.memory(1)


def given(fact_id: str, verdict: Verdict, sequence: int) -> GivenVerdict:
    return GivenVerdict(ids.ordered(ids.VERDICT, sequence), fact_id, verdict, NOON, sequence)


def fact_rows(dynamodb: DynamoDBClient, tables: str) -> list[dict[str, Any]]:
    items = dynamodb.scan(TableName=f"{tables}-memory")["Items"]
    return [item for item in items if item["sk"]["S"].startswith("FACT#")]


def test_a_fact_comes_back_as_it_was_stored(memory: Memory) -> None:
    stored = fact(
        "Lives in Porto",
        source=Source("cv_x", "tn_x", "I live in Porto"),
        vector=b"\x01\x02",
        embedder="one",
        valid_from=NOON,
        valid_until=NOON + timedelta(days=1),
        held=True,
        supersedes="ft_x",
        profile_field="home_town",
    )
    memory.facts.add([stored])
    assert memory.facts.fact(stored.fact_id) == stored
    assert memory.facts.all() == [stored]


def test_facts_come_newest_first_over_every_page(memory: Memory) -> None:
    facts = [fact("x" * 9_000 + str(number), number) for number in range(150)]
    for start in range(0, 150, 50):
        memory.facts.add(facts[start : start + 50])
    assert [each.fact_id for each in memory.facts.all()] == [each.fact_id for each in reversed(facts)]


def test_an_expired_fact_is_read_nowhere(dynamodb: DynamoDBClient, tables: str) -> None:
    clock = FixedClock()
    repo = repository(dynamodb, tables, clock=clock)
    repo.admit()
    memory = repo.memory(1)
    ended = fact("Is gone", expires_at=NOON)
    ends_later = fact("Is there", 1, expires_at=NOON + timedelta(seconds=1))
    never_ends = fact("Stays", 2, expires_at=None)
    memory.facts.add([ended, ends_later, never_ends])
    assert memory.facts.all() == [never_ends, ends_later]
    with pytest.raises(NotFound):
        memory.facts.fact(ended.fact_id)
    clock.forward(seconds=1)
    assert memory.facts.all() == [never_ends]


def test_expiry_is_stored_as_whole_seconds(dynamodb: DynamoDBClient, tables: str, memory: Memory) -> None:
    memory.facts.add([fact("Has a cat", expires_at=NOON + timedelta(days=30))])
    [row] = fact_rows(dynamodb, tables)
    assert row["expires_at"] == {"N": "1775736000"}


def test_verdicts_of_one_instant_are_all_kept_and_the_last_one_stands(memory: Memory) -> None:
    jazz, boat = fact("Likes jazz"), fact("Owns a boat", 1)
    memory.facts.add([jazz, boat])
    until = NOON + timedelta(days=1)
    for each, verdict, sequence in (
        (jazz, Verdict.REJECTED, 1),
        (jazz, Verdict.CONFIRMED, 2),
        (boat, Verdict.CONFIRMED, 3),
        (boat, Verdict.INACCURATE, 4),
    ):
        memory.facts.judge(each, given(each.fact_id, verdict, sequence), until)
    assert [row.verdict for row in memory.facts.verdicts(jazz.fact_id)] == ["rejected", "confirmed"]
    assert [row.verdict for row in memory.facts.verdicts(boat.fact_id)] == ["confirmed", "inaccurate"]
    for _ in range(3):
        assert [each.text for each in live(memory.facts.all(), NOON)] == ["Likes jazz"]
    confirmed = memory.facts.fact(jazz.fact_id)
    assert (confirmed.provenance, confirmed.expires_at) == ("confirmed", until)


def test_write_order_decides_even_when_verdicts_arrive_late(memory: Memory) -> None:
    jazz = fact("Likes jazz")
    memory.facts.add([jazz])
    memory.facts.judge(jazz, given(jazz.fact_id, Verdict.REJECTED, 8), None)
    memory.facts.judge(jazz, given(jazz.fact_id, Verdict.CONFIRMED, 7), NOON)
    assert [row.sequence for row in memory.facts.verdicts(jazz.fact_id)] == [7, 8]
    assert memory.facts.fact(jazz.fact_id).status(NOON) is Status.REJECTED


def test_a_verdict_on_nothing_is_not_written(memory: Memory) -> None:
    absent = fact("Was never stored")
    with pytest.raises(NotFound):
        memory.facts.judge(absent, given(absent.fact_id, Verdict.REJECTED, 1), None)
    assert memory.facts.verdicts(absent.fact_id) == []


def test_a_correction_keeps_both_and_happens_once(memory: Memory) -> None:
    old = fact("Lives in Porto")
    memory.facts.add([old])
    new = fact("Lives in Braga", 1, provenance="confirmed", supersedes=old.fact_id)
    memory.facts.correct(old, adding(new), given(old.fact_id, Verdict.INACCURATE, 5))
    kept = memory.facts.fact(old.fact_id)
    assert (kept.superseded_by, kept.status(NOON)) == (new.fact_id, Status.INACCURATE)
    assert live(memory.facts.all(), NOON) == [new]
    late = adding(fact("Lives in Faro", 2))
    with pytest.raises(NotFound):
        memory.facts.correct(old, late, given(old.fact_id, Verdict.INACCURATE, 6))
    assert len(memory.facts.all()) == 2


def test_a_rejection_hides_older_copies_and_no_newer_statement(memory: Memory) -> None:
    first, copy = fact("Is vegetarian", 1), fact("is vegetarian!", 2)
    memory.facts.add([first, copy])
    memory.facts.judge(first, given(first.fact_id, Verdict.REJECTED, 3), None)
    assert live(memory.facts.all(), NOON) == []
    assert statuses(memory.facts.all(), NOON)[copy.fact_id] is Status.REJECTED
    again = fact("Is vegetarian", 9)
    memory.facts.add([again])
    assert live(memory.facts.all(), NOON) == [again]


def test_the_same_words_in_another_order_are_another_fact(memory: Memory) -> None:
    tea, coffee = fact("Prefers tea to coffee", 1), fact("Prefers coffee to tea", 2)
    memory.facts.add([tea, coffee])
    assert live(memory.facts.all(), NOON) == [coffee, tea]
    memory.facts.judge(coffee, given(coffee.fact_id, Verdict.REJECTED, 3), None)
    assert [each.fact_id for each in live(memory.facts.all(), NOON)] == [tea.fact_id]


def test_nothing_is_added_behind_the_fence(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    repo.admit()
    memory = repo.memory(1)
    jazz = fact("Likes jazz")
    memory.facts.add([jazz])
    Erasure(repo, FixedClock()).everything()
    with pytest.raises(EpochChanged):
        memory.facts.add([fact("Has a cat")])
    with pytest.raises(EpochChanged):
        memory.facts.judge(jazz, given(jazz.fact_id, Verdict.REJECTED, 3), None)


def test_a_row_that_was_moved_to_another_place_opens_for_nobody(
    dynamodb: DynamoDBClient, tables: str, memory: Memory
) -> None:
    alices = fact("Lives in Porto")
    memory.facts.add([alices])
    [row] = fact_rows(dynamodb, tables)
    bob = repository(dynamodb, tables, "bob")
    bob.admit()
    moved = dict(row) | {"pk": {"S": row["pk"]["S"].replace(memory.principal.user, bob.principal.user)}}
    dynamodb.put_item(TableName=f"{tables}-memory", Item=moved)
    with pytest.raises(CannotOpen):
        bob.memory(1).facts.all()
    elsewhere = replace(alices, fact_id=ids.at(ids.FACT, NOON))
    dynamodb.put_item(
        TableName=f"{tables}-memory", Item=dict(row) | {"sk": {"S": f"FACT#{elsewhere.fact_id}"}}
    )
    with pytest.raises(CannotOpen):
        memory.facts.fact(elsewhere.fact_id)
