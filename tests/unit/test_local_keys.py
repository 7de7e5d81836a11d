"""The folder of key files that wraps data keys on one machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from local.keys import KeyFolder
from noted.privacy.wrapping import CannotUnwrap

ALICE = f"o_{'a' * 26}#u_{'a' * 26}#g1"
BOB = f"o_{'a' * 26}#u_{'b' * 26}#g1"


def files(data: Path) -> list[Path]:
    return sorted((data / "keys").iterdir())


def test_a_data_key_comes_back_in_another_process(tmp_path: Path) -> None:
    key, wrapped = KeyFolder(tmp_path).new(ALICE)
    assert len(key) == 32
    assert key not in wrapped
    assert KeyFolder(tmp_path).unwrap(wrapped, ALICE) == key


def test_it_comes_back_for_nobody_else_and_not_altered(tmp_path: Path) -> None:
    folder = KeyFolder(tmp_path)
    _, wrapped = folder.new(ALICE)
    folder.new(BOB)
    for other, value in [
        (BOB, wrapped),
        (ALICE.replace("#g1", "#g2"), wrapped),
        (ALICE, wrapped[:-1] + bytes([wrapped[-1] ^ 1])),
        (ALICE, b""),
    ]:
        with pytest.raises(CannotUnwrap):
            folder.unwrap(value, other)


def test_only_its_owner_reads_a_key_file_whose_name_tells_nothing(tmp_path: Path) -> None:
    KeyFolder(tmp_path).new(ALICE)
    [file] = files(tmp_path)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert "a" * 26 not in file.name


def test_two_that_make_a_key_at_once_wrap_with_the_same(tmp_path: Path) -> None:
    one, other = KeyFolder(tmp_path), KeyFolder(tmp_path)
    first, second = one.new(ALICE), other.new(ALICE)
    assert len(files(tmp_path)) == 1
    assert (other.unwrap(first[1], ALICE), one.unwrap(second[1], ALICE)) == (first[0], second[0])


def test_what_was_destroyed_opens_nothing_and_others_stay(tmp_path: Path) -> None:
    folder = KeyFolder(tmp_path)
    _, wrapped = folder.new(ALICE)
    bobs, kept = folder.new(BOB)
    for _ in range(2):  # again is fine
        folder.destroy(ALICE)
    with pytest.raises(CannotUnwrap):
        folder.unwrap(wrapped, ALICE)
    assert folder.unwrap(kept, BOB) == bobs
    assert len(files(tmp_path)) == 1
    # A new file for the same user and generation is another key.
    folder.new(ALICE)
    with pytest.raises(CannotUnwrap):
        folder.unwrap(wrapped, ALICE)


def test_a_copy_of_the_wrapped_key_is_worth_nothing_after_it(tmp_path: Path) -> None:
    folder = KeyFolder(tmp_path / "data")
    _, wrapped = folder.new(ALICE)
    backup = bytes(wrapped)
    folder.destroy(ALICE)
    shutil.copytree(tmp_path / "data", tmp_path / "restored")
    with pytest.raises(CannotUnwrap):
        KeyFolder(tmp_path / "restored").unwrap(backup, ALICE)
