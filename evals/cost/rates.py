"""What tokens cost: prices as providers list them, and the rules of their caches.

The defaults are list prices in US dollars for a million tokens, looked up on 2026-11-30 in pages that quote
the providers, not on the providers' own price pages, which could not be read here:

- Claude Haiku 4.5, the default of the stack: 1.00 in, 5.00 out (Anthropic's page of the model). Anthropic and
  Bedrock take 1.25 times the input for what is kept in the cache and 0.1 times for what is read from it, and
  for this model cache no prefix below 4,096 tokens (its model card on Bedrock). An inference profile of one
  geography, such as `us.`, costs a tenth more.
- Claude Sonnet 4.6: 3.00 in, 15.00 out, and a least prefix of 1,024 tokens (Anthropic's page on prompt
  caching, as quoted in its SDK's tracker).
- GPT-5.4 mini: 0.75 in, 0.075 cached, 4.50 out. OpenAI caches from 1,024 tokens on in steps of 128, and
  models before GPT-5.6 keep a prefix for nothing (OpenAI's guide to prompt caching and its cookbook).
- GPT-4o mini: 0.15 in, 0.075 cached, 0.60 out.

Prices change: `--rates` takes others.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from evals.cost.caching import Cache, Input, PointCache, StepCache

_MILLION = 1_000_000


@dataclass(frozen=True)
class Rates:
    """Prices in US dollars for a million tokens, and the cache behind them: `caching` is `points` or `steps`,
    `least` the fewest tokens of a prefix that it keeps."""

    name: str
    input: float
    cache_write: float
    cache_read: float
    output: float
    caching: Literal["points", "steps"]
    least: int

    def cache(self) -> Cache:
        """An empty cache of this kind."""
        return PointCache(self.least) if self.caching == "points" else StepCache(self.least)

    def dollars(self, sent: Input, output_tokens: int) -> float:
        """The price of a call, or of many."""
        return (
            sent.plain * self.input
            + sent.written * self.cache_write
            + sent.read * self.cache_read
            + output_tokens * self.output
        ) / _MILLION


RATES = (
    Rates("Claude Sonnet 4.6", 3.00, 3.75, 0.30, 15.00, "points", 1_024),
    Rates("Claude Haiku 4.5", 1.00, 1.25, 0.10, 5.00, "points", 4_096),
    Rates("GPT-5.4 mini", 0.75, 0.75, 0.075, 4.50, "steps", 1_024),
    Rates("GPT-4o mini", 0.15, 0.15, 0.075, 0.60, "steps", 1_024),
)


def load(path: Path) -> tuple[Rates, ...]:
    """Rates from a JSON list of objects with the fields of `Rates`. Raises ValueError, which says why."""
    try:
        listed = json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError:
        raise ValueError("rates are JSON") from None
    if not isinstance(listed, list) or not listed:
        raise ValueError("rates are a list of at least one")
    return tuple(map(_rates, listed))


def _rates(given: Any) -> Rates:
    names = [field.name for field in fields(Rates)]
    if not isinstance(given, dict) or sorted(given) != sorted(names):
        raise ValueError(f"rates are objects with {', '.join(names)}")
    numbers = [given[name] for name in names if name not in ("name", "caching")]
    if any(
        isinstance(number, bool) or not isinstance(number, int | float) or number < 0 for number in numbers
    ):
        raise ValueError(f"{given['name']}: prices and least are numbers, and not below zero")
    if given["caching"] not in ("points", "steps"):
        raise ValueError(f"{given['name']}: caching is points or steps")
    return Rates(**given)
