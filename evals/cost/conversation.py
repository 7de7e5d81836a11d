"""The calls that a conversation makes, by the way in which its history is sent.

- *full replay*: every earlier turn, each time
- *sliding window*: the last turns, of which the oldest leaves at every turn
- *Noted*: its own layout, window, running summary and extraction

All three send the same system prompt by the same layout. Full replay and the sliding window remember nothing
between conversations, so they carry neither a snapshot nor recalled facts and extract none; Noted's are part
of its cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from evals.cost.caching import Request, read
from noted.context import layout
from noted.context.tokens import estimate
from noted.conversation.turn import Kept, Route, Summary, Turn
from noted.models.seam import Block, Prompt, ToolDefinition
from noted.recall.block import render

BEGAN = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
TIMEZONE = "Europe/Paris"
_PACE = timedelta(minutes=1)  # a cache of a provider lasts five
_MESSAGE_SHARE = 4  # a message is a quarter of its turn
_SENTENCE = "The quick brown fox jumps over the lazy dog while the band plays on. "


@dataclass(frozen=True)
class Talk:
    """A conversation: its turns, and the blocks of what memory tells at its beginning and beside each
    message."""

    turns: tuple[Turn, ...]
    snapshot: str | None = None
    recalled: str | None = None


@dataclass(frozen=True)
class Call:
    """One call of a model in a turn, counted from 1. `history_tokens` are those of the replayed turns."""

    turn: int
    request: Request
    history_tokens: int
    output_tokens: int


def talk(turns: int, tokens_per_turn: int = 400, snapshot_facts: int = 30, recalled_facts: int = 5) -> Talk:
    """A made-up conversation whose turns take exactly so many tokens each by `layout.tokens`."""
    return Talk(
        tuple(_turn(number, *_texts(number, tokens_per_turn)) for number in range(1, turns + 1)),
        snapshot=_facts("Told before", snapshot_facts),
        recalled=_facts("Also told", recalled_facts),
    )


def talk_of(exchanges: Sequence[tuple[str, str]]) -> Talk:
    """A conversation of real messages and answers, with made-up facts beside them."""
    made_up = talk(0)
    turns = tuple(_turn(number, *texts) for number, texts in enumerate(exchanges, 1))
    return replace(made_up, turns=turns)


def full_replay(held: Talk) -> Iterator[Call]:
    """The calls when all earlier turns are sent each time."""
    for number, turn in enumerate(held.turns):
        yield answered(number + 1, turn, prompt_of(turn, held.turns[:number]))


def sliding_window(held: Talk, most: int) -> Iterator[Call]:
    """The calls when the last `most` turns are sent. No cache point follows them: the oldest turn leaves each
    time, so nothing behind it would be found again, and keeping it would cost more than sending it."""
    for number, turn in enumerate(held.turns):
        prompt = prompt_of(turn, held.turns[max(0, number - most) : number])
        yield answered(number + 1, turn, _without_points(prompt))


def answered(number: int, turn: Turn, prompt: Prompt) -> Call:
    """The call that answers a turn's message."""
    _, history_tokens, _ = layout.prompt_tokens(prompt)
    return Call(number, read(prompt), history_tokens, estimate(turn.answer))


def prompt_of(
    turn: Turn,
    window: Sequence[Turn],
    snapshot: str | None = None,
    summary: Summary | None = None,
    recalled: str | None = None,
    tools: Sequence[ToolDefinition] = (),
) -> Prompt:
    """The prompt of an answer to a turn's message behind these turns."""
    new = layout.NewMessage(turn.message, turn.said_at, TIMEZONE, recalled=recalled)
    return layout.answer(snapshot, summary.block if summary else None, layout.history(window), new, tools)


def _without_points(prompt: Prompt) -> Prompt:
    messages = tuple(
        replace(
            message,
            blocks=tuple(
                replace(block, cache_point=False) if isinstance(block, Block) else block
                for block in message.blocks
            ),
        )
        for message in prompt.messages
    )
    return replace(prompt, messages=messages)


def _turn(number: int, message: str, answer: str) -> Turn:
    at = BEGAN + number * _PACE
    return Turn(f"tn_{number}", "cv_1", at, at, Route.ANSWER, message, answer, Kept.QUEUED)


def _texts(number: int, tokens: int) -> tuple[str, str]:
    empty = layout.tokens(_turn(number, "", ""))
    message = tokens // _MESSAGE_SHARE - empty
    return made_up_text(f"Question {number:04}. ", message), made_up_text(
        f"Answer {number:04}. ", tokens - empty - message
    )


def made_up_text(opening: str, tokens: int) -> str:
    """A text of so many tokens."""
    characters = tokens * 4
    text = opening + _SENTENCE * (characters // len(_SENTENCE) + 1)
    return text[: characters - 1] + "."


def _facts(opening: str, number: int) -> str | None:
    return render(
        ("fact", f"{opening}, number {each}: prefers the early train on Mondays") for each in range(number)
    )
