"""Programs that the rehearsal starts, and ends: its own and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_GRACE_SECONDS = 10
_SHOWN_LINES = 40


class ProgramFailedError(Exception):
    """A program ended with a failure; the text tells which, and the end of what it wrote."""


@contextmanager
def started(
    command: Sequence[str | Path], log: Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs until the block ends, in a process group of its own, with all that it started."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _end(process)


def run(
    command: Sequence[str | Path],
    log: Path,
    environment: Mapping[str, str],
    *,
    seconds: float,
    cwd: Path | None = None,
) -> str:
    """Runs a program to its end, has what it writes added to `log`, and gives it. Raises ProgramFailedError,
    also when it takes longer than `seconds`. Whatever ends this wait ends the program too."""
    with log.open("ab") as output:
        beginning = output.tell()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=cwd,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ProgramFailedError(f"{_named(command)} took longer than {seconds:.0f} s") from None
        finally:
            _end(process)
    written = log.read_bytes()[beginning:].decode(errors="replace")
    if process.returncode != 0:
        end = "\n".join(written.splitlines()[-_SHOWN_LINES:])
        raise ProgramFailedError(f"{_named(command)} ended with {process.returncode}:\n{end}")
    return written


def _named(command: Sequence[str | Path]) -> str:
    return " ".join([Path(command[0]).name, *(str(part) for part in command[1:3])])


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        # It has been waited for, so that its number may be another's by now.
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    # Not waited for before its group is ended: until then the number is its own.
    deadline = time.monotonic() + _GRACE_SECONDS
    while time.monotonic() < deadline and not _is_over(process.pid):
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _is_over(process_id: int) -> bool:
    return os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
