"""Checks the token of a request to the API that streams, which has no authorizer for JWTs of its own."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from noted import metrics
from noted.api import bearer
from noted.api.issuer_keys import IssuerKeys, KeysUnavailableError
from noted.api.routes import ROUTES
from noted.logs import JsonLines, configure_function

Authorizer = Callable[[dict[str, Any], object], dict[str, Any]]

# What the library reads of a token; the rest of it goes no further.
_CLAIMS = (
    *("sub", "iss", "org", "scope", "scp", "azp", "client_id", "auth_time"),
    *("token_use", "typ", "at_hash", "c_hash"),
)


class UnauthorizedError(Exception):
    """The gateway knows this by its text, and answers 401."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")


class CheckFailedError(Exception):
    """The check itself failed; the gateway answers 500. Its text is the type of what went wrong, since the
    runtime prints it."""


def build(
    issuer: str, audiences: frozenset[str], keys: IssuerKeys, now: Callable[[], float] = time.time
) -> Authorizer:
    """A Lambda authorizer of type REQUEST. `audiences`: for one of them a token must be; `now`: seconds since
    1970.

    It raises UnauthorizedError for a token that proves nothing, also while it cannot know because the issuer
    does not say which keys it has, and denies (403) one without the route's scope. For Lambda a token that is
    refused is an error like any other, so what only a fault brings about is a metric of its own.
    """

    def decide(event: dict[str, Any]) -> dict[str, Any]:
        claims = bearer.verify(_token(event), key_of=keys.get, issuer=issuer, audiences=audiences, now=now())
        place = (event.get("httpMethod"), event.get("resource"))
        scope = next((route.scope for route in ROUTES if (route.method, route.path) == place), None)
        return _decision(event["methodArn"], claims, allowed=scope in bearer.scopes(claims))

    def tell(error: Exception) -> str:
        kind = type(error).__name__
        at = datetime.fromtimestamp(now(), UTC)
        metrics.write(metrics.UNCHECKED_TOKENS, at, {"UncheckedTokens": 1}, told={"error_type": kind})
        return kind

    def authorize(event: dict[str, Any], context: object) -> dict[str, Any]:
        try:
            return decide(event)
        except UnauthorizedError:
            raise
        except bearer.InvalidTokenError:
            raise UnauthorizedError from None
        except KeysUnavailableError as error:
            tell(error)
            raise UnauthorizedError from None
        except Exception as error:  # noqa: BLE001 (its text and its trace would stand in the log)
            raise CheckFailedError(tell(error)) from None

    return authorize


def _token(event: Mapping[str, Any]) -> str:
    headers = event.get("multiValueHeaders") or {}
    sent = [value for name, values in headers.items() if name.lower() == "authorization" for value in values]
    scheme, _, token = ",".join(sent).partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise UnauthorizedError
    return token.strip()


def _decision(method_arn: str, claims: Mapping[str, Any], *, allowed: bool) -> dict[str, Any]:
    # The whole stage: decisions are not cached, so this one holds for this request alone, and an ARN with
    # what stood in its path could be too long for a policy.
    api, stage, _ = method_arn.split("/", 2)
    statement = {
        "Action": "execute-api:Invoke",
        "Effect": "Allow" if allowed else "Deny",
        "Resource": f"{api}/{stage}/*",
    }
    handed_on = {name: bearer.as_text(claims[name]) for name in _CLAIMS if name in claims}
    return {
        # Not the subject: the gateway may write this into a log.
        "principalId": "verified",
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": {"claims": json.dumps(handed_on)} if allowed else {},
    }


@cache
def _built() -> tuple[Authorizer, JsonLines]:
    lines = configure_function(os.environ["NOTED_TABLE_PREFIX"])
    issuer = os.environ["NOTED_TOKEN_ISSUER"]
    audiences = frozenset(os.environ["NOTED_TOKEN_AUDIENCE"].split())
    return build(issuer, audiences, IssuerKeys(issuer)), lines


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """The Lambda entry point."""
    authorize, lines = _built()
    lines.request_id = getattr(context, "aws_request_id", None)
    return authorize(event, context)
