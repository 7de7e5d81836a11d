"""Stored turns as the messages of a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Message:
    """One message of a prompt."""

    role: Literal["user", "assistant"]
    text: str


def replayed(turns: Sequence[tuple[str, str | None]]) -> list[Message]:
    """The turns, oldest first, each as a user's message and its answer.

    A turn that has no answer, or is blank on one side, is left out, since models refuse a history that does
    not start with the user, end with the assistant and alternate, and a message without text.
    """
    return [
        message
        for said, answer in turns
        if answer is not None and said.strip() and answer.strip()
        for message in (Message("user", said), Message("assistant", answer))
    ]
