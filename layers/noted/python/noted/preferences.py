"""What a user has set about their memory: whether it is on, how long it keeps, where and in which language
they live, and what they have consented to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from noted.clock import instant, timestamp
from noted.retention import Limit
from noted.text.patterns import Pattern

if TYPE_CHECKING:
    from noted.privacy.gate.categories import SpecialCategory

# The consent without which nothing is kept: it is there until it is withdrawn.
MEMORY_CONSENT = "memory"
# The text that a consent was given to. It goes up when what is asked changes, and is never lowered.
CONSENT_VERSION = "2026-01"
MOST_RETENTION_DAYS = 3650
# Where a user lives who has not said it.
DEFAULT_TIMEZONE = "UTC"

# RFC 5646, section 2.1: a language with extensions, a script, a region, variants, extensions, private use.
_LANGUAGE_TAG = Pattern(
    r"(?i:[a-z]{2,3}(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*"
    r"(?:-x(?:-[a-z0-9]{1,8})+)?)"
)
_MOST_TAG_CHARACTERS = 35


@dataclass(frozen=True)
class Consent:
    """Whether a consent is given, since when, and to which version of what was asked."""

    given: bool
    at: datetime
    version: str


@dataclass(frozen=True)
class Preferences:
    """`retention_days` is the longest that anything is kept, None for the service's own times. `timezone` is
    of the IANA database, `language` a tag of BCP 47; None where the user has not said. `consents` holds what
    was given or withdrawn, by `memory` or the name of a special category. `ended` is the instant up to which
    an earlier, shorter retention has ended what was kept: a longer one brings nothing of it back. `revision`
    counts the changes."""

    retention_days: int | None = None
    timezone: str | None = None
    language: str | None = None
    consents: Mapping[str, Consent] = field(default_factory=dict)
    ended: datetime | None = None
    revision: int = 0

    @property
    def special_categories(self) -> frozenset[SpecialCategory]:
        """The special categories that may be kept."""
        from noted.privacy.gate.categories import SpecialCategory

        return frozenset(each for each in SpecialCategory if self.consents_to(str(each)))

    @property
    def zone(self) -> str:
        """The time zone of what names none."""
        return self.timezone or DEFAULT_TIMEZONE

    @property
    def limit(self) -> Limit:
        """What the retention means for what is kept."""
        return Limit(self.retention_days, self.ended)

    def consents_to(self, name: str) -> bool:
        """Whether a consent is given. That to memory is, until it is withdrawn; no other is."""
        consent = self.consents.get(name)
        return consent.given if consent else name == MEMORY_CONSENT

    def changed(
        self,
        now: datetime,
        *,
        retention_days: int | None,
        timezone: str | None,
        language: str | None,
        consents: Mapping[str, bool],
    ) -> Preferences:
        """The preferences that stand in the place of these from `now` on. A consent that is named as it was
        keeps the time at which it was given; one that is not named stays."""
        decided = dict(self.consents)
        for name, given in consents.items():
            if name not in decided or decided[name].given != given:
                decided[name] = Consent(given, now, CONSENT_VERSION)
        return replace(
            self,
            retention_days=retention_days,
            timezone=timezone,
            language=language,
            consents=decided,
            ended=self.limit.floor(now),
            revision=self.revision + 1,
        )

    def row(self, generation: int) -> dict[str, Any]:
        """As META holds it: plain, without free text. They are of one generation: an erasure of everything
        ends them with it."""
        row = {
            "generation": generation,
            "revision": self.revision,
            "retention_days": self.retention_days,
            "timezone": self.timezone,
            "language": self.language,
            "ended": timestamp(self.ended) if self.ended else None,
            "consents": {
                name: {"given": each.given, "at": timestamp(each.at), "version": each.version}
                for name, each in self.consents.items()
            },
        }
        return {name: value for name, value in row.items() if value is not None}

    @classmethod
    def of(cls, row: Mapping[str, Any] | None, generation: int) -> Preferences:
        """Reads them. Nothing is set where there is nothing, or what there is ended with an earlier
        generation; the changes of that count on."""
        if not row:
            return cls()
        if row["generation"] != generation:
            return cls(revision=row["revision"])
        return cls(
            retention_days=row.get("retention_days"),
            timezone=row.get("timezone"),
            language=row.get("language"),
            consents={
                name: Consent(each["given"], instant(each["at"]), each["version"])
                for name, each in row["consents"].items()
            },
            ended=instant(row["ended"]) if "ended" in row else None,
            revision=row["revision"],
        )


def is_language_tag(text: str) -> bool:
    """Whether a text is a well-formed language tag (RFC 5646), such as `pt-BR`. Tags that were registered
    before that grammar, such as `i-klingon`, are not taken."""
    return len(text) <= _MOST_TAG_CHARACTERS and _LANGUAGE_TAG.fullmatch(text) is not None
