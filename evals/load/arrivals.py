"""When calls are made, decided before the first is: an open loop.

A closed loop sends the next call when the last is answered, so a slow service is asked less and looks better
than it is ("coordinated omission", Gil Tene). Here the instants come first, and a call's latency counts from
its instant, also where it was sent late.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What is called."""

    TURN = "turn"
    RECALL = "recall"
    FACTS = "facts"
    TURNS = "turns"
    TELL = "tell"
    JUDGE = "judge"
    ERASE = "erase"


# Shares of the calls that are not erasures: of those there is a number, so that each has a user of its own.
MIX: Mapping[Kind, float] = {
    Kind.TURN: 0.50,
    Kind.RECALL: 0.20,
    Kind.FACTS: 0.10,
    Kind.TURNS: 0.10,
    Kind.TELL: 0.05,
    Kind.JUDGE: 0.05,
}


@dataclass(frozen=True)
class Planned:
    """A call and its instant, in seconds from the beginning of its step."""

    at: float
    kind: Kind


def arrivals(rate: float, seconds: float, chance: random.Random) -> Iterator[float]:
    """Instants of independent arrivals, `rate` a second on average (a Poisson process), before `seconds`.
    Raises ValueError for a rate or time that is not above zero."""
    if rate <= 0 or seconds <= 0:
        raise ValueError("rate and seconds are above zero")
    at = chance.expovariate(rate)
    while at < seconds:
        yield at
        at += chance.expovariate(rate)


def plan(
    rate: float, seconds: float, chance: random.Random, *, erasures: int = 1, mix: Mapping[Kind, float] = MIX
) -> list[Planned]:
    """The calls of a step in the order of their instants. `erasures` of them, spread evenly over the step,
    are erasures; the others are drawn by the shares of `mix`."""
    kinds, shares = list(mix), list(mix.values())
    calls = [Planned(at, chance.choices(kinds, shares)[0]) for at in arrivals(rate, seconds, chance)]
    spread = (Planned(seconds * (number + 0.5) / erasures, Kind.ERASE) for number in range(erasures))
    return sorted([*calls, *spread], key=lambda each: each.at)


def shares(calls: Sequence[Planned]) -> dict[Kind, int]:
    """How many there are of each kind, in the order of `Kind`."""
    return {kind: count for kind in Kind if (count := sum(each.kind is kind for each in calls))}
