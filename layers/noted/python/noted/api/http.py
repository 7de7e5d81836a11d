"""Between a gateway's event and a function of the domain: what a request is answered with.

A handler function takes a `Call` and returns an `Answer`, or a `Stream` of events; everything that all calls
share is here: scope, the memory epoch, problems.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from noted.api import problems
from noted.api.call import Call, rejected
from noted.api.routes import ROUTES, Route
from noted.deadline import Deadline
from noted.errors import NotedError, NotFound
from noted.logs import JsonLines, configure_function
from noted.runtime import Runtime

if TYPE_CHECKING:
    from pydantic import BaseModel

    from noted.api.events import Event

__all__ = ["Answer", "Api", "Call", "Handler", "Serve", "Stream", "function_handler", "rejected"]

logger = logging.getLogger("noted.api")

Handler = Callable[[dict[str, Any], object], dict[str, Any]]


class FunctionFailedError(Exception):
    """What a function ends with that has nobody to answer, such as one that is called by a schedule. Its text
    is the type of what went wrong, since the runtime prints it."""


@dataclass(frozen=True)
class Answer:
    """A reply: its body, and its status if that is not 200."""

    body: BaseModel
    status: int = 200


@dataclass(frozen=True)
class Stream:
    """A reply that is told while it is made. What goes wrong before the first event is answered as a problem
    with its status, what goes wrong later is told in an `error` event."""

    events: Iterator[Event]
    status: int = 200


Serve = Callable[[Call], Answer | Stream]


class Api:
    """The routes of one function. The gateway has routed already and names the route in its event.

    Powertools' own resolver is not used for this: it keeps the event of the present request on a class, so
    two requests on two threads of one process, as on one machine, would see each other's.
    """

    def __init__(self, runtime: Runtime, function: str) -> None:
        self._runtime = runtime
        self._function = function
        self._serving: dict[str, tuple[Route, Serve]] = {}

    def on(self, method: str, path: str) -> Callable[[Serve], Serve]:
        """Serves one of the function's routes, written as in the route table."""
        [route] = [each for each in ROUTES if (each.method, each.path) == (method, path)]
        if route.function != self._function:
            raise ValueError(f"{method} {path} belongs to the function {route.function}")

        def register(serve: Serve) -> Serve:
            self._serving[f"{method} {path}"] = (route, serve)
            return serve

        return register

    def __call__(self, event: dict[str, Any], context: object) -> dict[str, Any]:
        if event.get("routeKey") not in self._serving:
            return _problem(problems.problem_of(NotFound()), {})
        route, serve = self._serving[event["routeKey"]]
        call = Call(self._runtime, route, event, Deadline.of(context))
        try:
            if route.scope:
                _ = call.principal
                self._runtime.tables_in_use.refuse_unless_replayed()
            if route.erases:
                call.refuse_blocked()
            _ = call.raw_body
            served = serve(call)
            if isinstance(served, Stream):
                response = _streamed(served, route, incremental=getattr(context, "streams", False))
            else:
                response = _response(served.status, "application/json", served.body.model_dump_json(), {})
        except NotedError as error:
            response = _problem(problems.problem_of(error), problems.headers_of(error))
        except Exception as error:  # noqa: BLE001 (the last line before the client: it must be a problem)
            response = _problem(_unforeseen(error, route), {})
        epoch = _epoch(call) if route.scope else None
        if epoch is not None:
            response["headers"]["Memory-Epoch"] = str(epoch)
        return response


def function_handler(build: Callable[[Runtime], Handler]) -> Handler:
    """A Lambda entry point: built from the environment at the first event."""

    @cache
    def built() -> tuple[Handler, JsonLines]:
        runtime = Runtime.from_environment()
        lines = configure_function(runtime.settings.table_prefix)
        return build(runtime), lines

    def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
        serve, lines = built()
        lines.request_id = getattr(context, "aws_request_id", None)
        try:
            return serve(event, context)
        except Exception as error:  # noqa: BLE001 (its text and its trace would stand in the log)
            logger.error("function failed", extra={"error_type": type(error).__name__})
            raise FunctionFailedError(type(error).__name__) from None

    return handler


def _unforeseen(error: Exception, route: Route) -> problems.Problem:
    # The type alone: an error's text may hold what a user said.
    logger.error("unforeseen error", extra={"error_type": type(error).__name__, "route": route.path})
    return problems.internal_problem()


def _epoch(call: Call) -> int | None:
    # Also with an error: a client that was refused learns from it which epoch it should know.
    try:
        return call.epoch if call.epoch is not None else call.standing().generation
    except Exception:  # noqa: BLE001 (what went wrong is being answered already)
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


def _streamed(stream: Stream, route: Route, *, incremental: bool) -> dict[str, Any]:
    """The result of a stream: its body is an iterator of text where the runtime can send one, else a text."""
    # A start of a function that streams nothing need not wait for them.
    from noted.api import events
    from noted.api.heartbeat import with_heartbeats

    # What can fail with a status fails before this: the first event is what the status waits for.
    first = next(stream.events)
    body = (event.encode() for event in _to_its_end(first, stream.events, route))
    response = _response(stream.status, events.CONTENT_TYPE, "", {})
    response["body"] = with_heartbeats(body) if incremental else "".join(body)
    return response


def _to_its_end(first: Event, rest: Iterator[Event], route: Route) -> Iterator[Event]:
    from noted.api import events

    yield first
    try:
        yield from rest
    except NotedError as error:
        yield events.failure(problems.problem_of(error))
    except Exception as error:  # noqa: BLE001 (the last line before the client: it must be a problem)
        yield events.failure(_unforeseen(error, route))
