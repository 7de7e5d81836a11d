"""Which dead letters are sent again, and the queue of AWS that they lie in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from noted.deadline import NO_DEADLINE, Deadline
from noted.redriving import Redriven, redrive
from noted.store.dead_letters import DeadLetter, SqsDeadLetters

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class Sent:
    """A queue that remembers, or that is down."""

    def __init__(self, *, down: bool = False) -> None:
        self.bodies: list[str] = []
        self.down = down

    def send(self, body: str, group: str) -> None:
        if self.down:
            raise ConnectionError
        self.bodies.append(body)


class Letters:
    """Dead letters that are handed out two at a time, each once."""

    def __init__(self, bodies: Sequence[str]) -> None:
        self.left = [DeadLetter(body, str(number)) for number, body in enumerate(bodies)]
        self._next = [*self.left]

    def receive(self) -> list[DeadLetter]:
        taken, self._next = self._next[:2], self._next[2:]
        return taken

    def remove(self, letter: DeadLetter) -> None:
        self.left.remove(letter)


@pytest.fixture
def sqs() -> Iterator[SQSClient]:
    with mock_aws():
        yield boto3.client("sqs", region_name="eu-west-1")


def unreachable(_: object) -> object:
    raise AssertionError("no user is looked up")


def test_what_is_no_message_is_dropped_and_the_time_and_the_number_are_bounds() -> None:
    letters, queue = Letters(["", "no JSON", "{}", "[]"]), Sent()
    assert redrive(letters, unreachable, queue, Deadline(0.0), 10) == Redriven()  # type: ignore[arg-type]
    done = redrive(letters, unreachable, queue, NO_DEADLINE, 2)  # type: ignore[arg-type]
    assert done == Redriven(dropped=2)
    assert [letter.body for letter in letters.left] == ["{}", "[]"]
    assert redrive(letters, unreachable, queue, NO_DEADLINE) == Redriven(dropped=2)  # type: ignore[arg-type]
    assert (letters.left, queue.bodies) == ([], [])


def test_letters_lie_in_the_queue_until_they_are_removed(sqs: SQSClient) -> None:
    url = sqs.create_queue(QueueName="dead")["QueueUrl"]
    for number in range(12):
        sqs.send_message(QueueUrl=url, MessageBody=str(number))
    letters = SqsDeadLetters(sqs, url)
    found: list[str] = []
    while received := letters.receive():
        assert len(received) <= 10
        found += [letter.body for letter in received]
        for letter in received[1:]:
            letters.remove(letter)
    # None is handed out twice in one run, and those that were not removed are still there.
    assert sorted(found, key=int) == [str(number) for number in range(12)]
    counts = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert int(counts["ApproximateNumberOfMessagesNotVisible"]) == len(found) - 12 + 2
