"""What a user has set, as the row keeps it that says where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from noted.errors import EpochChanged, NotedError
from noted.store import keys, marks
from noted.store.database import ConditionFailed, Database
from noted.store.tables import CONTROL, MEMORY
from noted.store.writes import Condition, Row, Write, put, update

if TYPE_CHECKING:
    from noted.identity import Principal
    from noted.preferences import Preferences

SETTINGS = "settings"
REVISION = "revision"
# Beside the settings, since a condition is on attributes of a row.
_REVISION = "settings_revision"


class SettingsChanged(NotedError):
    """The settings, or where the user stands, are not as they were read: nothing was written."""


def set_preferences(
    database: Database,
    principal: Principal,
    generation: int,
    preferences: Preferences,
    *,
    paused: bool,
    now: datetime,
    done: Sequence[Write] = (),
) -> None:
    """Puts preferences in the place of those of the revision before, in one transaction. Where they set a
    limit, the mark of the work that it makes is put with them, since rows that were stored before are to end
    by it too, and the index of facts, which tells their old ends, is given up.

    Raises EpochChanged when everything was erased meanwhile, SettingsChanged when another request was faster.
    """
    limited = not preferences.limit.is_none
    expression = f"SET {SETTINGS} = :settings, {_REVISION} = :revision, #state = :state"
    names, adding = {"#state": "state"}, dict[str, int]()
    if limited:
        expression += " REMOVE #indexed, folded ADD changes :one"
        names, adding = names | {"#indexed": "indexed"}, {":one": 1}
    setting = update(
        CONTROL.name,
        keys.owner(principal),
        keys.META,
        expression,
        names=names,
        values={
            ":settings": preferences.row(generation),
            ":revision": preferences.revision,
            ":state": "paused" if paused else "active",
            **adding,
        },
        condition=Condition(
            "generation = :generation AND #state <> :blocked AND "
            f"(attribute_not_exists({SETTINGS}) OR {_REVISION} = :before)",
            values={":generation": generation, ":blocked": "blocked", ":before": preferences.revision - 1},
        ),
    )
    mark = _limiting(keys.partition(principal, generation), preferences, now)
    try:
        database.transact([setting, *([mark] if limited else []), *done])
    except ConditionFailed as failure:
        meta = failure.rows.get(0)
        if 0 in failure.rows and (meta is None or meta["generation"] != generation):
            raise EpochChanged from None
        raise SettingsChanged from None


def _limiting(partition: str, preferences: Preferences, now: datetime) -> Write:
    row: Row = {"pk": partition, "sk": keys.LIMIT, REVISION: preferences.revision}
    return put(MEMORY.name, row | marks.work(partition, now.timestamp()))
