"""The erasure of an organisation, cut off between any two of its writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from noted.identity import Principal, principal_of, subject_reference
from noted.privacy.grounds import Grounds
from noted.privacy.organisation_erasure import OrganisationWork
from noted.store.database import Database
from noted.store.directory import Directory
from noted.store.ledger import Ledger
from noted.store.organisation_erasures import (
    APPROVAL_WITHIN,
    OrganisationErasure,
    OrganisationErasures,
    Status,
)
from noted.store.repository import Repository
from noted.store.tables import CONTROL
from tests.store.builders import NOON, SECRETS, FixedClock, deployment

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

REQUEST = "6b2f1c9e-1d1e-4c0e-9a55-7f9f0c0f7f12"
FIRST, SECOND = "s_" + "a" * 26, "s_" + "b" * 26


class CutOff(BaseException):
    """The worker is gone, as if its process were."""


class Scene:
    """An organisation of users, more than are listed at once, a job, and workers that can be cut off."""

    def __init__(
        self,
        client: DynamoDBClient,
        prefix: str,
        users: int = 27,
        organisation: str = "acme",
        clock: FixedClock | None = None,
    ) -> None:
        self.client, self.prefix, self.clock = client, prefix, clock or FixedClock()
        self.database = Database(client, prefix, self.clock)
        self.users = [self.principal(f"user-{number}", organisation) for number in range(users)]
        for user in self.users:
            self.repository(user).admit()
        self.jobs = OrganisationErasures(self.database)
        grounds = Grounds("gdpr", "contract_ended", NOON)
        self.clock.forward(minutes=1)
        self.job = OrganisationErasure(REQUEST, self.users[0].organisation, FIRST, grounds, self.clock.now())
        assert self.jobs.open(self.job, [])
        assert not self.jobs.open(self.job, [])

    def principal(self, subject: str, organisation: str = "acme") -> Principal:
        claims = {"sub": subject, "iss": "https://issuer.test", "org": organisation}
        return principal_of(claims, SECRETS)

    def repository(self, user: Principal) -> Repository:
        return Repository(self.client, deployment(self.prefix, self.clock), user)

    def approve(self) -> None:
        assert self.jobs.approve(self.job, SECOND, self.clock.now(), [])
        assert not self.jobs.approve(self.job, SECOND, self.clock.now(), [])

    def run(self, *, drained: bool = True) -> None:
        OrganisationWork(self.database, self.repository, lambda _: drained, self.clock).run_due()
        self.clock.forward(seconds=200)

    def slowly(self) -> None:
        """A run in which each user takes ten seconds."""

        def repository(user: Principal) -> Repository:
            self.clock.forward(seconds=10)
            return self.repository(user)

        OrganisationWork(self.database, repository, lambda _: True, self.clock).run_due()
        self.clock.forward(seconds=60)

    def finish_erasures(self) -> None:
        """What the erasure of each user does in its own time."""
        for user in self.users:
            ledger = Ledger(self.database, subject_reference(user, SECRETS))
            for row in list(self.database.query("ledger", ledger.reference)):
                ledger.complete(ledger.entry(row["sk"]))

    def now(self) -> OrganisationErasure:
        found = self.jobs.find(self.job.organisation, REQUEST)
        assert found is not None
        return found

    def counts(self) -> tuple[int, int, int]:
        job = self.now()
        return job.users, job.begun, job.completed

    def generations(self) -> set[int]:
        return {self.repository(user).standing().generation for user in self.users}


@pytest.fixture
def scene(dynamodb: DynamoDBClient, tables: str) -> Scene:
    return Scene(dynamodb, tables)


def test_only_who_was_there_at_the_approval_and_only_after_it(scene: Scene) -> None:
    stranger = scene.principal("user-1", "globex")
    scene.repository(stranger).admit()
    scene.run()
    assert scene.generations() == {1}
    scene.approve()
    # A writer that began before may still be about to list its user.
    scene.run(drained=False)
    assert scene.counts() == (0, 0, 0)
    late = scene.principal("late")
    scene.repository(late).admit()
    scene.run()
    assert scene.counts() == (27, 27, 0)
    assert scene.generations() == {2}
    assert scene.repository(late).standing().generation == 1
    assert scene.repository(stranger).standing().generation == 1
    scene.finish_erasures()
    scene.run()
    assert (scene.counts(), scene.now().status) == ((27, 27, 27), Status.COMPLETED)
    # One row is left of the work, and no user in it.
    left = scene.client.scan(
        TableName=f"{scene.prefix}-{CONTROL.name}",
        FilterExpression="begins_with(pk, :job)",
        ExpressionAttributeValues={":job": {"S": "ORGERASE#"}},
    )["Items"]
    assert [row["sk"]["S"] for row in left] == ["JOB"]
    assert "u_" not in str(left)


def test_it_goes_on_wherever_it_was_cut_off(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.approve()
    whole = Database.transact
    left, before = 0, False

    def cut(database: Database, writes: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0 and before:
            raise CutOff
        whole(database, writes)
        if left == 0:
            raise CutOff  # done, and nobody has heard of it

    monkeypatch.setattr(Database, "transact", cut)
    for steps in range(2, 60):
        left, before = steps // 2, steps % 2 == 0
        try:
            scene.run()
        except CutOff:
            scene.clock.forward(seconds=200)
        users, begun, completed = scene.counts()
        assert users >= begun >= completed
        if scene.now().status is Status.COMPLETED:
            break
        scene.finish_erasures()
    assert (scene.counts(), scene.now().status) == ((27, 27, 27), Status.COMPLETED)
    # Once each, however often it was begun again.
    assert scene.generations() == {2}


def test_what_nobody_approves_in_a_week_is_over(dynamodb: DynamoDBClient, tables: str) -> None:
    scene = Scene(dynamodb, tables, users=1)
    scene.clock.forward(seconds=APPROVAL_WITHIN.total_seconds() - 1)
    assert scene.now().status is Status.PENDING
    scene.clock.forward(seconds=timedelta(seconds=2).total_seconds())
    assert scene.jobs.find(scene.job.organisation, REQUEST) is None
    assert scene.jobs.find(scene.job.organisation, "nope") is None


def test_the_same_id_in_two_organisations_is_worked_on_apart(dynamodb: DynamoDBClient, tables: str) -> None:
    ours = Scene(dynamodb, tables, users=3)
    theirs = Scene(dynamodb, tables, users=2, organisation="globex", clock=ours.clock)
    ours.approve()
    ours.run()
    assert (ours.counts(), theirs.counts()) == ((3, 3, 0), (0, 0, 0))
    assert (ours.generations(), theirs.generations()) == ({2}, {1})
    theirs.approve()
    ours.run()
    assert (ours.counts(), theirs.counts()) == ((3, 3, 0), (2, 2, 0))
    ours.finish_erasures()
    ours.run()
    assert (ours.now().status, theirs.now().status) == (Status.COMPLETED, Status.IN_PROGRESS)
    theirs.finish_erasures()
    ours.run()
    assert (theirs.counts(), theirs.now().status) == ((2, 2, 2), Status.COMPLETED)


def test_an_organisation_of_many_users_holds_up_no_other(dynamodb: DynamoDBClient, tables: str) -> None:
    ours = Scene(dynamodb, tables, users=27)
    theirs = Scene(dynamodb, tables, users=1, organisation="globex", clock=ours.clock)
    ours.approve()
    ours.clock.forward(seconds=1)
    theirs.approve()
    ours.slowly()
    assert ours.counts()[1] < 27
    ours.slowly()
    assert theirs.counts() == (1, 1, 0)


def test_work_that_fails_each_time_holds_up_no_other(
    dynamodb: DynamoDBClient, tables: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = Scene(dynamodb, tables, users=1)
    theirs = Scene(dynamodb, tables, users=1, organisation="globex", clock=ours.clock)
    users = Directory.users

    def failing(directory: Directory, *behind: Any) -> Any:
        if directory._organisation == ours.job.organisation:
            raise RuntimeError("of this organisation alone")
        return users(directory, *behind)

    monkeypatch.setattr(Directory, "users", failing)
    for number in range(25):
        job = replace(ours.job, request_id=f"00000000-0000-4000-8000-{number:012d}")
        assert ours.jobs.open(job, [])
        assert ours.jobs.approve(job, SECOND, ours.clock.now(), [])
    ours.clock.forward(seconds=1)
    theirs.approve()
    for _ in range(2):
        ours.run()
    assert theirs.counts() == (1, 1, 0)
