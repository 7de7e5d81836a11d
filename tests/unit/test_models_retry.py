"""One second try, within the time of the whole call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator

import pytest

from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.models.retry import ANSWER_SECONDS, QUERY_SECONDS, Retry, TryError, seconds_for
from noted.models.seam import Prompt, Purpose, Reply, Usage


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
    together = sum(seconds_for(Prompt(purpose, (), ())) for purpose in (Purpose.QUERY, Purpose.ANSWER))
    assert together <= 27


def test_a_caller_can_give_a_call_less_time_but_not_more() -> None:
    assert seconds_for(Prompt(Purpose.ANSWER, (), (), seconds=4)) == 4
    assert seconds_for(Prompt(Purpose.ANSWER, (), (), seconds=100)) == ANSWER_SECONDS


class Streams:
    """Plays streams in order, each its items with an error at the end or none, and notes the time given."""

    def __init__(self, *played: tuple[str | Reply | Exception, ...]) -> None:
        self._played = list(played)
        self.given: list[float] = []

    def __call__(self, seconds: float) -> Generator[str | Reply, None, None]:
        self.given.append(seconds)
        for item in self._played.pop(0):
            if isinstance(item, Exception):
                raise item
            yield item


class TestStream:
    def run(self, streams: Streams, time: Time, seconds: float = ANSWER_SECONDS) -> list[str | Reply]:
        retry = Retry(sleep=time.sleep, monotonic=lambda: time.now)
        return list(retry.stream(streams, seconds))

    def test_pieces_then_the_reply(self) -> None:
        streams = Streams(("o", "k", OK))
        assert self.run(streams, Time()) == ["o", "k", OK]
        assert streams.given == [20.0]

    def test_a_reply_needs_no_piece(self) -> None:
        assert self.run(Streams((OK,)), Time()) == [OK]

    def test_a_failure_before_the_first_piece_is_tried_once_more(self) -> None:
        time = Time()
        streams = Streams((unavailable(after=1.0),), ("ok", OK))
        assert self.run(streams, time) == ["ok", Reply("ok", usage=Usage(10, 2, model_calls=2))]
        assert (time.slept, streams.given) == ([1.0], [20.0, 20.0])

    def test_and_no_more_than_once(self) -> None:
        malformed = TryError(MalformedOutput("malformed"), again=True)
        with pytest.raises(MalformedOutput):
            self.run(Streams((unavailable(),), (malformed,)), Time())

    def test_what_would_fail_again_is_not_tried_again(self) -> None:
        refused = TryError(ModelRefused("refused"), again=False)
        with pytest.raises(ModelRefused):
            self.run(Streams((refused,)), Time())

    def test_nor_is_a_failure_behind_a_piece(self) -> None:
        given: list[str | Reply] = []
        with pytest.raises(ModelUnavailable):
            given.extend(Retry().stream(Streams(("o", unavailable())), 1.0))
        assert given == ["o"]

    def test_a_second_try_has_the_rest_of_the_time(self) -> None:
        time = Time()
        streams = Streams((unavailable(after=3.0),), ("ok", OK))
        self.run(streams, time, 10.0)
        # 10 in all, less 3 of waiting.
        assert streams.given == [10.0, 7.0]

    def test_a_try_without_a_piece_in_its_time_is_left_behind(self) -> None:
        release = threading.Event()

        def hang(_seconds: float) -> Generator[str | Reply, None, None]:
            release.wait(30)
            yield OK

        with pytest.raises(ModelUnavailable) as failed:
            list(Retry().stream(hang, 0.1))
        release.set()
        assert failed.value.reason == "timeout"

    def test_a_stream_that_has_begun_has_the_time_of_the_whole_call(self) -> None:
        time = Time()
        ready = threading.Event()

        def slow(_seconds: float) -> Generator[str | Reply, None, None]:
            yield "o"
            ready.wait(30)
            yield "k"
            yield OK

        pieces = Retry(sleep=time.sleep, monotonic=lambda: time.now).stream(slow, ANSWER_SECONDS)
        assert next(pieces) == "o"
        # Past the 20 seconds of a try, within the 24 of the call.
        time.now = 22.0
        ready.set()
        assert list(pieces) == ["k", OK]

    def test_what_came_in_time_is_given_also_to_a_slow_reader(self) -> None:
        time = Time()
        whole = threading.Event()

        def quick(_seconds: float) -> Generator[str | Reply, None, None]:
            yield "o"
            yield "k"
            yield OK
            whole.set()

        pieces = Retry(sleep=time.sleep, monotonic=lambda: time.now).stream(quick, ANSWER_SECONDS)
        assert next(pieces) == "o"
        assert whole.wait(30)
        time.now = 100.0
        assert list(pieces) == ["k", OK]

    def test_a_reader_who_leaves_closes_the_stream(self) -> None:
        left, closed = threading.Event(), threading.Event()

        def endless(_seconds: float) -> Generator[str | Reply, None, None]:
            try:
                yield "o"
                left.wait(30)
                while True:
                    yield "o"
            finally:
                closed.set()

        pieces = Retry().stream(endless, ANSWER_SECONDS)
        assert next(pieces) == "o"
        del pieces
        left.set()
        assert closed.wait(30)

    def test_a_fault_of_the_code_is_no_model_error(self) -> None:
        with pytest.raises(LookupError):
            self.run(Streams(("o", LookupError())), Time())
        with pytest.raises(RuntimeError):
            self.run(Streams(("o",)), Time())
