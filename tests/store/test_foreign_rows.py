"""The first wall from within: a database that hands out another's rows, and rows whose sealed values were
exchanged. Nothing of them is ever read; what fails is loud, and tells nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import pytest

from noted.api.routes import READ
from noted.conversation.episode import Episode
from noted.conversation.turn import Conversation, Turn
from noted.errors import KeyLost
from noted.facts.fact import Fact, GivenVerdict, Verdict
from noted.identity import Principal, subject_reference
from noted.privacy.sealing import CannotOpen
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store import keys
from noted.store.database import ForeignRow
from noted.store.episode_codec import EpisodeCodec
from noted.store.idempotency import Claim
from noted.store.ledger import Entry
from noted.store.memory import Memory
from noted.store.repository import Repository
from noted.store.tables import MEMORY, create_tables
from tests.dynamodb_double import DynamoDBDouble, as_client

from .builders import (
    NOON,
    SECRETS,
    WRAPPER,
    FixedClock,
    conversation,
    deployment,
    fact,
    principal,
    repository,
    turn,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PREFIX = "walls"
ALICE, BOB = principal("alice"), principal("bob")


@dataclass
class User:
    """A user with one of everything, and the values by which it is asked for."""

    repository: Repository
    memory: Memory
    fact: Fact
    verdict: GivenVerdict
    conversation: Conversation
    turn: Turn
    erasure_id: str


def user(client: DynamoDBClient, subject: str, word: str) -> User:
    """Two users have the same ids for their things, so that one row can stand where the other's should."""
    repo = repository(client, PREFIX, subject)
    repo.admit()
    memory = repo.memory(1)
    told = fact(f"Owns a {word}", entities={"⟦phone:aaaaaaaaaaaaaaaa⟧": f"+351 {word}"})
    other = fact(f"Sold a {word}", 1, entities={"⟦phone:aaaaaaaaaaaaaaab⟧": f"+352 {word}"})
    told, other = (_with(each, fact_id=each.fact_id[:13] + "0" * 16) for each in (told, other))
    memory.facts.add([told, other])
    verdict = GivenVerdict("vd_" + "0" * 26, told.fact_id, Verdict.CONFIRMED, NOON, 9, note=word)
    memory.facts.judge(told, verdict, told.expires_at)
    begun = conversation()
    begun = _with(begun, conversation_id="cv_" + "0" * 26)
    memory.conversations.begin(begun)
    said = _with(turn(begun, 5, f"I own a {word}"), turn_id="tn_" + "0" * 26)
    memory.conversations.commit(said)
    episode = Episode(
        episode_id="ep_" + "0" * 26,
        conversation_id=begun.conversation_id,
        text=f"They own a {word}.",
        began_at=NOON,
        ended_at=NOON,
        created_at=NOON,
        expires_at=NOON + timedelta(days=9),
    )
    partition = keys.partition(principal(subject), 1)
    repo.database.put(MEMORY.name, EpisodeCodec(partition, memory.sealer).episode_row(episode))
    claim = memory.idempotency.claim("key", "request")
    assert isinstance(claim, Claim)
    repo.database.transact([memory.idempotency.done(claim, {"fact_id": word})])
    erasure_id = "er_" + "0" * 26
    repo.database.transact([repo.ledger.writing(Entry(erasure_id, "fact", "running", NOON))])
    return User(repo, memory, told, verdict, begun, said, erasure_id)


def _with(value: Any, **changes: object) -> Any:
    return replace(value, **changes)


LIED_ABOUT = {
    *("get_item", "query", "batch_get_item"),
    *("update_item", "put_item", "transact_write_items"),
}


class Liar:
    """A client that asks for Bob's rows wherever Alice's are asked for. `relabelled`: it writes Alice's keys
    over them, as a database would whose index has gone wrong, or a person with access to the tables."""

    def __init__(self, inner: DynamoDBDouble, *, relabelled: bool) -> None:
        self._inner = inner
        self._relabelled = relabelled

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in LIED_ABOUT:
            return found

        def lying(**parameters: Any) -> Any:
            answer = found(**_renamed(parameters, ALICE, BOB))
            return _renamed(answer, BOB, ALICE) if self._relabelled else answer

        return lying


def _renamed(value: Any, one: Principal, other: Principal) -> Any:
    """The value with one user's partitions and references in the place of the other's."""
    if isinstance(value, dict):
        return {name: _renamed(each, one, other) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, one, other) for each in value]
    if isinstance(value, str):
        exchanged = value.replace(one.owner, other.owner)
        return exchanged.replace(subject_reference(one, SECRETS), subject_reference(other, SECRETS))
    return value


@pytest.fixture
def double() -> DynamoDBDouble:
    made = DynamoDBDouble()
    create_tables(as_client(made), PREFIX)
    return made


@pytest.fixture
def alice(double: DynamoDBDouble) -> User:
    user(as_client(double), "bob", "zebra")
    return user(as_client(double), "alice", "yak")


