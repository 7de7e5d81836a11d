"""The token issuer of one machine: its key set, its rotation, its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from local.issuer import AUDIENCE, ISSUER, InvalidKeyFileError, Issuer, thumbprint
from noted.api import bearer

DAY = 24 * 3600
START = 1_800_000_000


class Clock:
    """Seconds since 1970, set by the test."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def accepted(issuer: Issuer, token: str, now: float) -> bool:
    try:
        bearer.verify(
            token,
            key_of=issuer.keys().get,
            issuer=ISSUER,
            audiences=frozenset({AUDIENCE}),
            now=now,
        )
    except bearer.InvalidTokenError:
        return False
    return True


def key_id(token: str) -> str:
    return str(jwt.get_unverified_header(token)["kid"])


def test_a_token_carries_what_the_service_asks_for(tmp_path: Path) -> None:
    token = Issuer(tmp_path, now=Clock()).token("alice", ttl=60)
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims.pop("jti")
    assert claims == {
        "iss": "https://noted.local",
        "aud": "noted",
        "sub": "alice",
        "scope": "memory:read memory:write",
        "iat": START,
        "nbf": START,
        "exp": START + 60,
        "token_use": "access",
    }
    assert jwt.get_unverified_header(token)["alg"] == "RS256"


@pytest.mark.parametrize("subject", ["", "a b", "a\n", "é", "a" * 256, " alice", "a\x00b"])
def test_a_subject_that_the_service_would_refuse_gets_no_token(tmp_path: Path, subject: str) -> None:
    with pytest.raises(ValueError, match="subject"):
        Issuer(tmp_path).token(subject)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ttl", [0, -1, 30 * DAY + 1])
def test_a_token_lives_between_a_second_and_thirty_days(tmp_path: Path, ttl: int) -> None:
    with pytest.raises(ValueError, match="seconds"):
        Issuer(tmp_path).token("alice", ttl=ttl)


def test_a_scope_is_one_word(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="scope"):
        Issuer(tmp_path).token("alice", ["memory:read memory:erase"])


def test_the_thumbprint_is_that_of_the_standard() -> None:
    # The example of RFC 7638, section 3.1.
    modulus = (
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3o"
        "knjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZH"
        "zu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEg"
        "U8awapJzKnqDKgw"
    )
    number = int.from_bytes(jwt.utils.base64url_decode(modulus), "big")
    key = rsa.RSAPublicNumbers(e=65537, n=number).public_key()
    assert thumbprint(key) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"


def test_the_key_set_verifies_a_token_by_itself(tmp_path: Path) -> None:
    issuer = Issuer(tmp_path)
    token = issuer.token("alice")
    (published,) = jwt.PyJWKSet.from_dict(issuer.key_set()).keys
    assert published.key_id == key_id(token)
    assert jwt.decode(token, published, algorithms=["RS256"], audience="noted")["sub"] == "alice"
    assert not {"d", "p", "q"} & set(issuer.key_set()["keys"][0])


def test_a_new_key_signs_after_thirty_days_and_the_old_one_stays_for_its_tokens(tmp_path: Path) -> None:
    clock = Clock()
    issuer = Issuer(tmp_path, now=clock)
    first = issuer.token("alice")
    clock.now = START + 30 * DAY - 1
    last_of_old = issuer.token("alice", ttl=30 * DAY)
    clock.now = START + 30 * DAY
    new = issuer.token("alice")
    assert key_id(last_of_old) == key_id(first)
    assert key_id(new) != key_id(first)
    clock.now = START + 60 * DAY - 2
    assert accepted(issuer, last_of_old, clock.now)
    clock.now = START + 60 * DAY
    assert set(issuer.keys()) == {key_id(new)}


def test_a_retired_key_is_removed_when_the_next_one_is_made(tmp_path: Path) -> None:
    clock = Clock()
    issuer = Issuer(tmp_path, now=clock)
    first = key_id(issuer.token("alice"))
    clock.now = START + 61 * DAY
    second = key_id(issuer.token("alice"))
    assert [path.name for path in tmp_path.iterdir()] == [f"{START + 61 * DAY}.{second}.pem"]
    assert first != second


def test_private_keys_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "issuer"
    before = os.umask(0)
    try:
        Issuer(folder).token("alice")
    finally:
        os.umask(before)
    (key,) = folder.iterdir()
    assert key.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_swapped_key_file_is_refused(tmp_path: Path) -> None:
    ours, theirs = Issuer(tmp_path / "ours"), Issuer(tmp_path / "theirs")
    ours.token("alice")
    theirs.token("mallory")
    (key,) = (tmp_path / "ours").iterdir()
    (foreign,) = (tmp_path / "theirs").iterdir()
    key.write_bytes(foreign.read_bytes())
    with pytest.raises(InvalidKeyFileError, match=key.name):
        Issuer(tmp_path / "ours").keys()


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_a_broken_key_file_is_refused(tmp_path: Path, content: bytes) -> None:
    Issuer(tmp_path).token("alice")
    (key,) = tmp_path.iterdir()
    key.write_bytes(content)
    with pytest.raises(InvalidKeyFileError):
        Issuer(tmp_path).token("alice")


def test_a_key_made_by_another_process_is_known_at_once(tmp_path: Path) -> None:
    server = Issuer(tmp_path)
    assert server.keys() == {}
    token = Issuer(tmp_path).token("alice")
    assert set(server.keys()) == {key_id(token)}


def test_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from local.issuer import Issuer;"
        "print(Issuer(pathlib.Path(sys.argv[1])).token('a'))"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "issuer")],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    printed = [process.communicate()[0].strip() for process in running]
    issuer = Issuer(tmp_path / "issuer")
    assert len(issuer.keys()) == 1
    assert all(accepted(issuer, token, time.time()) for token in printed)


def test_the_key_set_is_json(tmp_path: Path) -> None:
    issuer = Issuer(tmp_path)
    issuer.token("alice")
    assert json.loads(json.dumps(issuer.key_set()))["keys"][0]["alg"] == "RS256"
