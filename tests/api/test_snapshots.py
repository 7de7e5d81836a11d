"""The snapshot of a conversation of a user with many facts: told without a look at each of them, and still
without one that was taken back a moment ago, whatever took it back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from noted.store import keys
from noted.store.tables import MEMORY

from .conftest import ServiceUnderTest
from .helpers import (
    LEAD,
    Json,
    begin,
    correct,
    erase,
    eventually,
    facts,
    judge,
    learn,
    ok,
    said_to,
    saved,
    say,
    tell,
    texts,
)

if TYPE_CHECKING:
    import httpx

BOATS = 24
# More than the 64 facts from which on a user has an index, and than the 50 that a snapshot has at most.
MANY = 100
TARGET = "Has asthma"
RICHER = "Has asthma and migraines"


@dataclass(frozen=True)
class Scene:
    """A user in the middle of a conversation whose snapshot has the target, which came from another one."""

    service: ServiceUnderTest
    alice: httpx.Client
    target: Json
    chat: str

    def prompt(self) -> str:
        """The system prompt of the conversation's next turn. What its message brings back are boats: they are
        read by their rows, and the target is not."""
        say(self.alice, self.chat, "Which boat do I own?", remember=False)
        return said_to(self.service.standin.calls["answer"])["system"]

    def is_copied(self) -> bool:
        """Whether there is a copy of the conversation's snapshot."""
        return any(key.endswith(self.chat) for key in self.copies())

    def copies(self) -> list[str]:
        """The sort keys of all copies of snapshots."""
        name = f"{self.service.runtime.settings.table_prefix}-{MEMORY.name}"
        rows = self.service.runtime.dynamodb.scan(TableName=name)["Items"]
        found = [row["sk"]["S"] for row in rows]
        return [key for key in found if key.startswith(keys.INDEX) and "#cv_" in key]


def told(system: str) -> list[str]:
    """The facts that a system prompt tells."""
    return [line.removeprefix("- ") for line in system.partition(LEAD)[2].strip().splitlines()]