def lied_to(double: DynamoDBDouble, *, relabelled: bool, key_of_bob: bool = False) -> Repository:
    """Alice's repository over the liar; her own data key is known to it unless it is lied about too."""
    client = cast("DynamoDBClient", Liar(double, relabelled=relabelled))
    shared = deployment(PREFIX, FixedClock())
    if not key_of_bob:
        honest = Repository(as_client(double), shared, principal("alice"))
        honest.admit()
        _ = honest.memory(1).sealer.blind("warm")
    return Repository(client, shared, principal("alice"))


READS: dict[str, Callable[[Repository, User], object]] = {
    "standing": lambda repo, _: repo.standing(),
    "admit": lambda repo, _: repo.admit(),
    "receipt": lambda repo, user: repo.ledger.entry(user.erasure_id),
    "generations that are over": lambda repo, _: repo.ledger.last_generation(),
    "all facts": lambda repo, _: repo.memory(1).facts.all(),
    "one fact": lambda repo, user: repo.memory(1).facts.fact(user.fact.fact_id),
    "some facts": lambda repo, user: repo.memory(1).facts.some([user.fact.fact_id]),
    "verdicts": lambda repo, user: repo.memory(1).facts.verdicts(user.fact.fact_id),
    "one verdict": lambda repo, user: repo.memory(1).facts.verdict(
        user.fact.fact_id, user.verdict.verdict_id
    ),
    "conversation": lambda repo, user: repo.memory(1).conversations.conversation(
        user.conversation.conversation_id
    ),
    "conversations": lambda repo, _: repo.memory(1).conversations.page(9, None),
    "window": lambda repo, user: repo.memory(1).conversations.thread(user.conversation.conversation_id, 9),
    "turns": lambda repo, user: repo.memory(1).conversations.turns(
        user.conversation.conversation_id, 9, None
    ),
    "one turn": lambda repo, user: repo.memory(1).conversations.turn(
        user.conversation.conversation_id, user.turn.turn_id
    ),
    "episodes": lambda repo, _: repo.memory(1).episodes.all(),
    "list of episodes": lambda repo, _: repo.memory(1).episodes.page(9, None),
    "idempotency": lambda repo, _: repo.memory(1).idempotency.claim("key", "request"),
}


@pytest.mark.parametrize("name", READS)
def test_a_row_of_anothers_partition_goes_no_further(double: DynamoDBDouble, alice: User, name: str) -> None:
    repo = lied_to(double, relabelled=False)
    with pytest.raises(ForeignRow) as refused:
        READS[name](repo, alice)
    assert "zebra" not in str(refused.value)
    # The same call over an honest database has an answer.
    READS[name](alice.repository, alice)


class Misplacing:
    """A client that gives another row of the same user than the one that was asked for."""

    def __init__(self, inner: DynamoDBDouble) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _another(self, item: dict[str, Any]) -> dict[str, Any]:
        return next(
            dict(row)
            for _, _, row in self._inner.rows()
            if row["pk"] == item["pk"] and row["sk"] != item["sk"] and "content" in row
        )

    def get_item(self, **parameters: Any) -> Any:
        answer = self._inner.get_item(**parameters)
        return {"Item": self._another(answer["Item"])} if "memory" in parameters["TableName"] else answer

    def query(self, **parameters: Any) -> Any:
        answer = self._inner.query(**parameters)
        items = answer["Items"] if "memory" not in parameters["TableName"] else []
        return answer | {"Items": items or [self._another(item) for item in answer["Items"]]}

    def batch_get_item(self, **parameters: Any) -> Any:
        answer = self._inner.batch_get_item(**parameters)
        found = {name: [self._another(row) for row in rows] for name, rows in answer["Responses"].items()}
        return answer | {"Responses": found}


@pytest.mark.parametrize(
    "name",
    ["one fact", "some facts", "conversation", "conversations", "one turn", "turns", "window", "episodes"],
)
def test_another_row_of_ones_own_is_not_taken_for_the_one_that_was_asked_for(
    double: DynamoDBDouble, alice: User, name: str
) -> None:
    repo = repository(cast("DynamoDBClient", Misplacing(double)), PREFIX)
    with pytest.raises(ForeignRow):
        READS[name](repo, alice)


SEALED = {
    *("all facts", "one fact", "some facts", "verdicts", "one verdict", "window", "turns", "one turn"),
    *("episodes", "list of episodes"),
}


@pytest.mark.parametrize("name", sorted(SEALED))
def test_a_row_that_says_it_is_hers_does_not_open(double: DynamoDBDouble, alice: User, name: str) -> None:
    repo = lied_to(double, relabelled=True)
    with pytest.raises(CannotOpen):
        READS[name](repo, alice)


