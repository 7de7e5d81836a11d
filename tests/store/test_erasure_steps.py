"""Erasures that are cut off, refused, throttled or not acknowledged, at every step there is."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from noted.errors import EpochChanged, NotFound
from noted.privacy.erasure import Erasure
from noted.privacy.receipt import verify
from noted.privacy.satellites import NotAcknowledged, Subject, Subjects
from noted.privacy.signing import KeySigner, key_set
from noted.store import keys
from noted.store.database import Database
from noted.store.erasure_jobs import Jobs
from noted.store.tables import create_tables
from tests.dynamodb_double import DynamoDBDouble, as_client
from tests.erasing import SIGNER
from tests.wrapping import MemoryWrapper

from .builders import SECRETS, WRAPPER, conversation
from .test_erasure import World

ALICE = Subject("alice", "https://issuer.test", "acme")
KEYS = key_set([SIGNER.jwk])


class Crash(BaseException):
    """The process is gone: nothing may catch this."""


class Outside:
    """A place outside of the tables that does not always acknowledge."""

    def __init__(self, name: str, failures: int = 0) -> None:
        self.name, self.failures = name, failures
        self.asked: list[tuple[Subject, str]] = []

    def erase(self, subject: Subject, request_id: str) -> str:
        self.asked.append((subject, request_id))
        if len(self.asked) <= self.failures:
            raise NotAcknowledged("503")
        return f"{self.name}-{len(self.asked)}"


def began(world: World) -> str:
    """Alice has something of everything, and has asked that it be erased."""
    world.fill(world.alice)
    world.fill(world.bob)
    return erased(world)


def erased(world: World) -> str:
    subjects = Subjects(SECRETS)
    erasure = Erasure(world.alice, world.clock, lambda number: subjects.seal(ALICE, number))
    return erasure.everything().erasure_id


def new_world() -> tuple[World, DynamoDBDouble]:
    double = DynamoDBDouble()
    client = as_client(double)
    create_tables(client, "steps")
    return World(client, "steps"), double


def receipt_of(world: World, erasure_id: str) -> dict[str, Any]:
    entry = world.alice.ledger.entry(erasure_id)
    assert entry.status == "complete"
    receipt: dict[str, Any] = json.loads(entry.receipt or "")
    verify(receipt, KEYS)
    return receipt


class Counted:
    """Ends the process after the `last` effect that is counted: 0 for never."""

    def __init__(self, last: int = 0) -> None:
        self.last, self.done, self.armed = last, 0, False

    def __call__(self, *_: object) -> None:
        if not self.armed:
            return
        self.done += 1
        if self.done == self.last:
            self.armed = False
            raise Crash


def arranged(effects: Counted, monkeypatch: pytest.MonkeyPatch) -> tuple[World, str]:
    """A world in which every effect of the worker is counted: each call of the database, the destruction of
    the key, the word to a place outside, the signature."""
    world, double = new_world()
    erasure_id = began(world)
    outside = Outside("crm")

    def counting(what: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            result = what(*arguments)
            effects()
            return result

        return counted

    monkeypatch.setattr(outside, "erase", counting(outside.erase))
    monkeypatch.setattr(MemoryWrapper, "destroy", counting(MemoryWrapper.destroy))
    monkeypatch.setattr(KeySigner, "sign", counting(KeySigner.sign))
    world.satellites = [outside]
    double.after = effects
    return world, erasure_id


def effects_of_an_erasure() -> int:
    effects = Counted()
    with pytest.MonkeyPatch.context() as patch:
        world, _ = arranged(effects, patch)
        effects.armed = True
        world.work()
    return effects.done


@pytest.mark.parametrize("last", range(1, effects_of_an_erasure() + 1))
def test_a_crash_after_any_effect_loses_nothing_and_claims_nothing(
    last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    effects = Counted(last)
    world, erasure_id = arranged(effects, monkeypatch)
    bobs = world.rows_of(world.bob)
    effects.armed = True
    with pytest.raises(Crash):
        world.work()
    # Another worker takes over when the lease of the dead one has ended; the receipt may stand by then.
    written = world.alice.ledger.entry(erasure_id).receipt
    for _ in range(3):
        world.clock.forward(seconds=151)
        world.work()
    receipt = receipt_of(world, erasure_id)
    assert written is None or json.loads(written) == receipt
    assert world.rows_of(world.alice) == []
    assert world.rows_of(world.bob) == bobs
    # Deleted rows can be missing from the count of a worker that died; none is ever counted twice.
    assert receipt["counts"]["memory"] <= 8
    assert receipt["counts"]["keys"] <= 1
    [_, verdicts, _, crm] = receipt["stores"]
    assert crm["acknowledgement"].startswith("crm-")
    first, second = verdicts["verified_empty"]
    assert receipt["key_destroyed_at"] <= first <= second == receipt["completed_at"]


def test_a_crash_in_the_sweep_that_a_caller_waits_for_leaves_the_rest_to_a_worker() -> None:
    world, double = new_world()
    chat = world.fill(world.alice)

    def fail(operation: Any) -> None:
        if operation.name == "batch_write_item":
            double.before = lambda _: None
            raise Crash

    double.before = fail
    with pytest.raises(Crash):
        Erasure(world.alice, world.clock).conversation(chat)
    with pytest.raises(NotFound):
        world.alice.memory(1).conversations.conversation(chat)
    world.clock.forward(seconds=31)
    world.work()
    assert [each.text for each in world.alice.memory(1).facts.all()] == ["Has a dog"]


# The fence.


@pytest.mark.parametrize("again", [False, True], ids=["lost", "lost-and-sent-again"])
@pytest.mark.parametrize("scope", ["everything", "conversation"])
def test_a_fence_whose_acknowledgement_is_lost_has_happened_once(again: bool, scope: str) -> None:
    world, double = new_world()
    chat = world.fill(world.alice)
    epoch = world.alice.standing().generation

    def lose(operation: Any) -> None:
        if operation.name == "transact_write_items":
            double.after = lambda _: None
            if again:
                # What the SDK does when it hears nothing; its token does not make up for that here.
                world.dynamodb.transact_write_items(**operation.parameters)
            raise ReadTimeoutError(endpoint_url="database")

    double.after = lose
    erasure = Erasure(world.alice, world.clock)
    entry = erasure.everything(epoch) if scope == "everything" else erasure.conversation(chat, epoch)
    world.work()
    assert world.alice.ledger.entry(entry.erasure_id).status == "complete"
    assert world.alice.standing().generation == (epoch + 1 if scope == "everything" else epoch)
    assert len(list(world.alice.replay_log.after(None))) == 1


def test_a_fence_that_did_not_happen_is_not_taken_for_one() -> None:
    world, _ = new_world()
    world.fill(world.alice)
    Erasure(world.alice, world.clock).everything()
    with pytest.raises(EpochChanged):
        Erasure(world.alice, world.clock).everything(epoch=1)


def test_the_fence_takes_the_settings_with_it() -> None:
    world, _ = new_world()
    world.fill(world.alice)
    row = {"pk": {"S": keys.owner(world.alice.principal)}, "sk": {"S": keys.META}}
    table = "steps-control"
    meta = world.dynamodb.get_item(TableName=table, Key=row)["Item"]
    settings = {
        "language": {"S": "fr"},
        "generation": {"N": "1"},
        "revision": {"N": "1"},
        "consents": {"M": {}},
    }
    world.dynamodb.put_item(TableName=table, Item={**meta, "settings": {"M": settings}})
    Erasure(world.alice, world.clock).everything()
    left = world.dynamodb.get_item(TableName=table, Key=row)["Item"]
    assert left.keys().isdisjoint({"settings", "keyed"})


# The key.


def test_the_key_goes_first_and_nothing_that_erases_opens_one() -> None:
    world, double = new_world()
    began(world)
    key = world.rows_of(world.alice)
    assert [row for row in key if row["sk"]["S"] == keys.KEY]
    deleted: list[str] = []

    def note(operation: Any) -> None:
        if operation.name == "batch_write_item":
            deleted.extend(operation.parameters["RequestItems"])

    double.before = note
    opened = WRAPPER.unwrapped
    world.work()
    assert deleted[0] == "steps-keys"
    assert WRAPPER.unwrapped == opened


def test_an_erasure_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    world, _ = new_world()
    chat = world.fill(world.alice)
    [dog, _] = world.alice.memory(1).facts.all()
    place = {"pk": {"S": keys.partition(world.alice.principal, 1)}, "sk": {"S": keys.KEY}}
    world.dynamodb.delete_item(TableName="steps-keys", Key=place)
    WRAPPER.destroy(keys.partition(world.alice.principal, 1))

    def refuse(*_: object) -> None:
        raise AssertionError("an erasure opened a key")

    monkeypatch.setattr(MemoryWrapper, "unwrap", refuse)
    monkeypatch.setattr(MemoryWrapper, "new", refuse)
    anew = world.user("alice")
    Erasure(anew, world.clock).fact(dog.fact_id)
    Erasure(anew, world.clock).conversation(chat)
    entry = Erasure(anew, world.clock).everything()
    world.work()
    assert receipt_of(world, entry.erasure_id)["counts"]["keys"] == 0
    assert world.rows_of(world.alice) == []


def test_who_lost_their_key_begins_anew_after_an_erasure() -> None:
    world, _ = new_world()
    world.fill(world.alice)
    place = {"pk": {"S": keys.partition(world.alice.principal, 1)}, "sk": {"S": keys.KEY}}
    world.dynamodb.delete_item(TableName="steps-keys", Key=place)
    Erasure(world.user("alice"), world.clock).everything()
    anew = world.user("alice")
    anew.memory(anew.admit().generation).conversations.begin(conversation(3))
    assert anew.standing().generation == 2
    assert len(world.rows_of(world.alice)) > 2


# Sweeps.


def test_a_sweep_that_is_throttled_goes_on_until_all_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    world, double = new_world()
    erasure_id = began(world)
    monkeypatch.setattr("noted.store.database.time.sleep", lambda _: None)
    refused: list[str] = []
    whole = double.batch_write_item

    def half(**parameters: Any) -> dict[str, Any]:
        [(table, requests)] = parameters["RequestItems"].items()
        taken = requests[: max(len(requests) // 2, 1)]
        whole(RequestItems={table: taken})
        rest = requests[len(taken) :]
        refused.extend([table] * len(rest))
        return {"UnprocessedItems": {table: rest} if rest else {}}

    monkeypatch.setattr(double, "batch_write_item", half)
    world.work()
    assert len(refused) > 5
    assert receipt_of(world, erasure_id)["counts"] == {"memory": 8, "verdicts": 2, "keys": 1}
    assert world.rows_of(world.alice) == []


def test_there_is_no_receipt_while_an_index_still_shows_a_row() -> None:
    world, double = new_world()
    erasure_id = began(world)
    mine = keys.partition(world.alice.principal, 1)
    whole = double.query

    def behind(**parameters: Any) -> dict[str, Any]:
        # An index that has not followed its table yet.
        answer = whole(**parameters)
        partition = parameters["ExpressionAttributeValues"].get(":p")
        if parameters.get("IndexName") == "outbox" and partition == {"S": "shard-3"}:
            answer["Items"].append({"pk": {"S": mine}, "sk": {"S": "THREAD#"}})
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(double, "query", behind)
        world.work()
        assert world.alice.ledger.entry(erasure_id).status == "running"
    world.clock.forward(seconds=2)
    world.work()
    receipt_of(world, erasure_id)


# Places outside.


def test_what_is_outside_is_told_and_is_part_of_the_receipt() -> None:
    world, _ = new_world()
    crm, lake = Outside("crm"), Outside("lake")
    world.satellites = [crm, lake]
    erasure_id = began(world)
    world.work()
    assert crm.asked == lake.asked == [(ALICE, erasure_id)]
    outside = [store for store in receipt_of(world, erasure_id)["stores"] if "external" in store["name"]]
    at = "2026-03-10T12:00:00.000Z"
    assert outside == [
        {
            "name": f"external:{name}",
            "deleted": None,
            "verified_empty": None,
            "acknowledgement": f"{name}-1",
            "acknowledged_at": at,
        }
        for name in ("crm", "lake")
    ]


def test_while_one_place_outside_fails_the_erasure_is_not_finished_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world, _ = new_world()
    crm, lake = Outside("crm", failures=3), Outside("lake")
    world.satellites = [crm, lake]
    erasure_id = began(world)
    waited = []
    for _ in range(3):
        world.work()
        entry = world.alice.ledger.entry(erasure_id)
        assert (entry.status, entry.waiting_for, entry.receipt) == ("running", ("external:crm",), None)
        job = Jobs(Database(world.dynamodb, world.prefix, world.clock)).find(erasure_id)
        assert job is not None
        waited.append(job.due - world.clock.now())
        world.clock.at = job.due
    assert waited == [timedelta(seconds=5), timedelta(seconds=10), timedelta(seconds=20)]
    # The rows do not wait for it.
    assert world.rows_of(world.alice) == []
    world.work()
    assert len(lake.asked) == 1
    assert receipt_of(world, erasure_id)["stores"][3]["acknowledgement"] == "crm-4"
    assert "alice" not in caplog.text


def test_a_place_outside_that_does_not_know_whom_to_erase_keeps_the_erasure_open() -> None:
    world, _ = new_world()
    world.satellites = [Outside("crm")]
    world.fill(world.alice)
    entry = Erasure(world.alice, world.clock).everything()
    world.work()
    assert world.alice.ledger.entry(entry.erasure_id).waiting_for == ("external:crm",)


def test_a_part_is_told_to_nobody_outside() -> None:
    world, _ = new_world()
    crm = Outside("crm")
    world.satellites = [crm]
    chat = world.fill(world.alice)
    subjects = Subjects(SECRETS)
    erasure = Erasure(world.alice, world.clock, lambda number: subjects.seal(ALICE, number))
    entry = erasure.conversation(chat)
    world.work()
    receipt = receipt_of(world, entry.erasure_id)
    assert crm.asked == []
    assert [store["name"] for store in receipt["stores"]] == ["memory", "verdicts"]
    assert receipt["key_destroyed_at"] is None


def test_an_erasure_that_takes_more_than_a_day_says_so_every_hour(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world, _ = new_world()
    world.satellites = [Outside("crm", failures=1000)]
    began(world)
    world.work()
    world.clock.forward(hours=23)
    world.work()
    assert not [each for each in caplog.records if each.levelname == "ERROR"]
    for _ in range(3):
        world.clock.forward(minutes=61)
        world.work()
    told = [vars(each) for each in caplog.records if each.levelname == "ERROR"]
    assert [(each["message"], each["ErasuresOverdue"], each["unfinished"]) for each in told] == [
        ("erasure older than 24 h", 1, ["crm"])
    ] * 3


# The receipt.


def test_a_receipt_says_when_what_was_done_and_what_is_left_until_when() -> None:
    world, _ = new_world()
    erasure_id = began(world)
    world.clock.forward(seconds=60)
    world.work()
    receipt = receipt_of(world, erasure_id)
    noon, later = "2026-03-10T12:00:00.000Z", "2026-03-10T12:01:00.000Z"
    assert receipt["requested_at"] == receipt["fenced_at"] == noon
    assert receipt["key_destroyed_at"] == receipt["completed_at"] == later
    assert receipt["subject_ref"] == world.alice.ledger.reference
    assert receipt["stores"] == [
        {
            "name": name,
            "deleted": deleted,
            "verified_empty": [later, later],
            "acknowledgement": None,
            "acknowledged_at": None,
        }
        for name, deleted in (("memory", 8), ("verdicts", 2), ("keys", 1))
    ]
    until = {left["what"]: left["until"] for left in receipt["residuals"]}
    assert until == {
        # Seven days of point-in-time recovery after the fence, and one after the key was destroyed.
        "backups of memory, verdicts and control: ciphertext whose key is destroyed": (
            "2026-03-17T12:00:00.000Z"
        ),
        "backup of keys": "2026-03-11T12:01:00.000Z",
        "logs: no text, pseudonymous": "2026-03-24T12:01:00.000Z",
        "prompt cache of the model's provider": "2026-03-10T12:05:00.000Z",
        "memory of warm functions": "2026-03-10T12:05:00.000Z",
        # Three years of 365 days.
        "this receipt": "2029-03-09T12:00:00.000Z",
    }


def test_a_receipt_is_written_once() -> None:
    world, _ = new_world()
    erasure_id = began(world)
    world.work()
    entry = world.alice.ledger.entry(erasure_id)
    world.clock.forward(hours=1)
    assert world.alice.ledger.complete(entry) is False
    world.clock.forward(hours=24)
    world.work()
    assert world.alice.ledger.entry(erasure_id) == entry
