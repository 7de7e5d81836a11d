"""Signatures that others can check: ECDSA on P-256 with SHA-256, as JWS calls ES256 (RFC 7518, section 3.4).

A key is named by its thumbprint (RFC 7638) and published as a JSON Web Key Set (RFC 7517).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

_BYTES = 32
_CURVE = "P-256"


class Signer(Protocol):
    """Signs with one key."""

    @property
    def kid(self) -> str:
        """The name of the key: its thumbprint."""
        ...

    @property
    def jwk(self) -> Mapping[str, str]:
        """The public key, with its name, as a JSON Web Key."""
        ...

    def sign(self, message: bytes) -> str:
        """The signature, r and s with 32 bytes each, in base64url without padding. Raises Unavailable."""
        ...


class KeySigner:
    """A signer whose private key is at hand."""

    def __init__(self, key: ec.EllipticCurvePrivateKey) -> None:
        if not isinstance(key.curve, ec.SECP256R1):
            raise ValueError("not a key on P-256")  # noqa: TRY004 (it is its value that is wrong)
        self._key = key

    @cached_property
    def jwk(self) -> Mapping[str, str]:
        """See `Signer`."""
        return jwk_of(self._key.public_key())

    @property
    def kid(self) -> str:
        """See `Signer`."""
        return self.jwk["kid"]

    def sign(self, message: bytes) -> str:
        """See `Signer`."""
        return raw(self._key.sign(message, ec.ECDSA(hashes.SHA256())))


def key_set(keys: Iterable[Mapping[str, str]]) -> dict[str, list[dict[str, str]]]:
    """A JSON Web Key Set."""
    return {"keys": [dict(key) for key in keys]}


def jwk_of(key: ec.EllipticCurvePublicKey) -> dict[str, str]:
    """A public key on P-256 as a JSON Web Key."""
    point = key.public_numbers()
    public = {
        "kty": "EC",
        "crv": _CURVE,
        "x": base64url(point.x.to_bytes(_BYTES, "big")),
        "y": base64url(point.y.to_bytes(_BYTES, "big")),
    }
    return {**public, "kid": _thumbprint(public), "use": "sig", "alg": "ES256"}


def raw(der: bytes) -> str:
    """A signature as X.509 writes it, in the form of JWS."""
    r, s = decode_dss_signature(der)
    return base64url(r.to_bytes(_BYTES, "big") + s.to_bytes(_BYTES, "big"))


def is_signed(message: bytes, signature: object, key: Mapping[str, Any]) -> bool:
    """Whether a published key signed a message."""
    try:
        x, y = (int.from_bytes(_bytes(key[part]), "big") for part in ("x", "y"))
        if key["kty"] != "EC" or key["crv"] != _CURVE:
            return False
        public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        both = _bytes(signature)
        if len(both) != 2 * _BYTES:
            return False
        halves = (int.from_bytes(half, "big") for half in (both[:_BYTES], both[_BYTES:]))
        public.verify(encode_dss_signature(*halves), message, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, ValueError, TypeError, KeyError):
        return False
    return True


def canonical(document: Mapping[str, Any]) -> bytes:
    """The one way in which a document is written to be signed: JSON with sorted keys, without blanks, in
    ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode("ascii")


def base64url(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: object) -> bytes:
    if not isinstance(text, str):
        raise TypeError("not a text")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _thumbprint(public: Mapping[str, str]) -> str:
    return base64url(hashlib.sha256(canonical(public)).digest())
