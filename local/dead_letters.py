"""The dead letters of one machine: a file with a line of JSON for each, ids only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from local.files import append_line
from noted.store.dead_letters import DeadLetter


class DeadLetterFile:
    """The file that `local.queue` writes. While its lines are gone through it has another name, so that what
    fails again meanwhile is written to a new one; what is left goes there too."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken = path.with_suffix(".taken")
        self._under_way = False

    def receive(self) -> Sequence[DeadLetter]:
        """All of them at once; when they have been gone through, none."""
        # Also what a run that was cut short had in hand.
        for line in self._lines():
            append_line(self._path, line)
        self._taken.unlink(missing_ok=True)
        self._under_way = not self._under_way and self._path.exists()
        if self._under_way:
            self._path.replace(self._taken)
        return [DeadLetter(json.loads(line)["body"] or "", line) for line in self._lines()]

    def remove(self, letter: DeadLetter) -> None:
        left = self._lines()
        left.remove(letter.receipt)
        draft = self._taken.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        for line in left:
            append_line(draft, line)
        if left:
            draft.replace(self._taken)
        else:
            self._taken.unlink()

    def _lines(self) -> list[str]:
        return self._taken.read_text().splitlines() if self._taken.exists() else []
