"""Errors as clients see them: RFC 9457 problems, made in this one place.

None holds a stack trace, a user's text or an internal name.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from noted.errors import (
    Conflict,
    EpochChanged,
    Forbidden,
    InvalidRequest,
    KeyLost,
    Malformed,
    MemoryPaused,
    NotedError,
    NotFound,
    Restoring,
    StaleLogin,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)

CONTENT_TYPE = "application/problem+json"
_PREFIX = "urn:noted:problem:"

_KINDS: dict[type[NotedError], tuple[int, str, str]] = {
    Malformed: (400, "malformed", "The request cannot be read"),
    Unauthenticated: (401, "unauthenticated", "Who is asking is not known"),
    StaleLogin: (401, "stale-login", "The login is too long ago"),
    Forbidden: (403, "forbidden", "This token may not do that"),
    NotFound: (404, "not-found", "Not found"),
    EpochChanged: (409, "epoch-changed", "The memory has been erased since"),
    Conflict: (409, "conflict", "The same work is being done"),
    MemoryPaused: (409, "memory-paused", "Memory is paused"),
    KeyLost: (409, "memory-unreadable", "What was kept cannot be opened"),
    TooLarge: (413, "too-large", "The body is too large"),
    InvalidRequest: (422, "invalid", "The request is not valid"),
    TooManyRequests: (429, "too-many-requests", "A limit has been reached"),
    Restoring: (503, "restoring", "The memory is being restored"),
    Unavailable: (503, "unavailable", "Not available at the moment"),
}


class FieldError(BaseModel):
    """One thing that is wrong with one field."""

    model_config = ConfigDict(defer_build=True)

    field: str
    message: str


class Problem(BaseModel):
    """The body of every error."""

    model_config = ConfigDict(defer_build=True)

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] | None = None

    def body(self) -> dict[str, Any]:
        """As it is sent: `errors` only where there are any."""
        return self.model_dump(exclude_none=True)


def problem_of(error: NotedError) -> Problem:
    """The problem that tells of an error."""
    status, kind, title = _KINDS[type(error)]
    errors = None
    if isinstance(error, InvalidRequest):
        errors = [FieldError(field=field, message=message) for field, message in error.errors]
    return Problem(type=_PREFIX + kind, title=title, status=status, detail=str(error), errors=errors)


def internal_problem() -> Problem:
    """For an error that nobody foresaw: nothing of it is told."""
    return Problem(
        type=_PREFIX + "internal",
        title="Something went wrong",
        status=500,
        detail="The request could not be finished. Nothing that it was to write is half written.",
    )


def headers_of(error: NotedError) -> dict[str, str]:
    """When to come back, where that helps; and how to ask for a newer login (RFC 9470, section 3)."""
    if isinstance(error, StaleLogin):
        challenge = f'Bearer error="insufficient_user_authentication", max_age={error.max_age}'
        return {"WWW-Authenticate": challenge}
    if isinstance(error, (Conflict, TooManyRequests, Unavailable)):
        return {"Retry-After": str(error.retry_after)}
    return {}
