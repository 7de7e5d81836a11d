"""Deploys the real template into the emulator, uses it, changes it, takes it away.

python -m rehearsal [--short]
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from rehearsal.assembly import REGION
from rehearsal.certificates import make_certificates
from rehearsal.emulator import running_emulator
from rehearsal.places import WORK
from rehearsal.processes import ProgramFailedError
from rehearsal.publishing import published_issuer
from rehearsal.rehearsing import Rehearsal, RehearsalError
from rehearsal.steps import Steps
from rehearsal.testing import TestsFailedError

_LOGS = WORK / "logs"


def main() -> int:
    """0 if everything was as it should be."""
    parser = argparse.ArgumentParser(prog="python -m rehearsal", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="neither the tests of the API nor an update")
    options = parser.parse_args()
    # As Ctrl-C does, a signal to end unwinds what was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    steps = Steps()
    try:
        rehearse(steps, short=options.short)
    except (ProgramFailedError, RehearsalError, TestsFailedError) as error:
        print(f"\n{steps.table()}\n\n{error}\n\nWhat the programs wrote is in {_LOGS}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped, and everything with it.", file=sys.stderr)
        return 128 + signal.SIGINT
    print(f"\n{steps.table()}")
    return 0


def rehearse(steps: Steps, *, short: bool) -> None:
    """A rehearsal, in a folder of its own that is removed at the end, with all that was started."""
    shutil.rmtree(_LOGS, ignore_errors=True)
    _LOGS.mkdir(parents=True)
    with ExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory(prefix="run-", dir=WORK)))
        (folder / "emulator").mkdir()
        with steps.step("emulator and token issuer") as step:
            certificates = make_certificates(folder)
            issuer = parts.enter_context(published_issuer(folder / "issuer", certificates))
            emulator = parts.enter_context(
                running_emulator(folder / "emulator", _LOGS / "emulator.log", REGION, certificates)
            )
            step.told = f"{emulator.address}, loopback only"
        Rehearsal(steps, folder, _LOGS, emulator, issuer).run(short=short)


if __name__ == "__main__":
    sys.exit(main())
