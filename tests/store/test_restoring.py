"""What comes back with a restored table goes again before anybody is served."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from noted.deadline import Deadline
from noted.errors import Restoring, Unavailable
from noted.facts.fact import Source
from noted.identity import Principal
from noted.privacy.erasure import Erasure
from noted.privacy.replaying import Replay
from noted.store import keys
from noted.store.database import Database
from noted.store.erasure_jobs import Jobs
from noted.store.replay_log import REPLAYABLE, ReplayLog
from noted.store.restoring import TablesInUse
from noted.store.tables import CONTROL, KEYS, LEDGER, MEMORY, TABLES, VERDICTS, definition

from .builders import SECRETS, WRAPPER, conversation, fact, turn
from .test_erasure import World

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.dynamodb import DynamoDBLocal
    from noted.store.tables import Table

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(params=["moto", "dynamodb-local"])
def dynamodb(request: pytest.FixtureRequest) -> Iterator[DynamoDBClient]:
    """Those that tell a table from another that was put in its place."""
    if request.param == "moto":
        with mock_aws():
            yield boto3.client("dynamodb", region_name="eu-west-1")
    else:
        engine: DynamoDBLocal = request.getfixturevalue("dynamodb_local")
        client = boto3.client("dynamodb", region_name="eu-west-1", endpoint_url=engine.endpoint)
        yield client
        client.close()


class Restorable(World):
    """A world whose tables can be put back to how they were."""

    def __init__(self, dynamodb: DynamoDBClient, prefix: str) -> None:
        super().__init__(dynamodb, prefix)
        self.in_use = self.seen_anew()
        assert self.replay() is None  # the first look of a new deployment
        self.in_use.refuse_unless_replayed()

    def seen_anew(self) -> TablesInUse:
        """The tables as a function sees them that has just started."""
        database = Database(self.dynamodb, self.prefix, self.clock)
        return TablesInUse(self.dynamodb, self.prefix, database, self.clock)

    def replaying(self, deadline: Deadline | None = None) -> Replay:
        database = Database(self.dynamodb, self.prefix, self.clock)
        return Replay(
            self.seen_anew(),
            ReplayLog(database, SECRETS),
            Jobs(database),
            self.repository_of,
            lambda: WRAPPER,
            self.clock,
            deadline or Deadline(),
        )

    def replay(self) -> tuple[bool, int, int] | None:
        done = self.replaying().where_restored()
        return (done.finished, done.erasures, done.rows) if done else None

    def backup(self) -> Rows:
        return {
            table.name: self.dynamodb.scan(TableName=f"{self.prefix}-{table.name}", ConsistentRead=True)[
                "Items"
            ]
            for table in TABLES
        }

    def restore(self, rows: Rows, *tables: Table) -> None:
        """Puts a new table with the rows of a backup in the place of each."""
        for table in tables:
            name = f"{self.prefix}-{table.name}"
            self.dynamodb.delete_table(TableName=name)
            self.dynamodb.create_table(**definition(table, self.prefix))
            for row in rows[table.name]:
                self.dynamodb.put_item(TableName=name, Item=row)
        self.clock.forward(minutes=2)

    def refuses(self) -> bool:
        try:
            self.seen_anew().refuse_unless_replayed()
        except Restoring:
            return True
        return False


@pytest.fixture
def world(dynamodb: DynamoDBClient, tables: str) -> Restorable:
    return Restorable(dynamodb, tables)


def test_after_a_restore_nothing_is_served_until_what_was_erased_is_erased_again(world: Restorable) -> None:
    world.fill(world.alice)
    world.fill(world.bob)
    before = world.backup()
    Erasure(world.alice, world.clock).everything()
    world.work()
    bobs = world.rows_of(world.bob)
    world.restore(before, CONTROL, MEMORY, VERDICTS, KEYS)
    assert world.user("alice").standing().generation == 1  # what would be served
    assert world.refuses()
    with pytest.raises(Restoring):  # a container that was warm before it, too
        world.in_use.refuse_unless_replayed()
    # Eight rows of the memory, two verdicts and the key.
    assert world.replay() == (True, 1, 11)
    assert world.rows_of(world.alice) == []
    assert world.user("alice").standing().generation == 2
    assert world.rows_of(world.bob) == bobs
    assert not world.refuses()
    world.clock.forward(seconds=3)
    world.in_use.refuse_unless_replayed()
    assert world.replay() is None


@pytest.mark.parametrize("table", [CONTROL, VERDICTS], ids=lambda table: table.name)
def test_any_restored_table_is_noticed(world: Restorable, table: Table) -> None:
    world.fill(world.alice)
    before = world.backup()
    Erasure(world.alice, world.clock).everything()
    world.work()
    world.restore(before, table)
    assert world.refuses()
    assert world.replay() is not None
    assert world.rows_of(world.alice) == []
    assert world.user("alice").standing().generation == 2
    assert not world.refuses()


def test_a_generation_never_goes_down(world: Restorable) -> None:
    world.fill(world.alice)
    before = world.backup()
    for _ in range(3):
        Erasure(world.alice, world.clock).everything()
        world.work()
    assert world.alice.standing().generation == 4
    kept = world.backup()
    world.restore(before, CONTROL)
    world.replay()
    assert world.user("alice").standing().generation == 4
    # A table that knows more than the ledger keeps what it knows.
    world.restore(kept | {LEDGER.name: before[LEDGER.name]}, LEDGER)
    world.replay()
    assert world.user("alice").standing().generation == 4


def test_a_restored_key_is_destroyed_again(world: Restorable) -> None:
    world.fill(world.alice)
    before = world.backup()
    Erasure(world.alice, world.clock).everything()
    world.work()
    world.restore(before, KEYS)
    assert len(world.rows_of(world.alice)) == 1
    world.replay()
    assert world.rows_of(world.alice) == []


def test_a_fact_and_a_conversation_are_erased_again_and_nothing_else(world: Restorable) -> None:
    chat = world.fill(world.alice)
    other = conversation(50)
    memory = world.alice.memory(1)
    memory.conversations.begin(other)
    said = turn(other, world.alice.admit().sequence, "I like tea")
    memory.conversations.commit(said)
    kept = fact("Likes tea", 51, source=Source(other.conversation_id, said.turn_id, "I like tea"))
    memory.facts.add([kept])
    [dog] = [each for each in memory.facts.all() if each.text == "Has a dog"]
    before = world.backup()
    Erasure(world.alice, world.clock).fact(dog.fact_id)
    Erasure(world.alice, world.clock).conversation(chat)
    world.clock.forward(seconds=31)
    world.work()
    left = sorted(str(row) for row in world.rows_of(world.alice) if row["sk"]["S"] != keys.FACTS_REVISION)
    world.restore(before, MEMORY, VERDICTS, CONTROL)
    world.replay()
    anew = world.user("alice").memory(1)
    assert [each.text for each in anew.facts.all()] == ["Likes tea"]
    rows = (row for row in world.rows_of(world.alice) if row["sk"]["S"] != keys.FACTS_REVISION)
    assert sorted(map(str, rows)) == left


def test_an_erasure_that_lost_its_job_is_carried_to_its_receipt(world: Restorable) -> None:
    world.fill(world.alice)
    before = world.backup()
    entry = Erasure(world.alice, world.clock).everything()
    world.restore(before, CONTROL)
    world.replay()
    world.work()
    assert world.alice.ledger.entry(entry.erasure_id).status == "complete"


def test_many_erasures_are_done_again_a_piece_at_a_time(
    world: Restorable, caplog: pytest.LogCaptureFixture
) -> None:
    world.fill(world.alice)
    before = world.backup()
    for _ in range(5):
        Erasure(world.alice, world.clock).everything()
        world.work()
    world.restore(before, MEMORY)
    # Enough for one more, and then not: the time that is left is looked at after each.
    no_time = Deadline(0.0, lambda: 0.0)
    pieces = [world.replaying(no_time).where_restored() for _ in range(6)]
    assert [(each.finished, each.erasures) for each in pieces if each] == [
        (False, 1),
        (False, 2),
        (False, 3),
        (False, 4),
        (False, 5),
        (True, 5),
    ]
    assert not world.refuses()
    # The alarm stands for as long as it is said, and no longer.
    assert world.replaying().where_restored() is None
    said = [vars(record) for record in caplog.records if "TablesRestored" in vars(record)]
    assert [each["tables"] for each in said] == [[MEMORY.name]] * 6


def test_rows_that_were_copied_into_a_table_are_erased_when_somebody_says_so(world: Restorable) -> None:
    world.fill(world.alice)
    before = world.backup()
    Erasure(world.alice, world.clock).everything()
    world.work()
    for row in before[MEMORY.name]:
        world.dynamodb.put_item(TableName=f"{world.prefix}-memory", Item=row)
    assert not world.refuses()  # the table is the same
    done = world.replaying().from_the_start()
    assert (done.finished, done.erasures, done.rows) == (True, 1, 8)
    assert world.rows_of(world.alice) == []
    assert not world.refuses()


def test_what_no_backup_can_bring_back_is_forgotten(world: Restorable) -> None:
    entry = Erasure(world.alice, world.clock).everything()
    world.work()
    # The longest that any backup is kept is 35 days.
    world.clock.forward(days=35)
    assert world.alice.replay_log.owner(entry.erasure_id) == world.alice.principal
    world.clock.at += REPLAYABLE - timedelta(days=35)
    assert world.alice.replay_log.owner(entry.erasure_id) is None
    assert list(world.alice.replay_log.after(None)) == []
    assert world.alice.ledger.entry(entry.erasure_id).status == "complete"


def test_where_it_cannot_be_known_nothing_is_served(
    world: Restorable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def denied(**_: object) -> None:
        told: Any = {"Error": {"Code": "AccessDeniedException", "Message": "no"}}
        raise ClientError(told, "DescribeTable")

    monkeypatch.setattr(world.dynamodb, "describe_table", denied)
    with pytest.raises(Unavailable):
        world.seen_anew().refuse_unless_replayed()
    [told] = caplog.records
    assert told.getMessage() == "tables cannot be compared with the ledger"
    assert vars(told)["error_type"] == "ClientError"


def test_a_replay_log_opens_for_this_service_alone(world: Restorable) -> None:
    Erasure(world.alice, world.clock).everything()
    rows = str(world.backup()[LEDGER.name])
    assert world.alice.principal.user not in rows
    [recorded] = world.alice.replay_log.after(None)
    assert recorded.principal == Principal(*world.alice.principal.owner.split("#"))


def test_a_point_in_time_restore_is_a_new_table() -> None:
    with mock_aws():
        client = boto3.client("dynamodb", region_name="eu-west-1")
        for table in TABLES:
            client.create_table(**definition(table, "live"))
            client.update_continuous_backups(
                TableName=f"live-{table.name}",
                PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
            )
        world = Restorable(client, "live")
        world.fill(world.alice)
        client.restore_table_to_point_in_time(
            SourceTableName="live-memory", TargetTableName="back-memory", UseLatestRestorableTime=True
        )
        for table in TABLES:
            if table is not MEMORY:
                client.create_table(**definition(table, "back"))
        live, back = (
            TablesInUse(client, prefix, Database(client, prefix, world.clock), world.clock).ids()
            for prefix in ("live", "back")
        )
        assert live[MEMORY.name] != back[MEMORY.name]
