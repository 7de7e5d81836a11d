"""Checks a bearer token as the JWT authorizer of an API Gateway HTTP API does, where there is none: on one
machine, and before the API that streams.

Two things are stricter. `sub`, `iss` and `scope` must be strings: the gateway hands claims on as strings, and
a function could not tell the number 7 from the subject "7". And a header that names another kind of token,
such as `logout+jwt`, is refused: the gateway hands no header on. What neither checks, `noted.identity` does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import jwt

from noted.identity import own_scope

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import rsa

# The gateway refuses more than 10,240 bytes of headers in all.
_MAX_LENGTH = 8192
_JWS = jwt.PyJWS(algorithms=["RS256"])
# RFC 9068, section 2.1; and what an issuer that does not follow it writes there.
_TYPES = ("jwt", "at+jwt")


class InvalidTokenError(Exception):
    """The token does not prove an identity. The message says why, and holds nothing of the token."""


def verify(
    token: str,
    *,
    key_of: Callable[[str], rsa.RSAPublicKey | None],
    issuer: str,
    audiences: frozenset[str],
    now: float,
) -> dict[str, Any]:
    """The claims of a token that an issuer's key, found by its `kid`, signed with RS256, for one of these
    audiences, and that is valid at `now` (seconds since 1970, no leeway). Raises InvalidTokenError."""
    if len(token) > _MAX_LENGTH:
        raise InvalidTokenError("the token is too long")
    claims = _claims(token, key_of)
    if claims.get("iss") != issuer:
        raise InvalidTokenError("the token has another issuer")
    # The audience counts if there is one; else the client id does, which some providers send instead.
    named = claims.get("aud", claims.get("client_id"))
    if not any(isinstance(each, str) and each in audiences for each in _listed(named)):
        raise InvalidTokenError("the token has another audience")
    if not isinstance(claims.get("sub"), str):
        raise InvalidTokenError("the token has no subject")
    if not isinstance(claims.get("scope", ""), str):
        raise InvalidTokenError("the token's scope is no text")
    if "exp" not in claims or now >= _seconds(claims, "exp"):
        raise InvalidTokenError("the token has expired")
    for name in ("nbf", "iat"):
        if name in claims and now < _seconds(claims, name):
            raise InvalidTokenError("the token is not valid yet")
    return claims


def scopes(claims: Mapping[str, Any]) -> list[str]:
    """The scopes that a token carries, as this service names them: whole words of `scope`, or of `scp`, which
    may be a list."""
    granted = claims.get("scope", claims.get("scp", ""))
    words = granted.split(" ") if isinstance(granted, str) else _listed(granted)
    return [own_scope(word) for word in words if isinstance(word, str)]


def as_text(claim: object) -> str:
    """A claim as the gateway hands it on."""
    if isinstance(claim, list):
        return f"[{' '.join(as_text(item) for item in claim)}]"
    return str(claim).lower() if isinstance(claim, bool) else str(claim)


def _claims(token: str, key_of: Callable[[str], rsa.RSAPublicKey | None]) -> dict[str, Any]:
    try:
        header = _JWS.get_unverified_header(token)
        if header.get("alg") != "RS256" or "crit" in header:
            raise InvalidTokenError("the token is not signed with RS256")
        kind = header.get("typ", "JWT")
        if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in _TYPES:
            raise InvalidTokenError("the token is of another kind")
        # The key is the issuer's, found by its id: no key and no address of one is taken from the token.
        key = key_of(str(header.get("kid")))
        if key is None:
            raise InvalidTokenError("the token's key is not known")
        payload: bytes = _JWS.decode(token, key, algorithms=["RS256"])
        claims = json.loads(payload, object_pairs_hook=_distinct)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise InvalidTokenError("the token's signature or form is not valid") from None
    if not isinstance(claims, dict):
        raise InvalidTokenError("the token holds no claims")
    return claims


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    claims = dict(pairs)
    if len(claims) != len(pairs):
        raise ValueError("a claim is given twice")
    return claims


def _seconds(claims: Mapping[str, Any], name: str) -> float:
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidTokenError("a time of the token is no number")
    return value
