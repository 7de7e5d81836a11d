"""Between a gateway's event and a function of the domain: who asks, what they sent, what they get.

A handler function takes a `Call` and returns an `Answer`; everything that all calls share is here: identity,
scope, the memory epoch, idempotency keys, problems.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from noted.api import problems
from noted.api.routes import ROUTES, Route
from noted.errors import InvalidRequest, Malformed, NotedError, NotFound, TooLarge
from noted.identity import Principal, principal_of, require_scope
from noted.runtime import Runtime
from noted.store.idempotency import Claim, Done, Finish, nothing_to_finish

if TYPE_CHECKING:
    from noted.store.memory import Memory
    from noted.store.repository import Repository, Standing

logger = logging.getLogger("noted.api")

BODY_BYTES = 256 * 1024
_KEY = re.compile(r"[\x21-\x7e]{1,255}")

RequestModel = TypeVar("RequestModel", bound=BaseModel)
Made = TypeVar("Made")
Choice = TypeVar("Choice", bound=str)
Handler = Callable[[dict[str, Any], object], dict[str, Any]]


@dataclass(frozen=True)
class Answer:
    """A reply: its body, and its status if that is not 200."""

    body: BaseModel
    status: int = 200


class Call:
    """One request of one principal."""

    def __init__(self, runtime: Runtime, route: Route, event: Mapping[str, Any]) -> None:
        self.runtime = runtime
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
        """Who asks. Raises Unauthenticated, Forbidden."""
        principal = principal_of(self.claims, self.runtime.secrets)
        if self._route.scope:
            require_scope(self.claims, self._route.scope)
        return principal

    @cached_property
    def repository(self) -> Repository:
        """The rows of who asks."""
        return self.runtime.repository(self.principal)

    def standing(self) -> Standing:
        """Where the user stands, for a read."""
        standing = self.repository.standing()
        self.epoch = standing.generation
        return standing

    def admitted(self) -> Standing:
        """The user's next place in their write order, for a write. Raises EpochChanged."""
        standing = self.repository.admit(self.expected_epoch)
        self.epoch = standing.generation
        return standing

    def memory(self) -> Memory:
        """What the user has now, for a read."""
        return self.repository.memory(self.standing().generation)

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
        key = self._headers.get("idempotency-key")
        if key is not None and not _KEY.fullmatch(key):
            raise InvalidRequest([("Idempotency-Key", "must be 1 to 255 printable ASCII characters")])
        standing = self.admitted()
        memory = self.repository.memory(standing.generation)
        if key is None:
            return work(standing, memory, nothing_to_finish)
        claim = memory.idempotency.claim(key, self._fingerprint)
        if isinstance(claim, Done):
            return again(memory, claim.pointer)
        try:
            return work(standing, memory, _finisher(memory, claim))
        except Exception:
            memory.idempotency.release(claim)
            raise

    @property
    def idempotency_key(self) -> str | None:
        """The key, if there is one."""
        return self._headers.get("idempotency-key")

    @property
    def _fingerprint(self) -> str:
        # The path as it was asked for: the same key under another address is another request.
        path = self._event.get("rawPath", "")
        return f"{self._route.method} {path}\n{self.raw_body.decode('utf-8', 'surrogatepass')}"


class Api:
    """The routes of one function. The gateway has routed already and names the route in its event.

    Powertools' own resolver is not used for this: it keeps the event of the present request on a class, so
    two requests on two threads of one process, as on one machine, would see each other's.
    """

    def __init__(self, runtime: Runtime, function: str) -> None:
        self._runtime = runtime
        self._function = function
        self._serving: dict[str, tuple[Route, Callable[[Call], Answer]]] = {}

    def on(self, method: str, path: str) -> Callable[[Callable[[Call], Answer]], Callable[[Call], Answer]]:
        """Serves one of the function's routes, written as in the route table."""
        [route] = [each for each in ROUTES if (each.method, each.path) == (method, path)]
        if route.function != self._function:
            raise ValueError(f"{method} {path} belongs to the function {route.function}")

        def register(serve: Callable[[Call], Answer]) -> Callable[[Call], Answer]:
            self._serving[f"{method} {path}"] = (route, serve)
            return serve

        return register

    def __call__(self, event: dict[str, Any], context: object) -> dict[str, Any]:
        if event.get("routeKey") not in self._serving:
            return _problem(problems.problem_of(NotFound()), {})
        route, serve = self._serving[event["routeKey"]]
        call = Call(self._runtime, route, event)
        try:
            if route.scope:
                _ = call.principal
            _ = call.raw_body
            answer = serve(call)
            response = _response(answer.status, "application/json", answer.body.model_dump_json(), {})
        except NotedError as error:
            response = _problem(problems.problem_of(error), problems.headers_of(error))
        except Exception as error:  # noqa: BLE001 (the last line before the client: it must be a problem)
            # The type alone: an error's text may hold what a user said.
            logger.error("unforeseen error", extra={"error_type": type(error).__name__, "route": route.path})
            response = _problem(problems.internal_problem(), {})
        epoch = _epoch(call) if route.scope else None
        if epoch is not None:
            response["headers"]["Memory-Epoch"] = str(epoch)
        return response


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


def function_handler(build: Callable[[Runtime], Handler]) -> Handler:
    """A Lambda entry point: built from the environment at the first event."""

    @cache
    def built() -> Handler:
        from aws_lambda_powertools import Logger
        from aws_lambda_powertools.logging.utils import copy_config_to_registered_loggers

        copy_config_to_registered_loggers(source_logger=Logger(service="noted"), include={"noted"})
        return build(Runtime.from_environment())

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        return built()(event, context)

    return handler


def _finisher(memory: Memory, claim: Claim) -> Finish:
    return lambda pointer: [memory.idempotency.done(claim, pointer)]


def _epoch(call: Call) -> int | None:
    # Also with an error: a client that was refused learns from it which epoch it should know.
    try:
        return call.epoch if call.epoch is not None else call.standing().generation
    except NotedError:
        return None


def _problem(problem: problems.Problem, headers: Mapping[str, str]) -> dict[str, Any]:
    return _response(problem.status, problems.CONTENT_TYPE, json.dumps(problem.body()), headers)


def _response(status: int, content_type: str, body: str, headers: Mapping[str, str]) -> dict[str, Any]:
    # A person's memory is in no cache between them and this service.
    return {
        "statusCode": status,
        "headers": {"Content-Type": content_type, "Cache-Control": "no-store", **headers},
        "body": body,
        "isBase64Encoded": False,
    }
