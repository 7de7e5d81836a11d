"""The body of a search."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from noted.api.requests.common import Instant, Message, Request
from noted.facts.fact import Kind


class RecallRequest(Request):
    """`POST /v1/recall`."""

    query: Message
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    since: Instant | None = None
    until: Instant | None = None
    kinds: list[Kind] = Field(default=["fact", "goal"], min_length=1)
    include_history: bool = False
    as_of: Instant | None = None
    conversation_id: str | None = None

    @field_validator("until")
    @classmethod
    def _ends_after_it_begins(cls, until: datetime | None, fields: ValidationInfo) -> datetime | None:
        since = fields.data.get("since")
        if since and until and since >= until:
            raise ValueError("must be later than since")
        return until
