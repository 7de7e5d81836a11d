"""What a user has set, as clients get it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from noted.api.replies.common import Reply, Time
from noted.preferences import MEMORY_CONSENT, Preferences

if TYPE_CHECKING:
    from noted.store.repository import Standing


class ConsentReply(Reply):
    """A consent that was given or withdrawn: when, and to which version of what was asked."""

    given: bool
    at: Time
    version: str


class SettingsReply(Reply):
    """What a user has set. `retention_days` null: as long as the service keeps it; `consents` has what was
    ever decided, by `memory` or the name of a special category."""

    memory: Literal["on", "paused"]
    retention_days: int | None
    timezone: str | None
    language: str | None
    consents: dict[str, ConsentReply]


def settings(standing: Standing) -> SettingsReply:
    """What a user has set."""
    preferences: Preferences = standing.preferences
    names = sorted(preferences.consents, key=lambda name: (name != MEMORY_CONSENT, name))
    return SettingsReply(
        memory="paused" if standing.paused else "on",
        retention_days=preferences.retention_days,
        timezone=preferences.timezone,
        language=preferences.language,
        consents={name: ConsentReply(**vars(preferences.consents[name])) for name in names},
    )
