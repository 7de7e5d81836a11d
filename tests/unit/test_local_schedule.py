"""Jobs that run again and again."""

from __future__ import annotations

import logging
import threading

import pytest

from local.schedule import Schedule


def test_a_job_runs_at_once_and_again() -> None:
    schedule, runs = Schedule(), threading.Semaphore(0)
    schedule.every(0.01, "count", runs.release)
    for _ in range(3):
        assert runs.acquire(timeout=20)
    schedule.stop()


def test_a_job_that_fails_runs_again_and_only_its_type_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    schedule, runs = Schedule(), threading.Semaphore(0)

    def fail() -> None:
        runs.release()
        raise LookupError("Alice likes tea")

    with caplog.at_level(logging.WARNING):
        schedule.every(0.01, "failing", fail)
        for _ in range(3):
            assert runs.acquire(timeout=20)
        schedule.stop()
    assert {record.__dict__["error_type"] for record in caplog.records} == {"LookupError"}
    assert "Alice" not in caplog.text


def test_a_slow_job_does_not_hold_up_another() -> None:
    schedule, release, runs = Schedule(), threading.Event(), threading.Semaphore(0)
    schedule.every(0.01, "slow", lambda: release.wait(60))
    schedule.every(0.01, "quick", runs.release)
    for _ in range(3):
        assert runs.acquire(timeout=20)
    release.set()
    schedule.stop()


def test_nothing_runs_after_it_has_stopped() -> None:
    schedule, runs = Schedule(), list[None]()
    schedule.every(0.001, "count", lambda: runs.append(None))
    schedule.stop(timeout=20)
    count = len(runs)
    assert not threading.Event().wait(0.05)
    assert len(runs) == count
