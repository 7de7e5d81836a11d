"""Runs of the machine: each part searches by a seed of its own, so that parts can run beside each other and a
red one can be run again."""

from __future__ import annotations

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.machine import Service

STEPS = 50


def run(part: int, examples: int) -> None:
    """Runs `examples` of 50 steps; `finished` is called after each. Raises what was found, with the steps."""

    class Part(Service):
        """One with a seed of its own."""

    run_state_machine_as_test(
        seed(part)(Part),
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            derandomize=False,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        ),
    )
