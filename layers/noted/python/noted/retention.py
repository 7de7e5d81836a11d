"""How long each thing is kept. Every row carries the end of its time from the moment it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta

_FACT_DAYS = {
    "identity": 730,
    "preference": 730,
    "constraint": 730,
    "project": 365,
    "relationship": 730,
    "other": 365,
}


@dataclass(frozen=True)
class Retention:
    """Days, by what is kept. Facts count from when they were last confirmed, turns and episodes from when
    they were stored; verdicts outlive the facts they judge; an idempotency key is good for 24 hours."""

    turn_days: int = 90
    fact_days: Mapping[str, int] = field(default_factory=lambda: dict(_FACT_DAYS))
    held_days: int = 30
    verdict_days: int = 1825
    episode_days: int = 365
    activity_days: int = 365

    @classmethod
    def read(cls, text: str | None) -> Retention:
        """From JSON such as `{"turn_days": 30, "fact_days": {"project": 90}}`; what is not named keeps its
        default. Raises ValueError for an unknown name or a number of days below 1."""
        if not text:
            return cls()
        given = json.loads(text)
        if not isinstance(given, dict) or not given.keys() <= {each.name for each in fields(cls)}:
            raise ValueError("unknown name in the retention settings")
        by_category = given.pop("fact_days", {})
        if not isinstance(by_category, dict) or not by_category.keys() <= _FACT_DAYS.keys():
            raise ValueError("unknown category in the retention settings")
        for days in (*given.values(), *by_category.values()):
            if not isinstance(days, int) or isinstance(days, bool) or days < 1:
                raise ValueError("retention is a whole number of days, at least 1")
        return cls(**given, fact_days=_FACT_DAYS | by_category)

    def within(self, days: int | None) -> Retention:
        """The same for a user who wants nothing to be kept for more than so many days."""
        if days is None:
            return self
        return replace(
            self,
            turn_days=min(self.turn_days, days),
            fact_days={category: min(each, days) for category, each in self.fact_days.items()},
            held_days=min(self.held_days, days),
            verdict_days=min(self.verdict_days, days),
            episode_days=min(self.episode_days, days),
            activity_days=min(self.activity_days, days),
        )

    def turn(self, stored_at: datetime) -> datetime:
        """When a turn, its conversation and its marks end."""
        return _end(stored_at, self.turn_days)

    def fact(self, category: str, kept_at: datetime, *, held: bool = False) -> datetime:
        """When a fact ends that was stored, or last confirmed, at `kept_at`."""
        return _end(kept_at, self.held_days if held else self.fact_days[category])

    def verdict(self, given_at: datetime) -> datetime:
        """When a verdict ends."""
        return _end(given_at, self.verdict_days)

    def episode(self, stored_at: datetime) -> datetime:
        """When an episode ends."""
        return _end(stored_at, self.episode_days)

    def activity(self, done_at: datetime) -> datetime:
        """When what was done at an instant is told no more."""
        return _end(done_at, self.activity_days)

    def idempotency(self, used_at: datetime) -> datetime:
        """When an idempotency key may mean something new."""
        return used_at + timedelta(hours=24)


@dataclass(frozen=True)
class Limit:
    """How long one user wants anything to be kept: at most `days` (None: as long as the service keeps it),
    and nothing that was kept up to `ended`, when an earlier limit had ended it.

    What has ended stays so, whatever becomes of the limit: `floor` never goes back while a user goes from one
    limit to another by `ended = floor(now)`.
    """

    days: int | None = None
    ended: datetime | None = None

    @property
    def is_none(self) -> bool:
        """Whether there is no limit at all."""
        return self.days is None and self.ended is None

    def floor(self, now: datetime) -> datetime | None:
        """What was kept up to this instant has ended; None if nothing has."""
        if self.days is None:
            return self.ended
        oldest = now - timedelta(days=self.days)
        return max(oldest, self.ended) if self.ended else oldest

    def end(self, kept_at: datetime) -> datetime | None:
        """When what was kept at an instant ends by this limit, None if it does not."""
        if self.ended and kept_at <= self.ended:
            return self.ended
        return _end(kept_at, self.days) if self.days is not None else None


def _end(begin: datetime, days: int) -> datetime:
    # A row's time to live counts whole seconds. Rounded here, what is told of it is what is stored.
    end = begin + timedelta(days=days)
    return end.replace(microsecond=0) + timedelta(seconds=1 if end.microsecond else 0)
