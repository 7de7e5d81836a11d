"""`python -m tests.stateful 10000 [first seed]`: many examples by hand, a hundred for each seed."""

from __future__ import annotations

import os
import sys
import time

EACH = 100


def main(examples: int, first: int) -> None:
    """Runs them and tells how far it is."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from tests.stateful.parts import run

    began = time.monotonic()
    for number in range(-(-examples // EACH)):
        run(first + number, EACH)
        seconds = time.monotonic() - began
        done = f"{(number + 1) * EACH} of {examples} examples, {seconds:.0f} s"
        print(f"seed {first + number}: {done}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
