"""Signatures by a key of AWS KMS that never leaves it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

from noted.errors import Unavailable
from noted.privacy.signing import jwk_of, raw

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient


class KmsSigner:
    """A signer with an asymmetric key of KMS (`ECC_NIST_P256`, for signing). `key_id` is its ARN. Its public
    half is asked for once."""

    def __init__(self, client: KMSClient, key_id: str) -> None:
        self._client = client
        self._key_id = key_id

    @cached_property
    def jwk(self) -> Mapping[str, str]:
        """See `Signer`. Raises Unavailable."""
        try:
            answer = self._client.get_public_key(KeyId=self._key_id)
        except (ClientError, BotoCoreError) as error:
            raise _unavailable() from error
        key = load_der_public_key(answer["PublicKey"])
        if not isinstance(key, ec.EllipticCurvePublicKey):
            raise TypeError("the key of receipts is not on P-256")
        return jwk_of(key)

    @property
    def kid(self) -> str:
        """See `Signer`. Raises Unavailable."""
        return self.jwk["kid"]

    def sign(self, message: bytes) -> str:
        """See `Signer`. KMS takes up to 4,096 bytes as they are, so a digest is sent."""
        try:
            answer = self._client.sign(
                KeyId=self._key_id,
                Message=hashlib.sha256(message).digest(),
                MessageType="DIGEST",
                SigningAlgorithm="ECDSA_SHA_256",
            )
        except (ClientError, BotoCoreError) as error:
            raise _unavailable() from error
        return raw(answer["Signature"])


def _unavailable() -> Unavailable:
    return Unavailable("The key that signs receipts cannot be reached at the moment.")
