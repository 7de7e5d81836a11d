"""The queue of one machine behaves as the standard SQS queue that feeds a function."""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.queue import LocalQueue, QueueStoppedError
from noted.identity import Principal
from noted.store.queue import ExtractionJob

Event = dict[str, Any]
Make = Callable[..., LocalQueue]

PROMPTLY = {"retry_delays": (0.01, 0.01)}


def job(number: int, user: str = "a") -> str:
    principal = Principal("o_" + "a" * 26, "u_" + user * 26)
    return ExtractionJob(principal, 1, "cv_" + "0" * 26, f"tn_{number:026d}").body()


def number_of(record: Event) -> int:
    return int(ExtractionJob.read(record["body"]).turn_id[3:])


@pytest.fixture
def dead_letters(tmp_path: Path) -> Path:
    return tmp_path / "dead-letters.jsonl"


@pytest.fixture
def make(dead_letters: Path) -> Iterator[Make]:
    made: list[LocalQueue] = []

    def make_queue(**settings: Any) -> LocalQueue:
        made.append(LocalQueue(dead_letters, **settings))
        return made[-1]

    yield make_queue
    for queue in made:
        queue.stop(timeout=20)


def test_every_message_is_worked_off_once(make: Make) -> None:
    queue, seen = make(), Counter[int]()
    queue.start(lambda event: seen.update(map(number_of, event["Records"])))
    for number in range(40):
        queue.send(job(number), "a")
    queue.drain()
    assert seen == Counter(range(40))


def test_a_batch_has_the_form_of_an_sqs_event(make: Make) -> None:
    queue, events = make(workers=1), list[Event]()
    queue.send(job(7), "group-a")
    queue.start(events.append)
    queue.drain()
    (record,) = events[0]["Records"]
    assert record.pop("messageId")
    assert record.pop("receiptHandle")
    assert record["attributes"].pop("SentTimestamp").isdecimal()
    assert record == {
        "body": job(7),
        "attributes": {"ApproximateReceiveCount": "1", "MessageGroupId": "group-a"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:noted-extraction",
        "awsRegion": "us-east-1",
    }


def test_a_batch_holds_at_most_five(make: Make) -> None:
    queue, sizes = make(workers=1), list[int]()
    for number in range(12):
        queue.send(job(number), "a")
    queue.start(lambda event: sizes.append(len(event["Records"])))
    queue.drain()
    assert sizes == [5, 5, 2]


def test_only_the_messages_that_failed_come_back(make: Make, dead_letters: Path) -> None:
    queue, tries = make(workers=1, **PROMPTLY), Counter[int]()

    def consume(event: Event) -> object:
        tries.update(map(number_of, event["Records"]))
        failed = [r for r in event["Records"] if number_of(r) == 2 and tries[2] == 1]
        return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in failed]}

    for number in range(5):
        queue.send(job(number), "a")
    queue.start(consume)
    queue.drain()
    assert tries == Counter({0: 1, 1: 1, 2: 2, 3: 1, 4: 1})
    assert not dead_letters.exists()


def test_after_three_tries_a_message_is_a_dead_letter(make: Make, dead_letters: Path) -> None:
    queue, counts = make(**PROMPTLY), list[str]()

    def crash(event: Event) -> object:
        counts.extend(record["attributes"]["ApproximateReceiveCount"] for record in event["Records"])
        raise RuntimeError

    queue.send(job(1), "a")
    queue.start(crash)
    queue.drain()
    assert counts == ["1", "2", "3"]
    (letter,) = map(json.loads, dead_letters.read_text().splitlines())
    assert letter["body"] == job(1)
    assert letter["receive_count"] == 3
    assert dead_letters.stat().st_mode & 0o777 == 0o600


def test_dead_letters_are_added_to_those_of_earlier_runs(make: Make, dead_letters: Path) -> None:
    for number in (1, 2):
        queue = make(max_receive_count=1)
        queue.send(job(number), "a")
        queue.start(lambda event: 1 / 0)
        queue.drain()
    bodies = [json.loads(line)["body"] for line in dead_letters.read_text().splitlines()]
    assert bodies == [job(1), job(2)]


def test_what_is_no_message_of_ours_is_not_written_down(make: Make, dead_letters: Path) -> None:
    queue = make(max_receive_count=1)
    queue.send('{"text": "Alice likes tea"}', "a")
    queue.start(lambda event: 1 / 0)
    queue.drain()
    assert "Alice" not in dead_letters.read_text()
    assert json.loads(dead_letters.read_text())["body"] is None


