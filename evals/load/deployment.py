"""A deployment by its counts: what it costs idle and at three sizes, which quota ends it, and what others
cost at the same activity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from evals.load import peers, prices, quotas, stack, walk
from evals.load.bill import Activity, Assumed, a_million_turns, idle, month

SIZES = (1_000, 1_000_000, 100_000_000)
NAMES = {1_000: "1 thousand users", 1_000_000: "1 million users", 100_000_000: "100 million users"}
ANSWERING = "answering model"
# Of a turn a minute, which is faster than people type and read.
_BUSY_SECONDS = 60


def found(console: Console) -> dict[str, Any]:
    """Counts the calls and the parts of the stack, and works out the rest."""
    counted = walk.counted(lambda doing: console.print(f"counting: {doing}"))
    console.print("counting: the parts of the stack")
    return worked_out(counted["counts"], counted["kept"], stack.counted(), stack.settings())


def worked_out(
    counts: Mapping[str, Mapping[str, Mapping[str, Any]]],
    kept: Mapping[str, float],
    parts: Mapping[str, float],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """All of it from counts, `cold` and `warm`, the bytes of rows, the stack's parts and its settings. Prices
    and quotas are worked out from cold calls: what most calls are among many users."""
    activity, assumed, cold = Activity(), Assumed(), counts["cold"]
    resting = idle(parts, cold, assumed)
    bills = {users: month(users, activity, cold, kept, assumed) for users in SIZES}
    known = quotas.quotas(settings)
    bites = quotas.bites(known, quotas.load(activity, cold, assumed), assumed.peak)
    partition = quotas.hottest_partition(cold, _BUSY_SECONDS)
    return {
        "activity": vars(activity),
        "assumed": {name: _rounded(value) for name, value in vars(assumed).items()},
        "counts": {name: dict(of_calls) for name, of_calls in counts.items()},
        "kept": dict(kept),
        "stack": dict(parts),
        "idle": _rounded_all(resting),
        "bills": {str(users): _rounded_all(bill) for users, bill in bills.items()},
        "a_million_turns": {
            str(users): {
                "all": _rounded(a_million_turns(bill, users, activity)),
                "without_models": _rounded(a_million_turns(without_models(bill), users, activity)),
                "memory": _rounded(a_million_turns(memory(bill), users, activity)),
            }
            for users, bill in bills.items()
        },
        "quotas": bites,
        "over": {str(users): quotas.over(users, bites) for users in SIZES},
        "partition": _rounded_all(partition),
        "peers": [
            {
                "name": each.name,
                "idle": _rounded(each.idle),
                "running": {size: usd and _rounded(usd) for size, usd in each.running.items()},
                "differs": each.differs,
            }
            for each in peers.peers(SIZES, activity, cold)
        ],
        "prices": {name: vars(price) for name, price in {**prices.PRICES, **peers.PRICES}.items()},
    }


def memory(bill: Mapping[str, float]) -> dict[str, float]:
    """A bill without the model that answers, which a client pays whatever remembers."""
    return {name: usd for name, usd in bill.items() if name != ANSWERING}


def without_models(bill: Mapping[str, float]) -> dict[str, float]:
    """A bill without any model."""
    models = (ANSWERING, "background models", "embedding")
    return {name: usd for name, usd in bill.items() if name not in models}


def show(worked: Mapping[str, Any], console: Console) -> None:
    """Prints idle price, bills, quotas and the others."""
    table = Table(title="US dollars a month")
    for name in ("", "idle", *(f"{size:,} users" for size in SIZES)):
        table.add_column(name, justify="left" if not name else "right")
    for name, usd in worked["idle"].items():
        table.add_row(name, f"{usd:,.2f}")
    table.add_row("sum", f"{sum(worked['idle'].values()):,.2f}", end_section=True)
    for name in worked["bills"][str(SIZES[0])]:
        table.add_row(name, "", *(f"{worked['bills'][str(size)][name]:,.2f}" for size in SIZES))
    for each in worked["peers"]:
        running = (each["running"][str(size)] for size in SIZES)
        cells = ("" if usd is None else f"{usd:,.0f}" for usd in running)
        table.add_row(each["name"], f"{each['idle']:,.2f}", *cells)
    console.print(table)
    ends = Table("quota", "limit", "users", "raised by", title="which quota bites at how many users")
    for each in worked["quotas"]:
        users = "never" if each["bites_at"] is None else f"{each['bites_at']:,}"
        ends.add_row(each["quota"], f"{each['limit']:,.0f}", users, each["raised_by"])
    console.print(ends)


def _rounded(value: float) -> float:
    """Four significant digits: more would pretend to know."""
    return value if value == 0 else round(value, 3 - math.floor(math.log10(abs(value))))


def _rounded_all(values: Mapping[str, float]) -> dict[str, float]:
    return {name: _rounded(value) for name, value in values.items()}
