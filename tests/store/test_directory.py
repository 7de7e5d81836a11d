"""The list of an organisation's users: who has ever written is on it, once, and no subject can be read off
it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from noted.errors import Unavailable
from noted.identity import Principal, principal_of
from noted.store import keys
from noted.store.database import Database
from noted.store.directory import SHARDS, Directory, shard
from noted.store.repository import Repository
from noted.store.tables import CONTROL
from tests.store.builders import NOON, SECRETS, FixedClock, principal, repository

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def directory(dynamodb: DynamoDBClient, tables: str, of: Principal) -> Directory:
    return Directory(Database(dynamodb, tables, FixedClock()), of.organisation)


def listed(dynamodb: DynamoDBClient, tables: str, of: Principal) -> list[str]:
    return [each.principal.user for _, each in directory(dynamodb, tables, of).users()]


def calls(dynamodb: DynamoDBClient, made: list[str]) -> None:
    for operation in ("GetItem", "PutItem", "Query", "TransactWriteItems", "UpdateItem"):

        def note(operation: str = operation, **_: Any) -> None:
            made.append(operation)

        dynamodb.meta.events.register(f"provide-client-params.dynamodb.{operation}", note)


def test_a_user_is_listed_with_their_first_write_and_costs_nothing_later(
    dynamodb: DynamoDBClient, tables: str
) -> None:
    alice = repository(dynamodb, tables)
    alice.standing()
    assert not alice.is_known()
    assert listed(dynamodb, tables, alice.principal) == []
    made: list[str] = []
    calls(dynamodb, made)
    alice.admit()
    # What a new user costs: the try, the look whether they were ever erased, one transaction, the place.
    assert made == ["UpdateItem", "Query", "TransactWriteItems", "UpdateItem"]
    made.clear()
    repository(dynamodb, tables).admit()
    assert made == ["UpdateItem"]
    assert alice.is_known()
    assert listed(dynamodb, tables, alice.principal) == [alice.principal.user]
    [found] = dynamodb.scan(
        TableName=f"{tables}-{CONTROL.name}",
        FilterExpression="begins_with(pk, :list)",
        ExpressionAttributeValues={":list": {"S": "ORG#"}},
    )["Items"]
    del found["written"]  # by which a write that is sent again is known
    assert found == {
        "pk": {"S": keys.user_list(alice.principal.organisation, shard(alice.principal.user))},
        "sk": {"S": alice.principal.user},
        "created_at": {"S": "2026-03-10T12:00:00.000Z"},
    }


def test_a_user_has_a_standing_and_is_listed_or_neither(
    dynamodb: DynamoDBClient, tables: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise Unavailable("cut off")

    alice = repository(dynamodb, tables)
    with monkeypatch.context() as cut:
        cut.setattr(Database, "transact", crash)
        with pytest.raises(Unavailable):
            alice.admit()
    assert not alice.is_known()
    assert listed(dynamodb, tables, alice.principal) == []
    # Moto answers one thread at a time.
    with ThreadPoolExecutor(1 if "amazonaws.com" in dynamodb.meta.endpoint_url else 6) as pool:
        standings = list(pool.map(lambda _: repository(dynamodb, tables).admit(), range(6)))
    assert sorted(each.sequence for each in standings) == [1, 2, 3, 4, 5, 6]
    assert listed(dynamodb, tables, alice.principal) == [alice.principal.user]


def test_pages_hold_every_user_of_the_organisation_once_and_no_other(
    dynamodb: DynamoDBClient, tables: str
) -> None:
    names = [f"user-{number}" for number in range(40)]
    for name in names:
        repository(dynamodb, tables, name).admit()
    stranger = principal_of({"sub": "user-1", "iss": "https://issuer.test", "org": "acme"}, SECRETS)
    theirs: Repository = repository(dynamodb, tables)
    theirs.principal = stranger
    theirs.admit()
    ours = directory(dynamodb, tables, principal("user-0"))
    users = {principal(name).user for name in names}
    for limit in (7, 40, 100):
        found, after = [], None
        while True:
            page = ours.page(limit, after)
            assert len(page.items) <= limit
            found += page.items
            after = page.after
            if after is None:
                break
        assert len(found) == 40
        assert {each.user for each in found} == users
        assert {(each.since, each.state, each.epoch) for each in found} == {(NOON, "active", 1)}
    assert ours.count() == 40
    # Far from one list that all writers meet in: none of sixteen holds a third of forty users.
    assert {shard(user) for user in users} <= set(SHARDS)
    assert max(sum(shard(user) == each for user in users) for each in SHARDS) < 14
    assert directory(dynamodb, tables, stranger).count() == 1
    with pytest.raises(ValueError, match="position"):
        ours.page(1, "g")
