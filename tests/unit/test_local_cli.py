"""The command line."""

from __future__ import annotations

import io
from pathlib import Path

import jwt
import pytest

from local.cli import main
from local.issuer import AUDIENCE, ISSUER, Issuer
from local.listener import listen
from noted.api.bearer import verify


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOTED_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_token_prints_a_token_of_the_local_issuer_and_nothing_else(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "alice"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    now = jwt.decode(printed.strip(), options={"verify_signature": False})["iat"]
    keys = Issuer(data / "issuer").keys
    claims = verify(
        printed.strip(), key_of=keys().get, issuer=ISSUER, audiences=frozenset({AUDIENCE}), now=now
    )
    assert (claims["sub"], claims["scope"]) == ("alice", "memory:read memory:write")
    assert claims["exp"] - claims["iat"] == 3600


def test_a_scope_is_added_and_the_time_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "alice", "--scope", "memory:erase", "--scope", "memory:read", "--ttl", "60"]) == 0
    claims = jwt.decode(capsys.readouterr().out.strip(), options={"verify_signature": False})
    assert claims["scope"] == "memory:read memory:write memory:erase"
    assert claims["exp"] - claims["iat"] == 60


@pytest.mark.parametrize(
    "arguments",
    [["token", "a b"], ["token", ""], ["token", "alice", "--ttl", "0"], ["token", "alice", "--scope", "a b"]],
)
def test_what_cannot_be_is_refused_on_standard_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("noted: ")


@pytest.mark.parametrize("arguments", [[], ["token"], ["unknown"], ["token", "alice", "--ttl", "soon"]])
def test_a_wrong_call_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage: noted" in capsys.readouterr().err


def test_help_names_the_commands_and_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    printed = capsys.readouterr().out
    assert all(
        name in printed for name in ("serve", "token", "chat", "NOTED_PORT", "NOTED_DATA", "NOTED_MODEL")
    )


def test_chat_without_a_server_says_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with listen(0) as free:
        port = str(free.getsockname()[1])
    monkeypatch.setenv("NOTED_PORT", port)
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    assert main(["chat"]) == 1
    assert "make run" in capsys.readouterr().err
