"""A prompt as clients get it that call a model themselves."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from noted.api.replies.common import Reply
from noted.api.replies.memory import FactReply, facts
from noted.models.seam import Block

if TYPE_CHECKING:
    from noted.conversation.outcome import Context


class MessageReply(Reply):
    """A message as chat models take it."""

    role: Literal["user", "assistant"]
    content: str


class CachePointReply(Reply):
    """What stands up to and with this part is the same in the next prompt, and worth caching."""

    within: Literal["system", "messages"]
    index: int


class ContextTokensReply(Reply):
    """About how many tokens the parts take, and how many there may be."""

    system: int
    history: int
    message: int
    total: int
    budget: int


class ContextReply(Reply):
    """The prompt for a message: `system` from stable to volatile, then `messages`. Personal values are
    masked; `placeholders` says what each token of the prompt stands for, so that the client can put it back
    into the model's answer."""

    system: list[str]
    messages: list[MessageReply]
    cache_points: list[CachePointReply]
    recalled: list[FactReply]
    tokens: ContextTokensReply
    placeholders: dict[str, str]
    degraded: list[str]


def context(value: Context, budget: int, now: datetime) -> ContextReply:
    """The prompt for a message."""
    prompt = value.prompt
    messages = [[block for block in each.blocks if isinstance(block, Block)] for each in prompt.messages]
    points = [
        CachePointReply(within="system", index=index)
        for index, block in enumerate(prompt.system)
        if block.cache_point
    ] + [
        CachePointReply(within="messages", index=index)
        for index, blocks in enumerate(messages)
        if any(block.cache_point for block in blocks)
    ]
    return ContextReply(
        system=[block.text for block in prompt.system],
        messages=[
            MessageReply(role=each.role, content="\n\n".join(block.text for block in blocks))
            for each, blocks in zip(prompt.messages, messages, strict=True)
        ],
        cache_points=points,
        recalled=facts(value.recalled, now),
        tokens=ContextTokensReply(**vars(value.tokens), total=value.tokens.total, budget=budget),
        placeholders=dict(value.placeholders),
        degraded=list(value.degraded),
    )
