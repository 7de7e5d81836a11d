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
import re
from collections.abc import Mapping
from dataclasses import dataclass

from noted.errors import Forbidden, Unauthenticated

_SUBJECT = re.compile(r"[\x21-\x7e]{1,255}")
_ORGANISATION_ID = re.compile(r"o_[a-z2-7]{26}")
_USER_ID = re.compile(r"u_[a-z2-7]{26}")


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


def subject_reference(principal: Principal, secrets: Secrets) -> str:
    """The name under which the erasure ledger knows a user. It cannot be traced back to the ids in the
    tables without the service's secret, and it stays when everything else is gone."""
    return "s_" + _derived(secrets.key("ledger"), principal.owner)


def require_scope(claims: Mapping[str, object], scope: str) -> None:
    """Raises Forbidden unless the token carries the scope, as a whole word."""
    granted = claims.get("scope", "")
    if not isinstance(granted, str) or scope not in granted.split(" "):
        raise Forbidden("The token does not carry the scope that this call needs.")


def _derived(key: bytes, *parts: str) -> str:
    digest = hmac.new(key, "\0".join(parts).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:26]
