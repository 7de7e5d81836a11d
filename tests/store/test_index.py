"""Recall through the index of facts brings back exactly what a look at all facts brings back, whatever was
done to the facts and whenever the index was folded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

import boto3
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from moto import mock_aws

from evals.units import Units
from noted import ids
from noted.errors import ModelUnavailable
from noted.facts.change import Altered, Change, adding
from noted.facts.fact import Fact, GivenVerdict, Source, Verdict
from noted.facts.live import live, still_told
from noted.privacy.erasure import Erasure
from noted.recall import lexical, vectors
from noted.recall.index_recall import newest, recall
from noted.recall.index_telling import Snapshot
from noted.recall.search import Query, Recalled, search
from noted.store import keys
from noted.store.caches import Caches
from noted.store.database import Database
from noted.store.erasing import Erasing
from noted.store.index_cache import IndexCache
from noted.store.key_cache import KeyCache
from noted.store.memory import Memory
from noted.store.repository import Repository
from noted.store.tables import create_tables
from noted.store.writes import update
from tests.dynamodb_double import DynamoDBDouble
from tests.erasing import worker

from .builders import SECRETS, WRAPPER, FixedClock, conversation, deployment, fact, principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.dynamodb import DynamoDBLocal

EVERYTHING = 10_000


class Embedder:
    """Vectors of eight components, alike for texts that share words."""

    name = "words"

    def embed_query(self, text: str) -> list[float]:
        total = [0.01 * place for place in range(8)]
        for word in lexical.tokens(text):
            digest = sha256(word.encode()).digest()
            total = [value + digest[place] / 255 - 0.5 for place, value in enumerate(total)]
        return total

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Down(Embedder):
    """An embedder that cannot be reached."""

    def embed_query(self, text: str) -> list[float]:
        raise ModelUnavailable("down")


def embedded(text: str, number: int = 0, embedder: str | None = "words", **changes: Any) -> Fact:
    """A fact with what it is found by."""
    vector = vectors.pack(Embedder().embed_query(text)) if embedder else None
    words = lexical.pack(lexical.tokens(text))
    return fact(text, number, vector=vector, words=words, embedder=embedder, **changes)


@pytest.fixture(autouse=True)
def small() -> Iterator[None]:
    """Indexes of few facts, folded often."""
    with small_indexes():
        yield


def small_indexes() -> ExitStack:
    stack = ExitStack()
    stack.enter_context(patch("noted.store.index._FOLDED_AFTER", 4))
    stack.enter_context(patch("noted.store.index_folding.FEWEST", 3))
    stack.enter_context(patch("noted.store.index_folding.MOST", 5))
    # A copy of a snapshot, however few facts it has, and not for long.
    stack.enter_context(patch("noted.recall.index_telling.FEWEST", 1))
    stack.enter_context(patch("noted.store.snapshots.KEPT", timedelta(seconds=100)))
    return stack


class User:
    """One user of the store, as several processes see them."""

    def __init__(self, dynamodb: DynamoDBClient, prefix: str, clock: FixedClock | None = None) -> None:
        self.dynamodb = dynamodb
        self.prefix = prefix
        self.clock = clock or FixedClock()
        self.cache = IndexCache()
        self.keys = KeyCache()
        self.sequence = self.repository().admit().sequence
        self.snapshot, self.begun = Snapshot(), 0

    def repository(self, cache: IndexCache | None = None) -> Repository:
        return Repository(
            self.dynamodb,
            deployment(self.prefix, self.clock, Caches(indexes=cache or self.cache, keys=self.keys)),
            principal("alice"),
        )

    def memory(self, cache: IndexCache | None = None) -> Memory:
        repository = self.repository(cache)
        return repository.memory(repository.standing().generation)

    def next(self) -> int:
        self.sequence = self.repository().admit().sequence
        return self.sequence

    def add(self, *facts: Fact) -> None:
        self.memory().facts.add(facts)

    def judge(self, judged: Fact, verdict: Verdict) -> None:
        given = GivenVerdict(
            ids.ordered(ids.VERDICT, self.next()), judged.fact_id, verdict, self.clock.now(), self.sequence
        )
        self.memory().facts.judge(judged, given, self.clock.now() + timedelta(days=40))

    def supersede(self, old: Fact, new: Fact) -> None:
        ended = replace(old, superseded_by=new.fact_id, valid_until=self.clock.now())
        self.memory().facts.apply(Change(added=(new,), altered=(Altered(old, ended),)))

    def erasure(self) -> Erasure:
        return Erasure(self.repository(), self.clock)

    def erase(self, erased: Fact) -> None:
        self.erasure().fact(erased.fact_id)

    def run_erasures(self) -> None:
        database = Database(self.dynamodb, self.prefix, self.clock)
        worker(database, lambda _: self.repository(), SECRETS, WRAPPER, self.clock).run_due()

    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of the index by sort key."""
        found = self.dynamodb.scan(TableName=f"{self.prefix}-memory")["Items"]
        return {row["sk"]["S"]: dict(row) for row in found if row["sk"]["S"].startswith(keys.INDEX)}


