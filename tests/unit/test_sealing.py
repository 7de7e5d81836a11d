"""Sealing: one cipher, bound to its place, checked against known answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from hypothesis import given
from hypothesis import strategies as st

from noted.privacy.sealing import CannotOpen, Place, Sealer

KEY = bytes(range(32))
PLACE = Place("noted-memory", "o_a#u_b#g1", "FACT#ft_1", "content")


def test_a_value_that_was_sealed_by_the_book_opens() -> None:
    # Put together by hand from the format: version, nonce, ciphertext; the version and the parts of the
    # place, each with its length in four bytes, are authenticated.
    bound = b"\x01" + b"".join(
        len(part).to_bytes(4, "big") + part
        for part in (b"noted-memory", b"o_a#u_b#g1", b"FACT#ft_1", b"content")
    )
    nonce = b"twelve bytes"
    sealed = b"\x01" + nonce + AESGCM(KEY).encrypt(nonce, "thé".encode(), bound)
    assert Sealer(KEY).open(sealed, PLACE).decode() == "thé"


def test_the_cipher_is_that_of_the_standard() -> None:
    # Test case 16 of "The Galois/Counter Mode of Operation" (McGrew, Viega): AES-256 with associated data.
    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2)
    plain = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    associated = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    sealed = AESGCM(key).encrypt(bytes.fromhex("cafebabefacedbaddecaf888"), plain, associated)
    assert sealed.hex() == (
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        "76fc6ece0f4e1768cddf8853bb2d551b"
    )


@given(st.binary(max_size=300))
def test_whatever_is_sealed_opens_at_its_place_and_is_29_bytes_longer(content: bytes) -> None:
    sealer = Sealer(KEY)
    sealed = sealer.seal(content, PLACE)
    assert (sealer.open(sealed, PLACE), len(sealed)) == (content, len(content) + 29)


@pytest.mark.parametrize("part", ["table", "partition", "sort_key", "attribute"])
def test_it_opens_at_no_other_place(part: str) -> None:
    sealed = Sealer(KEY).seal(b"tea", PLACE)
    with pytest.raises(CannotOpen):
        Sealer(KEY).open(sealed, replace(PLACE, **{part: getattr(PLACE, part) + "x"}))


def test_no_two_places_are_bound_alike() -> None:
    one = Place("ab", "c", "d", "e")
    assert one.bound() != Place("a", "bc", "d", "e").bound()


@given(st.integers(0, 31), st.integers(0, 7))
def test_one_altered_bit_is_found(place: int, bit: int) -> None:
    sealed = bytearray(Sealer(KEY).seal(b"tea", PLACE))
    sealed[place % len(sealed)] ^= 1 << bit
    with pytest.raises(CannotOpen):
        Sealer(KEY).open(bytes(sealed), PLACE)


def test_it_opens_under_no_other_key_and_never_as_plain_text() -> None:
    sealed = Sealer(KEY).seal(b"tea", PLACE)
    for key, value in [
        (bytes(32), sealed),
        (KEY, b"tea"),
        (KEY, b""),
        (KEY, b"\x01"),
        (KEY, b"\x02" + sealed[1:]),
    ]:
        with pytest.raises(CannotOpen):
            Sealer(key).open(value, PLACE)


def test_no_nonce_is_used_twice() -> None:
    sealer = Sealer(KEY)
    nonces = {sealer.seal(b"", PLACE)[1:13] for _ in range(20_000)}
    assert len(nonces) == 20_000


def test_the_vault_and_the_blind_index_have_keys_of_their_own() -> None:
    def derived(purpose: bytes) -> bytes:
        return HKDFExpand(SHA256(), 32, purpose).derive(KEY)

    sealer = Sealer(KEY)
    in_the_vault = sealer.vault.seal(b"tea", PLACE)
    assert Sealer(derived(b"vault")).open(in_the_vault, PLACE) == b"tea"
    with pytest.raises(CannotOpen):
        sealer.open(in_the_vault, PLACE)
    mac = HMAC(derived(b"blind index"), SHA256())
    mac.update(b"\x00\x00\x00\x04fact\x00\x00\x00\x03tea")
    assert sealer.blind("fact", "tea") == mac.finalize()


def test_blind_marks_tell_parts_apart() -> None:
    sealer = Sealer(KEY)
    assert sealer.blind("a", "bc") != sealer.blind("ab", "c")
