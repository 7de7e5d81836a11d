"""Runs tests against a deployment, in a process of their own."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rehearsal.places import ROOT, environment
from rehearsal.processes import ProgramFailedError, run


class TestsFailedError(Exception):
    """Tests failed; the text is what pytest says of them."""


def tested(deployment: Path, log: Path, chosen: Sequence[str], *, seconds: float) -> Counter[str]:
    """How many of the tests passed and were skipped, by outcome. `deployment`: its file. Raises
    TestsFailedError, also when none passed."""
    pytest = [sys.executable, "-m", "pytest", "-v", "--tb=short"]
    command = [*pytest, "-p", "no:xdist", "-p", "rehearsal.plugin", *chosen]
    variables = environment(NOTED_REHEARSAL=str(deployment), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    try:
        run(command, log, variables, seconds=seconds, cwd=ROOT)
    except ProgramFailedError as error:
        raise TestsFailedError(str(error)) from None
    counts: Counter[str] = Counter(json.loads(deployment.with_suffix(".counts").read_text()))
    if not counts["passed"]:
        raise TestsFailedError("no test ran")
    return counts
