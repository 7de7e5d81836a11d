"""The evaluations by name: what is behind the name gets the arguments.

python -m evals recall locomo10.json
"""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

COMMANDS = (
    "recall",
    "beside",
    "ceiling",
    "tuning",
    "floor",
    "followups",
    "times",
    "speed",
    "coldstart",
    "lifecycle",
    "erasure",
    "extraction",
    "guards",
    "gate",
    "consolidation",
    "masking",
    "replay",
    "cost",
    "load",
    "report",
)
_FOLDER = Path(__file__).parent


def source(command: str) -> Path:
    """The file that a command runs."""
    module = _FOLDER / f"{command}.py"
    return module if module.exists() else _FOLDER / command / "__main__.py"


def summary(command: str) -> str:
    """The first paragraph of what a command says about itself, as one line."""
    told = ast.get_docstring(ast.parse(source(command).read_text("utf-8"))) or ""
    return " ".join(told.partition("\n\n")[0].split())


def usage() -> str:
    """All commands, a line each."""
    width = max(map(len, COMMANDS))
    lines = (f"  {command:{width}}  {summary(command)}" for command in COMMANDS)
    return "\n".join(["usage: python -m evals COMMAND …", "", *lines, "", "COMMAND --help tells the rest."])


def main() -> int:
    """Runs a command; 2 for one that there is not."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help"):
        print(usage())
        return 0
    if name not in COMMANDS:
        print(f"python -m evals has no command {name!r}\n\n{usage()}", file=sys.stderr)
        return 2
    sys.argv[1:] = sys.argv[2:]
    runpy.run_module(f"evals.{name}", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
