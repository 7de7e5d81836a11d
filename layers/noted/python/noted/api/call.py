"""One request as a function of the domain sees it: who asks, what they sent, and doing its work once."""

from __future__ import annotations

import base64
import binascii
import logging
import re
from collections.abc import Callable, Generator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from noted.api import events
from noted.api.accept import wants
from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import Forbidden, InvalidRequest, Malformed, NotedError, TooLarge, Unavailable
from noted.identity import (
    Principal,
    principal_of,
    require_access_token,
    require_recent_login,
    require_scope,
)
from noted.store.idempotency import Claim, Done, Finish, nothing_to_finish

if TYPE_CHECKING:
    from noted.api.routes import Route
    from noted.runtime import Runtime
    from noted.store.memory import Memory
    from noted.store.repository import Repository, Standing

logger = logging.getLogger("noted.api")

BODY_BYTES = 256 * 1024
_KEY = re.compile(r"[\x21-\x7e]{1,255}")

RequestModel = TypeVar("RequestModel", bound=BaseModel)
Made = TypeVar("Made")
Choice = TypeVar("Choice", bound=str)


class Call:
    """One request of one principal."""

    def __init__(
        self, runtime: Runtime, route: Route, event: Mapping[str, Any], deadline: Deadline = NO_DEADLINE
    ) -> None:
        self.runtime = runtime
        self.deadline = deadline
        self.path: Mapping[str, str] = event.get("pathParameters") or {}
        self.epoch: int | None = None
        self._route = route
        self._event = event
        self._headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}

    @cached_property
    def claims(self) -> Mapping[str, object]:
        """The claims of the token that the gateway has verified."""
        authorizer = self._event.get("requestContext", {}).get("authorizer") or {}
        claims: Mapping[str, object] = (authorizer.get("jwt") or {}).get("claims") or {}
        return claims

    @cached_property
    def principal(self) -> Principal:
        """Who asks. Raises Unauthenticated, StaleLogin, Forbidden."""
        rules = self.runtime.settings.token_rules
        require_access_token(self.claims, rules)
        principal = principal_of(self.claims, self.runtime.secrets)
        if self._route.scope:
            require_scope(self.claims, self._route.scope)
        if self._route.erases:
            require_recent_login(self.claims, rules, self._asked_at())
        return principal

    @cached_property
    def repository(self) -> Repository:
        """The rows of who asks."""
        return self.runtime.repository(self.principal, self.deadline)

    def standing(self) -> Standing:
        """Where the user stands, for a read. Raises Forbidden for a user who is shut out."""
        standing = _let_in(self.repository.standing())
        self.epoch = standing.generation
        return standing

    def admitted(self) -> Standing:
        """The user's next place in their write order, for a write. Raises EpochChanged, Forbidden."""
        standing = _let_in(self.repository.admit(self.expected_epoch))
        self.epoch = standing.generation
        return standing

    def refuse_blocked(self) -> None:
        """Raises Forbidden for a user who is shut out, where a route looks at no standing itself."""
        _let_in(self.repository.standing())

    def memory(self) -> Memory:
        """What the user has now, for a read. Raises KeyLost where it cannot be opened any more: then nothing
        is told of it, its plain parts (times, ids) included."""
        memory = self.repository.memory(self.standing().generation)
        memory.sealer.require()
        return memory

    @property
    def wants_events(self) -> bool:
        """Whether the client would rather have server-sent events than JSON."""
        return wants(self._headers.get("accept"), events.CONTENT_TYPE, rather_than="application/json")

    @property
    def expected_epoch(self) -> int | None:
        """The epoch that the client believes in. Raises InvalidRequest."""
        text = self._headers.get("if-memory-epoch")
        if text is None:
            return None
        if not re.fullmatch(r"[0-9]{1,9}", text.strip()):
            raise InvalidRequest([("If-Memory-Epoch", "must be the number that a Memory-Epoch header gave")])
        return int(text)

    def body(self, model: type[RequestModel]) -> RequestModel:
        """The body, read strictly; no body is an empty object. Raises Malformed, InvalidRequest."""
        try:
            return model.model_validate_json(self.raw_body or b"{}")
        except ValidationError as error:
            raise rejected(error) from None

    @cached_property
    def raw_body(self) -> bytes:
        """The body's bytes. Raises TooLarge, Malformed."""
        body = self._event.get("body") or ""
        if self._event.get("isBase64Encoded"):
            try:
                raw = base64.b64decode(body, validate=True)
            except binascii.Error:
                raise Malformed("The body cannot be read.") from None
        else:
            raw = body.encode("utf-8", "surrogatepass")
        if len(raw) > BODY_BYTES:
            raise TooLarge(f"A body has at most {BODY_BYTES} bytes.")
        return raw

    def query(self, name: str) -> str | None:
        """A parameter of the query string."""
        value: str | None = (self._event.get("queryStringParameters") or {}).get(name)
        return value

    def whole_number(self, name: str, default: int, least: int, most: int) -> int:
        """A number of the query string. Raises InvalidRequest outside of `least` to `most`."""
        text = self.query(name)
        if text is None:
            return default
        if not re.fullmatch(r"[0-9]{1,6}", text) or not least <= int(text) <= most:
            raise InvalidRequest([(name, f"must be a whole number from {least} to {most}")])
        return int(text)

    def one_of(self, name: str, choices: tuple[Choice, ...]) -> Choice | None:
        """A parameter that has one of few values, None if it is absent or empty. Raises InvalidRequest."""
        text = self.query(name)
        for choice in choices:
            if choice == text:
                return choice
        if text:
            raise InvalidRequest([(name, f"must be one of {', '.join(choices)}")])
        return None

    def once(
        self,
        work: Callable[[Standing, Memory, Finish], Made],
        again: Callable[[Memory, dict[str, Any]], Made],
    ) -> Made:
        """Does a piece of work that writes, once for an `Idempotency-Key`.

        `work` gets a function that turns a pointer to what it made into the write that ends the claim, for
        its own transaction; `again` finds by that pointer what was made before. Raises what they raise, and
        InvalidRequest, Conflict, EpochChanged.
        """
        standing, memory, claim = self._claimed()
        if isinstance(claim, Done):
            return again(memory, claim.pointer)
        try:
            return work(standing, memory, _finisher(memory, claim))
        except Exception:
            _release(memory, claim)
            raise

    def once_streamed(
        self,
        work: Callable[[Standing, Memory, Finish], Generator[str, None, Made]],
        again: Callable[[Memory, dict[str, Any]], Made],
    ) -> Generator[str, None, Made]:
        """The same for work that tells text while it is done: the pieces of `work`, and what it made.

        The claim is released whenever the work does not come to its end, also when it is closed half way.
        Nothing is claimed before the first piece is asked for.
        """
        standing, memory, claim = self._claimed()
        if isinstance(claim, Done):
            return again(memory, claim.pointer)
        try:
            return (yield from work(standing, memory, _finisher(memory, claim)))
        except BaseException:
            _release(memory, claim)
            raise

    @property
    def idempotency_key(self) -> str | None:
        """The key, if there is one."""
        return self._headers.get("idempotency-key")

    def _claimed(self) -> tuple[Standing, Memory, Claim | Done | None]:
        key = self.idempotency_key
        if key is not None and not _KEY.fullmatch(key):
            raise InvalidRequest([("Idempotency-Key", "must be 1 to 255 printable ASCII characters")])
        standing = self.admitted()
        memory = self.repository.memory(standing.generation)
        return standing, memory, memory.idempotency.claim(key, self._fingerprint) if key is not None else None

    def _asked_at(self) -> float:
        # The gateway's clock, by which it has checked the token's other times.
        milliseconds = (self._event.get("requestContext") or {}).get("timeEpoch")
        return milliseconds / 1000 if milliseconds else self.runtime.clock.now().timestamp()

    @property
    def _fingerprint(self) -> str:
        # The path as it was asked for: the same key under another address is another request.
        path = self._event.get("rawPath", "")
        return f"{self._route.method} {path}\n{self.raw_body.decode('utf-8', 'surrogatepass')}"


def _let_in(standing: Standing) -> Standing:
    if standing.blocked:
        raise Forbidden("This account is blocked.")
    return standing


def rejected(error: ValidationError) -> NotedError:
    """What is wrong with a body, without a word of what stood in it."""
    found = error.errors(include_input=False, include_context=False, include_url=False)
    if any(each["type"] == "json_invalid" for each in found):
        return Malformed("The body is not JSON.")
    return InvalidRequest(
        [
            (".".join(str(part) for part in each["loc"]) or "body", each["msg"].removeprefix("Value error, "))
            for each in found
        ]
    )


def _finisher(memory: Memory, claim: Claim | None) -> Finish:
    if claim is None:
        return nothing_to_finish
    return lambda pointer: [memory.idempotency.done(claim, pointer)]


def _release(memory: Memory, claim: Claim | None) -> None:
    if claim is None:
        return
    try:
        memory.idempotency.release(claim)
    except Unavailable as error:
        # What went wrong before is told; the claim ends by itself with its lease.
        logger.warning("claim not released", extra={"error_type": type(error).__name__})
