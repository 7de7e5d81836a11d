"""How much of a request a provider's prompt cache has already, by the rules that the providers publish.

A provider caches prefixes: what a request has in common with an earlier one from its first byte on. Two ways
of doing that are in use:

- *At cache points* (Anthropic, Amazon Bedrock's Converse): a request marks up to four places. What stands
  before each is kept if it has a least number of tokens; the next request finds it if one of its own places
  is at most 20 blocks further on. What is kept for the first time is dearer than plain input.
- *In steps* (OpenAI): any common prefix from 1,024 tokens on is found, in steps of 128. Models before GPT-5.6
  keep it for nothing, later ones for a price.

Both forget after some minutes without a request; here every request comes before that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Protocol

from noted.context.tokens import estimate
from noted.models.seam import Block, Prompt, Purpose, ToolCall, ToolResult

# Where a message begins, a provider adds its role and its marks.
TOKENS_PER_MESSAGE = 4
_MOST_POINTS = 4
_LOOK_BACK_BLOCKS = 20
_STEP_TOKENS = 128


@dataclass(frozen=True)
class Part:
    """A piece of a request: what a provider reads of it, its tokens, and whether a cache point follows."""

    data: bytes
    tokens: int
    cache_point: bool = False


@dataclass(frozen=True)
class Request:
    """A prompt as a provider reads it, from its first byte on."""

    purpose: Purpose
    parts: tuple[Part, ...]

    @property
    def tokens(self) -> int:
        """All of its tokens."""
        return sum(part.tokens for part in self.parts)


@dataclass(frozen=True)
class Input:
    """The input tokens of a request by what they cost: found in the cache, kept there, or neither."""

    read: int = 0
    written: int = 0
    plain: int = 0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.read + self.written + self.plain

    def __add__(self, other: Input) -> Input:
        return Input(self.read + other.read, self.written + other.written, self.plain + other.plain)


class Cache(Protocol):
    """A provider's cache, as one conversation fills it."""

    def send(self, request: Request) -> Input:
        """What of a request was known, and what is known from now on."""
        ...


def read(prompt: Prompt) -> Request:
    """A prompt in the order in which providers read it: tools, system, messages."""
    return Request(prompt.purpose, tuple(_parts(prompt)))


def _parts(prompt: Prompt) -> Iterator[Part]:
    for tool in prompt.tools:
        definition = json.dumps(asdict(tool), ensure_ascii=False)
        yield Part(definition.encode(), estimate(definition))
    for block in prompt.system:
        yield _part(block.text, "", block.cache_point)
    for message in prompt.messages:
        for number, content in enumerate(message.blocks):
            yield _part(
                _text(content),
                "" if number else f"\n{message.role}: ",
                isinstance(content, Block) and content.cache_point,
            )


def _part(text: str, opening: str, cache_point: bool) -> Part:
    tokens = estimate(text) + (TOKENS_PER_MESSAGE if opening else 0)
    return Part((opening + text).encode("utf-8", "surrogatepass"), tokens, cache_point)


def _text(content: Block | ToolCall | ToolResult) -> str:
    return content.text if isinstance(content, Block) else json.dumps(asdict(content), ensure_ascii=False)


class PointCache:
    """Keeps prefixes of at least `least` tokens at cache points."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._kept: set[bytes] = set()

    def send(self, request: Request) -> Input:
        """What of a request was known, and what is known from now on."""
        tokens = [0, *accumulate(part.tokens for part in request.parts)]
        prefixes = _prefixes(request)
        points = [end for end, part in enumerate(request.parts, 1) if part.cache_point][-_MOST_POINTS:]
        found = max(
            (
                end
                for point in points
                for end in range(max(point - _LOOK_BACK_BLOCKS, 0), point + 1)
                if prefixes[end] in self._kept
            ),
            default=0,
        )
        keeping = [point for point in points if tokens[point] >= self._least]
        self._kept.update(prefixes[point] for point in keeping)
        last = max(keeping[-1] if keeping else 0, found)
        return Input(tokens[found], tokens[last] - tokens[found], tokens[-1] - tokens[last])


def _prefixes(request: Request) -> list[bytes]:
    """A digest of each prefix that ends with a part, the empty one first."""
    hashed = hashlib.sha256()
    digests = [hashed.digest()]
    for part in request.parts:
        hashed.update(len(part.data).to_bytes(8, "big") + part.data)
        digests.append(hashed.digest())
    return digests


class StepCache:
    """Finds the prefix that a request has in common with the one before of the same purpose, in steps, from
    `least` tokens on."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._before: dict[Purpose, Request] = {}

    def send(self, request: Request) -> Input:
        """What of a request was known, and what is known from now on."""
        before = self._before.get(request.purpose)
        self._before[request.purpose] = request
        found = self._stepped(common_tokens(before, request)) if before else 0
        kept = self._stepped(request.tokens)
        return Input(found, kept - found, request.tokens - kept)

    def _stepped(self, tokens: int) -> int:
        return tokens - tokens % _STEP_TOKENS if tokens >= self._least else 0


def common_tokens(before: Request, after: Request) -> int:
    """The tokens of the longest prefix, to the byte, that two requests have in common."""
    common = 0
    for old, new in zip(before.parts, after.parts, strict=False):
        if old.data != new.data:
            same = _common_bytes(old.data, new.data)
            return common + new.tokens * same // len(new.data) if same else common
        common += new.tokens
    return common


def _common_bytes(one: bytes, other: bytes) -> int:
    shorter = min(len(one), len(other))
    return next((place for place in range(shorter) if one[place] != other[place]), shorter)