@pytest.mark.parametrize(
    "result",
    [
        {"batchItemFailures": [{"itemIdentifier": "somebody else's"}]},
        {"batchItemFailures": [{"itemIdentifier": ""}]},
        {"batchItemFailures": [{"itemIdentifier": None}]},
        {"batchItemFailures": [{}]},
        {"batchItemFailures": "all"},
    ],
)
def test_an_answer_that_names_no_message_of_the_batch_fails_all(
    make: Make, dead_letters: Path, result: object
) -> None:
    queue = make(workers=1, max_receive_count=1)
    for number in range(3):
        queue.send(job(number), "a")
    queue.start(lambda event: result)
    queue.drain()
    assert len(dead_letters.read_text().splitlines()) == 3


@pytest.mark.parametrize("result", [None, {}, {"batchItemFailures": []}, {"batchItemFailures": None}])
def test_an_answer_without_failures_is_success(make: Make, dead_letters: Path, result: object) -> None:
    queue = make()
    queue.send(job(1), "a")
    queue.start(lambda event: result)
    queue.drain()
    assert not dead_letters.exists()


def test_the_delay_grows_with_every_try(make: Make) -> None:
    # The third try would come after ten minutes: when the second has failed, the message is still waiting.
    queue, failed = make(retry_delays=(0.01, 600)), threading.Semaphore(0)

    def crash(event: Event) -> object:
        failed.release()
        raise RuntimeError

    queue.send(job(1), "a")
    queue.start(crash)
    assert failed.acquire(timeout=20)
    assert failed.acquire(timeout=20)
    with pytest.raises(TimeoutError):
        queue.drain(timeout=0.1)
    assert not failed.acquire(blocking=False)


def test_a_message_that_is_worked_on_for_too_long_is_handed_out_again(make: Make, dead_letters: Path) -> None:
    queue, release, counts = make(visibility_timeout=0.05), threading.Event(), list[str]()

    def consume(event: Event) -> None:
        counts.append(event["Records"][0]["attributes"]["ApproximateReceiveCount"])
        if len(counts) == 1:
            release.wait(60)
        else:
            release.set()

    queue.send(job(1), "a")
    queue.start(consume)
    queue.drain()
    assert counts[:2] == ["1", "2"]
    assert not dead_letters.exists()


def test_a_failure_that_comes_after_the_message_was_handed_out_again_changes_nothing(make: Make) -> None:
    # The first try's own delay is ten minutes: it must not be given to the message that the second try has.
    queue = make(visibility_timeout=0.05, max_receive_count=9, retry_delays=(600, 0.01))
    second, late = threading.Event(), threading.Event()

    def consume(event: Event) -> None:
        count = event["Records"][0]["attributes"]["ApproximateReceiveCount"]
        if count == "1":
            assert second.wait(60)
            late.set()
            raise RuntimeError
        second.set()
        assert late.wait(60)
        if count == "2":
            raise RuntimeError

    queue.send(job(1), "a")
    queue.start(consume)
    queue.drain()


def test_one_users_flood_does_not_hold_up_the_others(make: Make) -> None:
    queue, order = make(workers=1, batch_size=1), list[int]()
    for number in range(100):
        queue.send(job(number), "flood")
    queue.send(job(200, "b"), "b")
    queue.send(job(300, "c"), "c")
    queue.start(lambda event: order.extend(map(number_of, event["Records"])))
    queue.drain()
    assert order[:4] == [0, 200, 300, 1]


def test_a_batch_is_shared_between_users(make: Make) -> None:
    queue, batches = make(workers=1), list[list[int]]()
    for number in range(10):
        queue.send(job(number), "flood")
    queue.send(job(200, "b"), "b")
    queue.start(lambda event: batches.append(list(map(number_of, event["Records"]))))
    queue.drain()
    assert 200 in batches[0]


def test_stopping_lets_what_runs_end_and_starts_nothing_more(make: Make) -> None:
    queue = make(workers=1, batch_size=1)
    begun, release, ended = threading.Event(), threading.Event(), list[int]()

    def consume(event: Event) -> None:
        begun.set()
        release.wait(60)
        ended.extend(map(number_of, event["Records"]))

    queue.send(job(1), "a")
    queue.send(job(2), "a")
    queue.start(consume)
    assert begun.wait(20)
    stopping = threading.Thread(target=queue.stop, kwargs={"timeout": 20})
    stopping.start()
    while True:
        try:
            queue.send(job(3), "a")
        except QueueStoppedError:
            break
    release.set()
    stopping.join(20)
    assert ended == [1]


def test_an_error_is_logged_by_its_type(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    def crash(event: Event) -> object:
        raise LookupError("Alice likes tea")

    queue = make(max_receive_count=1)
    with caplog.at_level(logging.WARNING):
        queue.send(job(1), "a")
        queue.start(crash)
        queue.drain()
    assert caplog.records[0].__dict__["error_type"] == "LookupError"
    assert "Alice" not in caplog.text
