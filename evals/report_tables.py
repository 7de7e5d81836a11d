"""Tables of the report, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOT_MEASURED = "Not measured here."


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a sentence in its place where there are no rows."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return NOT_MEASURED
    return "\n".join([f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *lines])


def share(value: float) -> str:
    """A share in three places, without the nought before the point.

    >>> share(0.6939)
    '.694'
    """
    return f"{value:.3f}".removeprefix("0")


def within(value: float, interval: Sequence[float]) -> str:
    """A share with its interval.

    >>> within(0.6939, (0.671, 0.716))
    '.694 (.671 to .716)'
    """
    return f"{share(value)} ({share(interval[0])} to {share(interval[1])})"
