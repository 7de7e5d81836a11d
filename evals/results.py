"""Results of the evaluations as JSON, one file each in a folder: what the report is drawn from."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option that names the folder; nothing is written without it."""
    parser.add_argument("--results", type=Path, help="folder in which the figures are kept as JSON")


def write(folder: Path | None, name: str, found: Mapping[str, Any]) -> None:
    """Keeps what was found, with the day, as `<name>.json`: a value a line, so that changes can be seen."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    kept = {"measured_on": f"{datetime.now(UTC):%Y-%m-%d}", **found}
    lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in kept.items())
    (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def read(folder: Path, name: str) -> dict[str, Any] | None:
    """What was kept under a name, None if nothing was. Raises ValueError for a file that is not JSON."""
    path = folder / f"{name}.json"
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found
