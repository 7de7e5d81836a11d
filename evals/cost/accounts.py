"""What the calls of a conversation cost, by rates, and the sums over its first turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.cost.caching import Input
from evals.cost.conversation import Call
from evals.cost.rates import Rates
from noted.models.seam import Purpose


@dataclass(frozen=True)
class _Sent:
    """A call without its request: those of a long conversation are too large to keep."""

    turn: int
    purpose: Purpose
    history_tokens: int
    output_tokens: int
    inputs: tuple[Input, ...]


@dataclass(frozen=True)
class Sum:
    """What some calls cost. `sent` holds how their input was cached, and `dollars` their price, by each of
    the rates."""

    calls: int
    history_tokens: int
    output_tokens: int
    sent: tuple[Input, ...]
    dollars: tuple[float, ...]

    @property
    def input_tokens(self) -> int:
        """All input tokens, whatever each of them cost."""
        return self.sent[0].tokens

    def cached(self, which: int) -> float:
        """The share of the input that was read from the cache, by the rates of that place."""
        return self.sent[which].read / self.input_tokens if self.input_tokens else 0.0


class Account:
    """What the calls of a conversation cost, one after the other, from empty caches on."""

    def __init__(self, calls: Iterable[Call], rates: Sequence[Rates]) -> None:
        self.rates = tuple(rates)
        caches = [each.cache() for each in rates]
        self._calls = [
            _Sent(
                call.turn,
                call.request.purpose,
                call.history_tokens,
                call.output_tokens,
                tuple(cache.send(call.request) for cache in caches),
            )
            for call in calls
        ]

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return self._calls[-1].turn

    @property
    def purposes(self) -> tuple[Purpose, ...]:
        """Why models were called, each once, in order."""
        return tuple(dict.fromkeys(call.purpose for call in self._calls))

    def sum(self, last: int, first: int = 1, purpose: Purpose | None = None) -> Sum:
        """The calls of the turns from `first` to `last`, all or those of one purpose."""
        chosen = [
            call for call in self._calls if first <= call.turn <= last and purpose in (None, call.purpose)
        ]
        sent = tuple(
            sum((call.inputs[which] for call in chosen), Input()) for which in range(len(self.rates))
        )
        output = sum(call.output_tokens for call in chosen)
        return Sum(
            calls=len(chosen),
            history_tokens=sum(call.history_tokens for call in chosen),
            output_tokens=output,
            sent=sent,
            dollars=tuple(rates.dollars(each, output) for rates, each in zip(self.rates, sent, strict=True)),
        )

    def by_turn(self) -> list[Sum]:
        """The sum of each turn."""
        return [self.sum(turn, turn) for turn in range(1, self.turns + 1)]
