"""What model calls cost, as metrics: one structured log line a call, in CloudWatch's embedded metric format.

CloudWatch makes metrics of such lines without another request: the object `_aws` names the members of the
line that are metrics and those that are dimensions ("Specification: Embedded metric format" in the guide of
CloudWatch). A JSON logger writes the members at the root of the line, where they have to stand. A line holds
counts, the name of the model and the purpose of the call: no text, and nothing of a user.

Metrics, in the namespace `Noted`, by purpose, model and outcome:

- of language models: Calls, Requests (more than Calls where a second try was made), InputTokens,
  OutputTokens, CacheReadTokens, CacheWriteTokens, Duration
- of embedders: Calls, Texts, Characters, Duration

The seam tells nothing of the tokens of a call that failed: such a call counts with its outcome and its time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum

from noted.clock import Clock
from noted.errors import MalformedOutput, ModelError, ModelRefused
from noted.models.seam import Embedder, LanguageModel, Prompt, Reply, Usage

logger = logging.getLogger("noted.models")

NAMESPACE = "Noted"
EMBEDDING = "embedding"
_DIMENSIONS = ("purpose", "model", "outcome")


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
            self._write(purpose, model, outcome, {"Calls": 1, **counts, "Duration": milliseconds})

    def _write(self, purpose: str, model: str, outcome: CallOutcome, metrics: Mapping[str, int]) -> None:
        directive = {
            "Namespace": NAMESPACE,
            "Dimensions": [list(_DIMENSIONS)],
            "Metrics": [{"Name": name, "Unit": _unit(name)} for name in metrics],
        }
        timestamp = int(self._clock.now().timestamp() * 1000)
        emf = {"Timestamp": timestamp, "CloudWatchMetrics": [directive]}
        dimensions = dict(zip(_DIMENSIONS, (purpose, model, str(outcome)), strict=True))
        logger.info("model called", extra={"_aws": emf, **dimensions, **metrics})


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
                if isinstance(item, Reply):
                    counts.update(_counts(item.usage))
                    whole.append(item)
                else:
                    yield item
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


def _unit(name: str) -> str:
    return "Milliseconds" if name == "Duration" else "Count"


def _outcome(error: ModelError) -> CallOutcome:
    if isinstance(error, ModelRefused):
        return CallOutcome.REFUSED
    if isinstance(error, MalformedOutput):
        return CallOutcome.MALFORMED
    return CallOutcome.UNAVAILABLE
