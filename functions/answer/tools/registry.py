"""The tools that there are, and those of them that are on.

A tool is on when `NOTED_TOOLS` names it; the agent's own, `recall` and `remember`, are named there as well.
Of the tools listed here none is on by itself: a definition stands in every prompt of every user, where it
costs tokens and invites a model to call it, so which ones are worth that is the deployer's to say.

Modules here import each other by relative names, since this folder is a package of its own in a function and
a part of the project elsewhere. A tool's module is imported when the tool is on, since a function pays for
every import at a cold start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from noted.conversation.memory_tools import OWN_TOOLS
from noted.conversation.tools import Tool, checked_tools

SETTING = "NOTED_TOOLS"


def _exchange_rates(environment: Mapping[str, str]) -> Tool[Any]:
    from . import exchange_rates

    return exchange_rates.tool(environment)


def _savings(environment: Mapping[str, str]) -> Tool[Any]:
    from . import savings

    return savings.tool(environment)


# What makes each tool from the environment, by the tool's name.
AVAILABLE: Mapping[str, Callable[[Mapping[str, str]], Tool[Any]]] = {
    "exchange_rates": _exchange_rates,
    "savings": _savings,
}


def enabled(environment: Mapping[str, str]) -> tuple[Tool[Any], ...]:
    """The tools that `NOTED_TOOLS` names, separated by commas, in the order of their names; the agent's own
    are made for each turn and are not among them. Raises ValueError for a name that is none, and where a
    tool's own settings cannot be used."""
    names = {name.strip() for name in environment.get(SETTING, "").split(",")} - {""} - OWN_TOOLS
    if unknown := names - AVAILABLE.keys():
        raise ValueError(
            f"{SETTING} names {', '.join(sorted(unknown))}; "
            f"there are {', '.join(sorted(OWN_TOOLS | AVAILABLE.keys()))}"
        )
    return checked_tools(AVAILABLE[name](environment) for name in names)
