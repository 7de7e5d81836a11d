"""Which write a row is from. A client that loses the acknowledgement of a conditional write sends it again,
and the second one fails on what the first one wrote; the row then tells its writer that it was itself."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noted.store.writes import Row

_WRITTEN = "written"


def signature() -> str:
    """A name for one write: 48 random bits, which tell of nobody."""
    return secrets.token_urlsafe(6)


def signed(parameters: Mapping[str, Any], by: str) -> dict[str, Any]:
    """A put or an update whose row also says which write it is from; anything else as it is."""
    changed = dict(parameters)
    if "Item" in changed:
        changed["Item"] = {**changed["Item"], _WRITTEN: {"S": by}}
    elif "UpdateExpression" in changed:
        expression, own = str(changed["UpdateExpression"]), "SET #written = :written"
        joined, found = re.subn(r"^SET |(?<= )SET ", f"{own}, ", expression, count=1)
        changed["UpdateExpression"] = joined if found else f"{own} {expression}"
        names, values = "ExpressionAttributeNames", "ExpressionAttributeValues"
        changed[names] = {**changed.get(names, {}), "#written": _WRITTEN}
        changed[values] = {**changed.get(values, {}), ":written": {"S": by}}
    return changed


def is_signed(row: Row | None, by: str) -> bool:
    """Whether a row is as that write left it, or has only been changed by writes that sign nothing."""
    return row is not None and row.get(_WRITTEN) == by


def size_of(value: Any) -> int:
    """About how many bytes a value takes in a request: its texts and names in UTF-8."""
    if isinstance(value, Mapping):
        return sum(len(name) + size_of(part) for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return sum(map(size_of, value))
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass"))
    return len(value) if isinstance(value, bytes) else 1
