"""The queue in this process, with the behaviour of a standard SQS queue that feeds a function.

Messages are delivered at least once, in any order, in batches; one that fails comes back after a delay, and
after its last try it is a dead letter. Turns of many users are served in turn, so that one user's flood does
not hold up the others. What is waiting here when the process ends is lost with it, and found again through
the outbox marks in the table.
"""

from __future__ import annotations

import heapq
import itertools
import json
import logging
import threading
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from local.files import append_line
from noted.clock import timestamp
from noted.store.queue import InvalidMessage, read_job

Consumer = Callable[[dict[str, Any]], object]

_ARN = "arn:aws:sqs:us-east-1:000000000000:noted-extraction"
_LOG = logging.getLogger("noted.queue")


class QueueStoppedError(Exception):
    """The queue takes nothing more."""


@dataclass
class _Message:
    message_id: str
    body: str
    group: str
    sent: float
    receive_count: int = 0
    receipt: str = ""


@dataclass(frozen=True)
class _Delivery:
    """One receipt of a message. A later receipt of the same message makes it void."""

    message: _Message
    receipt: str
    receive_count: int

    @property
    def void(self) -> bool:
        return self.message.receipt != self.receipt


class LocalQueue:
    """`retry_delays`: seconds until a failed message is visible again, after its first try, its second, …
    `visibility_timeout`: seconds after which a message that is still being worked on is handed out again.
    `dead_letters`: a file that gets one line of JSON for each message given up: ids only."""

    def __init__(
        self,
        dead_letters: Path,
        *,
        workers: int = 2,
        batch_size: int = 5,
        max_receive_count: int = 3,
        visibility_timeout: float = 360,
        retry_delays: Sequence[float] = (1, 4),
    ) -> None:
        self._dead_letters = dead_letters
        self._workers = workers
        self._batch_size = batch_size
        self._max_receive_count = max_receive_count
        self._visibility_timeout = visibility_timeout
        self._retry_delays = retry_delays
        self._changed = threading.Condition()
        self._kept: dict[str, _Message] = {}
        self._visible: OrderedDict[str, deque[_Message]] = OrderedDict()
        self._hidden: list[tuple[float, int, _Delivery]] = []
        self._order = itertools.count()
        self._stopping = False
        self._threads: list[threading.Thread] = []

    def send(self, body: str, group: str) -> None:
        """Raises QueueStoppedError after `stop`."""
        with self._changed:
            if self._stopping:
                raise QueueStoppedError
            message = _Message(str(uuid.uuid4()), body, group, time.time())
            self._kept[message.message_id] = message
            self._show(message)
            self._changed.notify()

    def start(self, consumer: Consumer) -> None:
        """Begins to hand batches, as events of SQS, to `consumer`."""
        for number in range(self._workers):
            thread = threading.Thread(
                target=self._work, args=(consumer,), name=f"queue-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self, timeout: float = 3) -> None:
        """Hands out nothing more and waits up to `timeout` seconds for what is being worked on."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0))

    def drain(self, timeout: float = 30) -> None:
        """Returns when every message has been worked off or is a dead letter. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._kept, timeout):
                raise TimeoutError(f"{len(self._kept)} messages are left")

    def _work(self, consumer: Consumer) -> None:
        while batch := self._receive():
            failed = self._failed(batch, consumer)
            with self._changed:
                for delivery in batch:
                    if delivery.message.message_id in failed:
                        self._return(delivery)
                    else:
                        self._kept.pop(delivery.message.message_id, None)
                self._changed.notify_all()

    def _receive(self) -> list[_Delivery]:
        """The next batch, waiting for one; empty when the queue stops."""
        with self._changed:
            while not self._stopping:
                now = time.monotonic()
                self._reveal(now)
                batch = [self._deliver(message, now) for message in self._next_messages()]
                if batch:
                    return batch
                self._changed.wait(self._hidden[0][0] - now if self._hidden else None)
            return []

    def _next_messages(self) -> list[_Message]:
        # One of each user in turn; a user with more to do goes to the end of the line.
        messages: list[_Message] = []
        while self._visible and len(messages) < self._batch_size:
            group, waiting = self._visible.popitem(last=False)
            message = waiting.popleft()
            if waiting:
                self._visible[group] = waiting
            if message.message_id in self._kept:
                messages.append(message)
        return messages

    def _deliver(self, message: _Message, now: float) -> _Delivery:
        message.receive_count += 1
        message.receipt = str(uuid.uuid4())
        delivery = _Delivery(message, message.receipt, message.receive_count)
        self._hide(delivery, now + self._visibility_timeout)
        return delivery

    def _return(self, delivery: _Delivery) -> None:
        if delivery.void or delivery.message.message_id not in self._kept:
            return
        if delivery.receive_count >= self._max_receive_count:
            self._give_up(delivery.message)
            return
        # The new receipt voids the timeout that still runs for the old one.
        delivery.message.receipt = str(uuid.uuid4())
        delay = self._retry_delays[min(delivery.receive_count, len(self._retry_delays)) - 1]
        again = _Delivery(delivery.message, delivery.message.receipt, delivery.receive_count)
        self._hide(again, time.monotonic() + delay)

    def _reveal(self, now: float) -> None:
        while self._hidden and self._hidden[0][0] <= now:
            _, _, delivery = heapq.heappop(self._hidden)
            if delivery.void or delivery.message.message_id not in self._kept:
                continue
            if delivery.receive_count >= self._max_receive_count:
                self._give_up(delivery.message)
                self._changed.notify_all()
            else:
                self._show(delivery.message)

    def _show(self, message: _Message) -> None:
        self._visible.setdefault(message.group, deque()).append(message)

    def _hide(self, delivery: _Delivery, until: float) -> None:
        heapq.heappush(self._hidden, (until, next(self._order), delivery))

    def _give_up(self, message: _Message) -> None:
        del self._kept[message.message_id]
        entry = {
            "at": timestamp(datetime.now(UTC)),
            "message_id": message.message_id,
            "receive_count": message.receive_count,
            "body": _ids_only(message.body),
        }
        try:
            append_line(self._dead_letters, json.dumps(entry))
        except OSError as error:
            _LOG.error("dead letter not kept", extra={"error_type": type(error).__name__})
        else:
            _LOG.warning("dead letter", extra={"message_id": message.message_id})

    def _failed(self, batch: Sequence[_Delivery], consumer: Consumer) -> set[str]:
        """The ids of the messages that the consumer did not work off. A failure of the whole call, or an
        answer that names a message which is not in the batch, fails them all, as for a function."""
        everything = {delivery.message.message_id for delivery in batch}
        try:
            result = consumer({"Records": [_record(delivery) for delivery in batch]})
        except Exception as error:  # noqa: BLE001 - whatever it is, the messages are tried again
            _LOG.warning("batch failed", extra={"error_type": type(error).__name__})
            return everything
        failures = result.get("batchItemFailures") if isinstance(result, dict) else None
        if not failures:
            return set()
        if not isinstance(failures, list):
            return everything
        named = {item.get("itemIdentifier") if isinstance(item, dict) else None for item in failures}
        return {str(name) for name in named} if named <= everything else everything


def _record(delivery: _Delivery) -> dict[str, Any]:
    message = delivery.message
    return {
        "messageId": message.message_id,
        "receiptHandle": delivery.receipt,
        "body": message.body,
        "attributes": {
            "ApproximateReceiveCount": str(delivery.receive_count),
            "SentTimestamp": str(int(message.sent * 1000)),
            "MessageGroupId": message.group,
        },
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": _ARN,
        "awsRegion": "us-east-1",
    }


def _ids_only(body: str) -> str | None:
    # What is not a message of ours could hold anything, so it is not written down.
    try:
        read_job(body)
    except InvalidMessage:
        return None
    return body
