"""The dead letters of one machine, as something that is gone through and put back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from local.dead_letters import DeadLetterFile
from local.files import append_line


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dead-letters.jsonl"


def given_up(path: Path, *bodies: str | None) -> None:
    for body in bodies:
        append_line(path, json.dumps({"at": "2026-03-10T12:00:00.000Z", "body": body}))


def bodies(path: Path) -> list[str | None]:
    return [json.loads(line)["body"] for line in path.read_text().splitlines()] if path.exists() else []


def test_all_are_handed_out_once_and_those_that_are_not_removed_stay(path: Path) -> None:
    letters = DeadLetterFile(path)
    assert letters.receive() == []
    given_up(path, "a", "b", "c")
    first, second, third = letters.receive()
    assert [first.body, second.body, third.body] == ["a", "b", "c"]
    letters.remove(second)
    letters.remove(first)
    given_up(path, "d")  # fails meanwhile
    assert letters.receive() == []
    assert sorted(map(str, bodies(path))) == ["c", "d"]
    for letter in letters.receive():
        letters.remove(letter)
    assert letters.receive() == []
    assert list(path.parent.iterdir()) == []


def test_what_was_no_message_has_no_body(path: Path) -> None:
    given_up(path, None)
    assert [letter.body for letter in DeadLetterFile(path).receive()] == [""]


def test_a_run_that_is_cut_short_loses_none(path: Path) -> None:
    given_up(path, "a", "b")
    letters = DeadLetterFile(path)
    [first, _] = letters.receive()
    letters.remove(first)
    given_up(path, "c")
    assert sorted(letter.body for letter in DeadLetterFile(path).receive()) == ["b", "c"]
