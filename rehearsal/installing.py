"""Installs the emulator into an environment of its own: `python -m rehearsal.installing`."""

from __future__ import annotations

import os
import subprocess
import sys

from layers.dependencies import build
from rehearsal.places import PYTHON, REQUIREMENTS, WORK


def install() -> None:
    """Makes the environment anew, with the interpreter of Lambda's version if there is one, else this one.

    Raises RuntimeError without `uv`, and subprocess.CalledProcessError if a package cannot be had as pinned.
    """
    interpreter = build.interpreter() or sys.executable
    subprocess.run(
        [build.uv(), "venv", "--quiet", "--clear", "--python", interpreter, str(PYTHON.parents[1])],
        check=True,
    )
    packages = [build.uv(), "pip", "install", "--quiet", "--python", str(PYTHON), "--require-hashes"]
    chosen = build.registry() | os.environ
    subprocess.run([*packages, "--requirement", str(REQUIREMENTS)], env=chosen, check=True)


def python_version() -> str:
    """The minor version of the emulator's interpreter, such as `3.13`."""
    show = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run(
        [str(PYTHON), "-c", show], capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    install()
