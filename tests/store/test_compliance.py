"""How much all compliance systems together may erase in one organisation in a day, and that requests of two
organisations have nothing in common, their ids included."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING

import pytest

from noted.errors import InvalidRequest, NotFound, TooManyRequests
from noted.identity import Principal, principal_of
from noted.privacy import compliance
from noted.privacy.compliance import Compliance, breaker_limit
from noted.privacy.erasure import Erasure
from noted.privacy.grounds import Grounds
from noted.privacy.organisation_erasure import OrganisationRequests
from noted.store.database import Database
from noted.store.organisation_erasures import Status
from noted.store.repository import Repository
from tests.store.builders import NOON, SECRETS, FixedClock, deployment, principal, repository

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

REQUEST = "6b2f1c9e-1d1e-4c0e-9a55-7f9f0c0f7f12"
GROUNDS = Grounds("gdpr", "subject_request", NOON)


class Organisation:
    """One organisation with a user, ann, and two compliance systems."""

    def __init__(self, client: DynamoDBClient, prefix: str, name: str) -> None:
        self.client, self.prefix, self.name, self.clock = client, prefix, name, FixedClock()
        self.database = Database(client, prefix, self.clock)
        for user in ("ann", "ben"):
            self.repository(user).admit()

    def principal(self, subject: str) -> Principal:
        claims = {"sub": subject, "iss": "https://issuer.test", "org": self.name}
        return principal_of(claims, SECRETS)

    def repository(self, subject: str) -> Repository:
        return Repository(self.client, deployment(self.prefix, self.clock), self.principal(subject))

    def generation(self, subject: str) -> int:
        return self.repository(subject).standing().generation

    def system(self, name: str = "first") -> Compliance:
        return Compliance(self.database, self.principal(name), SECRETS, self.clock, 100)

    def erase(self, subject: str, system: str = "first") -> str:
        """Asks for the erasure of a user under the one id of these tests, and gives the erasure's own."""
        repository = self.repository(subject)
        erasure = Erasure(repository, self.clock)
        _, entry = self.system(system).erase(REQUEST, repository, erasure, GROUNDS)
        return entry.erasure_id

    def whole(self, system: str = "first") -> OrganisationRequests:
        return OrganisationRequests(self.database, self.principal(system), self.system(system), self.clock)


@pytest.fixture
def two(dynamodb: DynamoDBClient, tables: str) -> tuple[Organisation, Organisation]:
    return Organisation(dynamodb, tables, "acme"), Organisation(dynamodb, tables, "globex")


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


def test_the_same_id_in_two_organisations_is_two_requests(two: tuple[Organisation, Organisation]) -> None:
    ours, theirs = two
    first = ours.erase("ann")
    with pytest.raises(NotFound):
        theirs.system().entry(REQUEST)
    assert (ours.generation("ann"), theirs.generation("ann")) == (2, 1)
    second = theirs.erase("ben")
    assert first != second
    assert (ours.generation("ben"), theirs.generation("ben")) == (1, 2)
    # Within one organisation it stays the same request: again, for another person, and by another system.
    for organisation, subject, other, erasure in (
        (ours, "ann", "ben", first),
        (theirs, "ben", "ann", second),
    ):
        assert organisation.erase(subject) == erasure
        assert organisation.system().entry(REQUEST)[1].erasure_id == erasure
        with pytest.raises(InvalidRequest):
            organisation.erase(other)
        with pytest.raises(NotFound):
            organisation.system("second").entry(REQUEST)
        with pytest.raises(NotFound):
            organisation.erase(subject, "second")
        assert (organisation.generation(subject), organisation.generation(other)) == (2, 1)


def test_the_same_id_in_two_organisations_is_two_erasures_of_everybody(
    two: tuple[Organisation, Organisation],
) -> None:
    ours, theirs = two
    job = ours.whole().request(REQUEST, GROUNDS)
    for verb in (theirs.whole("second").erasure, theirs.whole("second").approve):
        with pytest.raises(NotFound):
            verb(REQUEST)
    assert theirs.whole().request(REQUEST, GROUNDS) != job
    theirs.whole("second").approve(REQUEST)
    assert theirs.whole().erasure(REQUEST).status is Status.IN_PROGRESS
    assert ours.whole().erasure(REQUEST) == job
    # Within one organisation another system may look and approve, and not ask again.
    with pytest.raises(NotFound):
        ours.whole("second").request(REQUEST, GROUNDS)
    assert ours.whole("second").approve(REQUEST).status is Status.IN_PROGRESS
