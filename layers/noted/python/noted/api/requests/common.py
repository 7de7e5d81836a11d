"""What all bodies have in common, and the types of their fields."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, StringConstraints

MESSAGE_CHARACTERS = 16_000
FACT_CHARACTERS = 500


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _instant(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is out of range") from None


def _said_at(moment: datetime) -> datetime:
    # Also keeps the instant's date within the calendar in every time zone.
    if moment.year < 1900:
        raise ValueError("must not lie before 1900")
    return moment


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("is not a time zone of the IANA database") from None
    return name


Message = Annotated[str, StringConstraints(max_length=MESSAGE_CHARACTERS), AfterValidator(_not_blank)]
FactText = Annotated[str, StringConstraints(max_length=FACT_CHARACTERS), AfterValidator(_not_blank)]
Timezone = Annotated[str, AfterValidator(_timezone)]
Instant = Annotated[AwareDatetime, AfterValidator(_instant)]
SaidAt = Annotated[Instant, AfterValidator(_said_at)]


class Request(BaseModel):
    """A body: strict types, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class NoFields(Request):
    """A call that says everything by its address."""