@pytest.fixture
def user(dynamodb: DynamoDBClient, tables: str) -> User:
    return User(dynamodb, tables)


def queries(now: Any) -> list[Query]:
    """One query of each kind, for all that there is."""
    everything = Query("What about order 48213, tea in 上海 and Anna?", limit=EVERYTHING)
    return [
        everything,
        replace(everything, history=True),
        replace(everything, as_of=now - timedelta(seconds=40)),
        replace(everything, kinds=("goal",)),
        replace(everything, since=now - timedelta(seconds=60), until=now - timedelta(seconds=5)),
    ]


def told(recalled: Recalled) -> list[tuple[Fact, float, Any]]:
    return [(found.fact, found.score, found.why) for found in recalled.items]


def check(user: User) -> None:
    """That the index, if there is one, finds what all facts would have found: by words to the last score and
    in the same order, with vectors, of which it keeps sketches, the same set."""
    now = user.clock.now()
    facts = user.memory().facts.all()
    assert (
        newest(user.memory(), 5, now)
        == [
            each.fact_id for each in sorted(live(facts, now), key=lambda each: each.provenance != "confirmed")
        ][:5]
    )
    told_before = tuple(each.fact_id for each in facts)[::2]
    snapshot = Snapshot(conversation(9).conversation_id, told_before)
    everything, *others = queries(now)
    for query, cache in [(everything, IndexCache()), *((each, user.cache) for each in (everything, *others))]:
        brought = recall(user.memory(cache), query, Down(), now, 5, snapshot)
        assert told(brought.recalled) == told(search(facts, query, Down(), now, 5))
        assert list(brought.still_told) == still_told(told_before, facts, now)
    check_conversation(user)
    alike = recall(user.memory(), everything, Embedder(), now, 5).recalled
    expected = search(facts, everything, Embedder(), now, 5)
    assert {each.fact.fact_id for each in alike.items} == {each.fact.fact_id for each in expected.items}


def check_conversation(user: User) -> None:
    """That the conversation which the user has begun is told of its snapshot what all facts would tell, by a
    copy where there is one; where there is none, one is made for the next time. Where little of it is left,
    another conversation begins."""
    now, facts = user.clock.now(), user.memory().facts.all()
    expected = [as_told(each) for each in still_told(user.snapshot.fact_ids, facts, now)]
    if len(expected) < 3:
        user.begun += 1
        begun = conversation(1_000 + user.begun).conversation_id
        user.snapshot = Snapshot(begun, tuple(newest(user.memory(), EVERYTHING, now)), begun=True)
        expected = [as_told(each) for each in still_told(user.snapshot.fact_ids, facts, now)]
    for limit in (1, EVERYTHING):
        query = Query("What about tea in Porto?", limit=limit)
        brought = recall(user.memory(), query, Down(), now, 5, user.snapshot)
        assert [as_told(each) for each in brought.still_told] == expected
    if copied := brought.uncopied:
        user.memory().snapshots.keep(copied.conversation_id, copied.edition, copied.facts)


