"""What can go wrong, in the words of the domain. `noted.api.problems` maps each to its HTTP problem, once.

No message here holds a user's text or an internal name: a message may be shown.
"""

from __future__ import annotations

from collections.abc import Sequence


class NotedError(Exception):
    """Any failure that the caller is told about."""


class InvalidRequest(NotedError):
    """The input is understood and wrong (422). `errors` are (field, message) pairs."""

    def __init__(self, errors: Sequence[tuple[str, str]], detail: str = "The request is not valid.") -> None:
        super().__init__(detail)
        self.errors = list(errors)


class Malformed(NotedError):
    """The input cannot be read at all: no JSON, a cursor that is not ours (400)."""


class Unauthenticated(NotedError):
    """No identity that this service accepts (401)."""


class StaleLogin(NotedError):
    """The identity is known and has logged in too long ago for this (401); at most `max_age` seconds are
    allowed (RFC 9470)."""

    def __init__(self, max_age: int) -> None:
        super().__init__("This call needs a login of the last few minutes.")
        self.max_age = max_age


class Forbidden(NotedError):
    """The identity is known and may not do this (403)."""


class NotFound(NotedError):
    """There is no such thing for this user; another user's id looks exactly the same (404)."""

    def __init__(self) -> None:
        super().__init__("There is nothing at this address.")


class EpochChanged(NotedError):
    """The user erased everything after this work was begun (409)."""

    def __init__(self) -> None:
        super().__init__("The memory was erased after this request was prepared. Nothing was written.")


class Conflict(NotedError):
    """The same work is being done at this moment (409); try again after `retry_after` seconds."""

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class MemoryPaused(NotedError):
    """The user has paused memory (409): nothing new is kept."""

    def __init__(self) -> None:
        super().__init__("Memory is paused. Nothing was written.")


class KeyLost(NotedError):
    """The key of a user's content is gone (409): what was kept opens for nobody, until it is erased."""

    def __init__(self) -> None:
        super().__init__(
            "What was kept cannot be opened any more: its key is gone. Erase the memory to begin anew."
        )


class TooLarge(NotedError):
    """The body is over the limit (413)."""


class TooManyRequests(NotedError):
    """A limit has been reached (429); there is room again after `retry_after` seconds."""

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unavailable(NotedError):
    """Something this request needs is down (503); try again after `retry_after` seconds."""

    def __init__(self, detail: str, retry_after: int = 5) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Restoring(Unavailable):
    """A table was restored from a backup, and what was erased since is being erased again (503)."""

    def __init__(self) -> None:
        super().__init__("The memory is being restored. Nothing was read or written.", retry_after=30)


class ModelError(Exception):
    """A model call that gave nothing usable; `reason` is one word such as `timeout`, never a text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ModelUnavailable(ModelError):
    """The model cannot be reached, is throttled or too slow: the same call may work later."""


class ModelRefused(ModelError):
    """The model, or a guardrail before it, declined: the same call would be declined again."""


class MalformedOutput(ModelError):
    """The model answered, and what it said cannot be read as what was asked for."""
