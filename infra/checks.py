"""What a value in cdk.json may be. A check gives the value as the stack uses it, or None if it may not be.

The command line's `-c` hands every value over as a string, so each check takes one as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from noted.privacy.connectors import read_connectors
from noted.retention import Retention

BEDROCK = "bedrock:"

# As in `noted.metrics.TOKENS`.
KINDS_OF_TOKENS = ("input", "output", "cache_read", "cache_write")
_LOG_RETENTION_DAYS = (1, 3, 5, 7, 14)
_BEDROCK_ID = re.compile(r"(?!global\.)[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?")
_HOST = r"([a-z0-9][a-z0-9-]{0,62}\.)*[a-z0-9][a-z0-9-]{0,62}"
_ORIGIN = rf"https://{_HOST}(:[0-9]{{1,5}})?|http://localhost(:[0-9]{{1,5}})?"
# Cognito takes an address that is not https from the person's own machine alone.
_CALLBACK = (
    r"https://[^\s#*]+|http://localhost(:[0-9]{1,5})?(/[^\s#*]*)?|[a-z][a-z0-9+.-]*\.[a-z0-9+.-]+:/[^\s#*]*"
)
_FUNCTIONS = ("answer", "stream", "recall", "verdicts", "extraction", "erasure", "authorizer")

_T = TypeVar("_T")
Check = Callable[[Any], _T | None]


def model(builtin: str) -> Check[str]:
    """`bedrock:<id>`, or the one that the library brings."""

    def check(value: Any) -> str | None:
        if not isinstance(value, str):
            return None
        named = value.startswith(BEDROCK) and _BEDROCK_ID.fullmatch(value.removeprefix(BEDROCK))
        return value if value == builtin or named else None

    return check


def matching(pattern: str) -> Check[str]:
    """A text that matches from its beginning to its end."""
    return lambda value: value if isinstance(value, str) and re.fullmatch(pattern, value) else None


def one_of(*choices: str) -> Check[str]:
    """One of these words."""
    return lambda value: value if value in choices else None


def whole(low: int, high: int) -> Check[int]:
    """A whole number in these bounds."""

    def check(value: Any) -> int | None:
        text = str(value)
        return int(text) if re.fullmatch("[0-9]{1,9}", text) and low <= int(text) <= high else None

    return check


def boolean(value: Any) -> bool | None:
    """True or false."""
    return {"true": True, "false": False}.get(str(value).lower())


def log_retention(value: Any) -> int | None:
    """Days that CloudWatch knows, 14 at most."""
    return next((days for days in _LOG_RETENTION_DAYS if str(days) == str(value)), None)


def nothing_or(check: Check[str]) -> Check[str]:
    """The empty text for null."""
    return lambda value: "" if value is None else check(value)


def tools(value: Any) -> str | None:
    """Names of tools, with commas between them."""
    return _joined(value, "[a-z][a-z0-9_]*")


def hosts(value: Any) -> str | None:
    """Hosts, with commas between them."""
    return _joined(value, _HOST)


def clients(value: Any) -> str | None:
    """Client ids, with commas between them."""
    return _joined(value, r"[\x21-\x2b\x2d-\x7e]+")


def origins(value: Any) -> tuple[str, ...] | None:
    """Origins of web pages. None of them is `*`: whose page it is decides who may read the reply."""
    return _listed(value, _ORIGIN)


def callbacks(value: Any) -> tuple[str, ...] | None:
    """Addresses to which a login returns: https, localhost, or an app's own scheme (RFC 8252, 7.1)."""
    return _listed(value, _CALLBACK)


def retention(value: Any) -> str | None:
    """As `noted.retention` reads it."""
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        Retention.read(text)
    except ValueError:
        return None
    return text


def connectors(value: Any) -> str | None:
    """As `noted.privacy.connectors` reads it."""
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        found = read_connectors(text)
    except ValueError:
        return None
    # In a function the loopback interface leads nowhere.
    return text if all(connector.url.startswith("https://") for connector in found) else None


def dollars_or_nothing(value: Any) -> float | None:
    """An amount above nothing; 0 for null."""
    return 0.0 if value is None else _amount(value) or None


def prices(value: Any) -> Mapping[str, tuple[float, ...]] | None:
    """By model, what a million tokens of each kind cost, in the order of `KINDS_OF_TOKENS`."""
    try:
        named = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(named, dict):
        return None
    priced = dict[str, tuple[float, ...]]()
    for name, kinds in named.items():
        if not isinstance(kinds, dict) or kinds.keys() != set(KINDS_OF_TOKENS):
            return None
        amounts = [_amount(kinds[kind]) for kind in KINDS_OF_TOKENS]
        priced[name] = tuple(amount for amount in amounts if amount is not None)
        if len(priced[name]) < len(amounts):
            return None
    return priced


def concurrency(value: Any) -> Mapping[str, int] | None:
    """Executions that are kept for a function, by its name."""
    try:
        named = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(named, dict) or not named.keys() <= set(_FUNCTIONS):
        return None
    counts = {name: whole(1, 10_000)(count) for name, count in named.items()}
    kept = {name: count for name, count in counts.items() if count is not None}
    return kept if kept.keys() == counts.keys() else None


def _amount(value: Any) -> float | None:
    return float(str(value)) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", str(value)) else None


def _joined(value: Any, pattern: str) -> str | None:
    found = _listed(value, pattern)
    return None if found is None else ",".join(found)


def _listed(value: Any, pattern: str) -> tuple[str, ...] | None:
    words = value
    if isinstance(value, str):
        # As in cdk.json, or the words alone.
        try:
            words = json.loads(value) if value.lstrip().startswith("[") else value.split(",")
        except ValueError:
            return None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return None
    named = tuple(word.strip() for word in words if word.strip())
    return named if all(re.fullmatch(pattern, word) for word in named) else None