def as_told(each: Fact) -> list[object]:
    """All of a fact that has a part in how it is told."""
    source = each.source.turn_id if each.source else None
    told_by = [each.fact_id, each.kind, each.text, each.same, each.profile_field, each.entities, source]
    return [*told_by, each.created_at, each.last_confirmed_at, each.provenance, each.special_category]


TEXTS = st.builds(
    "{} {}".format,
    st.sampled_from(["Likes", "Has no", "Told Anna about", "Plans"]),
    st.sampled_from(["tea", "Porto", "order 48213", "order 48217", "a cat", "上海", "the red van", "🎉"]),
)
CONVERSATIONS = tuple(conversation(number) for number in range(2))
NEW = st.fixed_dictionaries(
    {
        "text": TEXTS,
        "ago": st.integers(0, 90),
        "kind": st.sampled_from(["fact", "goal"]),
        "category": st.sampled_from(["other", "constraint", "identity"]),
        "provenance": st.sampled_from(["said", "confirmed"]),
        "embedder": st.sampled_from(["words", "words", "words", "older", None]),
        "held": st.booleans(),
        "ends": st.one_of(st.none(), st.integers(1, 60)),
        "expires": st.one_of(st.none(), st.integers(1, 400)),
        "of": st.one_of(st.none(), st.integers(0, 1)),
    }
)


