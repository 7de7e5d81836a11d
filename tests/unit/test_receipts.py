"""Signatures of receipts, by a key at hand and by KMS, checked by others' code as well."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import boto3
import jwt
import pytest
from botocore.stub import Stubber
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm

from local.cli import main
from local.receipt_key import InvalidReceiptKeyError, receipt_signer
from noted.errors import Unavailable
from noted.privacy.receipt import ReceiptInvalid, verify
from noted.privacy.signing import KeySigner, canonical, is_signed, jwk_of, key_set, raw
from noted.store.kms_signing import KmsSigner
from tests.erasing import SIGNER

ARN = "arn:aws:kms:eu-west-1:123456789012:key/0b8e5c1e-5f1a-4d53-9a52-000000000001"


def test_the_key_set_and_the_signature_are_those_of_jose() -> None:
    # PyJWT's own reading of RFC 7517 and RFC 7518.
    published = jwt.PyJWKSet.from_dict(key_set([SIGNER.jwk]))
    [key] = published.keys
    signature = base64.urlsafe_b64decode(SIGNER.sign(b"told") + "==")
    assert len(signature) == 64
    assert ECAlgorithm(ECAlgorithm.SHA256).verify(b"told", key.key, signature)
    assert key.key_id == SIGNER.kid


def test_the_name_of_a_key_is_its_thumbprint() -> None:
    # Worked out by hand from RFC 7638: SHA-256 over the required members in the order of their names.
    numbers = ec.EllipticCurvePublicNumbers(
        int("48439561293906451759052585252797914202762949526041747995844080717082404635286"),
        int("36134250956749795798585127919587881956611106672985015071877198253568414405109"),
        ec.SECP256R1(),
    )
    assert jwk_of(numbers.public_key()) == {
        # The base point of P-256 (SEC 2, section 2.4.2), in base64url.
        "kty": "EC",
        "crv": "P-256",
        "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
        "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
        "kid": _thumbprint(
            '{"crv":"P-256","kty":"EC","x":"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",'
            '"y":"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}'
        ),
        "use": "sig",
        "alg": "ES256",
    }


def _thumbprint(canonical_form: str) -> str:
    digest = hashlib.sha256(canonical_form.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def test_kms_signs_what_its_published_key_checks() -> None:
    # Moto hashes a digest once more, which KMS does not: what KMS would answer is made here.
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    receipt = b"r" * 5000  # more than KMS takes as it is
    digest = hashlib.sha256(receipt).digest()
    client = boto3.client("kms", region_name="eu-west-1")
    with Stubber(client) as kms:
        kms.add_response("get_public_key", {"PublicKey": public}, {"KeyId": ARN})
        kms.add_response(
            "sign",
            {"Signature": key.sign(digest, ec.ECDSA(Prehashed(hashes.SHA256())))},
            {
                "KeyId": ARN,
                "Message": digest,
                "MessageType": "DIGEST",
                "SigningAlgorithm": "ECDSA_SHA_256",
            },
        )
        kms.add_client_error("sign", "DisabledException")
        signer = KmsSigner(client, ARN)
        assert signer.jwk == jwk_of(key.public_key())
        signature = signer.sign(receipt)
        assert is_signed(receipt, signature, signer.jwk)
        assert not is_signed(receipt + b"!", signature, signer.jwk)
        with pytest.raises(Unavailable):
            signer.sign(receipt)


def test_a_key_on_another_curve_signs_nothing() -> None:
    with pytest.raises(ValueError, match="P-256"):
        KeySigner(ec.generate_private_key(ec.SECP384R1()))


def test_the_key_of_a_machine_is_made_once_and_never_replaced(tmp_path: Path) -> None:
    first = receipt_signer(tmp_path)
    assert receipt_signer(tmp_path).kid == first.kid
    path = tmp_path / "receipt-key.pem"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("no key")
    with pytest.raises(InvalidReceiptKeyError):
        receipt_signer(tmp_path)
    assert path.read_text() == "no key"


RECEIPT = {"erasure_id": "er_1", "counts": {"memory": 2}, "stores": [{"name": "memory", "deleted": 2}]}


def signed(told: dict[str, Any], signer: KeySigner = SIGNER) -> dict[str, Any]:
    digest = hashlib.sha256(canonical(told)).hexdigest()
    unsigned = {**told, "sha256": digest, "kid": signer.kid}
    return {**unsigned, "signature": signer.sign(canonical(unsigned))}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=5), st.data())
def test_no_change_of_a_receipt_goes_unseen(told: dict[str, Any], data: st.DataObject) -> None:
    receipt = signed({name: value for name, value in told.items() if name not in {"sha256", "kid"}})
    keys = key_set([SIGNER.jwk])
    verify(json.loads(json.dumps(receipt)), keys)
    name = data.draw(st.sampled_from(sorted(receipt)))
    value = data.draw(JSON)
    if json.dumps(value) != json.dumps(receipt[name]):
        with pytest.raises(ReceiptInvalid):
            verify({**receipt, name: value}, keys)


def test_a_receipt_by_another_key_is_none() -> None:
    other = KeySigner(ec.generate_private_key(ec.SECP256R1()))
    receipt = signed(RECEIPT, other)
    with pytest.raises(ReceiptInvalid, match="none of the keys"):
        verify(receipt, key_set([SIGNER.jwk]))
    # Somebody who gives their own key the name of ours.
    forged = key_set([{**SIGNER.jwk, "kid": other.kid}])
    with pytest.raises(ReceiptInvalid, match="signature"):
        verify(receipt, forged)


@pytest.mark.parametrize(
    "keys", [{}, {"keys": None}, {"keys": ["kid"]}, {"keys": [{"kid": SIGNER.kid, "kty": "RSA"}]}]
)
def test_a_key_set_that_is_none_checks_nothing(keys: dict[str, Any]) -> None:
    with pytest.raises(ReceiptInvalid):
        verify(signed(RECEIPT), keys)


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    receipt, keys = tmp_path / "receipt.json", tmp_path / "keys.json"
    keys.write_text(json.dumps(key_set([SIGNER.jwk])))
    whole = {**RECEIPT, "scope": "memory", "subject_ref": "s_a", "completed_at": "2026-03-10T12:00:00.000Z"}
    for content, said in (
        ("no json", "is not a JSON object"),
        ("[]", "is not"),
        ('{"receipt": null}', "not complete"),
        (json.dumps({**signed(whole), "scope": "fact"}), "altered"),
    ):
        receipt.write_text(content)
        assert main(["verify-receipt", str(receipt), "--keys", str(keys)]) == 1
        assert said in capsys.readouterr().err
    receipt.write_text(json.dumps(signed(whole)))
    assert main(["verify-receipt", str(receipt), "--keys", str(keys)]) == 0
    assert main(["verify-receipt", str(receipt), "--keys", "http://example.com/keys"]) == 1
    assert "https" in capsys.readouterr().err
    assert main(["verify-receipt", str(tmp_path / "none"), "--keys", str(keys)]) == 1


@given(st.integers(1, 2**256 - 1), st.integers(1, 2**256 - 1))
def test_a_signature_of_x509_is_told_as_jose_tells_it(r: int, s: int) -> None:
    both = base64.urlsafe_b64decode(raw(encode_dss_signature(r, s)) + "==")
    assert both == r.to_bytes(32, "big") + s.to_bytes(32, "big")
    assert decode_dss_signature(encode_dss_signature(r, s)) == (r, s)
