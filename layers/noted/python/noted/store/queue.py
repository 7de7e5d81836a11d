"""The queue between an answer and the work that follows it. Messages hold ids, never text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from noted import ids
from noted.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_VERSION = 1


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
        return json.dumps(
            {
                "v": _VERSION,
                "o": self.principal.organisation,
                "u": self.principal.user,
                "g": self.generation,
                "c": self.conversation_id,
                "t": self.turn_id,
            }
        )

    @classmethod
    def read(cls, body: str) -> ExtractionJob:
        """Raises InvalidMessage unless the body is exactly such a message."""
        try:
            fields = json.loads(body)
        except ValueError:
            raise InvalidMessage from None
        if not isinstance(fields, Mapping) or fields.get("v") != _VERSION:
            raise InvalidMessage
        generation, conversation_id, turn_id = fields.get("g"), fields.get("c"), fields.get("t")
        if not isinstance(generation, int) or isinstance(generation, bool) or generation < 0:
            raise InvalidMessage
        if not (isinstance(conversation_id, str) and ids.is_id(ids.CONVERSATION, conversation_id)):
            raise InvalidMessage
        if not (isinstance(turn_id, str) and ids.is_id(ids.TURN, turn_id)):
            raise InvalidMessage
        try:
            principal = Principal(str(fields.get("o")), str(fields.get("u")))
        except ValueError:
            raise InvalidMessage from None
        return cls(principal, generation, conversation_id, turn_id)


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


def _group(owner: str) -> str:
    # SQS allows alphanumerics and punctuation, 128 characters at most.
    return re.sub(r"[^A-Za-z0-9_.-]", "-", owner)[:128]
