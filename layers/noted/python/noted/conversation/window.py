"""The window of turns that is replayed to the model.

It grows to twice its size and is then cut back in one go, so that the replayed turns, and with them the
cached prefix of the prompt, stay the same for many turns. History that is replayed in full costs c*T*(T-1)/2
tokens over T turns of c tokens; a window of w turns costs at most c*w*T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

_FULL = Fraction(8, 10)  # the share of the token budget at which the window is cut
_EMPTIED = Fraction(1, 2)  # the share that it is cut to, so that the next cut is many turns away
_OVERFULL = 2  # times `high`
_READ = 4  # times `high`


@dataclass(frozen=True)
class WindowLimits:
    """`low` turns stay after a cut, and at `high` turns one is due; `budget_tokens` is the room for history
    in a prompt. Raises ValueError unless 1 <= low <= high and the budget is positive."""

    low: int = 10
    high: int = 20
    budget_tokens: int = 10_000

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high:
            raise ValueError("a window needs 1 <= low <= high turns")
        if self.budget_tokens < 1:
            raise ValueError("a window needs a positive token budget")

    @property
    def most(self) -> int:
        """How many turns of a window are read at once. It can outgrow `high` while cuts are late."""
        return _READ * self.high


WINDOW = WindowLimits()


def cut(tokens_per_turn: Sequence[int], limits: WindowLimits) -> int:
    """How many of the oldest turns of the window leave it now, to go into the running summary.

    None below `high` turns and 80 % of the budget. Otherwise as many as leave `low` turns and half the
    budget, in one go; the newest turn always stays.
    """
    total = sum(tokens_per_turn)
    if len(tokens_per_turn) < limits.high and total < limits.budget_tokens * _FULL:
        return 0
    leaving = 0
    for turn, tokens in enumerate(tokens_per_turn[:-1]):
        if len(tokens_per_turn) - turn <= limits.low and total <= limits.budget_tokens * _EMPTIED:
            break
        total -= tokens
        leaving = turn + 1
    return leaving


def compaction_due(tokens_per_turn: Sequence[int], limits: WindowLimits) -> bool:
    """Whether turns are to leave the window now."""
    return cut(tokens_per_turn, limits) > 0


def overfull(tokens_per_turn: Sequence[int], limits: WindowLimits) -> bool:
    """Whether the window has outgrown what may wait for a summary: twice `high` turns, or the whole
    budget."""
    return (
        len(tokens_per_turn) >= _OVERFULL * limits.high or sum(tokens_per_turn) >= limits.budget_tokens
    ) and compaction_due(tokens_per_turn, limits)
