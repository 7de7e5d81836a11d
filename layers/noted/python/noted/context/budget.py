"""Which of the replayed turns fit into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def fitting(tokens_per_turn: Sequence[int], room: int) -> int:
    """How many of the oldest turns are left out so that the others take at most `room` tokens.

    They are left out in steps of half the room, counted from the beginning of the window, so that the first
    turn which stays, and with it the prefix that a cache knows, is the same for many turns.
    """
    excess = sum(tokens_per_turn) - room
    if excess <= 0:
        return 0
    step = max(room // 2, 1)
    leaving = -(-excess // step) * step
    return next(
        (turn + 1 for turn, taken in enumerate(accumulate(tokens_per_turn)) if taken >= leaving),
        len(tokens_per_turn),
    )
