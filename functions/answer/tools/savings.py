"""How savings grow: interest that is added every month, and a deposit at the end of each.

The amount after n months, at a rate r a month, is P(1 + r)^n + D((1 + r)^n - 1)/r for a first amount P and a
deposit D (the future value of an ordinary annuity); without interest it is P + nD. Worked out in decimals
and rounded half up to two places at the end. A bank that rounds each month can differ by some cents.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Annotated

from pydantic import Field

from noted.conversation.tools import Arguments, LabelledFigure, Tool, ToolContext, ToolOutcome

NAME = "savings"

_MOST = Decimal(10) ** 12
_CENT = Decimal("0.01")
_MONTHS = 12
# Digits to reckon with: the largest amount that the bounds below allow has 57 before its point.
_PRECISION = 80

Amount = Annotated[Decimal, Field(ge=0, le=_MOST, decimal_places=4)]


class SavingsArguments(Arguments):
    """A plan for saving, in one currency."""

    first_amount: Annotated[Amount, Field(description="What is there at the beginning.")] = Decimal(0)
    monthly_deposit: Annotated[Amount, Field(description="What is added at the end of each month.")] = (
        Decimal(0)
    )
    yearly_rate_percent: Annotated[
        Decimal,
        Field(ge=0, le=100, decimal_places=6, description="Nominal interest a year, in per cent."),
    ]
    months: Annotated[int, Field(ge=1, le=1200, description="For how many months.")]


def tool(_: Mapping[str, str]) -> Tool[SavingsArguments]:
    """The tool; it has no settings."""
    return Tool(
        NAME,
        "Works out what savings grow to with monthly compound interest: the final amount, what was paid in, "
        "and the interest.",
        SavingsArguments,
        grown,
        namespace=NAME,
    )


def grown(arguments: SavingsArguments, _: ToolContext) -> ToolOutcome:
    """The figures of a plan, in its currency."""
    with localcontext() as context:
        context.prec = _PRECISION
        rate = arguments.yearly_rate_percent / 100 / _MONTHS
        growth = (1 + rate) ** arguments.months
        deposits = (growth - 1) / rate if rate else Decimal(arguments.months)
        final = _rounded(arguments.first_amount * growth + arguments.monthly_deposit * deposits)
        paid_in = _rounded(arguments.first_amount + arguments.monthly_deposit * arguments.months)
        interest = final - paid_in
    return ToolOutcome(
        (
            LabelledFigure("final", f"{final:,}", "the amount at the end, without its currency"),
            LabelledFigure("paid_in", f"{paid_in:,}", "all that was paid in, without its currency"),
            LabelledFigure("interest", f"{interest:,}", "all interest together, without its currency"),
        )
    )


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, ROUND_HALF_UP)
