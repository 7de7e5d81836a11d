"""What becomes of people's data: isolation, odd ids, repeats, writes at once, erasure down to the bytes.

    python -m evals.lifecycle [--others 10000] [--results FOLDER]

A one-machine service of its own runs on a database on disk, in a folder that is new and removed afterwards,
with the offline stand-in as model. All checks but the last go over HTTP. Before and after an erasure every
file of the folder is searched for words, a telephone number and a name that were said, recorded as an answer,
summarised, told as facts and masked, as UTF-8, UTF-16 and in lower case, and for the user's id. So that a
search that finds nothing means something, a row with a word in plain text is written beside, and found. The
last check is a user of 100 facts, searched alone and beside `--others` facts of a hundred other users.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from evals import results
from evals.lifecycle_check import Check
from evals.lifecycle_checks import beside_others, identities, isolation, repeats, threads
from evals.lifecycle_erasure import erasure
from evals.lifecycle_world import world


def checks(others: int) -> list[Check]:
    """All checks, each in a world of its own."""
    found: list[Check] = []
    for each in (isolation, identities, repeats, threads, erasure):
        with world() as here:
            found += each(here)
    return found + beside_others(others)


def table(found: Sequence[Check]) -> Table:
    """A row a check."""
    made = Table("", "should be", "found", "", title="Lifecycle")
    for check in found:
        made.add_row(check.what, check.wanted, check.found, "" if check.holds else "FAILS")
    return made


def main() -> int:
    """Runs all checks and prints a table; 1 when any fails."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m evals.lifecycle", description=summary)
    parser.add_argument("--others", type=int, default=10_000, help="facts of others (%(default)s)")
    results.add_option(parser)
    chosen = parser.parse_args()
    found = checks(chosen.others)
    Console().print(table(found))
    rows = [[check.what, check.wanted, check.found, check.holds] for check in found]
    results.write(chosen.results, "lifecycle", {"checks": rows})
    return 0 if all(check.holds for check in found) else 1


if __name__ == "__main__":
    sys.exit(main())
