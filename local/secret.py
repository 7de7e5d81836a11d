"""The service's one secret, in a key file: what a secret of the cloud's key store is to the functions."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from local.files import create_private, private_folder
from noted.identity import Secrets

_LENGTH = 64
_SHAPE = re.compile(rb"[\x21-\x7e]{32,}")


class InvalidSecretFileError(Exception):
    """The key file is not one. It is never replaced: without its secret all data of all users is lost."""


def service_secret(data: Path) -> Secrets:
    """The keys derived from `<data>/secret`, a file of 64 random characters that is made on first use.

    Raises InvalidSecretFileError if the file holds fewer than 32 printable characters.
    """
    path = private_folder(data) / "secret"
    create_private(path, secrets.token_hex(_LENGTH // 2).encode())
    content = path.read_bytes().strip()
    if not _SHAPE.fullmatch(content):
        raise InvalidSecretFileError(
            f"{path} does not hold a secret. Put the right file back; it is not replaced."
        )
    return Secrets(content)
