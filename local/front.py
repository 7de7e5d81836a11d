"""The HTTP front of one machine, in the place of API Gateway: finds the route, checks the token, runs the
route's function with the gateway's event, and sends back what the function's result stands for, at once or
piece by piece."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from local import gateway
from local.issuer import AUDIENCE, ISSUER, InvalidKeyFileError, Issuer
from local.routing import Match, Routing
from local.streaming import Outlet
from noted.api import bearer
from noted.api.problems import CONTENT_TYPE, Problem, headers_of, internal_problem, problem_of
from noted.api.routes import Route
from noted.errors import Forbidden, Malformed, NotFound, TooLarge, TooManyRequests, Unauthenticated

Handler = Callable[[dict[str, Any], object], object]

# The gateway's own limit; the functions set a lower one of theirs.
MAX_BODY = 10 * 1024 * 1024
_LINGER_SECONDS = 5
_LOG = logging.getLogger("noted.access")


class _RefusedError(Exception):
    """A request that reaches no function."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.title)
        self.problem, self.headers = problem, headers or {}


class _LingeringResponse(Response):
    """A reply to a request that is not read to its end. Closing at once would reset the connection, and the
    client could lose the reply while it sends; so what comes in the next seconds is thrown away first."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*self.raw_headers, (b"connection", b"close")]
        await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while (await receive()).get("more_body"):
                    pass
        await send({"type": "http.response.body"})


class Front:
    """An ASGI application. `handlers`: by function name. `running` is entered around each invocation
    that may write;
    `now`: seconds since 1970, by which tokens are checked. Beyond `most` invocations at once a request is
    refused, as Lambda does, instead of waiting in line until its client has gone."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        *,
        routes: Iterable[Route],
        issuer: Issuer,
        pool: Executor,
        running: Callable[[], contextlib.AbstractContextManager[None]],
        now: Callable[[], float] = time.time,
        most: int = 128,
    ) -> None:
        self._handlers = handlers
        self._room = threading.Semaphore(most)
        self._routing = Routing(routes)
        self._issuer = issuer
        self._pool = pool
        self._running = running
        self._now = now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        began = time.monotonic()
        template, response = await self._respond(request)
        await response(scope, receive, send)
        # The template and not the path: a path holds ids, a query string what a user searched for.
        _LOG.info(
            "request",
            extra={
                "method": request.method,
                "route": template,
                "status": response.status_code,
                "ms": int((time.monotonic() - began) * 1000),
            },
        )

    async def _respond(self, request: Request) -> tuple[str, Response]:
        template = "-"
        try:
            published = self._published(request)
            if published is not None:
                return request.url.path, JSONResponse(published, headers={"cache-control": "no-cache"})
            match = self._find(request)
            template = match.route.path
            grant = self._authorize(request, match.route)
            event = gateway.event(match, request, await _body(request), grant=grant, now=self._now())
            return template, await self._invoked(match.route, event)
        except _RefusedError as refused:
            kind: type[Response] = _LingeringResponse if refused.problem.status == 413 else Response
            return template, _response(refused.problem, refused.headers, kind)
        except ClientDisconnect:
            return template, Response(status_code=400)
        except Exception as error:  # noqa: BLE001 - the last line of defence; what went wrong is not told
            return template, _failed(error, "front")

    async def _invoked(self, route: Route, event: dict[str, Any]) -> Response:
        """The reply of the route's function, as soon as there is one. A body that comes in pieces is then
        still being made, in the function's thread."""
        loop = asyncio.get_running_loop()
        replied: asyncio.Future[Response] = loop.create_future()

        def reply(response: Response) -> None:
            if not replied.done():
                replied.set_result(response)

        def replies(response: Response) -> None:
            with contextlib.suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(reply, response)

        if not self._room.acquire(blocking=False):
            raise _too_many()
        try:
            self._pool.submit(self._invoke, route, event, Outlet(loop), replies)
        except RuntimeError:
            self._room.release()  # the pool has been shut down
            raise
        return await replied

    def _invoke(
        self, route: Route, event: dict[str, Any], outlet: Outlet, replies: Callable[[Response], None]
    ) -> None:
        function = route.function
        # What only reads (RFC 9110, 9.2.1) can wait long for something to read, and no erasure waits for it.
        reads = route.method in ("GET", "HEAD")
        pieces, whole = None, False
        try:
            with contextlib.nullcontext() if reads else self._running():
                result = self._handlers[function](event, gateway.Context(function))
                response, pieces = gateway.reply(result, outlet)
                if pieces is not None:
                    replies(response)
                    # To the end, also when the client has gone: what the function does by then is to be kept.
                    for piece in pieces:
                        outlet.put(piece.encode())
            replies(response)
            whole = True
        except Exception as error:  # noqa: BLE001 - a function that crashes must not take the front with it
            replies(_failed(error, function))
        finally:
            if pieces is not None:
                outlet.end(whole=whole)
            self._room.release()

    def _published(self, request: Request) -> dict[str, Any] | None:
        if request.method != "GET":
            return None
        if request.url.path == "/.well-known/jwks.json":
            return self._issuer.key_set()
        if request.url.path == "/.well-known/openid-configuration":
            return {
                "issuer": ISSUER,
                "jwks_uri": f"{request.url.scheme}://{request.url.netloc}/.well-known/jwks.json",
                "id_token_signing_alg_values_supported": ["RS256"],
                "subject_types_supported": ["public"],
                "response_types_supported": ["token"],
            }
        return None

    def _find(self, request: Request) -> Match:
        try:
            found = self._routing.find(request.method, request.scope["raw_path"].decode("latin-1"))
        except ValueError:
            raise _RefusedError(problem_of(Malformed("The path cannot be decoded."))) from None
        if isinstance(found, Match):
            return found
        if found:
            allowed = ", ".join(found)
            raise _RefusedError(_method_not_allowed(allowed), {"allow": allowed})
        raise _RefusedError(problem_of(NotFound()))

    def _authorize(self, request: Request, route: Route) -> gateway.Grant | None:
        if route.scope is None:
            return None
        scheme, _, token = ",".join(request.headers.getlist("authorization")).partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise _unauthorized("A bearer token is needed.", "Bearer")
        try:
            keys = self._issuer.keys()
        except (InvalidKeyFileError, OSError) as error:
            _LOG.error("the issuer's keys cannot be read", extra={"error_type": type(error).__name__})
            raise _unauthorized("No token can be checked at the moment.", "Bearer") from None
        try:
            claims = bearer.verify(
                token.strip(),
                key_of=keys.get,
                issuer=ISSUER,
                audiences=frozenset({AUDIENCE}),
                now=self._now(),
            )
        except bearer.InvalidTokenError as error:
            challenge = f'Bearer error="invalid_token", error_description="{error}"'
            raise _unauthorized("The token is not valid here.", challenge) from None
        if not set(route.admits) & set(bearer.scopes(claims)):
            challenge = f'Bearer error="insufficient_scope", scope="{route.scope}"'
            problem = problem_of(Forbidden("The token does not carry the scope that this call needs."))
            raise _RefusedError(problem, {"www-authenticate": challenge})
        return gateway.Grant(claims, route.admits)


