"""The service's secret on one machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from local.secret import InvalidSecretFileError, service_secret


def test_it_is_made_once_and_kept(tmp_path: Path) -> None:
    first = service_secret(tmp_path).key("identity")
    assert service_secret(tmp_path).key("identity") == first
    assert re.fullmatch(r"[\x21-\x7e]{64}", (tmp_path / "secret").read_text())


def test_two_machines_have_two_secrets(tmp_path: Path) -> None:
    assert service_secret(tmp_path / "a").key("identity") != service_secret(tmp_path / "b").key("identity")


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        service_secret(tmp_path / "data")
    finally:
        os.umask(before)
    assert (tmp_path / "data" / "secret").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_processes_that_start_at_once_agree(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from local.secret import service_secret;"
        "print(service_secret(pathlib.Path(sys.argv[1])).key('x').hex())"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert {process.communicate()[0].strip() for process in running} == {
        service_secret(tmp_path).key("x").hex()
    }
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize("content", [b"", b"short", b"\x00" * 64])
def test_a_file_without_a_secret_is_refused_and_never_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises(InvalidSecretFileError):
        service_secret(tmp_path)
    assert (tmp_path / "secret").read_bytes() == content


def test_an_editor_may_have_ended_it_with_a_newline(tmp_path: Path) -> None:
    before = service_secret(tmp_path).key("identity")
    with (tmp_path / "secret").open("a") as file:
        file.write("\n")
    assert service_secret(tmp_path).key("identity") == before
