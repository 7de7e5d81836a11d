"""A prompt in letters: what a model reads where the prompt has ids."""

from __future__ import annotations

from dataclasses import replace

from noted.models.seam import Block, Prompt
from noted.privacy.letters import Letters


def lettered(prompt: Prompt) -> tuple[Prompt, Letters]:
    """The prompt with a token for each entity id, and its letters, which go on behind it. From stable to
    volatile, as the prompt stands, so that its beginning is the same in the next one."""
    letters = Letters()
    system = tuple(replace(block, text=letters.rendered(block.text)) for block in prompt.system)
    messages = tuple(
        replace(
            message,
            blocks=tuple(
                replace(block, text=letters.rendered(block.text)) if isinstance(block, Block) else block
                for block in message.blocks
            ),
        )
        for message in prompt.messages
    )
    return replace(prompt, system=system, messages=messages), letters
