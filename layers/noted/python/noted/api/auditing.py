"""Writes down what was refused to whoever called on behalf of a compliance system: a token that may not, a
person or a request that is not there, a limit that is reached. What is granted is written with what it does.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from noted.api.call import Call
from noted.api.routes import ROUTES
from noted.errors import NotedError
from noted.identity import principal_of, subject_reference
from noted.store.audit import Audit, Outcome
from noted.store.database import Database

if TYPE_CHECKING:
    from noted.runtime import Runtime

logger = logging.getLogger("noted.api")

_AUDITED = {f"{route.method} {route.path}": route for route in ROUTES if route.audited}
_OUTCOMES = {
    400: Outcome.REFUSED,
    401: Outcome.REFUSED,
    403: Outcome.FORBIDDEN,
    404: Outcome.NOT_FOUND,
    413: Outcome.REFUSED,
    422: Outcome.REFUSED,
    429: Outcome.OVER_LIMIT,
}
_REQUEST_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def write_refused(runtime: Runtime, event: Mapping[str, Any], response: Mapping[str, Any]) -> None:
    """Writes one row for a call that was refused, under the reference of its token's subject. Nothing for a
    token that names nobody: the gateway lets none through."""
    route, outcome = _AUDITED.get(str(event.get("routeKey"))), _OUTCOMES.get(response["statusCode"])
    if route is None or outcome is None:
        return
    call = Call(runtime, route, event)
    try:
        caller = principal_of(call.claims, runtime.secrets)
        audit = Audit(
            Database(runtime.dynamodb, runtime.settings.table_prefix, runtime.clock),
            subject_reference(caller, runtime.secrets),
        )
        audit.write(runtime.clock.now(), f"{route.method} {route.path}", outcome, _request_id(call))
    except NotedError as error:
        # It is refused all the same.
        logger.error("refusal not audited", extra={"error_type": type(error).__name__})


def _request_id(call: Call) -> str | None:
    """The caller's own id of the request, if it is one: nothing else of what was sent is kept."""
    named: list[object] = [*call.path.values()]
    try:
        body = json.loads(call.raw_body or b"{}")
    except (NotedError, ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        named += [body.get("subject_request_id"), body.get("request_id")]
    ids = (each.lower() for each in named if isinstance(each, str))
    return next((each for each in ids if _REQUEST_ID.fullmatch(each)), None)
