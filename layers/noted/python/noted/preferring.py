"""What a user sets about their memory, and what follows from it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noted.errors import InvalidRequest, Unavailable
from noted.preferences import MEMORY_CONSENT, Preferences
from noted.store.activity import Action
from noted.store.limiting import limit_rows
from noted.store.preferences import SettingsChanged, set_preferences

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.store.queue import RetentionJob
    from noted.store.repository import Repository, Standing
    from noted.store.writes import Write

logger = logging.getLogger("noted.preferring")

# Of one user at once; with more something else is wrong.
_TRIES = 5


@dataclass(frozen=True)
class Wanted:
    """What a user wants to be set. `paused` None leaves memory as it is; `consents` holds those to give
    (True) and to withdraw."""

    paused: bool | None = None
    retention_days: int | None = None
    timezone: str | None = None
    language: str | None = None
    consents: Mapping[str, bool] = field(default_factory=dict)


def prefer(repository: Repository, standing: Standing, wanted: Wanted, clock: Clock) -> Standing:
    """Sets what a user wants, in one conditional write, and gives where they stand from then on.

    Memory whose consent is withdrawn is paused with it, and is on again only with the consent. Raises
    InvalidRequest for memory that is to be on without it, and EpochChanged when everything was erased
    meanwhile.
    """
    generation = standing.generation
    for _ in range(_TRIES):
        now, before = clock.now(), standing.preferences
        after = before.changed(
            now,
            retention_days=wanted.retention_days,
            timezone=wanted.timezone,
            language=wanted.language,
            consents=wanted.consents,
        )
        paused = _paused(standing, wanted, after)
        activity = repository.memory(generation).activity
        told = [activity.entry(action, now) for action in _actions(standing, after, paused=paused)]
        try:
            _set(repository, generation, after, told, clock, paused=paused)
        except SettingsChanged:
            standing = repository.standing()
            continue
        return repository.standing()
    raise Unavailable("The settings are being changed.", retry_after=1)


def limit(job: RetentionJob, repository: Repository) -> None:
    """Brings the ends of a user's rows down to what they have set. Does nothing when the generation is
    over."""
    standing = repository.standing()
    if standing.generation != job.generation:
        return
    changed = limit_rows(repository.database, job.principal, job.generation, standing.preferences)
    logger.info("rows end sooner", extra={"rows": changed})


def _set(
    repository: Repository,
    generation: int,
    preferences: Preferences,
    told: list[Write],
    clock: Clock,
    *,
    paused: bool,
) -> None:
    set_preferences(
        repository.database,
        repository.principal,
        generation,
        preferences,
        paused=paused,
        now=clock.now(),
        done=told,
    )


def _paused(standing: Standing, wanted: Wanted, after: Preferences) -> bool:
    paused = standing.paused if wanted.paused is None else wanted.paused
    if after.consents_to(MEMORY_CONSENT):
        return paused
    if not paused and wanted.consents.get(MEMORY_CONSENT) is not False:
        raise InvalidRequest([("memory", "cannot be on while the consent to it is withdrawn")])
    return True


def _actions(standing: Standing, after: Preferences, *, paused: bool) -> list[Action]:
    """What of it the user's activity tells."""
    before = standing.preferences
    actions = [
        Action.CONSENT_GIVEN if each.given else Action.CONSENT_WITHDRAWN
        for name, each in after.consents.items()
        if before.consents.get(name) != each
    ]
    if paused != standing.paused:
        actions.append(Action.MEMORY_PAUSED if paused else Action.MEMORY_RESUMED)
    return [Action.SETTINGS_CHANGED, *actions]
