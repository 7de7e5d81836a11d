"""Reranking: a model reads the query with each of the best facts, and its order takes the place of ours.

Off unless a deployer chooses a model: it costs a call a recall. What it is given is masked, as all that is
stored. Where it is late or down, our own order stays.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from noted.errors import ModelError

if TYPE_CHECKING:
    from noted.models.seam import Reranker

logger = logging.getLogger("noted.recall")

# How many of the best are read again. Of LoCoMo's evidence 77 % is among the best 20, 85 % among the best 50.
CONSIDERED = 50

T = TypeVar("T")


def reranked(ranked: Sequence[T], scores: Sequence[float]) -> list[tuple[T, float]]:
    """Items in the order of their scores, each with its own; items of one score stay in their order. Raises
    ValueError unless there is a score an item."""
    pairs = list(zip(ranked, scores, strict=True))
    return sorted(pairs, key=lambda pair: -pair[1])


def scores(reranker: Reranker, query: str, texts: Sequence[str], budget_seconds: float) -> list[float] | None:
    """The scores of a reranker, None when they cannot be had within the budget."""
    if not texts:
        return []
    future = _threads().submit(reranker.rerank, query, texts)
    try:
        return future.result(timeout=budget_seconds)
    except (ModelError, OutOfTime, ValueError, OSError) as error:
        logger.warning("recall without the reranker", extra={"error_type": type(error).__name__})
        return None


@cache
def _threads() -> ThreadPoolExecutor:
    # A call that ran out of its budget still ends on its own time-out; it must not hold up the next one.
    return ThreadPoolExecutor(max_workers=8, thread_name_prefix="reranking")
