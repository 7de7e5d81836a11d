"""A run: steps of rising rate until the service is saturated, a crash, and a look at what is there."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from evals.load import figures, models
from evals.load.aftermath import Check
from evals.load.arrivals import plan, shares
from evals.load.openloop import LoopClock, offer
from evals.load.server import Server
from evals.load.users import TIMEOUT_SECONDS, User, Users

# A user must be left to make the calls, so each erasure brings one of its own.
_ERASURES_A_STEP = 1
_CHECKED_AT_ONCE = 20


@dataclass(frozen=True)
class Asked:
    """What a run is to do. `rates` are calls a second, `seconds` is how long each is kept up, the `_ms` are
    how long the stand-in models take; `settle_seconds` is how long the check waits for work behind answers.
    `crash`: the server is killed before the check, and started again on what it left."""

    rates: Sequence[float]
    seconds: float
    users: int
    answer_ms: float
    background_ms: float
    embedding_ms: float
    settle_seconds: float
    seed: int
    crash: bool


async def run(asked: Asked, console: Console) -> dict[str, Any]:
    """Starts models and service, offers each rate, and gives the figures of the run."""
    delays = (asked.answer_ms, asked.background_ms, asked.embedding_ms)
    with tempfile.TemporaryDirectory() as folder, models.served(*delays) as environment:
        server = Server(Path(folder), environment)
        try:
            server.start()
            return await _measured(asked, server, console)
        finally:
            server.stop()


async def _measured(asked: Asked, server: Server, console: Console) -> dict[str, Any]:
    chance = random.Random(asked.seed)
    count = asked.users + _ERASURES_A_STEP * len(asked.rates)
    made = [User({"Authorization": f"Bearer {server.token(f'user-{number}')}"}) for number in range(count)]
    load_average = os.getloadavg()[0]
    steps: list[dict[str, Any]] = []
    bars = (TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*bars, console=console) as progress:
        async with _client(server.url, None) as client:
            users = Users(client, made, chance)
            beginning = progress.add_task("users begin", total=None)
            await users.begin()
            progress.update(beginning, total=count, completed=count)
            for rate in asked.rates:
                steps.append(await _step(rate, asked, users, chance, progress))
                if figures.saturated(steps[-1]):
                    break
        if asked.crash:
            server.kill()
            server.start()
        looking = progress.add_task("check", total=count)
        async with _client(server.url, _CHECKED_AT_ONCE) as client:
            check = Check(client, asked.settle_seconds, lambda: progress.advance(looking))
            after = await check.of(users.all)
    return {
        "asked": {**vars(asked), "rates": list(asked.rates)},
        "machine": {
            "processors": os.cpu_count(),
            "load_average_before": round(load_average, 2),
            "load_average_after": round(os.getloadavg()[0], 2),
        },
        "steps": steps,
        "ratios": figures.ratios(steps),
        "saturated_at": next((each["rate"] for each in steps if figures.saturated(each)), None),
        "most_throughput": max(each["throughput"] for each in steps),
        "after": {**after.as_json(), "crashed": asked.crash, "sound": after.sound},
    }


async def _step(
    rate: float, asked: Asked, users: Users, chance: random.Random, progress: Progress
) -> dict[str, Any]:
    calls = plan(rate, asked.seconds, chance, erasures=_ERASURES_A_STEP)
    task = progress.add_task(f"{rate:g} calls a second", total=len(calls))
    outcomes = await offer(calls, users.perform, LoopClock(), ended=lambda _: progress.advance(task))
    planned = {str(kind): count for kind, count in shares(calls).items()}
    return {**figures.of_step(rate, asked.seconds, outcomes), "planned": planned}


def _client(url: str, connections: int | None) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    return httpx.AsyncClient(base_url=url, timeout=TIMEOUT_SECONDS, limits=limits, trust_env=False)