class Histories(RuleBasedStateMachine):
    """Anything that can happen to a user's facts, in any order, on one index."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = small_indexes()
        self._stack.enter_context(mock_aws())
        client = boto3.client("dynamodb", region_name="eu-west-1")
        create_tables(client, "t")
        self.user = User(client, "t")
        for each in CONVERSATIONS:
            self.user.memory().conversations.begin(each)
        self.conversations = list(CONVERSATIONS)

    def teardown(self) -> None:
        self._stack.close()

    def made(self, new: dict[str, Any]) -> Fact:
        now = self.user.clock.now()
        said_at = now - timedelta(seconds=new["ago"])
        number = new["of"]
        source = None
        if number is not None and number < len(self.conversations):
            source = Source(self.conversations[number].conversation_id, ids.ordered(ids.TURN, 1), new["text"])
        return embedded(
            new["text"],
            embedder=new["embedder"],
            fact_id=ids.at(ids.FACT, said_at),
            kind=new["kind"],
            category=new["category"],
            provenance=new["provenance"],
            sequence=self.user.next(),
            created_at=said_at,
            last_confirmed_at=said_at,
            held=new["held"] and new["kind"] == "fact",
            source=source,
            valid_until=said_at + timedelta(seconds=new["ends"]) if new["ends"] else None,
            expires_at=now + timedelta(seconds=new["expires"]) if new["expires"] else None,
        )

    def one(self, place: int) -> Fact | None:
        facts = self.user.memory().facts.all()
        return facts[place % len(facts)] if facts else None

    @rule(several=st.lists(NEW, min_size=1, max_size=6))
    def add(self, several: list[dict[str, Any]]) -> None:
        self.user.add(*(self.made(new) for new in several))

    @rule(place=st.integers(0, 50), verdict=st.sampled_from(Verdict))
    def judge(self, place: int, verdict: Verdict) -> None:
        if judged := self.one(place):
            self.user.judge(judged, verdict)

    @rule(place=st.integers(0, 50), new=NEW)
    def correct(self, place: int, new: dict[str, Any]) -> None:
        old = self.one(place)
        if old is None or old.superseded_by:
            return
        corrected = replace(self.made(new), supersedes=old.fact_id, kind=old.kind)
        given = GivenVerdict(
            ids.ordered(ids.VERDICT, self.user.next()),
            old.fact_id,
            Verdict.INACCURATE,
            self.user.clock.now(),
            self.user.sequence,
        )
        self.user.memory().facts.correct(old, adding(corrected), given)

    @rule(place=st.integers(0, 50), new=NEW)
    def supersede(self, place: int, new: dict[str, Any]) -> None:
        old = self.one(place)
        if old and not old.superseded_by:
            self.user.supersede(old, replace(self.made(new), kind=old.kind, supersedes=old.fact_id))

    @rule(place=st.integers(0, 50))
    def say_again_elsewhere(self, place: int) -> None:
        """A second conversation holds a fact: a copy of it stands in for it."""
        old = self.one(place)
        if old and not old.copied_as and not old.copy_of:
            copy = replace(
                old, fact_id=ids.at(ids.FACT, self.user.clock.now()), copy_of=old.fact_id, latest_verdict=None
            )
            confirmed = replace(old, copied_as=copy.fact_id, last_confirmed_at=self.user.clock.now())
            self.user.memory().facts.apply(Change(added=(copy,), altered=(Altered(old, confirmed),)))

    @rule(place=st.integers(0, 50))
    def erase_a_fact(self, place: int) -> None:
        if erased := self.one(place):
            self.user.erase(erased)

    @precondition(lambda self: self.conversations)
    @rule()
    def erase_a_conversation(self) -> None:
        self.user.erasure().conversation(self.conversations.pop().conversation_id)

    @rule()
    def finish_erasures(self) -> None:
        self.user.run_erasures()

    @rule(seconds=st.integers(1, 120))
    def wait(self, seconds: int) -> None:
        self.user.clock.forward(seconds=seconds)

    @rule()
    def fold(self) -> None:
        self.user.memory().index.fold()

    @rule(new=NEW, place=st.integers(0, 50), what=st.sampled_from(["add", "judge", "erase", "fold"]))
    def fold_while_something_happens(self, new: dict[str, Any], place: int, what: str) -> None:
        def meanwhile() -> None:
            if what == "add":
                self.user.add(self.made(new))
            elif what == "judge":
                self.judge(place, Verdict.REJECTED)
            elif what == "erase":
                self.erase_a_fact(place)
            else:
                self.user.memory().index.fold()

        fold_with(self.user.memory(), meanwhile)

    @invariant()
    def the_index_finds_what_all_facts_find(self) -> None:
        check(self.user)


def fold_with(memory: Memory, meanwhile: Callable[[], None]) -> None:
    """Folds, with something happening after all was read and before anything is written."""
    written = memory.index._transact

    def write(writes: Any) -> None:
        meanwhile()
        written(writes)

    with patch.object(memory.index, "_transact", write):
        memory.index.fold()


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=6, stateful_step_count=20, deadline=None)


# One thing at a time, on both implementations of DynamoDB


def several(count: int, first: int = 0) -> list[Fact]:
    return [
        embedded(f"Owns boat {number}", number, sequence=number) for number in range(first, first + count)
    ]


def test_few_facts_have_no_index_and_more_have_one(user: User) -> None:
    user.add(*several(2))
    assert user.rows() == {}
    user.add(*several(2, 2))
    assert user.memory().index.open() is not None
    check(user)


def test_the_rows_of_an_index_are_sealed_and_end(user: User) -> None:
    user.add(embedded("Keeps the passport in the blue drawer", 0), *several(9, 1))
    rows = user.rows()
    assert len(rows) == 1 + 1 + 2  # the manifest, the basis, and five facts in each segment
    words = lexical.pack(lexical.tokens("passport"))
    for row in rows.values():
        assert {"S", "N"} >= {kind for name in ("pk", "sk", "expires_at") for kind in row[name]}
        assert int(row["expires_at"]["N"]) <= (user.clock.now() + timedelta(days=366)).timestamp()
        assert b"passport" not in str(row).encode()
        assert words not in b"".join(part.get("B", b"") for part in row.values())


def test_what_is_said_just_now_is_found_by_the_next_call_of_another_process(user: User) -> None:
    user.add(*several(10))
    elsewhere = IndexCache()
    query = Query("Where is the red kayak?", limit=1)
    for place in ("shed", "garage", "harbour"):
        user.memory(elsewhere).index.open()
        user.add(embedded(f"Keeps the red kayak in the {place}", 100))
        [found] = recall(user.memory(elsewhere), query, Down(), user.clock.now(), 5).recalled.items
        assert found.fact.text.startswith("Keeps the red kayak")


def test_an_erased_fact_leaves_no_row_of_an_index_behind(user: User) -> None:
    told = embedded("Keeps the red kayak in the shed", 50)
    user.add(*several(12), told)
    before = user.rows()
    assert before
    user.erasure().fact(told.fact_id)
    assert user.rows() == {}
    check(user)
    user.add(*several(4, 60))
    after = user.rows()
    assert after
    assert not after.keys() & (before.keys() - {keys.INDEX_MANIFEST})
    check(user)
    # The conversation's copy is among them by now.
    built = user.rows()
    assert built.items() > after.items()
    user.run_erasures()
    assert user.rows() == built


def test_an_index_that_is_built_while_a_conversation_is_erased_does_not_stay(user: User) -> None:
    told = conversation(7)
    user.memory().conversations.begin(told)
    source = Source(told.conversation_id, ids.ordered(ids.TURN, 1), "x")
    user.add(*several(6), embedded("Keeps the red kayak in the shed", 50, source=source))
    delete, calls = Erasing.delete, list[int]()

    def build_and_delete(self: Erasing, found: Any) -> None:
        # Between the first look at what is to go and its deletion.
        if not calls:
            user.memory().index.fold()
            assert user.memory().index.open() is not None
        calls.append(1)
        delete(self, found)

    with patch.object(Erasing, "delete", build_and_delete):
        user.erasure().conversation(told.conversation_id)
    assert user.rows() == {}
    check(user)


def test_a_fold_that_began_before_an_erasure_writes_nothing(user: User) -> None:
    facts = several(8)
    user.add(*facts)
    user.add(*several(2, 20))
    fold_with(user.memory(), lambda: user.erase(facts[0]))
    assert user.rows() == {}
    fold_with(user.memory(), lambda: user.erase(facts[1]))
    assert user.rows() == {}
    check(user)


def test_nothing_is_built_behind_an_erasure_of_everything(user: User) -> None:
    user.add(*several(6))
    late = user.memory()
    user.erasure().everything()
    late.index.fold()
    user.run_erasures()
    assert user.rows() == {}
    user.add(*several(5))
    check(user)


def test_a_row_that_is_gone_is_not_told_whatever_the_index_says(user: User) -> None:
    facts = several(12)
    user.add(*facts)
    query = Query("Which boat?", limit=3)
    best = recall(user.memory(), query, Down(), user.clock.now(), 5).recalled.items
    for found in best:
        user.dynamodb.delete_item(
            TableName=f"{user.prefix}-memory",
            Key={
                "pk": {"S": keys.partition(principal("alice"), 1)},
                "sk": {"S": keys.fact(found.fact.fact_id)},
            },
        )
    others = recall(user.memory(), query, Down(), user.clock.now(), 5).recalled.items
    assert len(others) == 3
    assert not {each.fact.fact_id for each in others} & {each.fact.fact_id for each in best}


@pytest.mark.parametrize("lost", ["manifest", "basis", "000001"])
def test_a_lost_row_of_the_index_loses_no_fact(user: User, lost: str) -> None:
    user.add(*several(12))
    [key] = [key for key in user.rows() if key.endswith(lost)]
    partition = keys.partition(principal("alice"), 1)
    where = {"pk": {"S": partition}, "sk": {"S": key}}
    user.dynamodb.delete_item(TableName=f"{user.prefix}-memory", Key=where)
    check(user)
    user.add(*several(5, 20))
    assert user.memory(IndexCache()).index.open() is not None
    check(user)


def test_a_row_of_another_version_is_not_taken_for_the_one_that_is_meant(user: User) -> None:
    user.add(*several(4))
    old = user.rows()
    user.add(*several(4, 10))
    for key, row in old.items():
        if key != keys.INDEX_MANIFEST:
            user.dynamodb.put_item(TableName=f"{user.prefix}-memory", Item=row)
    check(user)


def test_an_index_whose_log_has_no_room_is_given_up_and_built_again(user: User) -> None:
    user.add(*several(4))
    before = user.rows()
    with patch("noted.store.index_rows._LOG_BYTES", 10):
        user.add(*several(1, 10))
    built = user.rows()[keys.INDEX_MANIFEST]["build"]
    assert built != before[keys.INDEX_MANIFEST]["build"]
    check(user)


def test_writers_at_once_lose_nothing(dynamodb_local: DynamoDBLocal, table_prefix: str) -> None:
    # Moto is not made for threads.
    client = boto3.client("dynamodb", region_name="eu-west-1", endpoint_url=dynamodb_local.endpoint)
    create_tables(client, table_prefix)
    user = User(client, table_prefix)
    user.add(*several(4))

    def add(number: int) -> None:
        for each in several(5, 100 * number):
            user.add(each)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, range(1, 5)))
    check(user)
    user.memory().index.fold()
    check(user)
    assert len(newest(user.memory(IndexCache()), EVERYTHING, user.clock.now())) == 24


def test_an_index_is_kept_for_five_minutes_and_for_as_long_as_nothing_changes(user: User) -> None:
    user.add(*several(6))
    first = user.memory().index.open()
    assert user.memory().index.open() is first
    user.add(*several(1, 10))
    second = user.memory().index.open()
    assert second is not first
    user.clock.forward(minutes=4, seconds=59)
    assert user.memory().index.open() is second
    user.clock.forward(seconds=1)
    assert user.memory().index.open() is not second


def test_a_cache_keeps_no_more_than_it_may(user: User) -> None:
    user.add(*several(6))
    cache = IndexCache(most_bytes=0)
    user.memory(cache).index.open()
    assert cache.get(keys.partition(principal("alice"), 1), user.clock.now()) is None


def test_the_index_of_one_user_opens_for_no_other(user: User) -> None:
    user.add(*several(6))
    bob = Repository(user.dynamodb, deployment(user.prefix, user.clock), principal("bob"))
    bob.memory(bob.admit().generation).facts.add(several(3, 50))
    for key, row in user.rows().items():
        moved = row | {"pk": {"S": keys.partition(principal("bob"), 1)}, "sk": {"S": key}}
        user.dynamodb.put_item(TableName=f"{user.prefix}-memory", Item=moved)
    memory = bob.memory(bob.standing().generation)
    found = recall(memory, Query("boat", limit=50), Down(), user.clock.now(), 5).recalled.items
    assert sorted(each.fact.text for each in found) == ["Owns boat 50", "Owns boat 51", "Owns boat 52"]


def test_an_update_that_the_index_cannot_follow_is_refused(user: User) -> None:
    [told] = several(1)
    user.add(told)
    write = update(
        "memory", keys.partition(principal("alice"), 1), keys.fact(told.fact_id), "REMOVE superseded_by"
    )
    with pytest.raises(ValueError, match="sets attributes"):
        user.memory().index.changes([write])


def test_a_warm_recall_asks_for_the_standing_and_the_best_facts_alone(user: User) -> None:
    if isinstance(cast("object", user.dynamodb), DynamoDBDouble):
        pytest.skip("units are counted by what boto3's client tells")
    user.add(*several(30))
    units = Units(user.dynamodb)
    query = Query("Which boat?", limit=10)
    for expected in (4, 2, 2):  # META, manifest, segments, facts; then META and facts
        with units.counted() as counted:
            recall(user.memory(), query, Down(), user.clock.now(), 5)
        assert counted.calls == expected
    assert counted.read == 13
