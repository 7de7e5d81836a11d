"""Shares and means with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Z = 1.959964  # 95 %, two-sided
_RESAMPLES = 2_000


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927), which also holds near 0 and 1; (0, 1) for no trials."""
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    scale = 1 + _Z**2 / trials
    middle = (share + _Z**2 / (2 * trials)) / scale
    half = _Z * math.sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2)) / scale
    return max(middle - half, 0.0), min(middle + half, 1.0)


def told(successes: int, trials: int) -> str:
    """Such a share in words: "12 of 400 (3.0 %, 1.7 to 5.2)"."""
    if not trials:
        return "0 of 0"
    low, high = wilson(successes, trials)
    return f"{successes} of {trials} ({successes / trials:.1%}, {low:.1%} to {high:.1%})"


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of values that were drawn one by one: the percentiles of the means of
    samples with replacement (Efron 1979), always the same for the same values. Raises ValueError for none."""
    import numpy as np

    if not len(values):
        raise ValueError("no values have no mean")
    drawn = np.random.default_rng(7).integers(len(values), size=(_RESAMPLES, len(values)))
    low, high = np.percentile(np.asarray(values, dtype=np.float64)[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