async def _body(request: Request) -> bytes:
    """The whole body, unless it is too long: then no more of it is read than shows that."""
    too_large = _RefusedError(problem_of(TooLarge("A body has at most 10 MB.")))
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > MAX_BODY:
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise too_large
    return bytes(body)


def _unauthorized(detail: str, challenge: str) -> _RefusedError:
    return _RefusedError(problem_of(Unauthenticated(detail)), {"www-authenticate": challenge})


def _too_many() -> _RefusedError:
    error = TooManyRequests("More is asked at once than this service does at once.", retry_after=1)
    return _RefusedError(problem_of(error), headers_of(error))


def _method_not_allowed(allowed: str) -> Problem:
    return Problem(
        type="urn:noted:problem:method-not-allowed",
        title="Not with this method",
        status=405,
        detail=f"This address takes {allowed}.",
    )


def _failed(error: Exception, function: str) -> Response:
    _LOG.error("failed", extra={"function": function, "error_type": type(error).__name__})
    return _response(internal_problem(), {}, Response)


def _response(problem: Problem, headers: Mapping[str, str], kind: type[Response]) -> Response:
    return kind(
        json.dumps(problem.body()),
        status_code=problem.status,
        headers={"cache-control": "no-store", **headers},
        media_type=CONTENT_TYPE,
    )
