"""The window of replayed turns: when it is cut, to what, and what that costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.conversation.window import WINDOW, WindowLimits, compaction_due, cut, overfull

AMPLE = 10**9


def grown(turns: list[int], limits: WindowLimits) -> list[tuple[int, int]]:
    """The window after each turn, as (index of its first turn, number of its turns)."""
    window: list[int] = []
    start, seen = 0, []
    for tokens in turns:
        window.append(tokens)
        leaving = cut(window, limits)
        del window[:leaving]
        start += leaving
        seen.append((start, len(window)))
    return seen


def history_tokens(tokens_per_turn: int, turns: int, limits: WindowLimits) -> int:
    """The tokens of history that a conversation sends in all: each turn resends the window before it."""
    windows = [0, *(length for _, length in grown([tokens_per_turn] * (turns - 1), limits))]
    return tokens_per_turn * sum(windows)


@pytest.mark.parametrize(
    "tokens, turns, window, full, windowed",
    [(400, 20, 3, 76_000, 21_600), (250, 12, 4, 16_500, 9_500), (400, 20, 19, 76_000, 76_000)],
)
def test_a_window_makes_the_cost_of_history_linear(
    tokens: int, turns: int, window: int, full: int, windowed: int
) -> None:
    assert history_tokens(tokens, turns, WindowLimits(turns, turns, AMPLE)) == full
    assert history_tokens(tokens, turns, WindowLimits(window, window, AMPLE)) == windowed
    assert windowed <= tokens * window * turns


def test_the_window_grows_to_its_high_mark_and_is_cut_to_its_low_one_in_one_go() -> None:
    assert cut([100] * 19, WindowLimits()) == 0
    assert cut([100] * 20, WindowLimits()) == 10
    assert cut([100] * 33, WindowLimits()) == 23
    assert cut([], WindowLimits()) == 0


def test_it_is_also_cut_at_80_percent_of_the_budget_to_at_most_half_of_it() -> None:
    limits = WindowLimits(low=10, high=20, budget_tokens=1_000)
    assert cut([160] * 4 + [159], limits) == 0  # 799 tokens
    assert cut([160] * 5, limits) == 2  # 800 tokens, 480 after the cut
    assert cut([50] * 17, limits) == 7  # 850 tokens: to 10 turns, which are 500 tokens


def test_a_cut_is_due_only_when_turns_would_leave() -> None:
    assert not compaction_due([100] * 19, WindowLimits())
    assert compaction_due([100] * 20, WindowLimits())
    assert not compaction_due([99_000], WindowLimits())  # nothing but the newest turn


def test_it_is_overfull_at_twice_its_high_mark_or_the_whole_budget() -> None:
    limits = WindowLimits(budget_tokens=8_000)
    assert not overfull([100] * 39, limits)
    assert overfull([100] * 40, limits)
    assert not overfull([4_000, 3_999], limits)
    assert overfull([4_000, 4_000], limits)
    assert not overfull([9_000], limits)


def test_the_default_window_is_ten_to_twenty_turns() -> None:
    assert (WINDOW.low, WINDOW.high) == (10, 20)
    assert WINDOW.most >= 2 * WINDOW.high


def test_the_newest_turn_stays_however_long_it_is() -> None:
    assert cut([5_000], WindowLimits(budget_tokens=1_000)) == 0
    assert cut([10, 10, 5_000], WindowLimits(budget_tokens=1_000)) == 2


@pytest.mark.parametrize("low, high, budget", [(0, 20, 1), (21, 20, 1), (10, 20, 0), (-1, -1, 1)])
def test_limits_that_make_no_window_are_refused(low: int, high: int, budget: int) -> None:
    with pytest.raises(ValueError, match="a window needs"):
        WindowLimits(low, high, budget)


LIMITS = st.tuples(st.integers(1, 12), st.integers(0, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(LIMITS, st.integers(1, 200))
def test_by_turns_alone_it_stays_between_its_marks_and_its_start_moves_rarely(
    marks: tuple[int, int], turns: int
) -> None:
    low, high = marks
    seen = grown([7] * turns, WindowLimits(low, high, AMPLE))
    assert all(length <= high for _, length in seen)
    assert all(length >= min(low, turn) for turn, (_, length) in enumerate(seen, 1))
    starts = {start for start, _ in seen}
    # The first cut comes with turn `high`, and each later one after as many turns as the last one took out.
    taken_out = max(high - low, 1)
    assert len(starts) - 1 <= -(-max(0, turns - high + 1) // taken_out)


@given(st.lists(st.integers(0, 500), min_size=1, max_size=80), LIMITS, st.integers(1, 3_000))
def test_within_the_budget_or_down_to_the_newest_turn(
    turns: list[int], marks: tuple[int, int], budget: int
) -> None:
    limits = WindowLimits(*marks, budget)
    for end, (start, length) in enumerate(grown(turns, limits), 1):
        held = turns[start:end]
        assert 1 <= length == len(held) <= limits.high
        assert sum(held) < max(budget * 0.8, budget / 2 + 1) or length == 1
