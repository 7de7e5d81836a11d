"""What each import costs, from what Python says of itself with `-X importtime`."""

from __future__ import annotations

import re
from collections import Counter

_LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")
_STANDARD = "the standard library"


def by_package(told: str, standard: frozenset[str]) -> dict[str, float]:
    """Milliseconds by the package on top, dearest first, each module counted without what it imports itself.
    `standard` names what counts as the standard library."""
    spent: Counter[str] = Counter()
    for microseconds, module in _LINE.findall(told):
        package = module.partition(".")[0]
        spent[_STANDARD if package in standard else package] += int(microseconds)
    return {package: total / 1000 for package, total in spent.most_common()}
