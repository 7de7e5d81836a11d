"""What a cold start of each function costs, as a ratio to a bare client of DynamoDB.

    python -m evals coldstart [--rounds 11] [--results FOLDER]

Each round starts a fresh process for the bare client and one for each function, so that what else the
machine does meets all of them alike; a ratio is the median of the rounds' ratios. Measured is processor time
up to the moment before the first request: the handler is imported and built, and its client of the tables is
made. Functions find their packages as they do in Lambda, in the layer, here built for this machine; the bare
client finds boto3 as it is installed. A first process of each kind is not counted: it writes the byte code
that the layers have in them. What each import costs is told by Python itself, which makes all of them dearer,
so these are shares.

This machine is not Lambda: a ratio carries over, a number of milliseconds does not.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from evals import results
from evals.coldstart.imports import by_package
from layers.dependencies import host

BARE = "bare client"
# Of what a bare client costs, at most this much for the function on whose start people wait most.
BUDGET = {"recall": 1.5}

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path(__file__).with_name("fresh.py")
_FOLDERS = _ROOT / "functions"
_FUNCTIONS = (
    "recall",
    "answer",
    "stream",
    "verdicts",
    "extraction",
    "erasure",
    "authorizer",
    "model_retention",
)
_SHOWN = 8


@dataclass(frozen=True)
class Cost:
    """Medians: milliseconds of processor time, and how many times a bare client that is."""

    milliseconds: float
    ratio: float


def main() -> int:
    """Runs the command; 1 if a function is over its budget."""
    parser = argparse.ArgumentParser(prog="python -m evals coldstart", description=__doc__)
    parser.add_argument("--rounds", type=int, default=11, help="fresh processes of each kind (default: 11)")
    results.add_option(parser)
    options = parser.parse_args()
    console = Console()
    measured = {name: [_spent(name)] for name in (BARE, *_FUNCTIONS)}
    for _ in range(options.rounds):
        for name, spent in measured.items():
            spent.append(_spent(name))
    costs = compared({name: spent[1:] for name, spent in measured.items()})
    imports = {name: by_package(_told(name), sys.stdlib_module_names) for name in (BARE, *_FUNCTIONS)}
    console.print(_costs_table(costs))
    console.print(_imports_table(imports))
    results.write(
        options.results,
        "coldstart",
        {
            "kind": "coldstart",
            "python": ".".join(map(str, sys.version_info[:3])),
            "rounds": options.rounds,
            "functions": {name: vars(cost) for name, cost in costs.items()},
            "imports": imports,
        },
    )
    return 1 if any(costs[name].ratio > most for name, most in BUDGET.items()) else 0


def compared(spent: dict[str, list[float]]) -> dict[str, Cost]:
    """The cost of each from its milliseconds in each round. The ratio is taken round by round, since a
    machine that is busy is so for both."""
    return {
        name: Cost(
            statistics.median(each),
            statistics.median(own / bare for own, bare in zip(each, spent[BARE], strict=True)),
        )
        for name, each in spent.items()
    }


def _spent(name: str) -> float:
    return float(_run(name).stdout)


def _told(name: str) -> str:
    return _run(name, "-X", "importtime").stderr


def _run(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    kind = {BARE: "bare", "stream": "stream"}.get(name, "function")
    folder = _FOLDERS / ("answer" if name == "stream" else name)
    arguments = [kind] if name == BARE else [kind, str(folder)]
    return subprocess.run(
        [sys.executable, *options, str(_PROGRAM), *arguments],
        env=_environment(layered=name != BARE),
        capture_output=True,
        text=True,
        check=True,
    )


def _environment(*, layered: bool) -> dict[str, str]:
    """What a deployment sets, with credentials that open nothing."""
    model = "bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0"
    named = {
        "NOTED_MODEL": model,
        "NOTED_EXTRACTION_MODEL": model,
        "NOTED_EMBEDDER": "bedrock:cohere.embed-multilingual-v3",
        "NOTED_RERANKER": "none",
        "NOTED_TABLE_PREFIX": "noted",
        "NOTED_NAMES": "none",
        "AWS_LAMBDA_FUNCTION_NAME": "noted",
        "OMP_NUM_THREADS": "1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NOTED_"))}
    if layered:
        packages = host.layer("{}.{}".format(*sys.version_info)) / "python"
        named["PYTHONPATH"] = os.pathsep.join([str(_ROOT / "layers" / "noted" / "python"), str(packages)])
    return kept | named


def _costs_table(costs: dict[str, Cost]) -> Table:
    table = Table(title="cold start, processor time")
    for column in ("function", "ms", "times a bare client", "at most"):
        table.add_column(column, justify="left" if column == "function" else "right")
    for name, cost in costs.items():
        table.add_row(name, f"{cost.milliseconds:.0f}", f"{cost.ratio:.2f}", str(BUDGET.get(name, "")))
    return table


def _imports_table(imports: dict[str, dict[str, float]]) -> Table:
    packages = list(dict.fromkeys(each for name in imports for each in list(imports[name])[:_SHOWN]))
    table = Table(title="what each import costs, ms (slower than above: Python counts along)")
    table.add_column("package")
    for name in imports:
        table.add_column(name, justify="right")
    for package in packages:
        shares = (imports[name].get(package, 0) for name in imports)
        table.add_row(package, *(f"{each:.0f}" if each >= 0.5 else "" for each in shares))
    return table


if __name__ == "__main__":
    sys.exit(main())
