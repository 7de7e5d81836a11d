"""Models that do as they are told: what a message says in marked words becomes facts, and everything that is
asked of them is seen by the test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from noted.models.seam import Block, Prompt, Purpose, Reply, ToolResult, Usage
from tests.standin.replies import extraction_item

# Made of syllables and nothing else: no rule takes it for a name, a number, a code or a word of a language.
WORD = re.compile(r"\bxo(?:[bdfgklmnprstvz][aeiou]){3}k\b", re.IGNORECASE)
_DRINKS = re.compile(r"I like the (\w+) tea", re.IGNORECASE)
_LIVES = re.compile(r"I live in (\w+)", re.IGNORECASE)
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = len(_CONSONANTS) * len(_VOWELS)
_USAGE = Usage(input_tokens=10, output_tokens=5, model_calls=1)

Seen = Callable[[Purpose, list[str]], None]


def word(number: int) -> str:
    """A word that stands nowhere else: the mark by which a fact is found wherever it got to."""
    syllables = ""
    for _ in range(3):
        number, digit = divmod(number, _SYLLABLES)
        syllables += _CONSONANTS[digit // len(_VOWELS)] + _VOWELS[digit % len(_VOWELS)]
    return f"xo{syllables}k"


def words_in(text: str) -> list[str]:
    """The marked words of a text, each as often as it stands there."""
    return [found.lower() for found in WORD.findall(text)]


class ScriptedModel:
    """Every purpose of a language model; `answer` is what it answers."""

    name = "scripted"

    def __init__(self, seen: Seen, answer: Callable[[], str]) -> None:
        self._seen = seen
        self._answer = answer

    def call(self, prompt: Prompt) -> Reply:
        """See `noted.models.seam.LanguageModel`."""
        asked = "\n".join(map(_text, prompt.messages[-1].blocks))
        everything = "\n".join(
            [block.text for block in prompt.system]
            + [_text(block) for message in prompt.messages for block in message.blocks]
        )
        self._seen(prompt.purpose, words_in(everything))
        return Reply(*self._said(prompt.purpose, asked), usage=_USAGE)

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The same, in one piece."""
        reply = self.call(prompt)
        yield reply.text
        yield reply

    def _said(self, purpose: Purpose, asked: str) -> tuple[str, dict[str, Any] | None]:
        if purpose is Purpose.EXTRACTION:
            return "", {"facts": _facts(asked)}
        if purpose is Purpose.CONSOLIDATION:
            return "", {"decisions": []}
        if purpose is Purpose.QUERY:
            return "", {"query": asked.rpartition("New message: ")[2], "since": None, "until": None}
        if purpose in (Purpose.SUMMARY, Purpose.EPISODE):
            told = dict.fromkeys(words_in(asked))
            return "\n".join(f"Likes the {each} tea." for each in told) or "Nothing.", None
        if purpose is Purpose.RECOLLECTION:
            return "; ".join(re.findall(r"^- (.+)$", asked, re.MULTILINE)) or "Nothing.", None
        return self._answer(), None


class HashingEmbedder:
    """Small vectors, the same for the same words."""

    name = "hashing"

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """See `noted.models.seam.Embedder`."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Eight numbers."""
        vector = [0.0] * 8
        for each in text.lower().split():
            digest = blake2b(each.encode(), digest_size=2).digest()
            vector[digest[0] % 8] += 1.0 if digest[1] & 1 else -1.0
        return vector if any(vector) else [1.0, *vector[1:]]


def _text(block: object) -> str:
    return block.text if isinstance(block, (Block, ToolResult)) else ""


def _facts(asked: str) -> list[dict[str, Any]]:
    items = [
        extraction_item(f"Likes the {found[1]} tea", found[0], category="preference")
        for found in _DRINKS.finditer(asked)
    ]
    items += [
        extraction_item(f"Lives in {found[1]}", found[0], category="identity", profile_field="home_town")
        for found in _LIVES.finditer(asked)
    ]
    return items
