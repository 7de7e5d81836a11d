"""Bodies of calls on conversations and their turns."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from noted.api.requests.common import MESSAGE_CHARACTERS, Message, Request, SaidAt, Timezone


class ConversationRequest(Request):
    """`POST /v1/conversations`."""

    incognito: bool = False
    timezone: Timezone | None = None


class TurnRequest(Request):
    """`POST …/turns`."""

    message: Message
    pasted: list[str] = Field(default=[], max_length=20)
    remember: bool = True


class RecordRequest(Request):
    """`POST …/turns:record`."""

    user: Message
    assistant: Annotated[str, StringConstraints(max_length=MESSAGE_CHARACTERS)]
    at: SaidAt | None = None
    remember: bool = True


class ContextRequest(Request):
    """`POST …/context`. The least budget holds the instructions and a short message."""

    message: Message
    budget_tokens: Annotated[int, Field(ge=500, le=200_000)] = 8000
