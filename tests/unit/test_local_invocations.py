"""The register of running invocations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from local.invocations import Invocations

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> datetime:
        return self.time


def test_nothing_running_is_drained() -> None:
    assert Invocations(Clock()).drained(NOON)


def test_what_began_at_or_before_the_instant_must_have_ended() -> None:
    invocations = Invocations(Clock())
    with invocations.running():
        assert not invocations.drained(NOON)
        assert not invocations.drained(NOON + SECOND)
        assert invocations.drained(NOON - SECOND)
    assert invocations.drained(NOON + SECOND)


def test_of_two_that_began_at_the_same_instant_both_must_have_ended() -> None:
    invocations = Invocations(Clock())
    with invocations.running():
        with invocations.running():
            pass
        assert not invocations.drained(NOON)
    assert invocations.drained(NOON)


def test_what_began_later_is_not_waited_for() -> None:
    clock = Clock()
    invocations = Invocations(clock)
    clock.time = NOON + SECOND
    with invocations.running():
        assert invocations.drained(NOON)


def test_an_invocation_that_fails_has_ended() -> None:
    invocations = Invocations(Clock())
    with pytest.raises(ZeroDivisionError), invocations.running():
        _ = 1 / 0
    assert invocations.drained(NOON)
