"""The open loop of the load, and the figures of its steps."""

from __future__ import annotations

import asyncio
import itertools
import random
import statistics

import pytest

from evals.load import figures
from evals.load.arrivals import MIX, Kind, Planned, arrivals, plan, shares
from evals.load.figures import of_step, percentile, ratios, saturated
from evals.load.openloop import NOT_SENT, Outcome, offer


class FakeClock:
    """Time that passes only while everybody sleeps."""

    def __init__(self) -> None:
        self._now = 100.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        self._sleepers.append((self._now + seconds, next(self._order), woken))
        await woken.wait()

    def pass_on(self) -> bool:
        """Wakes whoever sleeps the least; False if nobody sleeps."""
        if not self._sleepers:
            return False
        first = min(self._sleepers)
        self._sleepers.remove(first)
        self._now = max(self._now, first[0])
        first[2].set()
        return True


def offered(calls: list[Planned], takes: dict[Kind, float], most: int = 100) -> list[Outcome]:
    """The outcomes of calls that take so many seconds each."""
    clock = FakeClock()

    async def perform(kind: Kind) -> str | None:
        await clock.sleep(takes[kind])
        return "500 internal" if kind is Kind.JUDGE else None

    async def run() -> list[Outcome]:
        offering = asyncio.create_task(offer(calls, perform, clock, most=most))
        while not offering.done():
            for _ in range(10):
                await asyncio.sleep(0)
            clock.pass_on()
        return await offering

    return asyncio.run(run())


def test_calls_are_made_at_their_instants_however_slow_the_answers_are() -> None:
    calls = [Planned(at, Kind.TURN) for at in (0.5, 1.0, 1.5)]
    outcomes = offered(calls, {Kind.TURN: 10.0})
    assert [each.sent for each in outcomes] == [0.5, 1.0, 1.5]
    assert [each.ended for each in outcomes] == [10.5, 11.0, 11.5]
    assert [each.latency for each in outcomes] == [10.0, 10.0, 10.0]


def test_latency_counts_from_the_intended_start_and_not_from_when_a_call_was_sent() -> None:
    # Both are due at 2; a call that is sent late has waited already.
    assert Outcome(Kind.TURN, intended=2.0, sent=3.5, ended=4.0).latency == 2.0


def test_with_too_many_under_way_a_call_fails_and_does_not_wait() -> None:
    calls = [Planned(at, Kind.TURN) for at in (1.0, 2.0, 3.0, 12.0)]
    outcomes = offered(calls, {Kind.TURN: 10.0}, most=2)
    assert [each.error for each in outcomes] == [None, None, NOT_SENT, None]
    assert (outcomes[2].sent, outcomes[2].ended) == (3.0, 3.0)
    # Two had ended by then, so the last one had a place.
    assert outcomes[3].sent == 12.0


def test_errors_are_told_by_kind() -> None:
    calls = [Planned(1.0, Kind.JUDGE), Planned(1.0, Kind.RECALL)]
    outcomes = offered(calls, {Kind.JUDGE: 0.1, Kind.RECALL: 0.2})
    assert [each.error for each in outcomes] == ["500 internal", None]


def test_arrivals_have_the_rate_and_are_independent() -> None:
    gaps, before = [], 0.0
    for at in arrivals(10, 1_000, random.Random(7)):
        gaps.append(at - before)
        before = at
    assert len(gaps) == pytest.approx(10_000, rel=0.03)
    # Of an exponential distribution the deviation is the mean.
    assert statistics.stdev(gaps) == pytest.approx(statistics.fmean(gaps), rel=0.05)


@pytest.mark.parametrize("rate, seconds", [(0, 1), (1, 0), (-1, 1)])
def test_a_rate_or_time_that_is_not_above_zero_is_refused(rate: float, seconds: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        list(arrivals(rate, seconds, random.Random(1)))


def test_a_plan_has_its_erasures_and_the_shares_of_the_mix() -> None:
    calls = plan(50, 200, random.Random(3), erasures=4)
    assert [each.at for each in calls] == sorted(each.at for each in calls)
    assert [each.at for each in calls if each.kind is Kind.ERASE] == [25.0, 75.0, 125.0, 175.0]
    counted = shares(calls)
    others = len(calls) - counted[Kind.ERASE]
    for kind, share in MIX.items():
        assert counted[kind] / others == pytest.approx(share, abs=0.02)
    assert sum(MIX.values()) == pytest.approx(1)
    assert plan(50, 200, random.Random(3), erasures=4) == calls


@pytest.mark.parametrize(
    "percent, value", [(5, 15), (20, 15), (30, 20), (40, 20), (50, 35), (90, 50), (100, 50)]
)
def test_percentiles_are_of_nearest_rank(percent: float, value: float) -> None:
    assert percentile([35, 20, 15, 50, 40], percent) == value


@pytest.mark.parametrize("values, percent", [([], 50), ([1], 0), ([1], 101)])
def test_a_percentile_needs_values_and_a_per_cent(values: list[float], percent: float) -> None:
    with pytest.raises(ValueError, match="needed"):
        percentile(values, percent)


def test_the_figures_of_a_step() -> None:
    outcomes = [
        Outcome(Kind.TURN, 0.0, 0.0, 1.0),
        Outcome(Kind.TURN, 2.0, 2.5, 5.0),
        Outcome(Kind.TURN, 9.0, 9.0, 12.0),  # after the step
        Outcome(Kind.TELL, 4.0, 4.0, 4.1, "409 epoch-changed"),  # of a user who was erased just then
        Outcome(Kind.RECALL, 5.0, 5.0, 5.5, "503 unavailable"),
    ]
    step = of_step(0.5, 10, outcomes)
    # By hand: latencies of turns are 1, 3 and 3 s; three of five ended in time as they should.
    assert step["latency_ms"] == {"turn": {"calls": 3, "p50": 3000.0, "p90": 3000.0, "p99": 3000.0}}
    assert (step["offered"], step["done"], step["throughput"]) == (5, 3, 0.3)
    assert step["errors"] == {"503 unavailable": 1}
    assert step["refused"] == {"409 epoch-changed": 1}
    assert step["behind_ms"] == 500.0
    assert saturated(step)
    assert not saturated(step | {"throughput": 0.45})


def test_steps_are_told_as_multiples_of_the_first() -> None:
    def step(rate: float, p50: float, throughput: float) -> dict[str, object]:
        latency = {"turn": {"calls": 9, "p50": p50, "p90": 2 * p50, "p99": 4 * p50}}
        offered = int(rate * 10)
        return {
            "rate": rate,
            "seconds": 10,
            "offered": offered,
            "throughput": throughput,
            "latency_ms": latency,
        }

    first, second = ratios([step(2, 100, 2), step(4, 250, 3)])
    assert first == {
        "rate": 2,
        "throughput_of_offered": 1.0,
        "times_first": {"turn": {"p50": 1.0, "p90": 1.0, "p99": 1.0}},
    }
    assert second["throughput_of_offered"] == 0.75
    assert second["times_first"] == {"turn": {"p50": 2.5, "p90": 2.5, "p99": 2.5}}
    assert figures.PERCENTS == (50, 90, 99)
