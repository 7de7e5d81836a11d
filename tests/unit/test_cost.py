"""What conversations cost, by exact arithmetic: turns of a round number of tokens, no model, no clock."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.cost import __main__ as command
from evals.cost.accounts import Account
from evals.cost.conversation import full_replay, sliding_window, talk
from evals.cost.ours import noted
from evals.cost.rates import RATES
from noted.context import layout
from noted.conversation.window import WINDOW, WindowLimits
from noted.models.seam import Purpose

AMPLE = 10**9


@given(st.integers(60, 2_000), st.integers(1, 5))
def test_made_up_turns_have_the_tokens_that_were_asked_for(tokens: int, turns: int) -> None:
    assert [layout.tokens(turn) for turn in talk(turns, tokens).turns] == [tokens] * turns


@pytest.mark.parametrize(
    "tokens, turns, window, full, windowed",
    [(400, 20, 3, 76_000, 21_600), (250, 12, 4, 16_500, 9_500), (400, 20, 19, 76_000, 76_000)],
)
def test_the_prompts_that_are_laid_out_replay_as_many_tokens_as_the_formulas_say(
    tokens: int, turns: int, window: int, full: int, windowed: int
) -> None:
    held = talk(turns, tokens)
    assert full == tokens * turns * (turns - 1) // 2
    assert Account(full_replay(held), RATES).sum(turns).history_tokens == full
    assert Account(sliding_window(held, window), RATES).sum(turns).history_tokens == windowed
    assert windowed <= tokens * window * turns


def test_a_window_that_is_cut_in_batches_stays_within_the_budget_of_one_that_slides() -> None:
    # Between 2 turns after a cut and 4 before one, 20 turns replay less than a sliding window of 3 does.
    limits = WindowLimits(low=2, high=4, budget_tokens=AMPLE)
    assert Account(noted(talk(20), limits), RATES).sum(20).history_tokens <= 21_600


@settings(max_examples=20)
@given(st.integers(60, 200), st.integers(1, 6), st.integers(1, 6), st.integers(1, 20))
def test_no_window_replays_more_than_its_size_at_each_turn(
    tokens: int, low: int, more: int, turns: int
) -> None:
    limits = WindowLimits(low, low + more, AMPLE)
    replayed = Account(noted(talk(turns, tokens), limits), RATES[:1]).sum(turns).history_tokens
    assert replayed <= tokens * limits.high * turns


def test_full_replay_grows_with_the_square_of_the_conversation() -> None:
    account = Account(full_replay(talk(60)), RATES[:1])
    replayed = [account.sum(turn, turn).history_tokens for turn in range(1, 61)]
    # The second difference of the sum: each turn replays one turn more than the one before.
    assert {later - earlier for earlier, later in pairwise(replayed)} == {400}


def test_over_500_turns_cost_grows_in_a_straight_line() -> None:
    account = Account(noted(talk(500)), RATES[::2])  # with both kinds of cache
    cuts = [turn for turn in range(1, 501) if account.sum(turn, turn, Purpose.SUMMARY).calls]
    # Once the lines beside the summary are as many as there may be, one cut is like the next.
    steady = cuts[6:]
    (every,) = {later - earlier for earlier, later in pairwise(steady)}
    assert len(steady) >= 20
    between = [account.sum(later, earlier + 1) for earlier, later in pairwise(steady)]
    assert {each.input_tokens for each in between} == {between[0].input_tokens}
    assert {each.output_tokens for each in between} == {between[0].output_tokens}
    assert {each.sent for each in between} == {between[0].sent}
    # The sum at each cut therefore lies on a line: its second difference is nought.
    sums = [account.sum(turn).input_tokens for turn in steady]
    slopes = [later - earlier for earlier, later in pairwise(sums)]
    assert {later - earlier for earlier, later in pairwise(slopes)} == {0}
    # And the beginning, while the summary still grows, lies below it.
    assert account.sum(steady[0]).input_tokens <= slopes[0] * steady[0] / every


def test_each_turn_costs_at_most_an_answer_an_extraction_and_a_summary() -> None:
    account = Account(noted(talk(50)), RATES[:1])
    assert account.purposes == (Purpose.ANSWER, Purpose.EXTRACTION, Purpose.SUMMARY)
    for turn in range(1, 51):
        assert account.sum(turn, turn, Purpose.ANSWER).calls == 1
        assert account.sum(turn, turn, Purpose.EXTRACTION).calls == 1
        assert account.sum(turn, turn, Purpose.SUMMARY).calls <= 1
    by_purpose = [account.sum(50, purpose=purpose) for purpose in account.purposes]
    assert sum(each.input_tokens for each in by_purpose) == account.sum(50).input_tokens
    assert sum(each.dollars[0] for each in by_purpose) == pytest.approx(account.sum(50).dollars[0])


def test_a_window_that_slides_is_never_found_in_a_cache_and_one_that_is_cut_in_batches_is() -> None:
    sonnet = [rates for rates in RATES if rates.caching == "points"][:1]
    held = talk(100)
    assert Account(sliding_window(held, WINDOW.low), sonnet).sum(100, 50).cached(0) == 0
    batched = Account(noted(held), sonnet)
    cuts = [turn for turn in range(1, 101) if batched.sum(turn, turn, Purpose.SUMMARY).calls]
    for cut, following in pairwise(cuts[3:]):
        # The turn behind a cut writes the new window; each later one reads what was there at the one before.
        for turn in range(cut + 2, following + 1):
            (before,) = batched.sum(turn - 1, turn - 1, Purpose.ANSWER).sent
            (now,) = batched.sum(turn, turn, Purpose.ANSWER).sent
            assert now.read == before.read + before.written
            assert now.written == 400


def test_the_command_prints_every_strategy_and_draws_the_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "cost.svg"
    monkeypatch.setattr(sys, "argv", ["cost", "--turns", "20", "4", "--plot", str(plot)])
    command.main()
    printed = capsys.readouterr().out
    assert next(line.split()[-4:-1:2] for line in printed.splitlines() if "replayed" in line) == [
        "2,400",
        "76,000",
    ]
    for strategy in ("full replay", "sliding window of 20", "sliding window of 10", "Noted, incognito"):
        assert strategy in printed
        assert strategy in plot.read_text()


@pytest.mark.parametrize(
    "arguments", [["--turns", "0"], ["--tokens", "10"], ["--rates", "nowhere.json"]], ids=lambda each: each[0]
)
def test_the_command_refuses_what_it_cannot_use(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["cost", *arguments])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err
