"""Who the users of an organisation are: one row a user in sixteen lists, with the derived id and when the
user first wrote, so that work on a whole organisation can go from user to user. No subject and no text.

A user is listed in the transaction that gives them their standing, and stays listed, as the standing does,
when their memory is erased.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from noted.clock import instant, timestamp
from noted.identity import Principal
from noted.store import keys
from noted.store.pages import Page
from noted.store.tables import CONTROL
from noted.store.writes import Row, Write, put

if TYPE_CHECKING:
    from noted.store.database import Database

SHARDS = "0123456789abcdef"
_POSITION = re.compile(r"([0-9a-f])(u_[a-z2-7]{26})?")
_BASE_32 = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True)
class Listed:
    """One user of an organisation, by derived id; `since` is when they first wrote."""

    principal: Principal
    since: datetime


@dataclass(frozen=True)
class Known:
    """Where a listed user stands: `state` is `active` or `paused`, `epoch` the generation."""

    user: str
    since: datetime
    state: str
    epoch: int


def listing(principal: Principal, at: datetime) -> Write:
    """The write that lists a user."""
    row = {
        "pk": keys.user_list(principal.organisation, shard(principal.user)),
        "sk": keys.user(principal.user),
        "created_at": timestamp(at),
    }
    return put(CONTROL.name, row)


def shard(user: str) -> str:
    """The list in which a user stands. The id is the beginning of a keyed hash, so the lists grow evenly."""
    return SHARDS[_BASE_32.index(user[2]) % len(SHARDS)]


class Directory:
    """The users of one organisation."""

    def __init__(self, database: Database, organisation: str) -> None:
        self._database = database
        self._organisation = organisation

    def count(self) -> int:
        """How many users there are, in sixteen queries. One read unit for some forty users."""
        return sum(self._database.count(CONTROL.name, self._list(each)) for each in SHARDS)

    def users(self, after: str | None = None, page_size: int | None = None) -> Iterator[tuple[str, Listed]]:
        """All users behind a position, each with its own position to go on behind. A user who comes
        meanwhile is among them if their place has not been passed. `page_size` bounds what a query reads."""
        first, behind = _read(after)
        for each in SHARDS[SHARDS.index(first) :]:
            rows = self._database.query(
                CONTROL.name, self._list(each), after=behind if each == first else None, page_size=page_size
            )
            for row in rows:
                principal = Principal(self._organisation, row["sk"])
                yield each + row["sk"], Listed(principal, instant(row["created_at"]))

    def page(self, limit: int, after: str | None) -> Page[Known]:
        """Users and where they stand. `after` is a page's own. One read unit a user more than the list."""
        taken: list[tuple[str, Listed]] = []
        for position, listed in self.users(after, limit + 1):
            if len(taken) == limit:
                return Page(self._standing([each for _, each in taken]), taken[-1][0])
            taken.append((position, listed))
        return Page(self._standing([each for _, each in taken]), None)

    def _standing(self, listed: list[Listed]) -> list[Known]:
        places = [(keys.owner(each.principal), keys.META) for each in listed]
        rows = self._database.rows(CONTROL.name, places)
        return [
            _known(each, rows[place]) for each, place in zip(listed, places, strict=True) if place in rows
        ]

    def _list(self, digit: str) -> str:
        return keys.user_list(self._organisation, digit)


def _read(after: str | None) -> tuple[str, str | None]:
    if after is None:
        return SHARDS[0], None
    match = _POSITION.fullmatch(after)
    if not match:
        raise ValueError("not a position in the list of users")
    return match[1], match[2]


def _known(listed: Listed, row: Row) -> Known:
    return Known(listed.principal.user, listed.since, row["state"], row["generation"])
