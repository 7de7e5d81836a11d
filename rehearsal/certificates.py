"""A certificate authority for one rehearsal, and the certificate of 127.0.0.1 that it signs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from local.files import create_private
from rehearsal.places import LOOPBACK

_VALID_FOR = timedelta(days=1)


@dataclass(frozen=True)
class Certificates:
    """Files in PEM: whom to trust, the server's certificate, and its private key."""

    authority: Path
    server: Path
    key: Path


def make_certificates(folder: Path) -> Certificates:
    """Makes both in `folder`, which must not hold any yet. They are valid for a day. The authority's key is
    kept nowhere."""
    authority_key, server_key = (
        ec.generate_private_key(ec.SECP256R1()),
        ec.generate_private_key(ec.SECP256R1()),
    )
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "rehearsal")])
    authority = (
        _builder(name, name, authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    server = (
        _builder(
            name, x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, LOOPBACK)]), server_key.public_key()
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address(LOOPBACK)), x509.DNSName("localhost")]),
            critical=False,
        )
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
        )
        .sign(authority_key, hashes.SHA256())
    )
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.server.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    private = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    create_private(made.key, private)
    return made


def _builder(
    issuer: x509.Name, subject: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .subject_name(subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + _VALID_FOR)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
