"""The key that signs receipts on one machine: what a signing key of KMS is to the functions."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from local.files import create_private, private_folder
from noted.privacy.signing import KeySigner


class InvalidReceiptKeyError(Exception):
    """The key file is not one. It is never replaced: receipts that it signed could not be checked any
    more."""


def receipt_signer(data: Path) -> KeySigner:
    """The signer with the key in `<data>/receipt-key.pem`, which is made on first use. Raises
    InvalidReceiptKeyError."""
    path = private_folder(data) / "receipt-key.pem"
    if not path.exists():
        pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        create_private(path, pem)
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return KeySigner(key)
    except (ValueError, TypeError):
        pass
    raise InvalidReceiptKeyError(f"{path} does not hold a key on P-256. Put the right file back.")
