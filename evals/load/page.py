"""docs/cost.md with its plots, drawn from the results of a run and of the counts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.load import page_plots
from evals.load.deployment import NAMES, SIZES, memory
from evals.load.page_load import held, load_section
from evals.load.page_text import ACTIVITY, BEFORE, LIMITS, PEERS, QUOTAS
from evals.report_tables import table
from evals.results import read

_WIDTH = 120
_CALLS = {
    "begin": "begin a conversation",
    "turn": "a turn",
    "extraction": "its extraction",
    "saved": "what was saved",
    "episode": "an episode",
    "recall": "recall",
    "facts": "list of 50 facts",
    "turns": "list of ten turns",
    "tell": "a fact told",
    "judge": "a verdict",
    "erase": "erasure of everything",
}


def write(results: Path, docs: Path) -> None:
    """Writes the page and its plots. Raises ValueError where the counts are missing."""
    cost, load = read(results, "cost"), read(results, "load")
    if cost is None:
        raise ValueError(f"no cost.json in {results}: python -m evals load cost makes it")
    (docs / "cost-price.svg").write_text(page_plots.price(cost), "utf-8")
    if load is not None:
        (docs / "cost-load.svg").write_text(page_plots.load(load), "utf-8")
    (docs / "cost.md").write_text(page(cost, load), "utf-8")


def page(cost: Mapping[str, Any], load: Mapping[str, Any] | None) -> str:
    """The whole page."""
    idle = sum(cost["idle"].values())
    sections = [
        BEFORE.format(idle=idle, held=held(load), **_short(cost)),
        load_section(load),
        ACTIVITY.format(date=cost["measured_on"], **cost["activity"], **cost["assumed"]),
        _counts(cost["counts"]),
        f"## What it costs idle\n\n{_idle(cost)}",
        f"## What it costs at three sizes\n\n{_bills(cost)}",
        QUOTAS.format(peak=cost["assumed"]["peak"]),
        _quotas(cost),
        PEERS,
        _peers(cost),
        f"## Prices, and where they were read\n\n{_prices(cost['prices'])}",
        LIMITS,
    ]
    blocks = "\n\n".join(part.strip("\n") for part in sections).split("\n\n")
    return "\n\n".join(map(_filled, blocks)) + "\n"


def _filled(block: str) -> str:
    """A paragraph or a list in lines of one length; tables, headings, pictures and commands as they are."""
    if block.startswith(("|", "#", "    ", "![")):
        return block
    items = re.split(r"\n(?=- )", block)
    indent = "  " if block.startswith("- ") else ""
    return "\n".join(
        textwrap.fill(
            " ".join(item.split()),
            _WIDTH,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )


def _short(cost: Mapping[str, Any]) -> dict[str, str]:
    turns = cost["a_million_turns"][str(SIZES[1])]
    setting = next(each for each in cost["quotas"] if each["raised_by"] == "deployer")
    code = next(each for each in cost["quotas"] if each["raised_by"] == "code")
    return {
        "all_turns": f"{turns['all']:,.0f}",
        "memory_turns": f"{turns['memory']:,.0f}",
        "bare_turns": f"{turns['without_models']:,.0f}",
        "first": _bite(cost["quotas"][0]),
        "first_setting": _bite(setting),
        "first_code": _bite(code),
    }


def _bite(quota: Mapping[str, Any]) -> str:
    return f"“{quota['quota']}”, at {_users(quota['bites_at'])}"


def _counts(counts: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    rows = []
    for call, name in _CALLS.items():
        cold, warm = counts["cold"][call], counts["warm"][call]
        rows.append(
            (
                name,
                _both(cold["database_calls"], warm["database_calls"]),
                _both(_sum(cold["read_units"]), _sum(warm["read_units"])),
                _both(_sum(cold["write_units"]), _sum(warm["write_units"])),
                _both(cold["kms_calls"], warm["kms_calls"]),
                f"{cold['input_tokens']:,.0f} / {cold['output_tokens']:,.0f}",
                f"{cold['log_bytes']:,.0f}",
                f"{cold['reply_bytes']:,.0f}",
            )
        )
    columns = ("call", "requests to DynamoDB", "read units", "write units", "KMS", "tokens in / out")
    return table((*columns, "log, bytes", "reply, bytes"), rows)


def _idle(cost: Mapping[str, Any]) -> str:
    parts, idle = cost["stack"], cost["idle"]
    rows = [(name, f"{usd:,.2f}") for name, usd in idle.items()]
    rows.append(("**sum**", f"**{sum(idle.values()):,.2f}**"))
    return (
        f"{table(('US dollars a month', ''), rows)}\n\n"
        f"So “no idle cost” is {sum(idle.values()):.2f} dollars a month, not nothing: {parts['keys']} keys, "
        f"{parts['secrets']} secret, {parts['alarms']} alarms on {parts['alarm_metrics']} metrics, four "
        "pieces of work a minute and the polls of an empty queue, counted in the template and the functions. "
        f"{parts['rotated_keys']} of the keys are rotated each year; the first two rotations add a dollar a "
        f"month and key each, so it is {sum(idle.values()) + parts['rotated_keys'] * 2:.2f} from the third "
        "year on. Without alarms (`-c alarms=false`, the environment `dev`) the alarms and one of the keys "
        "fall away. Free tiers, which pay for much of it in an account with nothing else, are not counted."
    )


def _bills(cost: Mapping[str, Any]) -> str:
    bills = [cost["bills"][str(size)] for size in SIZES]
    rows = [(name, *(_usd(bill[name]) for bill in bills)) for name in bills[0]]
    turns = [cost["a_million_turns"][str(size)] for size in SIZES]
    rows.append(("**a month**", *(f"**{_usd(sum(bill.values()))}**" for bill in bills)))
    rows.append(("a million turns", *(_usd(each["all"]) for each in turns)))
    rows.append(("a million turns, without the answering model", *(_usd(each["memory"]) for each in turns)))
    rows.append(("a million turns, without any model", *(_usd(each["without_models"]) for each in turns)))
    return (
        "![Price a user and month, beside others](cost-price.svg)\n\n"
        f"{table(('US dollars a month', *(NAMES[size] for size in SIZES)), rows)}\n\n"
        "Models are nine tenths of it. The rest is led by Lambda, which waits for them: a function is paid "
        "for while an answer is made. Nothing of the prompt is taken from a cache here, since Claude Haiku "
        "4.5 keeps no prefix below 4,096 tokens and these prompts stay below it ([what a conversation "
        "costs](cost-of-a-conversation.md) has longer ones). Where Cognito issues the tokens, it costs about "
        "1.5 cents a user and month beyond the first 10,000 (as commonly known; its page could not be read), "
        "which at a million users is more than all else but the models."
    )


def _quotas(cost: Mapping[str, Any]) -> str:
    rows = [
        (
            each["quota"],
            f"{each['limit']:,.0f}",
            _users(each["bites_at"]),
            {"deployer": "a setting", "request": "a request to AWS", "code": "a change of code"}[
                each["raised_by"]
            ],
            each["source"],
        )
        for each in cost["quotas"]
    ]
    over = [f"{NAMES[size]}: {len(cost['over'][str(size)])} of {len(rows)}" for size in SIZES]
    partition = cost["partition"]
    return (
        f"{table(('quota', 'limit', 'bites at', 'raised by', 'source'), rows)}\n\n"
        f"Over their limit are, at {'; at '.join(over)}. A user's rows are one partition: somebody who says "
        f"a turn each minute, all the time, uses {partition['write']:.2%} of the write units and "
        f"{partition['read']:.2%} of the read units that one partition has, so no user is hot by talking."
    )


def _peers(cost: Mapping[str, Any]) -> str:
    ours = {size: sum(memory(cost["bills"][str(size)]).values()) for size in SIZES}
    idle = sum(cost["idle"].values())
    rows = [
        (
            "Noted, without the answering model",
            f"{idle:,.2f}",
            *(_usd(idle + ours[size]) for size in SIZES),
            "serves conversations too: gateway, the wait for the answer, logs, erasure",
        )
    ]
    for each in cost["peers"]:
        running = (each["running"][str(size)] for size in SIZES)
        cells = ("not priced" if usd is None else _usd(usd) for usd in running)
        rows.append((each["name"], f"{each['idle']:,.2f}", *cells, each["differs"]))
    return table(("US dollars a month", "idle", *(NAMES[size] for size in SIZES), "what differs"), rows)


def _prices(prices: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [(each["unit"], _a_unit(each["usd"]), each["source"]) for each in prices.values()]
    return (
        "List prices in US dollars for us-east-1, as known on the date of each source. The vendors' own "
        "price pages could not be read here; the figures are in `evals/load/prices.py` and "
        "`evals/load/peers.py`.\n\n" + table(("one", "US dollars", "source"), rows)
    )


def _both(cold: float, warm: float) -> str:
    return f"{cold:.3g}" if f"{cold:.3g}" == f"{warm:.3g}" else f"{cold:.3g} ({warm:.3g})"


def _sum(units: Mapping[str, float]) -> float:
    return sum(units.values())


def _usd(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def _a_unit(usd: float) -> str:
    """Small prices by the million, as they are told."""
    return f"{usd:g}" if usd >= 0.001 else f"{usd * 1e6:g} a million"


def _users(count: int | None) -> str:
    if count is None:
        return "never"
    for size, name in ((1_000_000_000, "billion"), (1_000_000, "million"), (1_000, "thousand")):
        if count >= size:
            return f"{count / size:.3g} {name} users"
    return f"{count} users"
