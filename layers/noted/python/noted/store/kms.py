"""Data keys wrapped by one key of AWS KMS, with the user and generation as encryption context."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from noted.errors import Unavailable
from noted.privacy.wrapping import CannotUnwrap
from noted.store import keys

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient

SERVICE = "noted"
# KMS says so of a ciphertext that was altered, or wrapped in another context or by another key.
_FOREIGN = ("InvalidCiphertextException", "IncorrectKeyException")


class KmsWrapper:
    """One call of KMS for a new data key, and one for each that is not in the cache. `client` makes the
    client, which a call that finds all keys in the cache does not need; `key_id` is the key's ARN, empty in
    a function that may open nothing."""

    def __init__(self, client: Callable[[], KMSClient], key_id: str) -> None:
        self._make_client = client
        self._key_id = key_id

    @cached_property
    def _client(self) -> KMSClient:
        return self._make_client()

    def new(self, partition: str) -> tuple[bytes, bytes]:
        """See `KeyWrapper`."""
        try:
            answer = self._client.generate_data_key(
                KeyId=self._key_id, KeySpec="AES_256", EncryptionContext=context(partition)
            )
        except (ClientError, BotoCoreError) as error:
            raise _unavailable() from error
        return answer["Plaintext"], answer["CiphertextBlob"]

    def unwrap(self, wrapped: bytes, partition: str) -> bytes:
        """See `KeyWrapper`."""
        try:
            answer = self._client.decrypt(
                KeyId=self._key_id, CiphertextBlob=wrapped, EncryptionContext=context(partition)
            )
        except ClientError as error:
            if error.response["Error"]["Code"] in _FOREIGN:
                raise CannotUnwrap from None
            raise _unavailable() from error
        except BotoCoreError as error:
            raise _unavailable() from error
        return answer["Plaintext"]

    def destroy(self, partition: str) -> None:
        """Nothing: the one key wraps those of all users. A wrapped key is destroyed with its row, and with
        the recovery window of its table."""


def context(partition: str) -> dict[str, str]:
    """What KMS binds a data key to. It is plain in the trail of KMS, and holds derived ids only."""
    principal, generation = keys.read_partition(partition)
    return {
        "service": SERVICE,
        "organisation": principal.organisation,
        "user": principal.user,
        "generation": str(generation),
    }


def _unavailable() -> Unavailable:
    return Unavailable("The keys of the memory cannot be reached at the moment.")
