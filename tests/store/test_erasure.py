"""Erasure down to the rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from noted import ids
from noted.conversation.turn import Extraction, ExtractionStatus
from noted.errors import EpochChanged, NotFound
from noted.facts.change import adding
from noted.facts.fact import GivenVerdict, Source, Verdict
from noted.privacy.erasure import Erasure
from noted.privacy.satellites import Subject, Subjects
from noted.store.conversations import Committed
from noted.store.database import Database
from noted.store.erasing import Erasing
from noted.store.erasure_jobs import Job, Jobs
from noted.store.repository import Repository
from tests.erasing import worker

from .builders import (
    NOON,
    SECRETS,
    WRAPPER,
    FixedClock,
    commit_extraction,
    conversation,
    deployment,
    fact,
    principal,
    repository,
    turn,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from noted.identity import Principal
    from noted.privacy.satellites import Satellite


class World:
    """Two users with something of everything, and the worker that erases."""

    def __init__(self, dynamodb: DynamoDBClient, prefix: str) -> None:
        self.dynamodb, self.prefix, self.clock = dynamodb, prefix, FixedClock()
        self.alice, self.bob = self.user("alice"), self.user("bob")
        self.drained = True
        self.satellites: list[Satellite] = []

    def user(self, subject: str) -> Repository:
        return repository(self.dynamodb, self.prefix, subject, self.clock)

    def fill(self, repo: Repository) -> str:
        generation = repo.admit().generation
        memory, chat = repo.memory(generation), conversation(at=self.clock.now())
        memory.conversations.begin(chat)
        said = turn(chat, repo.admit().sequence)
        memory.conversations.commit(said)
        source = Source(chat.conversation_id, said.turn_id, "I live in Porto")
        kept, own = fact("Lives in Porto", source=source), fact("Has a dog", 1)
        extraction = Extraction(ExtractionStatus.DONE, (kept.fact_id,))
        outcome = commit_extraction(memory.conversations, said, extraction, adding(kept))
        assert outcome is Committed.WRITTEN
        memory.facts.add([own])
        for each in (kept, own):
            sequence = repo.admit().sequence
            verdict = GivenVerdict(
                ids.ordered(ids.VERDICT, sequence), each.fact_id, Verdict.CONFIRMED, NOON, sequence
            )
            memory.facts.judge(each, verdict, NOON + timedelta(days=1))
        memory.idempotency.claim("a key", "a request")
        return chat.conversation_id

    def work(self) -> int:
        database = Database(self.dynamodb, self.prefix, self.clock)
        return worker(
            database,
            self.repository_of,
            SECRETS,
            WRAPPER,
            self.clock,
            drained=lambda _: self.drained,
            satellites=self.satellites,
        ).run_due()

    def repository_of(self, principal: Principal) -> Repository:
        return Repository(self.dynamodb, deployment(self.prefix, self.clock), principal)

    def rows_of(self, repo: Repository) -> list[Any]:
        return [
            row
            for table in ("memory", "verdicts", "keys")
            for row in self.dynamodb.scan(TableName=f"{self.prefix}-{table}")["Items"]
            if row["pk"]["S"].startswith(repo.principal.owner)
        ]


@pytest.fixture
def world(dynamodb: DynamoDBClient, tables: str) -> World:
    return World(dynamodb, tables)


def test_everything_of_one_user_goes_and_the_other_is_untouched(world: World) -> None:
    world.fill(world.alice)
    world.fill(world.bob)
    bobs = world.rows_of(world.bob)
    entry = Erasure(world.alice, world.clock).everything()
    assert world.alice.memory(world.alice.standing().generation).facts.all() == []
    assert world.work() == 1
    assert world.rows_of(world.alice) == []
    assert world.rows_of(world.bob) == bobs
    receipt = world.alice.ledger.entry(entry.erasure_id)
    # One conversation's state and header, its turn and extraction mark, two facts and their revision, and an
    # idempotency key.
    assert receipt.counts == {"memory": 8, "verdicts": 2, "keys": 1}
    assert (receipt.status, receipt.checked) == ("complete", ("memory", "verdicts", "keys"))
    assert receipt.digest is not None
    with pytest.raises(NotFound):
        world.bob.ledger.entry(entry.erasure_id)


def test_a_second_erasure_succeeds_and_deletes_nothing(world: World) -> None:
    world.fill(world.alice)
    Erasure(world.alice, world.clock).everything()
    world.work()
    again = Erasure(world.alice, world.clock).everything()
    world.work()
    assert world.alice.ledger.entry(again.erasure_id).counts == {"memory": 0, "verdicts": 0, "keys": 0}


def test_there_is_no_receipt_while_an_older_writer_may_still_run(world: World) -> None:
    world.fill(world.alice)
    world.drained = False
    entry = Erasure(world.alice, world.clock).everything()
    world.work()
    assert world.alice.ledger.entry(entry.erasure_id).status == "running"
    # A writer that read the old generation before the fence lands in the partition that is being erased.
    late = conversation(5)
    world.alice.memory(1).conversations.begin(late)
    world.drained = True
    world.clock.forward(seconds=2)
    world.work()
    assert world.alice.ledger.entry(entry.erasure_id).counts["memory"] == 10
    assert world.rows_of(world.alice) == []


def jobs(world: World) -> list[dict[str, Any]]:
    rows = world.dynamodb.scan(TableName=f"{world.prefix}-control")["Items"]
    return [dict(row) for row in rows if row["sk"]["S"] == "JOB"]


def test_with_the_receipt_the_job_forgets_whose_it_was(world: World) -> None:
    world.fill(world.alice)
    sealed = Subjects(SECRETS)
    subject = Subject("alice", "https://issuer.test")
    Erasure(world.alice, world.clock, lambda number: sealed.seal(subject, number)).everything()
    [job] = jobs(world)
    assert {"organisation", "user", "subject"} < job.keys()
    assert b"alice" not in job["subject"]["B"]
    world.work()
    [job] = jobs(world)
    assert job.keys().isdisjoint({"organisation", "user", "subject"})
    assert world.alice.principal.user not in str(job)


def test_a_day_later_the_job_looks_once_more_until_there_is_nothing(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.fill(world.alice)
    Erasure(world.alice, world.clock).everything()
    world.work()
    world.alice.memory(1).conversations.begin(conversation(9))  # a fault that must not stay unseen
    world.clock.forward(hours=23)
    assert world.work() == 0
    world.clock.forward(hours=1)
    assert world.work() == 1
    assert world.rows_of(world.alice) == []
    [told] = [record for record in caplog.records if record.levelname == "ERROR"]
    assert told.getMessage() == "rows found a day after an erasure"
    # The header and state of a conversation.
    assert (vars(told)["counts"], vars(told)["ErasedRowsFoundLate"]) == ({"memory": 2}, 2)
    assert world.alice.principal.user not in str(vars(told))
    world.clock.forward(hours=24)
    assert world.work() == 1
    assert jobs(world) == []


def test_one_run_goes_on_with_all_that_are_due(world: World) -> None:
    users = [world.repository_of(principal(f"user-{number}")) for number in range(30)]
    entries = [Erasure(user, world.clock).everything() for user in users]
    assert world.work() == 30
    assert {
        user.ledger.entry(entry.erasure_id).status for user, entry in zip(users, entries, strict=True)
    } == {"complete"}
    assert world.work() == 0


def test_a_worker_that_dies_is_followed_by_another(world: World) -> None:
    world.fill(world.alice)
    entry = Erasure(world.alice, world.clock).everything()
    jobs = Jobs(Database(world.dynamodb, world.prefix, world.clock))
    assert jobs.lease(entry.erasure_id, world.clock.now()) is not None  # and then it dies
    assert world.work() == 0
    world.clock.forward(seconds=151)
    assert world.work() == 1
    assert world.alice.ledger.entry(entry.erasure_id).status == "complete"


def test_a_conversation_goes_with_what_came_from_it_and_nothing_else(world: World) -> None:
    chat = world.fill(world.alice)
    memory = world.alice.memory(1)
    entry = Erasure(world.alice, world.clock).conversation(chat)
    assert [each.text for each in memory.facts.all()] == ["Has a dog"]
    with pytest.raises(NotFound):
        memory.conversations.conversation(chat)
    world.clock.forward(seconds=1)
    world.work()
    receipt = world.alice.ledger.entry(entry.erasure_id)
    assert (receipt.scope, receipt.status) == ("conversation", "complete")
    assert receipt.counts == {"memory": 5, "verdicts": 1}
    with pytest.raises(NotFound):
        Erasure(world.alice, world.clock).conversation(chat)


def test_a_fact_that_is_learnt_while_its_conversation_is_swept_goes_before_the_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = world.fill(world.alice)
    memory = world.alice.memory(1)
    said = turn(conversation(at=NOON), world.alice.admit().sequence)
    said = replace(said, conversation_id=chat)
    memory.conversations.commit(said)
    late = fact("Has a cat", 7, source=Source(chat, said.turn_id, "I have a cat"))
    look = Erasing.remains

    def remains(erasing: Erasing, job: Job) -> dict[str, list[tuple[str, str]]]:
        # A worker commits after the sweep has looked, and before it deletes what it saw.
        found = look(erasing, job)
        commit_extraction(
            memory.conversations, said, Extraction(ExtractionStatus.DONE, (late.fact_id,)), adding(late)
        )
        return found

    monkeypatch.setattr(Erasing, "remains", remains)
    Erasure(world.alice, world.clock).conversation(chat)
    assert [each.text for each in memory.facts.all()] == ["Has a dog"]


def test_a_fact_goes_with_its_verdicts(world: World) -> None:
    world.fill(world.alice)
    memory = world.alice.memory(1)
    [dog, porto] = memory.facts.all()
    entry = Erasure(world.alice, world.clock).fact(dog.fact_id)
    assert memory.facts.all() == [porto]
    assert memory.facts.verdicts(dog.fact_id) == []
    world.work()
    assert world.alice.ledger.entry(entry.erasure_id).counts == {"memory": 1, "verdicts": 1}
    with pytest.raises(NotFound):
        Erasure(world.alice, world.clock).fact(dog.fact_id)


def test_an_erasure_with_an_old_epoch_erases_nothing(world: World) -> None:
    chat = world.fill(world.alice)
    Erasure(world.alice, world.clock).everything()
    standing = world.alice.standing()
    with pytest.raises(EpochChanged):
        Erasure(world.alice, world.clock).everything(epoch=1)
    with pytest.raises(EpochChanged):
        Erasure(world.alice, world.clock).conversation(chat, epoch=1)
    assert world.alice.standing().generation == standing.generation


def test_a_ledger_entry_holds_no_id_of_the_user(world: World) -> None:
    world.fill(world.alice)
    Erasure(world.alice, world.clock).everything()
    world.work()
    rows = str(world.dynamodb.scan(TableName=f"{world.prefix}-ledger")["Items"])
    assert world.alice.principal.user not in rows
    assert world.alice.principal.organisation not in rows


def test_verdicts_are_replaced_by_nothing(world: World) -> None:
    world.fill(world.alice)
    memory = world.alice.memory(1)
    [dog, _] = memory.facts.all()
    [row] = memory.facts.verdicts(dog.fact_id)
    later = replace(row, verdict_id=ids.ordered(ids.VERDICT, 99), sequence=99, verdict=Verdict.REJECTED)
    memory.facts.judge(dog, later, None)
    assert memory.facts.verdicts(dog.fact_id)[0] == row
