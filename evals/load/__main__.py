"""Open-loop load on the whole service over HTTP, and a model of what a deployment costs and where it ends.

    python -m evals load run [--rates 2 4 8 16] [--seconds 20] [--users 30] [--results evals/results]
    python -m evals load cost [--results evals/results]
    python -m evals load page --results evals/results

`run` starts the server on loopback with stand-in models of a known delay, makes calls at instants that are
drawn before the first is made, in steps of a rising rate until the service is saturated, kills it, starts it
again, and checks that nothing that was acknowledged is lost and nothing is left of who was erased. `cost`
counts what the functions ask of each service of AWS, prices it at list prices, and compares the rates with
the quotas of an account. `page` writes docs/cost.md and its plots from the results of both.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from rich.console import Console

from evals import results

_MOST_RATE, _MOST_SECONDS, _MOST_USERS = 500, 300, 1_000


def main() -> int:
    """Reads the arguments; 1 if a write was lost or an erased user left."""
    parser = argparse.ArgumentParser(prog="python -m evals load", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="open-loop load on one machine")
    run.add_argument("--rates", type=float, nargs="+", default=[2, 4, 8, 16, 32], help="calls a second")
    run.add_argument("--seconds", type=float, default=20, help="how long each is kept up (%(default)s)")
    run.add_argument("--users", type=int, default=30, help="who call (%(default)s)")
    run.add_argument("--answer-ms", type=float, default=300, help="of a model's answer (%(default)s)")
    run.add_argument("--background-ms", type=float, default=100, help="of an extraction (%(default)s)")
    run.add_argument("--embedding-ms", type=float, default=20, help="of an embedding (%(default)s)")
    run.add_argument("--settle-seconds", type=float, default=180, help="for the background (%(default)s)")
    run.add_argument("--seed", type=int, default=1, help="of the instants and choices (%(default)s)")
    run.add_argument("--no-crash", action="store_true", help="checks the server as it runs")
    results.add_option(run)
    cost = commands.add_parser("cost", help="what a deployment costs, and which quota ends it")
    results.add_option(cost)
    page = commands.add_parser("page", help="docs/cost.md and its plots")
    page.add_argument("--results", type=Path, required=True, help="folder of the figures")
    page.add_argument("--docs", type=Path, default=Path("docs"), help="where the page goes (%(default)s)")
    chosen = parser.parse_args()
    terminal = Console()
    console = terminal if terminal.is_terminal else Console(width=130)
    if chosen.command == "run":
        return _run(parser, chosen, console)
    if chosen.command == "cost":
        from evals.load import deployment

        found = deployment.found(console)
        deployment.show(found, console)
        results.write(chosen.results, "cost", found)
        return 0
    from evals.load import page as written

    written.write(chosen.results, chosen.docs)
    return 0


def _run(parser: argparse.ArgumentParser, chosen: argparse.Namespace, console: Console) -> int:
    from evals.load import tables
    from evals.load.run import Asked, run

    if not (all(0 < rate <= _MOST_RATE for rate in chosen.rates) and 1 <= chosen.seconds <= _MOST_SECONDS):
        parser.error(f"rates are above 0 and up to {_MOST_RATE}, seconds from 1 to {_MOST_SECONDS}")
    if not 1 <= chosen.users <= _MOST_USERS:
        parser.error(f"there are 1 to {_MOST_USERS} users")
    asked = Asked(
        rates=sorted(chosen.rates),
        seconds=chosen.seconds,
        users=chosen.users,
        answer_ms=chosen.answer_ms,
        background_ms=chosen.background_ms,
        embedding_ms=chosen.embedding_ms,
        settle_seconds=chosen.settle_seconds,
        seed=chosen.seed,
        crash=not chosen.no_crash,
    )
    found = asyncio.run(run(asked, console))
    tables.show(found, console)
    results.write(chosen.results, "load", found)
    return 0 if found["after"]["sound"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
