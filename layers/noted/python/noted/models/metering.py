"""What model calls cost, as metrics by purpose, model and outcome: a line a call. Tokens are metrics by model
alone as well, for their price. A line holds counts, the name of the model and the purpose of the call.

The seam tells nothing of the tokens of a call that failed: such a call counts with its outcome and its time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from noted import metrics
from noted.errors import MalformedOutput, ModelError, ModelRefused

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.models.seam import Embedder, LanguageModel, Prompt, Reply, Usage

logger = logging.getLogger("noted.models")

EMBEDDING = "embedding"


class CallOutcome(StrEnum):
    """How a call ended. `abandoned`: whoever read the stream went away before its end."""

    OK = "ok"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    MALFORMED = "malformed"
    ABANDONED = "abandoned"


class Meter:
    """Writes the metrics of calls to the log. `monotonic` is in seconds."""

    def __init__(self, clock: Clock, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._monotonic = monotonic

    @contextmanager
    def call(self, purpose: str, model: str) -> Iterator[dict[str, int]]:
        """Times a call and writes its line when it ends. What is put into the dictionary are counts of the
        call, by the names of their metrics. Raises what the call raises."""
        counts: dict[str, int] = {}
        outcome = CallOutcome.UNAVAILABLE
        began = self._monotonic()
        try:
            yield counts
            outcome = CallOutcome.OK
        except ModelError as error:
            outcome = _outcome(error)
            raise
        except GeneratorExit:
            outcome = CallOutcome.ABANDONED
            raise
        finally:
            milliseconds = round((self._monotonic() - began) * 1000)
            metrics.write(
                metrics.MODEL_CALLS,
                self._clock.now(),
                {"Calls": 1, **counts, "Duration": milliseconds},
                log=logger,
                purpose=purpose,
                model=model,
                outcome=str(outcome),
            )


class Metered:
    """A language model whose calls are metered."""

    def __init__(self, model: LanguageModel, meter: Meter) -> None:
        self.name = model.name
        self._model = model
        self._meter = meter

    def call(self, prompt: Prompt) -> Reply:
        """The model's reply. Raises ModelUnavailable, ModelRefused or MalformedOutput."""
        with self._meter.call(prompt.purpose.value, self.name) as counts:
            reply = self._model.call(prompt)
            counts.update(_counts(reply.usage))
        return reply

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The model's reply in pieces, then whole. Raises what `call` raises, also half way."""
        whole: list[Reply] = []
        with self._meter.call(prompt.purpose.value, self.name) as counts:
            for item in self._model.stream(prompt):
                if isinstance(item, str):
                    yield item
                else:
                    counts.update(_counts(item.usage))
                    whole.append(item)
        # A reader may leave with the last item in hand: by then the call has ended.
        yield from whole


class MeteredEmbedder:
    """An embedder whose calls are metered."""

    def __init__(self, embedder: Embedder, meter: Meter) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._meter = meter

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text. Raises ModelUnavailable or MalformedOutput."""
        with self._meter.call(EMBEDDING, self.name) as counts:
            counts.update(_sizes(texts))
            return self._embedder.embed_facts(texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a text to search with. Raises ModelUnavailable or MalformedOutput."""
        with self._meter.call(EMBEDDING, self.name) as counts:
            counts.update(_sizes([text]))
            return self._embedder.embed_query(text)


def _counts(usage: Usage) -> dict[str, int]:
    return {
        "Requests": usage.model_calls,
        "InputTokens": usage.input_tokens,
        "OutputTokens": usage.output_tokens,
        "CacheReadTokens": usage.cache_read_tokens,
        "CacheWriteTokens": usage.cache_write_tokens,
    }


def _sizes(texts: Sequence[str]) -> dict[str, int]:
    return {"Texts": len(texts), "Characters": sum(map(len, texts))}


def _outcome(error: ModelError) -> CallOutcome:
    if isinstance(error, ModelRefused):
        return CallOutcome.REFUSED
    if isinstance(error, MalformedOutput):
        return CallOutcome.MALFORMED
    return CallOutcome.UNAVAILABLE
