"""The copy of what a conversation's snapshot says: made once, read at once, never told of what does not stand
any more, and gone in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from noted.facts.change import Altered, Change
from noted.facts.fact import Fact, Verdict
from noted.preferring import Wanted, limit, prefer
from noted.recall.index_recall import Brought, newest, recall
from noted.recall.index_telling import Snapshot
from noted.recall.search import Query
from noted.store import keys
from noted.store.queue import RetentionJob
from noted.store.snapshots import KEPT
from tests.store.builders import conversation, principal
from tests.store.test_index import EVERYTHING, Down, User, embedded, several

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CHAT = conversation(1).conversation_id
TARGET = "Keeps the red kayak in the shed"


@dataclass(frozen=True)
class Scene:
    """A user in a conversation that was told twelve facts, of which there is a copy."""

    user: User
    target: Fact
    others: list[Fact]
    snapshot: Snapshot

    def brought(self) -> Brought:
        """What the conversation's next turn is told. The query finds none of the snapshot's facts."""
        now = self.user.clock.now()
        query = Query("x", limit=1, until=now - timedelta(days=900))
        return recall(self.user.memory(), query, Down(), now, 5, self.snapshot)

    def told(self) -> list[str]:
        return [each.text for each in self.brought().still_told]

    def keep(self) -> bool:
        """Keeps a copy of what was read fact by fact. Whether there was anything to keep, and it was kept."""
        copied = self.brought().uncopied
        return copied is not None and self.user.memory().snapshots.keep(
            copied.conversation_id, copied.edition, copied.facts
        )

    def copies(self) -> dict[str, dict[str, Any]]:
        return {key: row for key, row in self.user.rows().items() if key.endswith(CHAT)}


def begun(user: User, target: Fact) -> Scene:
    others = several(11)
    user.add(*others, target)
    user.memory().index.fold()
    ids = tuple(sorted(newest(user.memory(), EVERYTHING, user.clock.now())))
    scene = Scene(user, target, others, Snapshot(CHAT, ids, begun=True))
    assert TARGET in scene.told()
    return scene


@pytest.fixture(autouse=True)
def small() -> Iterator[None]:
    """An index of few facts."""
    with ExitStack() as stack:
        stack.enter_context(patch("noted.store.index_folding.FEWEST", 3))
        yield


@pytest.fixture
def user(dynamodb: DynamoDBClient, tables: str) -> User:
    return User(dynamodb, tables)


@pytest.fixture
def scene(user: User) -> Scene:
    scene = begun(user, embedded(TARGET, 50, sequence=1))
    assert scene.keep()
    assert scene.brought().uncopied is None
    return scene


def by_a_richer_one(scene: Scene) -> None:
    scene.user.supersede(scene.target, embedded(f"{TARGET} by the door", 60))


def with_its_end(scene: Scene) -> None:
    ended = replace(scene.target, valid_until=scene.user.clock.now())
    scene.user.memory().facts.apply(Change(altered=(Altered(scene.target, ended),)))


def to_make_room(scene: Scene) -> None:
    forgotten = replace(scene.target, expires_at=scene.user.clock.now())
    scene.user.memory().facts.apply(Change(altered=(Altered(scene.target, forgotten),)))


def with_a_copy_of_it_rejected(scene: Scene) -> None:
    again = embedded(TARGET, 70, sequence=scene.user.next())
    scene.user.add(again)
    scene.user.judge(again, Verdict.REJECTED)


WRITERS: dict[str, Callable[[Scene], object]] = {
    "rejected": lambda scene: scene.user.judge(scene.target, Verdict.REJECTED),
    "inaccurate": lambda scene: scene.user.judge(scene.target, Verdict.INACCURATE),
    "superseded": by_a_richer_one,
    "ended": with_its_end,
    "forgotten": to_make_room,
    "rejected in the same words": with_a_copy_of_it_rejected,
    "erased": lambda scene: scene.user.erase(scene.target),
}


@pytest.mark.parametrize("folded", [False, True], ids=["in the log", "folded"])
@pytest.mark.parametrize("writer", WRITERS)
def test_what_takes_a_fact_back_takes_it_out_of_what_a_copy_tells(
    scene: Scene, writer: str, folded: bool
) -> None:
    before = scene.told()
    WRITERS[writer](scene)
    if folded:
        scene.user.memory().index.fold()
    assert scene.told() == [text for text in before if text != TARGET]
    assert scene.keep() == (writer == "erased" and folded)
    assert scene.told() == [text for text in before if text != TARGET]


def test_a_fact_whose_time_is_over_is_not_told(user: User) -> None:
    now = user.clock.now()
    until = embedded(TARGET, 50, sequence=1, valid_until=now + timedelta(hours=1))
    scene = begun(user, until)
    assert scene.keep()
    user.clock.forward(minutes=59)
    assert TARGET in scene.told()
    user.clock.forward(minutes=1)
    assert TARGET not in scene.told()
    assert len(scene.told()) == 11


def test_a_fact_that_is_to_go_sooner_is_not_in_a_copy(user: User) -> None:
    now = user.clock.now()
    scene = begun(user, embedded(TARGET, 50, sequence=1, expires_at=now + KEPT))
    assert scene.keep()
    copied = scene.brought()
    assert copied.uncopied is None
    assert TARGET in [each.text for each in copied.still_told]
    edition = user.memory().index.open()
    assert edition is not None
    _, copies = user.memory().snapshots.read(CHAT, edition.edition, [])
    assert sorted(each.text for each in copies.values()) == sorted(each.text for each in scene.others)
    [row] = scene.copies().values()
    assert int(row["expires_at"]["N"]) == (now + KEPT).timestamp()


def test_a_copy_ends_and_is_made_again(scene: Scene) -> None:
    before = scene.told()
    scene.user.clock.forward(days=KEPT.days)
    assert scene.brought().uncopied is not None
    assert scene.told() == before
    assert scene.keep()
    assert scene.brought().uncopied is None
    assert scene.told() == before


def test_a_limit_of_the_user_ends_what_is_told_and_the_copy_with_it(scene: Scene) -> None:
    user = scene.user
    user.clock.forward(days=3)
    late = user.memory()
    repository = user.repository()
    standing = prefer(repository, repository.admit(), Wanted(retention_days=2), user.clock)
    assert scene.told() == []
    # A worker that began before it and knows of no limit builds an index that tells of the old ends.
    late.index.fold()
    assert scene.told() == []
    limit(RetentionJob(repository.principal, standing.generation), repository)
    assert scene.told() == []
    [row] = scene.copies().values()
    assert int(row["expires_at"]["N"]) <= user.clock.now().timestamp()


def test_a_copy_of_few_facts_is_not_made(user: User) -> None:
    facts = several(12)
    user.add(*facts)
    user.memory().index.fold()
    told = Snapshot(CHAT, tuple(each.fact_id for each in facts[:7]), begun=True)
    scene = Scene(user, facts[0], facts, told)
    assert len(scene.told()) == 7
    assert not scene.keep()


@pytest.mark.parametrize("meanwhile", ["add", "judge", "erase", "erase everything"])
def test_what_was_read_before_a_change_is_not_kept_after_it(user: User, meanwhile: str) -> None:
    scene = begun(user, embedded(TARGET, 50, sequence=1))
    copied, memory = scene.brought().uncopied, user.memory()
    assert copied is not None
    if meanwhile == "add":
        user.add(*several(1, 80))
    elif meanwhile == "judge":
        user.judge(scene.target, Verdict.REJECTED)
    elif meanwhile == "erase":
        user.erase(scene.target)
    else:
        user.erasure().everything()
    assert not memory.snapshots.keep(copied.conversation_id, copied.edition, copied.facts)
    assert scene.copies() == {}


def test_a_copy_is_sealed(scene: Scene) -> None:
    [row] = scene.copies().values()
    assert b"kayak" not in str(row).encode()
    assert row.keys() - {"written"} == {"pk", "sk", "expires_at", "kept_at", "content"}


def test_a_copy_that_was_put_elsewhere_tells_nothing(scene: Scene) -> None:
    [(key, row)] = scene.copies().items()
    other = conversation(2).conversation_id
    moved = row | {"sk": {"S": key.replace(CHAT, other)}, "pk": {"S": keys.partition(principal("alice"), 1)}}
    scene.user.dynamodb.put_item(TableName=f"{scene.user.prefix}-memory", Item=moved)
    elsewhere = replace(scene, snapshot=replace(scene.snapshot, conversation_id=other))
    assert elsewhere.brought().uncopied is not None
    assert elsewhere.told() == scene.told()
