"""What was done with a memory, and how often something may be done in a day."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from noted.store.activity import Action, Actor
from noted.store.audit import Audit
from noted.store.database import ConditionFailed, Database
from noted.store.ledger import Entry
from noted.store.quotas import Daily
from noted.store.tables import CONTROL
from tests.store.builders import NOON, FixedClock, repository

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FACT = "ft_0123456789ABCDEFGHJKMNPQRS"
CLIENT = "s_" + "a" * 26
COUNTER = "QUOTA#" + CLIENT


def test_acts_and_erasures_are_one_list_newest_first(dynamodb: DynamoDBClient, tables: str) -> None:
    clock = FixedClock()
    alice = repository(dynamodb, tables, clock=clock)
    memory, ledger = alice.memory(alice.admit().generation), alice.ledger
    erased = []
    for number in range(6):
        clock.forward(seconds=1)
        if number % 2:
            erased.append(f"er_{number:010d}0123456789ABCDEF")
            # Ledger ids carry their instant; here the order is what counts.
            erased[-1] = _erasure_id(clock)
            entry = Entry(erased[-1], "memory" if number == 5 else "fact", "running", clock.now())
            alice.database.transact([ledger.writing(entry)])
        else:
            alice.database.transact([memory.activity.entry(Action.VERDICT_GIVEN, clock.now(), FACT)])
    alice.database.transact(
        [Audit(alice.database, CLIENT).on_behalf(ledger.reference, erased[-1], clock.now())]
    )
    whole = memory.activity.page(10, None, ledger.reference)
    assert whole.after is None
    assert [(each.action, each.actor, each.client, each.objects) for each in whole.items] == [
        (Action.MEMORY_ERASED, Actor.COMPLIANCE, CLIENT, (erased[2],)),
        (Action.VERDICT_GIVEN, Actor.USER, None, (FACT,)),
        (Action.FACT_ERASED, Actor.USER, None, (erased[1],)),
        (Action.VERDICT_GIVEN, Actor.USER, None, (FACT,)),
        (Action.FACT_ERASED, Actor.USER, None, (erased[0],)),
        (Action.VERDICT_GIVEN, Actor.USER, None, (FACT,)),
    ]
    for size in (1, 2, 4):
        found, after = [], None
        while True:
            page = memory.activity.page(size, after, ledger.reference)
            found += page.items
            after = page.after
            if after is None:
                break
        assert found == whole.items
    # With the memory, its acts are gone; that it was erased is not.
    anew = alice.memory(2).activity.page(10, None, ledger.reference)
    assert [each.action for each in anew.items] == [
        Action.MEMORY_ERASED,
        Action.FACT_ERASED,
        Action.FACT_ERASED,
    ]
    # And after a year they are told no more.
    clock.forward(days=366)
    assert len(memory.activity.page(10, None, ledger.reference).items) == 3


def _erasure_id(clock: FixedClock) -> str:
    from noted import ids

    return ids.at(ids.ERASURE, clock.now())


def test_an_act_names_ids_and_nothing_else(dynamodb: DynamoDBClient, tables: str) -> None:
    activity = repository(dynamodb, tables).memory(1).activity
    for action, named in (("looked", FACT), ("exported", "I like tea"), ("exported", "ft_1"), ("", FACT)):
        with pytest.raises(ValueError, match=r"is not a valid Action|by their ids"):
            activity.entry(action, NOON, named)


def test_a_day_has_so_many_places_however_many_ask_at_once(dynamodb: DynamoDBClient, tables: str) -> None:
    database = Database(dynamodb, tables, FixedClock())

    def take(_: int) -> bool:
        try:
            database.transact([Daily(database, COUNTER, NOON).taking(5)])
        except ConditionFailed:
            return False
        return True

    # Moto answers one thread at a time.
    with ThreadPoolExecutor(1 if "amazonaws.com" in dynamodb.meta.endpoint_url else 8) as pool:
        assert sum(pool.map(take, range(12))) == 5
    today = Daily(database, COUNTER, NOON)
    assert (today.taken(), today.seconds_left) == (5, 12 * 3600)
    clock = FixedClock()
    clock.forward(hours=12)
    tomorrow = Daily(database, COUNTER, clock.now())
    assert (tomorrow.taken(), tomorrow.seconds_left) == (0, 24 * 3600)
    # The limit of a day is reckoned at its first question and stands until its end.
    reckoned = iter([7, 9])
    assert [tomorrow.limit(lambda: next(reckoned)) for _ in range(2)] == [7, 7]
    assert tomorrow.taken() == 0
    database.transact([tomorrow.taking(7)])
    assert (tomorrow.taken(), tomorrow.limit(lambda: 1)) == (1, 7)
    assert today.taken() == 5
    # A counter ends by itself.
    clock.forward(days=2)
    later = Database(dynamodb, tables, clock)
    assert later.get(CONTROL.name, COUNTER, "2026-03-10") is None
