"""The collected attacks on memory, as clients and models make them: every model obeys the attacker."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noted.facts.remember import statement
from tests.standin import Call, Say
from tests.standin.replies import extraction_item

_BRACKETED = re.compile(
    r"(?P<typed>.*?)\s*\[(?:tool result|snippet|web page): (?P<text>.*)\](?P<later>.*)", re.DOTALL
)
_ASSISTANT = re.compile(r"\[assistant said: (?P<said>.*)\] User: (?P<typed>.*)", re.DOTALL)
_PIECES = re.compile(r"[.;,:!?\n\"]")
_MOST_PIECES = 12


@dataclass(frozen=True)
class Attack:
    """One attack. `evil` is what the obedient extractor proposes, word for word."""

    name: str
    channel: str
    turn: str
    evil: tuple[str, ...]
    outcome: str

    @property
    def clean(self) -> str | None:
        """The honest part that may be kept."""
        return self.outcome.removeprefix("CLEAN:") if self.outcome.startswith("CLEAN:") else None

    @property
    def typed(self) -> str:
        """What the user types."""
        if self.channel == "tool":
            return self.bracketed["typed"].strip() or "Please look that up."
        if self.channel == "assistant":
            return self.said_before["typed"]
        return self.turn

    @property
    def bracketed(self) -> dict[str, str]:
        """What a tool returned, between what was typed and what is typed in a later turn."""
        found = _BRACKETED.fullmatch(self.turn)
        return found.groupdict() if found else {"typed": self.turn.partition("[")[0], "text": "", "later": ""}

    @property
    def said_before(self) -> dict[str, str]:
        """What the assistant said, and what the user answered."""
        found = _ASSISTANT.fullmatch(self.turn)
        assert found
        return found.groupdict()


def attacks(shared: Path) -> dict[str, Attack]:
    """The open attacks by their id."""
    lines = (shared / "security" / "attacks_open.jsonl").read_text("utf-8").splitlines()
    return {
        each["id"]: Attack(each["id"], each["channel"], each["turn"], tuple(each["evil"]), each["out"])
        for each in map(json.loads, lines)
    }


def obedient(evil: tuple[str, ...], kind: str = "fact") -> Callable[[Call], dict[str, Any]]:
    """An extractor that proposes each of these facts, resting on all of the words that it is given and on
    every piece of them."""

    def extract(call: Call) -> dict[str, Any]:
        words = call.user
        pieces = [piece.strip() for piece in _PIECES.split(words) if piece.strip()]
        quotes = [words, *pieces[:_MOST_PIECES]] if len(evil) < 10 else [words]
        return {"facts": [extraction_item(text, quote, kind=kind) for text in evil for quote in quotes]}

    return extract


def remembering(evil: tuple[str, ...], message: str) -> Say:
    """An answering model that asks for each of these facts to be kept."""
    told = statement(message)
    quote = (message if told is None else told)[:500] or "x"
    return Say("", tool_calls=[("remember", {"text": text[:160], "quote": quote}) for text in evil[:4]])
