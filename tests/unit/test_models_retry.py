"""One second try, within the time of the whole call."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.models.retry import ANSWER_SECONDS, QUERY_SECONDS, Retry, TryError, seconds_for
from noted.models.seam import Purpose, Reply, Usage


class Time:
    """A clock that only moves when someone sleeps or a try says how long it took."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Tries:
    """Plays tries in order, each an outcome and the seconds it took, and notes the time each was given."""

    def __init__(self, time: Time, *played: tuple[Reply | Exception, float]) -> None:
        self._time = time
        self._played = list(played)
        self.given: list[float] = []

    def __call__(self, seconds: float) -> Reply:
        self.given.append(seconds)
        outcome, took = self._played.pop(0)
        self._time.now += took
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


OK = Reply("ok", usage=Usage(10, 2, model_calls=1))


def run(time: Time, tries: Callable[[float], Reply], seconds: float = ANSWER_SECONDS) -> Reply:
    return Retry(sleep=time.sleep, monotonic=lambda: time.now).call(tries, seconds)


def unavailable(after: float | None = None) -> TryError:
    return TryError(ModelUnavailable("throttled"), again=True, after=after)


def test_the_first_reply_is_enough() -> None:
    time = Time()
    tries = Tries(time, (OK, 1.0))
    assert run(time, tries) == OK
    assert tries.given == [20.0]
    assert time.slept == []


def test_a_second_try_gets_what_the_first_left() -> None:
    time = Time()
    tries = Tries(time, (unavailable(after=1.0), 18.0), (OK, 1.0))
    assert run(time, tries).text == "ok"
    assert time.slept == [1.0]
    # 24 in all, less 18 for the first try and 1 of waiting.
    assert tries.given == [20.0, 5.0]


def test_the_usage_is_that_of_both_tries() -> None:
    time = Time()
    malformed = TryError(MalformedOutput("malformed"), again=True, usage=Usage(10, 50, model_calls=1))
    assert run(time, Tries(time, (malformed, 1.0), (OK, 1.0))).usage == Usage(20, 52, model_calls=2)
    # What could not be read is asked for again at once.
    assert time.slept == []


def test_a_try_that_never_reached_the_provider_is_no_call() -> None:
    time = Time()
    unreachable = TryError(ModelUnavailable("unreachable"), again=True, usage=Usage())
    assert run(time, Tries(time, (unreachable, 0.0), (OK, 1.0))).usage.model_calls == 1


def test_the_second_failure_is_the_last() -> None:
    time = Time()
    tries = Tries(time, (unavailable(), 0.0), (TryError(MalformedOutput("malformed"), again=True), 0.0))
    with pytest.raises(MalformedOutput):
        run(time, tries)
    assert len(tries.given) == 2


@pytest.mark.parametrize(
    "error", [ModelRefused("refused"), ModelUnavailable("rejected")], ids=["refused", "rejected"]
)
def test_what_would_fail_again_is_not_tried_again(error: ModelRefused | ModelUnavailable) -> None:
    time = Time()
    tries = Tries(time, (TryError(error, again=False), 0.0))
    with pytest.raises(type(error)):
        run(time, tries)
    assert len(tries.given) == 1


def test_a_long_wait_is_not_waited() -> None:
    time = Time()
    tries = Tries(time, (unavailable(after=30.0), 0.0))
    with pytest.raises(ModelUnavailable):
        run(time, tries)
    assert (time.slept, len(tries.given)) == ([], 1)


def test_no_second_try_without_time_for_it() -> None:
    time = Time()
    tries = Tries(time, (unavailable(after=1.0), 2.0))
    with pytest.raises(ModelUnavailable):
        run(time, tries, QUERY_SECONDS)
    assert (time.slept, len(tries.given)) == ([], 1)


def test_a_try_that_hangs_is_left_behind() -> None:
    release = threading.Event()

    def hang(_seconds: float) -> Reply:
        release.wait(30)
        return OK

    with pytest.raises(ModelUnavailable) as failed:
        Retry().call(hang, 0.1)
    release.set()
    assert failed.value.reason == "timeout"


def test_a_fault_of_the_code_is_no_model_error() -> None:
    def broken(_seconds: float) -> Reply:
        raise LookupError

    with pytest.raises(LookupError):
        Retry().call(broken, 1.0)


def test_rewording_and_answering_end_before_the_gateway_gives_up() -> None:
    assert seconds_for(Purpose.QUERY) + seconds_for(Purpose.ANSWER) <= 27
