"""What was done with a user's memory, for the user to see: one row an act, appended and never changed.

A row says what was done, when, by which call and by whom; it names objects by their random ids and holds no
text. Rows lie in the user's partition and go with everything else when everything is erased. Erasures
themselves are told from the ledger, which stays.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from noted import ids
from noted.clock import instant, timestamp
from noted.store import keys
from noted.store.codec import expiry
from noted.store.pages import Page
from noted.store.tables import CONTROL, EXPIRY, LEDGER, MEMORY
from noted.store.writes import Row, Write, put

if TYPE_CHECKING:
    from noted.retention import Retention
    from noted.store.database import Database

_OBJECT = re.compile(r"[a-z]{2}_[0-9A-HJKMNP-TV-Z]{26}")


class Action(StrEnum):
    """All that is told. Reading is not: it would fill the list with the user's own looking."""

    SETTINGS_CHANGED = "settings_changed"
    CONSENT_GIVEN = "consent_given"
    CONSENT_WITHDRAWN = "consent_withdrawn"
    MEMORY_PAUSED = "memory_paused"
    MEMORY_RESUMED = "memory_resumed"
    EXPORTED = "exported"
    IMPORTED = "imported"
    VERDICT_GIVEN = "verdict_given"
    FACT_CORRECTED = "fact_corrected"
    PROFILE_CHANGED = "profile_changed"
    FACT_ERASED = "fact_erased"
    CONVERSATION_ERASED = "conversation_erased"
    MEMORY_ERASED = "memory_erased"


class Actor(StrEnum):
    """Who acted: the user, or a compliance system on their behalf."""

    USER = "user"
    COMPLIANCE = "compliance"


_SETTINGS = "PUT /v1/settings"
_ROUTES = {
    Action.SETTINGS_CHANGED: _SETTINGS,
    Action.CONSENT_GIVEN: _SETTINGS,
    Action.CONSENT_WITHDRAWN: _SETTINGS,
    Action.MEMORY_PAUSED: _SETTINGS,
    Action.MEMORY_RESUMED: _SETTINGS,
    Action.EXPORTED: "GET /v1/export",
    Action.IMPORTED: "POST /v1/import",
    Action.VERDICT_GIVEN: "POST /v1/facts/{fact_id}/verdicts",
    Action.FACT_CORRECTED: "PATCH /v1/facts/{fact_id}",
    Action.PROFILE_CHANGED: "PATCH /v1/profile",
    Action.FACT_ERASED: "DELETE /v1/facts/{fact_id}",
    Action.CONVERSATION_ERASED: "DELETE /v1/conversations/{conversation_id}",
    Action.MEMORY_ERASED: "DELETE /v1/memory",
}
_ON_BEHALF = "POST /v1/admin/erasures"
_ERASED = {
    "fact": Action.FACT_ERASED,
    "conversation": Action.CONVERSATION_ERASED,
    "memory": Action.MEMORY_ERASED,
}


@dataclass(frozen=True)
class Act:
    """One act. `route` is the template of the call, `client` the reference of the compliance system that
    acted, `objects` the ids of what was acted on, `result` how it stands: an act that joined a transaction is
    `done`, an erasure is as far as its receipt says."""

    activity_id: str
    action: Action
    at: datetime
    route: str
    result: str
    actor: Actor = Actor.USER
    client: str | None = None
    objects: tuple[str, ...] = ()


class Activity:
    """The acts of one partition."""

    def __init__(self, database: Database, partition: str, retention: Retention) -> None:
        self._database = database
        self._partition = partition
        self._retention = retention

    def entry(self, action: Action | str, at: datetime, *objects: str) -> Write:
        """The write that tells of an act of the user, for the transaction of the act itself: none of the two
        is ever there without the other. `objects` are ids of ours, such as a fact's.

        Raises ValueError for an action that is not in the list and for anything else than an id.
        """
        known = Action(action)
        if not all(map(_OBJECT.fullmatch, objects)):
            raise ValueError("an act names objects by their ids")
        row = {
            "pk": self._partition,
            "sk": keys.activity(ids.at(ids.ACTIVITY, at)),
            EXPIRY: expiry(self._retention.activity(at)),
            "action": str(known),
            "at": timestamp(at),
            "route": _ROUTES[known],
            "result": "done",
            "actor": str(Actor.USER),
            "objects": list(objects),
        }
        return put(MEMORY.name, row)

    def page(self, limit: int, after: str | None, reference: str) -> Page[Act]:
        """Acts, newest first, together with the erasures that the ledger knows under the user's reference:
        those stay when everything else is erased. `after` is a page's own.

        A page of rows at one read unit per 4 KB, and the user's receipts.
        """
        behind = keys.activity(f"{ids.ACTIVITY}_{after}") if after else None
        rows = self._database.query(
            MEMORY.name,
            self._partition,
            prefix=keys.ACTIVITIES,
            after=behind,
            descending=True,
            page_size=limit + 1,
        )
        erased = [act for act in self._erasures(reference) if after is None or _position(act) < after]
        erased.sort(key=_position, reverse=True)
        taken: list[Act] = []
        for act in heapq.merge(map(_act, rows), erased, key=_position, reverse=True):
            if len(taken) == limit:
                return Page(taken, _position(taken[-1]))
            taken.append(act)
        return Page(taken, None)

    def _erasures(self, reference: str) -> Iterator[Act]:
        asked = self._database.query(CONTROL.name, keys.on_behalf(reference))
        clients = {row["sk"]: row["client"] for row in asked}
        for row in self._database.query(LEDGER.name, keys.ledger(reference)):
            if not ids.is_id(ids.ERASURE, row["sk"]):
                continue
            action, client = _ERASED[row["scope"]], clients.get(row["sk"])
            yield Act(
                activity_id=f"{ids.ACTIVITY}_{_order(row['sk'])}",
                action=action,
                at=instant(row["requested_at"]),
                route=_ON_BEHALF if client else _ROUTES[action],
                result=row["status"],
                actor=Actor.COMPLIANCE if client else Actor.USER,
                client=client,
                objects=(row["sk"],),
            )


def _position(act: Act) -> str:
    # Ids of both kinds begin with the instant after their prefix, and end with what makes them unique.
    return _order(act.activity_id)


def _order(object_id: str) -> str:
    return object_id[3:]


def _act(row: Row) -> Act:
    return Act(
        activity_id=row["sk"].removeprefix(keys.ACTIVITIES),
        action=Action(row["action"]),
        at=instant(row["at"]),
        route=row["route"],
        result=row["result"],
        actor=Actor(row["actor"]),
        objects=tuple(row["objects"]),
    )
