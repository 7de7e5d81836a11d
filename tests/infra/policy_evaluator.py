"""Decides what IAM policies allow, as far as this project's policies go: the order of decision, wildcards of
actions and resources, the condition operators that are used, and policy variables of session tags.

By the rules of the IAM User Guide ("Policy evaluation logic", "Condition operators", "Condition context keys
with multiple values", "Variables and tags"). What it does not know it refuses to judge, with ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Values = Sequence[str]
Statement = Mapping[str, Any]

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_KNOWN = {"Sid", "Effect", "Action", "Resource", "Condition"}


class _UnresolvedError(Exception):
    """A policy variable names a key that the request does not have: its value then matches nothing."""


@dataclass(frozen=True)
class Request:
    """One request. `context`: the condition keys that it has, each with its values; a key without values is
    absent. Keys are compared without regard to case."""

    action: str
    resource: str
    context: Mapping[str, Values] = field(default_factory=dict)

    def values(self, key: str) -> Values:
        """The values of a condition key, none if it is absent."""
        return next((values for name, values in self.context.items() if name.lower() == key.lower()), ())


def allows(statements: Iterable[Statement], request: Request) -> bool:
    """Whether the statements allow a request: one that denies decides; else one must allow."""
    effects = {statement["Effect"] for statement in statements if _applies(statement, request)}
    return "Allow" in effects and "Deny" not in effects


def _applies(statement: Statement, request: Request) -> bool:
    if unknown := statement.keys() - _KNOWN:
        raise ValueError(f"cannot judge {sorted(unknown)}")
    action = request.action.lower()
    # Actions are compared without regard to case, resources exactly.
    return (
        any(_like(each.lower(), action) for each in _listed(statement["Action"]))
        and any(_matches(_like, each, request.resource, request) for each in _listed(statement["Resource"]))
        and all(
            _holds(operator, key, _listed(wanted), request)
            for operator, conditions in statement.get("Condition", {}).items()
            for key, wanted in conditions.items()
        )
    )


def _holds(operator: str, key: str, wanted: Values, request: Request) -> bool:
    found = request.values(key)
    if operator == "Null":
        # "true": the key must not be there.
        return all((each == "true") == (not found) for each in wanted)
    quantifier, _, plain = operator.removesuffix("IfExists").rpartition(":")
    compare = _OPERATORS.get(plain)
    if compare is None or quantifier not in ("", "ForAllValues", "ForAnyValue"):
        raise ValueError(f"cannot judge {operator}")
    if operator.endswith("IfExists") and not found:
        return True
    if len(found) > 1 and not quantifier:
        raise ValueError(f"{key} has several values and {operator} is for one")
    matching = [any(_matches(compare, each, value, request) for each in wanted) for value in found]
    # Without a value there is nothing that fails: this is why a key must be asked for by `Null`.
    return all(matching) if quantifier == "ForAllValues" else any(matching)


def _matches(compare: Callable[[str, str], bool], pattern: str, value: str, request: Request) -> bool:
    try:
        return compare(_VARIABLE.sub(lambda found: _resolved(found[1], request), pattern), value)
    except _UnresolvedError:
        return False


def _resolved(name: str, request: Request) -> str:
    if name in ("*", "?", "$"):
        raise ValueError("escaped characters cannot be judged")
    values = request.values(name)
    if len(values) != 1:
        raise _UnresolvedError
    if re.search(r"[*?]", values[0]):
        raise ValueError("a value with wildcards cannot be judged")
    return values[0]


def _like(pattern: str, value: str) -> bool:
    expression = "".join({"*": ".*", "?": "."}.get(each) or re.escape(each) for each in pattern)
    return re.fullmatch(expression, value, re.DOTALL) is not None


def _equals(pattern: str, value: str) -> bool:
    return pattern == value


_OPERATORS: dict[str, Callable[[str, str], bool]] = {"StringEquals": _equals, "StringLike": _like}


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
