"""Values that store tests are made of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from noted import ids
from noted.conversation.turn import Conversation, Extraction, Kept, Route, Turn
from noted.facts.change import Change
from noted.facts.fact import Fact
from noted.identity import Principal, Secrets, principal_of
from noted.retention import Retention
from noted.store.caches import Caches
from noted.store.conversations import Committed, Conversations
from noted.store.repository import Deployment, Repository
from tests.wrapping import MemoryWrapper

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SECRETS = Secrets(b"a secret of the tests, 32 bytes or more")
# Shared, as the one key of KMS is: every repository of a test opens what the others sealed.
WRAPPER = MemoryWrapper()
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


class FixedClock:
    """A clock that tests move by hand."""

    def __init__(self, at: datetime = NOON) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def forward(self, **time: float) -> None:
        self.at += timedelta(**time)


def principal(subject: str) -> Principal:
    return principal_of({"sub": subject, "iss": "https://issuer.test"}, SECRETS)


def deployment(
    prefix: str,
    clock: FixedClock,
    caches: Caches | None = None,
    retention: Retention | None = None,
) -> Deployment:
    """What all repositories of a test share."""
    return Deployment(prefix, SECRETS, retention or Retention(), clock, WRAPPER, caches or Caches())


def repository(
    dynamodb: DynamoDBClient,
    prefix: str,
    subject: str = "alice",
    clock: FixedClock | None = None,
    retention: Retention | None = None,
) -> Repository:
    return Repository(
        dynamodb, deployment(prefix, clock or FixedClock(), retention=retention), principal(subject)
    )


def conversation(number: int = 0, at: datetime = NOON) -> Conversation:
    moment = at + timedelta(seconds=number)
    return Conversation(ids.at(ids.CONVERSATION, moment), moment, incognito=False, timezone="UTC")


def turn(of: Conversation, sequence: int, message: str = "I live in Porto", at: datetime = NOON) -> Turn:
    return Turn(
        turn_id=ids.ordered(ids.TURN, sequence),
        conversation_id=of.conversation_id,
        created_at=at,
        said_at=at,
        route=Route.ANSWER,
        message=message,
        answer="ok",
        memory=Kept.QUEUED,
    )


def fact(text: str, number: int = 0, **changes: object) -> Fact:
    moment = NOON + timedelta(seconds=number)
    values: dict[str, object] = {
        "fact_id": ids.at(ids.FACT, moment),
        "kind": "fact",
        "category": "other",
        "text": text,
        "provenance": "said",
        "sequence": number,
        "created_at": moment,
        "last_confirmed_at": moment,
        "expires_at": moment + timedelta(days=365),
    }
    return Fact(**(values | changes))  # type: ignore[arg-type]


def commit_extraction(
    conversations: Conversations, turn: Turn, extraction: Extraction, change: Change
) -> Committed:
    """Commits what came of one turn, as a worker does it."""
    [committed] = conversations.commit_extractions([(turn, extraction)], change)
    return committed
