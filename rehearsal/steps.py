"""The steps of a rehearsal as a person sees them: told when they begin, timed when they end, and a table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Step:
    """`told`: what came of it, in few words."""

    name: str
    seconds: float = 0.0
    told: str = ""


@dataclass
class Steps:
    """All steps so far."""

    done: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Times a step. One that fails is told as failed, and the failure goes on."""
        step, began = Step(name), time.monotonic()
        print(f"==> {name}", flush=True)
        self.done.append(step)
        try:
            yield step
        except BaseException:
            step.told = "FAILED"
            raise
        finally:
            step.seconds = time.monotonic() - began
            print(f"    {step.seconds:6.1f} s  {step.told}", flush=True)

    def table(self) -> str:
        """A line for each step, and their sum."""
        width = max(len(step.name) for step in self.done)
        lines = [f"{step.name:<{width}}  {step.seconds:7.1f} s  {step.told}" for step in self.done]
        whole = sum(step.seconds for step in self.done)
        return "\n".join([*lines, f"{'together':<{width}}  {whole:7.1f} s"])