def many(client: httpx.Client, count: int = BOATS) -> None:
    batch = [{"text": f"Owns boat {number}", "kind": "fact"} for number in range(count)]
    ok(client.post("/v1/facts:batch", json={"facts": batch}))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index of few facts."""
    monkeypatch.setattr("noted.store.index_folding.FEWEST", 16)


@pytest.fixture
def scene(small: None, service: ServiceUnderTest) -> Scene:
    alice = service.client("alice")
    ok(alice.put("/v1/settings", json={"consents": {"health": {"given": True}}}))
    many(alice)
    said = learn(service, alice, "I have asthma", TARGET)
    [target] = saved(alice, said)["facts"]
    assert target["special_category"] == "health"
    # Of many facts those that their user confirmed are told first.
    judge(alice, target, "confirmed")
    service.queue.drain()
    scene = Scene(service, alice, target, begin(alice))
    first, second = scene.prompt(), scene.prompt()
    # The first is read fact by fact, the second from the copy that was made then.
    assert first == second
    assert TARGET in told(second)
    assert len(told(second)) == BOATS + 1
    assert scene.is_copied()
    return scene


def told_by_hand(scene: Scene, text: str) -> None:
    tell(scene.alice, text)


def said_elsewhere(scene: Scene, message: str, text: str, action: str) -> None:
    decision = {"reason": "", "fact": 1, "action": action, "target": 1}
    scene.service.standin.reply("consolidation", {"decisions": [decision]})
    learn(scene.service, scene.alice, message, text)


def remembered(scene: Scene) -> None:
    facts_of = scene.service.standin.facts
    scene.service.standin.reply("extraction", facts_of(RICHER, quote="I have asthma and migraines"))
    say(scene.alice, begin(scene.alice), "Remember that I have asthma and migraines")


def imported(scene: Scene) -> None:
    bob = scene.service.client("bob")
    ok(bob.put("/v1/settings", json={"consents": {"health": {"given": True}}}))
    tell(bob, RICHER)
    ok(scene.alice.post("/v1/import", json=ok(bob.get("/v1/export"))))


def by_a_compliance_system(scene: Scene) -> None:
    system = scene.service.client("compliance", ["memory:erase"])
    request_id = str(uuid4())
    request = {
        "subject_request_id": request_id,
        "subject": "alice",
        "regulation": "gdpr",
        "submitted_time": "2026-01-01T00:00:00Z",
    }
    ok(system.post("/v1/admin/erasures", json=request), 202)


WRITERS: dict[str, Callable[[Scene], object]] = {
    "rejected": lambda scene: judge(scene.alice, scene.target, "rejected"),
    "called inaccurate": lambda scene: judge(scene.alice, scene.target, "inaccurate"),
    "corrected": lambda scene: correct(scene.alice, scene.target, "Has hay fever"),
    "erased": lambda scene: erase(scene.alice, f"/v1/facts/{scene.target['fact_id']}"),
    "erasure accepted": lambda scene: ok(scene.alice.delete(f"/v1/facts/{scene.target['fact_id']}"), 202),
    "its conversation erased": lambda scene: erase(
        scene.alice, f"/v1/conversations/{scene.target['source']['conversation_id']}"
    ),
    "ended by a richer one, told by hand": lambda scene: told_by_hand(scene, RICHER),
    "ended by a richer one, said elsewhere": lambda scene: said_elsewhere(
        scene, "I have asthma and migraines", RICHER, "ADD"
    ),
    "ended by a richer one, remembered": remembered,
    "ended by a richer one, imported": imported,
    "consent withdrawn": lambda scene: ok(
        scene.alice.put("/v1/settings", json={"consents": {"health": {"given": False}}})
    ),
    "memory paused": lambda scene: ok(scene.alice.put("/v1/settings", json={"memory": "paused"})),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_what_takes_a_fact_back_is_seen_by_the_next_turn(scene: Scene, writer: str) -> None:
    WRITERS[writer](scene)
    for number in range(4):
        if number == 2 and writer != "memory paused":
            # Behind an erasure there is no index until the next change, nor any copy.
            tell(scene.alice, "Has a cat")
        system = scene.prompt()
        assert TARGET not in told(system)
        assert f"- {TARGET}" not in scene.service.standin.calls["answer"][-1].prompt.splitlines()
        if writer != "memory paused":
            live = texts(facts(scene.alice, status="live"))
            assert set(told(system)) <= set(live)
            assert len(told(system)) >= BOATS
    assert scene.is_copied()


@pytest.mark.parametrize("eraser", ["user", "compliance system"])
def test_after_an_erasure_of_everything_no_copy_is_told_or_left(scene: Scene, eraser: str) -> None:
    if eraser == "user":
        erase(scene.alice)
    else:
        by_a_compliance_system(scene)
    scene = Scene(scene.service, scene.alice, scene.target, begin(scene.alice))
    assert told(scene.prompt()) == []
    many(scene.alice)
    scene = Scene(scene.service, scene.alice, scene.target, begin(scene.alice))
    for _ in range(2):
        assert len(told(scene.prompt())) == BOATS
        assert TARGET not in scene.service.standin.calls["answer"][-1].prompt
    assert scene.is_copied()
    assert eventually(lambda: len(scene.copies()) == 1 or None)


@pytest.mark.parametrize("what", ["fact", "conversation"])
def test_an_erasure_deletes_every_copy_before_it_is_answered(scene: Scene, what: str) -> None:
    other = Scene(scene.service, scene.alice, scene.target, begin(scene.alice))
    other.prompt()
    assert scene.is_copied()
    assert other.is_copied()
    address = f"/v1/facts/{scene.target['fact_id']}"
    if what == "conversation":
        address = f"/v1/conversations/{scene.target['source']['conversation_id']}"
    ok(scene.alice.delete(address), 202)
    assert scene.copies() == []


def test_a_fact_whose_rejection_is_taken_back_is_told_again(scene: Scene) -> None:
    judge(scene.alice, scene.target, "rejected")
    assert TARGET not in told(scene.prompt())
    judge(scene.alice, scene.target, "confirmed")
    for _ in range(2):
        assert TARGET in told(scene.prompt())


def test_a_correction_is_told_in_the_place_of_what_it_corrects(scene: Scene) -> None:
    before = told(scene.prompt())
    correct(scene.alice, scene.target, "Has hay fever")
    expected = ["Has hay fever" if text == TARGET else text for text in before]
    with read_units(scene.service) as made:
        assert told(scene.prompt()) == expected
    # The copy serves the others, and the correction is read with the facts that answer.
    assert [name for name, _ in made].count("BatchGetItem") == 1


def test_what_is_added_changes_no_byte_of_the_prefix(scene: Scene) -> None:
    before = scene.prompt()
    tell(scene.alice, "Has a cat")
    tell(scene.alice, TARGET)
    learn(scene.service, scene.alice, "I play the cello", "Plays the cello")
    assert [scene.prompt() for _ in range(2)] == [before] * 2


@pytest.mark.usefixtures("small")
def test_personal_values_are_told_from_a_copy_as_from_their_facts(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    many(alice)
    tell(alice, "Can be reached at +351 912 345 678")
    scene = Scene(service, alice, {}, begin(alice))
    first, second = scene.prompt(), scene.prompt()
    assert scene.is_copied()
    assert first == second
    assert "Can be reached at <PHONE_A>" in told(second)
    service.standin.reply("answer", "Call <PHONE_A>.")
    assert (
        say(alice, scene.chat, "How can I be reached?", remember=False)["answer"] == "Call +351 912 345 678."
    )


def test_what_was_read_before_an_erasure_is_not_copied_after_it(scene: Scene) -> None:
    fresh = Scene(scene.service, scene.alice, scene.target, begin(scene.alice))

    def answer(_: object) -> str:
        # While the model answers, after all has been read.
        ok(scene.alice.delete(f"/v1/facts/{scene.target['fact_id']}"), 202)
        return "ok"

    scene.service.standin.reply("answer", answer, "ok")
    fresh.prompt()
    assert scene.copies() == []
    assert TARGET not in told(fresh.prompt())


@contextmanager
def read_units(service: ServiceUnderTest) -> Iterator[list[tuple[str, float]]]:
    """The operations that read for a call, with the units that DynamoDB Local says they took."""
    made: list[tuple[str, float]] = []

    def mine() -> bool:
        # The sweeps run on threads of their own.
        return threading.current_thread().name.startswith(("function", "recall", "episodes"))

    def ask(params: dict[str, Any], **_: Any) -> None:
        if mine():
            params["ReturnConsumedCapacity"] = "TOTAL"

    def answered(model: Any, parsed: Mapping[str, Any], **_: Any) -> None:
        if mine() and model.name in ("GetItem", "BatchGetItem", "Query"):
            units = parsed.get("ConsumedCapacity") or []
            every = units if isinstance(units, list) else [units]
            made.append((model.name, sum(each["CapacityUnits"] for each in every)))

    events = service.runtime.dynamodb.meta.events
    events.register("before-parameter-build.dynamodb", ask)
    events.register("after-call.dynamodb", answered)
    try:
        yield made
    finally:
        events.unregister("before-parameter-build.dynamodb", ask)
        events.unregister("after-call.dynamodb", answered)


def test_a_turn_with_nothing_changed_reads_few_units(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    many(alice, MANY)
    scene = Scene(service, alice, {}, begin(alice))
    assert [len(told(scene.prompt())) for _ in range(2)] == [50, 50]
    assert scene.is_copied()
    with read_units(scene.service) as made:
        scene.prompt()
    # The conversation with its two turns, below 8 KB; the episodes; the copy, below 8 KB, and the rows of the
    # 18 facts that answer best; at the end where the user stands. The index and the data key are known.
    most = {"Query": 2 + 1, "BatchGetItem": 2 + 18, "GetItem": 1}
    taken = {name: sum(units for each, units in made if each == name) for name in most}
    assert all(taken[name] <= most[name] for name in most), made
    assert [name for name, _ in made].count("BatchGetItem") == 1


def test_a_turn_behind_a_lost_copy_reads_as_before_and_makes_another(scene: Scene) -> None:
    [key] = [key for key in scene.copies() if key.endswith(scene.chat)]
    name = f"{scene.service.runtime.settings.table_prefix}-{MEMORY.name}"
    [row] = [
        row for row in scene.service.runtime.dynamodb.scan(TableName=name)["Items"] if row["sk"]["S"] == key
    ]
    before = scene.prompt()
    scene.service.runtime.dynamodb.put_item(TableName=name, Item=row | {"content": {"B": b"\x01damaged"}})
    assert scene.prompt() == before
    with read_units(scene.service) as made:
        assert scene.prompt() == before
    assert sum(units for each, units in made if each == "BatchGetItem") <= 20
