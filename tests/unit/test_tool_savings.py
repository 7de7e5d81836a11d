"""Savings with compound interest. The values of the examples are worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.tools import savings
from noted.conversation.tools import ArgumentsRefused, ToolContext

CONTEXT = ToolContext(datetime(2026, 3, 10, 12, tzinfo=UTC), "UTC", 5)
TOOL = savings.tool({})


def grown(**arguments: Any) -> dict[str, str]:
    outcome = TOOL.function(TOOL.read(arguments), CONTEXT)
    TOOL.check(outcome, arguments)
    assert not outcome.failed
    return {figure.name: figure.value for figure in outcome.figures}


def test_one_amount_at_one_per_cent_a_month_for_a_year() -> None:
    # 1.01^12 = 1.126825030131969720661201
    assert grown(first_amount=1000, yearly_rate_percent=12, months=12) == {
        "final": "1,126.83",
        "paid_in": "1,000.00",
        "interest": "126.83",
    }


def test_a_deposit_at_the_end_of_each_month() -> None:
    # 1000 -> 1010 + 100 = 1110 -> 1121.10 + 100 = 1221.10
    assert grown(first_amount=1000, monthly_deposit=100, yearly_rate_percent=12, months=2) == {
        "final": "1,221.10",
        "paid_in": "1,200.00",
        "interest": "21.10",
    }
    # 100 * (1.01^12 - 1) / 0.01 = 1268.2503...
    assert grown(monthly_deposit=100, yearly_rate_percent="12", months=12)["final"] == "1,268.25"


def test_without_interest_it_is_what_was_paid_in() -> None:
    assert grown(first_amount="1500.55", monthly_deposit=50, yearly_rate_percent=0, months=10) == {
        "final": "2,000.55",
        "paid_in": "2,000.55",
        "interest": "0.00",
    }


def test_half_a_cent_is_rounded_up() -> None:
    # 0.50 * 1.01 = 0.505
    assert grown(first_amount=0.5, yearly_rate_percent=12, months=1)["final"] == "0.51"


def test_the_smallest_rate_still_counts_every_deposit() -> None:
    assert grown(monthly_deposit=100, yearly_rate_percent="0.000001", months=12)["paid_in"] == "1,200.00"
    assert grown(monthly_deposit=100, yearly_rate_percent="0.000001", months=12)["final"] == "1,200.00"


def test_the_largest_plan_can_be_shown() -> None:
    figures = grown(first_amount=10**12, monthly_deposit=10**12, yearly_rate_percent=100, months=1200)
    assert all(value.endswith(tuple("0123456789")) for value in figures.values())


AMOUNTS = st.decimals(0, 10**6, places=2)


@given(AMOUNTS, AMOUNTS, st.decimals(0, 30, places=3), st.integers(1, 60))
def test_it_is_what_reckoning_month_by_month_gives(
    first: Decimal, deposit: Decimal, rate: Decimal, months: int
) -> None:
    """Whole fractions, one month after the other, rounded once at the end."""
    amount = Fraction(first)
    for _ in range(months):
        amount += amount * Fraction(rate) / 1200 + Fraction(deposit)
    cents = (amount * 100 + Fraction(1, 2)).__floor__()
    figures = grown(
        first_amount=str(first), monthly_deposit=str(deposit), yearly_rate_percent=str(rate), months=months
    )
    assert figures["final"] == f"{Decimal(cents).scaleb(-2):,.2f}"
    paid_in, interest, final = (
        Decimal(figures[name].replace(",", "")) for name in ("paid_in", "interest", "final")
    )
    assert paid_in == first + deposit * months
    assert paid_in + interest == final


@pytest.mark.parametrize(
    "arguments",
    [
        {"months": 12},
        {"yearly_rate_percent": 5},
        {"yearly_rate_percent": -1, "months": 12},
        {"yearly_rate_percent": 101, "months": 12},
        {"yearly_rate_percent": 5, "months": 0},
        {"yearly_rate_percent": 5, "months": 1201},
        {"yearly_rate_percent": 5, "months": 2.5},
        {"yearly_rate_percent": 5, "months": 12, "first_amount": -1},
        {"yearly_rate_percent": 5, "months": 12, "first_amount": 10**13},
        {"yearly_rate_percent": "Infinity", "months": 12},
        {"yearly_rate_percent": "1E-30", "months": 12},
        {"yearly_rate_percent": 5, "months": 12, "currency": "EUR"},
    ],
)
def test_what_is_no_plan_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ArgumentsRefused):
        TOOL.read(arguments)


def test_memory_may_learn_from_a_turn_with_it() -> None:
    assert not TOOL.live
    assert not TOOL.needs_values
