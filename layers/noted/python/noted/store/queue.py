"""The queue between an answer and the work that follows it. Messages hold ids, never text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from noted import ids
from noted.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_VERSION = 1
_SUMMARY, _EPISODE, _RETENTION = "summary", "episode", "retention"


class InvalidMessage(Exception):
    """The body is not a message of ours: it can never be worked off and belongs with the dead letters."""


@dataclass(frozen=True)
class ExtractionJob:
    """Asks for the facts of one turn. The worker trusts none of it further than to look the turn up under
    that user and generation."""

    principal: Principal
    generation: int
    conversation_id: str
    turn_id: str

    def body(self) -> str:
        """The message as it is sent: JSON of fixed-format ids."""
        return json.dumps(_place(self) | {"t": self.turn_id})

    @classmethod
    def read(cls, body: str) -> ExtractionJob:
        """Raises InvalidMessage unless the body is exactly such a message."""
        job = read_job(body)
        if not isinstance(job, cls):
            raise InvalidMessage
        return job


@dataclass(frozen=True)
class SummaryJob:
    """Asks that turns leave the window of a conversation for its running summary."""

    principal: Principal
    generation: int
    conversation_id: str

    def body(self) -> str:
        """The message as it is sent: JSON of fixed-format ids."""
        return json.dumps(_place(self) | {"k": _SUMMARY})


@dataclass(frozen=True)
class EpisodeJob:
    """Asks for the episode of a conversation that rests."""

    principal: Principal
    generation: int
    conversation_id: str

    def body(self) -> str:
        """The message as it is sent: JSON of fixed-format ids."""
        return json.dumps(_place(self) | {"k": _EPISODE})


@dataclass(frozen=True)
class RetentionJob:
    """Asks that the rows of a user end as soon as the user has set."""

    principal: Principal
    generation: int

    def body(self) -> str:
        """The message as it is sent: JSON of fixed-format ids."""
        return json.dumps(_whose(self) | {"k": _RETENTION})


Job = ExtractionJob | SummaryJob | EpisodeJob | RetentionJob


def read_job(body: str) -> Job:
    """The job that a message asks for. Raises InvalidMessage unless it is exactly one of ours."""
    try:
        fields = json.loads(body)
    except ValueError:
        raise InvalidMessage from None
    if not isinstance(fields, Mapping) or fields.get("v") != _VERSION:
        raise InvalidMessage
    generation, conversation_id, turn_id = fields.get("g"), fields.get("c"), fields.get("t")
    if not isinstance(generation, int) or isinstance(generation, bool) or generation < 0:
        raise InvalidMessage
    try:
        principal = Principal(str(fields.get("o")), str(fields.get("u")))
    except ValueError:
        raise InvalidMessage from None
    kind = fields.get("k")
    if kind == _RETENTION and conversation_id is None:
        return RetentionJob(principal, generation)
    if not (isinstance(conversation_id, str) and ids.is_id(ids.CONVERSATION, conversation_id)):
        raise InvalidMessage
    if kind == _SUMMARY:
        return SummaryJob(principal, generation, conversation_id)
    if kind == _EPISODE:
        return EpisodeJob(principal, generation, conversation_id)
    if kind is not None or not (isinstance(turn_id, str) and ids.is_id(ids.TURN, turn_id)):
        raise InvalidMessage
    return ExtractionJob(principal, generation, conversation_id, turn_id)


class Queue(Protocol):
    """Takes work to be done later, at least once, in any order."""

    def send(self, body: str, group: str) -> None:
        """`group` is the user: a queue can keep one user's flood from holding up the others. May raise
        anything: what is sent here has a mark in the table that outlives the failure."""
        ...


class SqsQueue:
    """A standard SQS queue with fair-queue groups."""

    def __init__(self, client: SQSClient, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, body: str, group: str) -> None:
        self._client.send_message(QueueUrl=self._url, MessageBody=body, MessageGroupId=_group(group))


def _whose(job: Job) -> dict[str, Any]:
    return {
        "v": _VERSION,
        "o": job.principal.organisation,
        "u": job.principal.user,
        "g": job.generation,
    }


def _place(job: ExtractionJob | SummaryJob | EpisodeJob) -> dict[str, Any]:
    return _whose(job) | {"c": job.conversation_id}


def _group(owner: str) -> str:
    # SQS allows alphanumerics and punctuation, 128 characters at most.
    return re.sub(r"[^A-Za-z0-9_.-]", "-", owner)[:128]