def test_a_data_key_of_anothers_does_not_unwrap(double: DynamoDBDouble, alice: User) -> None:
    repo = lied_to(double, relabelled=True, key_of_bob=True)
    with pytest.raises(KeyLost):
        repo.memory(1).facts.fact(alice.fact.fact_id)


@pytest.mark.parametrize("relabelled", [False, True])
def test_a_client_hears_of_an_error_and_of_nothing_else(double: DynamoDBDouble, relabelled: bool) -> None:
    """Over the function itself, as the gateway calls it."""
    user(as_client(double), "bob", "zebra")
    hers = user(as_client(double), "alice", "yak")
    parts: dict[str, Any] = {
        "secrets": lambda: SECRETS,
        "dynamodb": lambda: cast("DynamoDBClient", Liar(double, relabelled=relabelled)),
        "queue": lambda: None,
        "key_wrapper": lambda: WRAPPER,
        "receipt_signer": lambda: None,
        "clock": FixedClock(),
        "environment": {},
    }
    runtime = Runtime(Settings(table_prefix=PREFIX), **parts)
    handler = import_module("functions.recall.handler").build(runtime)
    claims = {"sub": "alice", "iss": "https://issuer.test", "scope": READ}
    for route, names in (
        ("GET /v1/facts", {}),
        ("GET /v1/facts/{fact_id}", {"fact_id": hers.fact.fact_id}),
        ("GET /v1/episodes", {}),
    ):
        event = {
            "routeKey": route,
            "pathParameters": names,
            "requestContext": {"authorizer": {"jwt": {"claims": claims}}},
        }
        reply = handler(event, None)
        assert reply["statusCode"] in (409, 500)
        assert json.loads(reply["body"])["status"] == reply["statusCode"]
        assert "zebra" not in reply["body"]


# Sealed values that were exchanged in the tables.


Place = tuple[str, str, str, str]


def sealed(double: DynamoDBDouble) -> dict[Place, tuple[dict[str, Any], str]]:
    """Every sealed value by its place (table, partition, sort key, attribute), with its row."""
    return {
        (table, item["pk"]["S"], item["sk"]["S"], name): (copy.deepcopy(dict(item)), name)
        for table, _, item in double.rows()
        if table in (f"{PREFIX}-memory", f"{PREFIX}-verdicts")
        for name, value in item.items()
        # An index without content: by it equal texts of one user are found.
        if "B" in value and name != "same"
    }


def opened(alice: User) -> list[object]:
    """All that Alice has, opened."""
    memory = repository(alice.repository.database._client, PREFIX).memory(1)
    return [
        memory.facts.all(),
        memory.facts.verdicts(alice.fact.fact_id),
        memory.conversations.turns(alice.conversation.conversation_id, 9, None),
        memory.episodes.all(),
    ]


def test_a_sealed_value_opens_in_its_own_place_and_in_no_other(double: DynamoDBDouble, alice: User) -> None:
    """Exchanged between users, generations, rows and attributes: each exchange fails closed."""
    client = as_client(double)
    everything = opened(alice)
    places = sealed(double)
    own = [place for place in places if place[1].startswith(ALICE.owner)]
    assert {(place[0].removeprefix(f"{PREFIX}-"), place[3]) for place in own} >= {
        ("memory", "content"),
        ("memory", "vault"),
        ("verdicts", "content"),
    }
    for place in own:
        row, name = places[place]
        for other in places.keys() - {place}:
            foreign, other_name = places[other]
            client.put_item(TableName=place[0], Item={**row, name: foreign[other_name]})
            with pytest.raises(CannotOpen):
                opened(alice)
        client.put_item(TableName=place[0], Item=row)
    assert opened(alice) == everything


def test_a_row_of_an_earlier_generation_does_not_open_in_a_later_one(
    double: DynamoDBDouble, alice: User
) -> None:
    client = as_client(double)
    source = keys.partition(ALICE, 1)
    rows = [dict(item) for _, _, item in double.rows() if item["pk"]["S"] == source and "content" in item]
    meta = {"pk": {"S": keys.owner(ALICE)}, "sk": {"S": keys.META}}
    client.update_item(
        TableName=f"{PREFIX}-control",
        Key=meta,
        UpdateExpression="SET generation = :next",
        ExpressionAttributeValues={":next": {"N": "2"}},
    )
    repo = repository(client, PREFIX)
    repo.admit()
    repo.memory(2).facts.add([fact("Owns a gnu", 7)])
    assert [each.text for each in repo.memory(2).facts.all()] == ["Owns a gnu"]
    for item in rows:
        client.put_item(TableName=f"{PREFIX}-memory", Item={**item, "pk": {"S": keys.partition(ALICE, 2)}})
    with pytest.raises(CannotOpen):
        repo.memory(2).facts.all()
    with pytest.raises(CannotOpen):
        repo.memory(2).episodes.all()
    assert alice.memory.facts.fact(alice.fact.fact_id).text == "Owns a yak"
