"""The keys of a token issuer, as it publishes them (OpenID Connect Discovery 1.0, section 4; RFC 7517)."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.request import HTTPRedirectHandler, Request, build_opener

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

logger = logging.getLogger("noted.api")

# A new key is found when a token first names it; but nobody makes this ask the issuer more often than that.
_AT_MOST_EVERY = 10
_REFRESHED_AFTER = 5 * 60
# As long as the gateway's own authorizer trusts keys that it has read; an issuer that is down is not felt.
_TRUSTED_FOR = 2 * 60 * 60
_TIMEOUT = 3
_MAX_BYTES = 1024 * 1024


class KeysUnavailableError(Exception):
    """The issuer does not say which keys it has."""


class IssuerKeys:
    """The RSA keys of one issuer by their `kid`. `fetch` gives the JSON object at an https address."""

    def __init__(
        self,
        issuer: str,
        *,
        fetch: Callable[[str], Mapping[str, Any]] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuer = issuer
        self._fetch = fetch or fetched
        self._now = now
        self._keys: Mapping[str, rsa.RSAPublicKey] = {}
        self._read_at = self._asked_at = float("-inf")

    def get(self, kid: str) -> rsa.RSAPublicKey | None:
        """The key of that id, None if the issuer has none. Raises KeysUnavailableError when it has not said
        which it has for two hours."""
        now = self._now()
        due = kid not in self._keys or now >= self._read_at + _REFRESHED_AFTER
        if due and now >= self._asked_at + _AT_MOST_EVERY:
            self._asked_at = now
            try:
                self._keys = self._read()
                self._read_at = now
            except Exception as error:  # noqa: BLE001 (whatever it is, what was read before still counts)
                logger.warning("no keys of the issuer", extra={"error_type": type(error).__name__})
        if now >= self._read_at + _TRUSTED_FOR:
            raise KeysUnavailableError
        return self._keys.get(kid)

    def _read(self) -> dict[str, rsa.RSAPublicKey]:
        about = self._fetch(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        if about["issuer"] != self._issuer:
            raise KeysUnavailableError
        described = self._fetch(about["jwks_uri"])["keys"]
        return {str(each["kid"]): key for each in described if "kid" in each and (key := _rsa_key(each))}


def _rsa_key(described: Mapping[str, Any]) -> rsa.RSAPublicKey | None:
    # A set may also hold keys for other uses and of other kinds, and some that nobody can read.
    if described.get("kty") != "RSA" or described.get("use", "sig") != "sig":
        return None
    try:
        key = jwt.PyJWK(dict(described), algorithm="RS256").key
    except jwt.PyJWTError:
        return None
    return key if isinstance(key, rsa.RSAPublicKey) else None


def fetched(address: str) -> Mapping[str, Any]:
    """The JSON object at an https address, which must be there itself and not elsewhere. Raises ValueError,
    TypeError, OSError."""
    if not address.startswith("https://"):
        raise ValueError("not an https address")
    request = Request(address, headers={"Accept": "application/json"})  # noqa: S310 (https, see above)
    with build_opener(_NoRedirect).open(request, timeout=_TIMEOUT) as response:
        document = json.loads(response.read(_MAX_BYTES))
    if not isinstance(document, dict):
        raise TypeError("not an object")
    return document


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """None: a redirect is an error."""
