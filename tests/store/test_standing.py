"""A user's place: generation, write order, and the ids under which everything is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from noted.errors import EpochChanged, Unauthenticated
from noted.identity import principal_of
from noted.privacy.erasure import Erasure

from .builders import SECRETS, FixedClock, principal, repository

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def test_a_new_user_stands_in_the_first_generation(dynamodb: DynamoDBClient, tables: str) -> None:
    standing = repository(dynamodb, tables).standing()
    assert (standing.generation, standing.sequence, standing.paused) == (1, 0, False)


def test_looking_at_a_user_writes_nothing(dynamodb: DynamoDBClient, tables: str) -> None:
    repository(dynamodb, tables).standing()
    assert dynamodb.scan(TableName=f"{tables}-control")["Items"] == []


def test_every_admission_has_a_place_of_its_own(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    # Moto's updates are not atomic between threads; what is asked of it is only that they count.
    with ThreadPoolExecutor(1 if "amazonaws.com" in dynamodb.meta.endpoint_url else 8) as threads:
        places = list(threads.map(lambda _: repo.admit().sequence, range(40)))
    assert sorted(places) == list(range(1, 41))


def test_an_epoch_that_is_over_admits_nothing(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables)
    assert repo.admit(epoch=1).sequence == 1
    Erasure(repo, FixedClock()).everything()
    before = repo.standing()
    with pytest.raises(EpochChanged):
        repo.admit(epoch=1)
    assert repo.standing() == before


def test_a_lost_control_row_does_not_bring_an_erased_generation_back(
    dynamodb: DynamoDBClient, tables: str
) -> None:
    repo = repository(dynamodb, tables)
    Erasure(repo, FixedClock()).everything()
    Erasure(repo, FixedClock()).everything()
    assert repo.standing().generation == 3
    dynamodb.delete_item(
        TableName=f"{tables}-control", Key={"pk": {"S": repo.principal.owner}, "sk": {"S": "META"}}
    )
    assert repo.standing().generation == 3
    assert repo.admit().generation == 3


@pytest.mark.parametrize(
    "subject",
    ["", " alice", "alice ", "al ice", "alice\n", "a\x00", "älice", "alice\u200b", "x" * 256, 7, None, ["a"]],
)
def test_a_subject_out_of_format_is_nobody(subject: object) -> None:
    with pytest.raises(Unauthenticated):
        principal_of({"sub": subject, "iss": "https://issuer.test"}, SECRETS)


def test_subjects_never_merge() -> None:
    subjects = ["user1", "user10", "User1", "USER1", "user1#", "user1/..", "o#u#g1", "x" * 255, "x" * 254]
    assert len({principal(subject).user for subject in subjects}) == len(subjects)


def test_the_same_subject_of_two_issuers_is_two_users() -> None:
    users = {
        principal_of({"sub": "alice", "iss": issuer}, SECRETS).owner
        for issuer in ("https://one.test", "https://two.test")
    }
    assert len(users) == 2


def test_no_subject_stands_in_any_key(dynamodb: DynamoDBClient, tables: str) -> None:
    repo = repository(dynamodb, tables, subject="carol@example.org")
    repo.admit()
    Erasure(repo, FixedClock()).everything()
    for table in ("control", "memory", "verdicts", "keys", "ledger"):
        assert "carol" not in str(dynamodb.scan(TableName=f"{tables}-{table}")["Items"])
