"""The body of the settings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from noted.api.requests.common import Instant, Request, Timezone
from noted.preferences import MOST_RETENTION_DAYS, is_language_tag


def _language(tag: str) -> str:
    if not is_language_tag(tag):
        raise ValueError("is not a language tag (BCP 47)")
    return tag


Language = Annotated[str, AfterValidator(_language)]
ConsentName = Literal[
    "memory",
    "health",
    "religion",
    "politics",
    "union",
    "sex_life",
    "origin",
    "biometrics",
    "crime",
]


class ConsentRequest(Request):
    """A consent that is given or withdrawn. `at` and `version` are the service's own: what a reply told may
    be sent back, and counts for nothing."""

    given: bool
    at: Instant | None = None
    version: str | None = None


class SettingsRequest(Request):
    """`PUT /v1/settings`: what is sent takes the place of what was set, and a field that is not sent is set
    to null; only `memory`, and consents that are not named, stay as they are."""

    memory: Literal["on", "paused"] | None = None
    retention_days: Annotated[int, Field(ge=1, le=MOST_RETENTION_DAYS)] | None = None
    timezone: Timezone | None = None
    language: Language | None = None
    consents: dict[ConsentName, ConsentRequest] = Field(default={})
