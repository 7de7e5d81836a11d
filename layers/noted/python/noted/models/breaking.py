"""Models behind a circuit breaker: one that is down fails at once instead of with its time-out."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noted.errors import ModelError, ModelUnavailable

if TYPE_CHECKING:
    from noted.breaker import Breaker
    from noted.models.seam import Embedder, LanguageModel, Prompt, Reply

# A call that was given less time than this tells of its caller's haste, and nothing of the model.
_TELLING_SECONDS = 2.5
# The provider answered, and found the request itself wrong, or there was no time to ask it.
_NOT_ITS_FAULT = ("rejected", "deadline")


class Breaking:
    """A language model behind a breaker."""

    def __init__(self, model: LanguageModel, breaker: Breaker) -> None:
        self.name = model.name
        self._model = model
        self._breaker = breaker

    def call(self, prompt: Prompt) -> Reply:
        """The model's reply. Raises ModelUnavailable (`open` where it was not asked), ModelRefused or
        MalformedOutput."""
        with _watched(self._breaker, hurried=_hurried(prompt)):
            return self._model.call(prompt)

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The model's reply in pieces, then whole. Raises what `call` raises, also half way."""
        with _watched(self._breaker, hurried=_hurried(prompt)):
            yield from self._model.stream(prompt)


class BreakingEmbedder:
    """An embedder behind a breaker."""

    def __init__(self, embedder: Embedder, breaker: Breaker) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._breaker = breaker

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text. Raises ModelUnavailable (`open` where it was not asked) or MalformedOutput."""
        with _watched(self._breaker):
            return self._embedder.embed_facts(texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search with. Raises what `embed_facts` raises."""
        with _watched(self._breaker):
            return self._embedder.embed_query(text)


def _hurried(prompt: Prompt) -> bool:
    return prompt.seconds is not None and prompt.seconds < _TELLING_SECONDS


@contextmanager
def _watched(breaker: Breaker, *, hurried: bool = False) -> Generator[None, None, None]:
    """`hurried`: that there was no answer in time says nothing."""
    if not breaker.allows():
        raise ModelUnavailable("open")
    try:
        yield
    except ModelUnavailable as error:
        if error.reason not in _NOT_ITS_FAULT and not (hurried and error.reason == "timeout"):
            breaker.record(succeeded=False)
        raise
    except (ModelError, GeneratorExit):
        # It answered: a refusal, something unreadable, or more than its reader wanted.
        breaker.record(succeeded=True)
        raise
    except OSError:
        breaker.record(succeeded=False)
        raise
    breaker.record(succeeded=True)
