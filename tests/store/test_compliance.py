"""How much all compliance systems together may erase in one organisation in a day."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING

import pytest

from noted.errors import TooManyRequests
from noted.privacy import compliance
from noted.privacy.compliance import Compliance, breaker_limit
from noted.privacy.erasure import Erasure
from noted.privacy.grounds import Grounds
from noted.store.database import Database
from tests.store.builders import NOON, SECRETS, FixedClock, principal, repository

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.mark.parametrize(
    "users, allowed", [(0, 100), (50, 100), (10_000, 100), (10_001, 101), (1_000_000, 10_000)]
)
def test_one_user_in_a_hundred_and_never_fewer_than_a_hundred(users: int, allowed: int) -> None:
    assert breaker_limit(users) == allowed


def test_two_systems_together_meet_the_limit_of_their_organisation(
    dynamodb: DynamoDBClient,
    tables: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(compliance, "_BREAKER_FLOOR", 2)
    clock = FixedClock()
    database = Database(dynamodb, tables, clock)
    names = ("ann", "ben", "cem")
    for name in names:
        repository(dynamodb, tables, name, clock).admit()

    def erase(system: str, name: str) -> None:
        subject = repository(dynamodb, tables, name, clock)
        asking = Compliance(database, principal(system), SECRETS, clock, 100)
        grounds = Grounds("gdpr", "subject_request", NOON)
        asking.erase(str(uuid.uuid4()), subject, Erasure(subject, clock), grounds)

    erase("first", "ann")
    erase("second", "ben")
    with caplog.at_level(logging.ERROR, "noted.privacy"), pytest.raises(TooManyRequests) as refused:
        erase("second", "cem")
    assert refused.value.retry_after == 12 * 3600
    assert [record.message for record in caplog.records] == ["compliance breaker open"]
    assert repository(dynamodb, tables, "cem", clock).standing().generation == 1
    clock.forward(hours=12)
    erase("second", "cem")
    assert repository(dynamodb, tables, "cem", clock).standing().generation == 2
