"""What the rest of the library knows of a model: a purpose goes out with messages, text or data comes back.

An implementation sends the purpose with each call, bounds its own time, retries once where a second try can
help, and raises `ModelUnavailable`, `ModelRefused` or `MalformedOutput`; nothing else leaves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol


class Purpose(StrEnum):
    """Why a model is called. A gateway can route by it and a bill can be split by it."""

    ANSWER = "answer"
    EXTRACTION = "extraction"
    CONSOLIDATION = "consolidation"
    SUMMARY = "summary"
    EPISODE = "episode"
    QUERY = "query"
    RECOLLECTION = "recollection"


@dataclass(frozen=True)
class Block:
    """A piece of a prompt. `cache_point`: what stands up to and with it is stable and worth caching."""

    text: str
    cache_point: bool = False


@dataclass(frozen=True)
class ToolDefinition:
    """A tool that a model may ask for. `parameters` is the JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """What a model asks of a tool. `arguments` is a JSON object that nobody has checked yet."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ToolResult:
    """What a tool answered to the call of that id, as text for the model."""

    call_id: str
    text: str
    failed: bool = False


@dataclass(frozen=True)
class PromptMessage:
    """One message of a prompt; its blocks are sent in order. Tool calls stand in a message of the assistant,
    after its text; their results, one for each, stand in the user's message that follows."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block | ToolCall | ToolResult, ...]


@dataclass(frozen=True)
class Prompt:
    """A whole call: `system` from stable to volatile, then `messages`, alternating, the first and the last by
    the user. `tools` stand before everything else, in a fixed order.

    `schema`, a JSON schema of an object, asks for data instead of text: the reply's `data` then holds the
    parsed object (parsed, not yet checked against the schema). `seconds` is what the whole call may take
    where that is less than its purpose allows.
    """

    purpose: Purpose
    system: tuple[Block, ...]
    messages: tuple[PromptMessage, ...]
    schema: Mapping[str, Any] | None = None
    max_output_tokens: int = 1024
    tools: tuple[ToolDefinition, ...] = ()
    seconds: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Usage:
    """Tokens of one or more calls, as the provider counted them. `input_tokens` are all that was read: what
    the provider's cache had of it is `cache_read_tokens`, what it took for later `cache_write_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    model_calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.model_calls + other.model_calls,
        )


def total(usage: Iterable[Usage]) -> Usage:
    """All of it together."""
    return sum(usage, Usage())


@dataclass(frozen=True)
class Reply:
    """What a model said: `text`, for a prompt with a schema `data`, a JSON object, and for a prompt with
    tools the calls that it asks for; `text` may then be empty."""

    text: str
    data: Mapping[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    tool_calls: tuple[ToolCall, ...] = ()


class LanguageModel(Protocol):
    """A chat model."""

    name: str

    def call(self, prompt: Prompt) -> Reply:
        """Raises ModelUnavailable, ModelRefused or MalformedOutput."""
        ...

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The text of a reply in pieces as they come, then the whole reply, as the last item.

        A second try is made only as long as no piece has been given. Raises what `call` raises, also half
        way. Not for a prompt with a schema.
        """
        ...


class Embedder(Protocol):
    """A text embedder. Vectors of one `name` can be compared with each other and with no others."""

    name: str

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, for texts that will be searched. Raises ModelUnavailable or MalformedOutput."""
        ...

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search with. Raises ModelUnavailable or MalformedOutput."""
        ...


class Reranker(Protocol):
    """A model that reads a query and a text together and says how well the one answers the other."""

    name: str

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score from 0 to 1 for each text, in their order. Raises ModelUnavailable."""
        ...
