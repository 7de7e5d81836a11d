"""Lists that are read a page at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from noted.store.writes import Row

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """Items in order; `after` is the sort key to go on behind, None at the end."""

    items: list[Item]
    after: str | None


def page_of(rows: Iterator[Row], limit: int) -> tuple[list[Row], str | None]:
    """The next `limit` rows, and the sort key of the last one if there are more behind it."""
    taken: list[Row] = []
    for row in rows:
        if len(taken) == limit:
            return taken, taken[-1]["sk"]
        taken.append(row)
    return taken, None
