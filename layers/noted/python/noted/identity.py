"""Who is asking: a `Principal`, made from a verified token or from a queue message of our own, never from
a request's body.

Tables never see a subject. They are keyed by fixed-format ids derived from it: an HMAC with the service's
secret, in lower-case base 32, which ends key injection (`alice#1`), clashes between issuers and personal
data in keys. A subject is taken exactly as it stands, so that two subjects never merge.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from noted.errors import Forbidden, StaleLogin, Unauthenticated

_SUBJECT = re.compile(r"[\x21-\x7e]{1,255}")
_ORGANISATION_ID = re.compile(r"o_[a-z2-7]{26}")
_USER_ID = re.compile(r"u_[a-z2-7]{26}")
_ACCESS_TOKEN_TYPES = ("bearer", "jwt", "at+jwt")
_ID_TOKEN_CLAIMS = {"at_hash", "c_hash"}
# Seconds that the issuer's clock may be ahead.
_CLOCK_SKEW = 60
# The name that this service has among the resource servers of an Amazon Cognito user pool.
RESOURCE_SERVER = "noted"


@dataclass(frozen=True)
class Principal:
    """One user of one organisation. `organisation` is `o_` and `user` is `u_` with 26 base-32 characters."""

    organisation: str
    user: str

    def __post_init__(self) -> None:
        if not (_ORGANISATION_ID.fullmatch(self.organisation) and _USER_ID.fullmatch(self.user)):
            raise ValueError("not a principal")

    @property
    def owner(self) -> str:
        """The key under which everything of this user is kept, whatever its generation."""
        return f"{self.organisation}#{self.user}"


class Secrets:
    """Keys derived from the service's one secret (32 bytes or more), each for one purpose.

    The secret is escrowed by the deployer: without it every user's data is orphaned.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < 32:
            raise ValueError("the service secret needs at least 32 bytes")
        self._secret = secret

    def key(self, purpose: str) -> bytes:
        """32 bytes for one purpose: HKDF (RFC 5869) with SHA-256 over the service's secret."""
        extracted = hmac.digest(b"noted", self._secret, "sha256")
        return hmac.digest(extracted, purpose.encode() + b"\x01", "sha256")


def principal_of(claims: Mapping[str, object], secrets: Secrets) -> Principal:
    """The principal of a token whose signature, issuer, audience and times have been verified.

    Raises Unauthenticated if the subject is not 1 to 255 printable ASCII characters without blanks.
    """
    subject, issuer, organisation = claims.get("sub"), claims.get("iss"), claims.get("org", "")
    if not isinstance(subject, str) or not _SUBJECT.fullmatch(subject):
        raise Unauthenticated("The token names no acceptable subject.")
    if not isinstance(issuer, str) or not issuer:
        raise Unauthenticated("The token names no issuer.")
    if not isinstance(organisation, str) or (organisation and not _SUBJECT.fullmatch(organisation)):
        raise Unauthenticated("The token names no acceptable organisation.")
    key = secrets.key("identity")
    return Principal(
        organisation="o_" + _derived(key, "organisation", issuer, organisation),
        user="u_" + _derived(key, "user", issuer, organisation, subject),
    )


@dataclass(frozen=True)
class TokenRules:
    """What a deployer asks of tokens beyond their signature. `clients`: who may have got the token, empty for
    anyone; `erasure_auth_age_seconds`: how long ago the user may have logged in when they erase."""

    clients: frozenset[str] = frozenset()
    erasure_auth_age_seconds: int = 600


def require_access_token(claims: Mapping[str, object], rules: TokenRules) -> None:
    """Raises Unauthenticated for a verified token that is not one to call an API with, or that a client got
    which is not among the accepted.

    Providers tell the kind of a token in different ways, and an access token may tell none (RFC 9068 has it
    in the header, which a gateway does not hand on): so what is refused is what says that it is another.
    `token_use` is Amazon Cognito's, `typ` Keycloak's; the hashes are an ID token's alone (OpenID Connect Core
    1.0, sections 3.1.3.6 and 3.3.2.11).
    """
    use, kind = claims.get("token_use", "access"), claims.get("typ", "bearer")
    named = str(kind).lower().removeprefix("application/") in _ACCESS_TOKEN_TYPES
    if use != "access" or not named or _ID_TOKEN_CLAIMS & claims.keys():
        raise Unauthenticated("The token is not an access token.")
    if rules.clients:
        # Both where both are there: what a provider adds must not be able to hide who really asked.
        clients = {claims[name] for name in ("azp", "client_id") if isinstance(claims.get(name), str)}
        if not clients or not clients <= rules.clients:
            raise Unauthenticated("The token was issued to a client that is not accepted here.")


def require_recent_login(claims: Mapping[str, object], rules: TokenRules, now: float) -> None:
    """Raises StaleLogin if the token says when the user logged in (`auth_time`, seconds since 1970) and that
    is longer ago than an erasure allows, lies in the future, or cannot be read. A token that does not say,
    such as a machine's, passes."""
    said = claims.get("auth_time")
    if said is None:
        return
    try:
        age = now - float(str(said))
    except ValueError:
        age = math.nan
    if not -_CLOCK_SKEW <= age <= rules.erasure_auth_age_seconds:
        raise StaleLogin(rules.erasure_auth_age_seconds)


def subject_reference(principal: Principal, secrets: Secrets) -> str:
    """The name under which the erasure ledger knows a user. It cannot be traced back to the ids in the
    tables without the service's secret, and it stays when everything else is gone."""
    return "s_" + _derived(secrets.key("ledger"), principal.owner)


def require_scope(claims: Mapping[str, object], scope: str) -> None:
    """Raises Forbidden unless the token carries the scope, as a whole word of `scope`, or of `scp`, which
    some providers send instead and a gateway hands on as `[one two]` if it was a list."""
    granted = claims.get("scope", claims.get("scp", ""))
    words = granted.removeprefix("[").removesuffix("]").split(" ") if isinstance(granted, str) else []
    if scope not in map(own_scope, words):
        raise Forbidden("The token does not carry the scope that this call needs.")


def own_scope(word: str) -> str:
    """A word of a token's scope as this service names it: Amazon Cognito puts the name of the resource server
    before each scope that is not its own (`noted/memory:read`)."""
    return word.removeprefix(f"{RESOURCE_SERVER}/")


def scope_forms(scope: str) -> tuple[str, str]:
    """The words of which each says this scope, for a gateway that compares them letter by letter."""
    return scope, f"{RESOURCE_SERVER}/{scope}"


def _derived(key: bytes, *parts: str) -> str:
    digest = hmac.new(key, "\0".join(parts).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:26]
