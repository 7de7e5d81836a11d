"""A token issuer for one machine, with a real key set: what the deployer's identity provider is in the cloud.

The server and the command line share its folder. A key signs for 30 days; it stays in the key set until the
last token that it can have signed has expired. A key's file is named `<created>.<kid>.pem`: `created` is in
seconds since 1970 and `kid` the key's RFC 7638 thumbprint, so that a file that was swapped is noticed.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import os
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from local.files import create_private, private_folder
from noted.api.routes import READ, WRITE

# Not the server's address: a user's id is derived from issuer and subject, and must outlive a change of port.
ISSUER = "https://noted.local"
AUDIENCE = "noted"
DEFAULT_SCOPES = (READ, WRITE)
DEFAULT_TTL = 3600
MAX_TTL = 30 * 24 * 3600
ROTATION = 30 * 24 * 3600

_SUBJECT = re.compile(r"[\x21-\x7e]{1,255}")
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")  # RFC 6749, scope-token
_KEY_FILE = re.compile(r"(\d{1,12})\.([A-Za-z0-9_-]{43})\.pem")


class InvalidKeyFileError(Exception):
    """A file in the issuer's folder is not the key that its name says."""


@dataclass(frozen=True)
class _Key:
    created: int
    kid: str
    private: rsa.RSAPrivateKey


class Issuer:
    """Issues RS256 tokens and publishes the keys to check them with. `address`: who it says that it is;
    `now`: seconds since 1970."""

    def __init__(self, folder: Path, *, address: str = ISSUER, now: Callable[[], float] = time.time) -> None:
        self.address = address
        self._folder = folder
        self._now = now
        self._loaded: dict[str, _Key] = {}
        self._lock = threading.Lock()

    def token(
        self,
        subject: str,
        scopes: Sequence[str] = DEFAULT_SCOPES,
        *,
        ttl: int = DEFAULT_TTL,
        organisation: str | None = None,
    ) -> str:
        """A token for `subject`, of an organisation if one is named, valid for `ttl` seconds from now.

        Raises ValueError for a subject or organisation that the service would refuse, for a scope that is not
        one word, or for a `ttl` outside 1 second to 30 days.
        """
        if not _SUBJECT.fullmatch(subject):
            raise ValueError("a subject is 1 to 255 printable ASCII characters without blanks")
        if organisation is not None and not _SUBJECT.fullmatch(organisation):
            raise ValueError("an organisation is 1 to 255 printable ASCII characters without blanks")
        if not all(_SCOPE.fullmatch(scope) for scope in scopes):
            raise ValueError("a scope is one word without blanks")
        if not 1 <= ttl <= MAX_TTL:
            raise ValueError(f"a token is valid for 1 to {MAX_TTL} seconds")
        now = int(self._now())
        key = self._signing_key(now)
        claims = {
            "iss": self.address,
            "aud": AUDIENCE,
            "sub": subject,
            "scope": " ".join(dict.fromkeys(scopes)),
            "iat": now,
            "nbf": now,
            "exp": now + ttl,
            "jti": str(uuid.uuid4()),
            "token_use": "access",
        } | ({"org": organisation} if organisation is not None else {})
        return jwt.encode(claims, key.private, algorithm="RS256", headers={"kid": key.kid})

    def keys(self) -> Mapping[str, rsa.RSAPublicKey]:
        """Each key that a valid token can be signed with, by its `kid`. Raises InvalidKeyFileError."""
        now = self._now()
        return {key.kid: key.private.public_key() for key in self._keys() if not _retired(key, now)}

    def key_set(self) -> dict[str, Any]:
        """The same as a JSON Web Key Set (RFC 7517)."""
        return {
            "keys": [
                {**_public_numbers(key), "kid": kid, "use": "sig", "alg": "RS256"}
                for kid, key in self.keys().items()
            ]
        }

    def _signing_key(self, now: int) -> _Key:
        with self._exclusively():
            keys = self._keys()
            if keys and now < keys[-1].created + ROTATION:
                return keys[-1]
            for key in keys:
                if _retired(key, now):
                    (self._folder / f"{key.created}.{key.kid}.pem").unlink(missing_ok=True)
            return self._create(now)

    def _create(self, now: int) -> _Key:
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        key = _Key(now, thumbprint(private.public_key()), private)
        pem = private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        create_private(self._folder / f"{key.created}.{key.kid}.pem", pem)
        return key

    def _keys(self) -> list[_Key]:
        # The folder is listed each time, so that a key made by the other process is known at once.
        names = [path.name for path in self._folder.glob("*.pem")] if self._folder.is_dir() else []
        with self._lock:
            self._loaded = {name: self._loaded.get(name) or self._load(name) for name in names}
            return sorted(self._loaded.values(), key=lambda key: (key.created, key.kid))

    def _load(self, name: str) -> _Key:
        shape = _KEY_FILE.fullmatch(name)
        try:
            private = serialization.load_pem_private_key((self._folder / name).read_bytes(), password=None)
        except (ValueError, TypeError):
            private = None
        if (
            shape is None
            or not isinstance(private, rsa.RSAPrivateKey)
            or thumbprint(private.public_key()) != shape[2]
        ):
            raise InvalidKeyFileError(f"{self._folder / name} is not the key that its name says. Remove it.")
        return _Key(int(shape[1]), shape[2], private)

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        descriptor = os.open(private_folder(self._folder), os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def thumbprint(key: rsa.RSAPublicKey) -> str:
    """The RFC 7638 thumbprint of an RSA key, with SHA-256, base64url without padding."""
    canonical = json.dumps(_public_numbers(key), sort_keys=True, separators=(",", ":"))
    return _base64url(hashlib.sha256(canonical.encode()).digest())


def _retired(key: _Key, now: float) -> bool:
    return now >= key.created + ROTATION + MAX_TTL


def _public_numbers(key: rsa.RSAPublicKey) -> dict[str, str]:
    numbers = key.public_numbers()
    return {"kty": "RSA", "n": _base64url(_octets(numbers.n)), "e": _base64url(_octets(numbers.e))}


def _octets(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
