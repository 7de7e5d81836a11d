"""The figures of all strategies, as tables and as a plot. The last strategy is the one that the others are
compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from rich.table import Table

from evals.cost.accounts import Account
from evals.cost.plot import Line, Panel, svg

Accounts = Mapping[str, Account]


def tokens(accounts: Accounts, lengths: Sequence[int], title: str) -> Table:
    """Calls and input tokens of each strategy in conversations of these lengths, in turns."""
    table = _table(title, [f"{turns} turns" for turns in lengths])
    for name, account in accounts.items():
        sums = [account.sum(turns) for turns in lengths]
        last = [account.sum(turns, turns) for turns in lengths]
        table.add_row(f"{name}: input tokens", *(f"{each.input_tokens:,}" for each in sums))
        table.add_row("  of them replayed turns", *(f"{each.history_tokens:,}" for each in sums))
        table.add_row("  in the last turn", *(f"{each.input_tokens:,}" for each in last))
        table.add_row("  model calls", *(f"{each.calls:,}" for each in sums), end_section=True)
    return table


def prices(accounts: Accounts, lengths: Sequence[int]) -> Table:
    """For each of the rates, each strategy's cached share of the input, its price, and how many times the
    last strategy's price that is."""
    table = _table(
        "share of the input that was cached, price, ratio", [f"{turns} turns" for turns in lengths]
    )
    *_, reference = accounts.values()
    for which, rates in enumerate(reference.rates):
        for name, account in accounts.items():
            cells = []
            for turns in lengths:
                sums, ours = account.sum(turns), reference.sum(turns)
                ratio = f"{sums.dollars[which] / ours.dollars[which]:.2f}" if ours.dollars[which] else "-"
                cells.append(f"{sums.cached(which):.0%}  ${sums.dollars[which]:.3f}  {ratio:>5}")
            table.add_row(f"{rates.name}: {name}", *cells, end_section=account is reference)
    return table


def purposes(account: Account, turns: int, title: str) -> Table:
    """What a conversation of this length costs for each purpose."""
    names = [rates.name for rates in account.rates]
    table = _table(title, ["calls", "input tokens", "output tokens", *names])
    for purpose in (*account.purposes, None):
        sums = account.sum(turns, purpose=purpose)
        prices = [f"${dollars:.3f}" for dollars in sums.dollars]
        counts = f"{sums.calls:,}", f"{sums.input_tokens:,}", f"{sums.output_tokens:,}"
        table.add_row(purpose or "all", *counts, *prices)
    return table


def plot(accounts: Accounts, which: int) -> str:
    """Two charts as SVG: all input tokens so far, and the price so far by the rates of that place."""
    by_turn = {name: account.by_turn() for name, account in accounts.items()}
    *_, reference = accounts.values()
    panels = [
        Panel(
            "Input tokens so far",
            "turns",
            [
                Line(name, list(accumulate(each.input_tokens for each in sums)))
                for name, sums in by_turn.items()
            ],
            lambda tokens: f"{tokens / 1_000_000:g} M",
        ),
        Panel(
            f"Price so far, {reference.rates[which].name}",
            "turns",
            [
                Line(name, list(accumulate(each.dollars[which] for each in sums)))
                for name, sums in by_turn.items()
            ],
            lambda dollars: f"${dollars:g}",
        ),
    ]
    return svg(panels, "What a conversation costs, by the way in which its history is sent")


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title)
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table
