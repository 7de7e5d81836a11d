"""Messages that the queue has given up, until somebody has them looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_AT_ONCE = 10
# Longer than a function may run: what it has in hand comes back to nobody else, nor to itself.
_HIDDEN_SECONDS = 120


@dataclass(frozen=True)
class DeadLetter:
    """One message. `receipt` is what it is removed by."""

    body: str
    receipt: str


class DeadLetters(Protocol):
    """The messages that were given up."""

    def receive(self) -> Sequence[DeadLetter]:
        """Some that were not received just before; none when there are no more. What is not removed stays."""
        ...

    def remove(self, letter: DeadLetter) -> None:
        """Takes a message off, for ever."""
        ...


class SqsDeadLetters:
    """The dead-letter queue at `url`."""

    def __init__(self, client: SQSClient, url: str) -> None:
        self._client = client
        self._url = url

    def receive(self) -> Sequence[DeadLetter]:
        received = self._client.receive_message(
            QueueUrl=self._url, MaxNumberOfMessages=_AT_ONCE, VisibilityTimeout=_HIDDEN_SECONDS
        )
        return [DeadLetter(each["Body"], each["ReceiptHandle"]) for each in received.get("Messages", [])]

    def remove(self, letter: DeadLetter) -> None:
        self._client.delete_message(QueueUrl=self._url, ReceiptHandle=letter.receipt)
