"""The stand-in's count of tokens, and of those that a provider's prompt cache would have had."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from typing import Any

from tests.standin.replies import Call

CHARACTERS_PER_TOKEN = 4


def tokens(text: str) -> int:
    """Four characters a token, a rest counts as one."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def prompt_text(call: Call) -> str:
    """What a prompt cache would compare: the tools, then the messages, each as JSON in the order in which its
    bytes came."""
    parts = [*call.body.get("tools", ()), *call.messages]
    return "\n".join(json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in parts)


class PromptCache:
    """Remembers every prompt of each purpose for ever: what it finds is what the layout of the prompts
    allows, not what some provider's cache keeps of it."""

    def __init__(self) -> None:
        self._prompts: defaultdict[str, list[str]] = defaultdict(list)

    def usage(self, call: Call, said: str) -> dict[str, Any]:
        """The usage of a call that said `said`. Its prompt is remembered.

        `cached_tokens` are the whole tokens of the longest beginning that it shares with any earlier prompt
        of its purpose.
        """
        prompt = prompt_text(call)
        prompts = self._prompts[call.purpose]
        # In sorted order no text shares a longer beginning with a text than one of its two neighbours.
        place = bisect_left(prompts, prompt)
        shared = max((_shared(prompt, other) for other in prompts[max(place - 1, 0) : place + 1]), default=0)
        prompts.insert(place, prompt)
        counts = tokens(prompt), tokens(said)
        return {
            "prompt_tokens": counts[0],
            "completion_tokens": counts[1],
            "total_tokens": sum(counts),
            "prompt_tokens_details": {"cached_tokens": shared // CHARACTERS_PER_TOKEN},
        }


def _shared(one: str, other: str) -> int:
    """The length of the beginning that two texts share."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
