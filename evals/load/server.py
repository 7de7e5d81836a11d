"""The service that is put under load: `noted serve` as a process of its own, on a folder of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from evals.load.models import ROOT
from local.issuer import DEFAULT_SCOPES, Issuer
from noted.api.routes import ERASE


class ServerDiedError(Exception):
    """The server ended before it was ready."""


class Server:
    """A server on loopback, on a free port. What it logs goes to a file in its folder."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        usual = {
            name: value for name, value in os.environ.items() if not name.startswith(("NOTED_", "OPENAI_"))
        }
        self._environment = {
            **usual,
            **environment,
            "NOTED_DATA": str(folder / "noted"),
            "NOTED_PORT": "0",
            "OMP_NUM_THREADS": "1",
        }
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Returns when it serves. Raises ServerDiedError."""
        with (self._folder / "server.log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "local.cli", "serve"],
                cwd=ROOT,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = found[0]
                return
        self._process.wait()
        raise ServerDiedError((self._folder / "server.log").read_text()[-2000:])

    def kill(self) -> None:
        """Ends it without a warning, as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Asks it to end."""
        self._end(signal.SIGTERM)

    def token(self, subject: str) -> str:
        """A token of the server's issuer, for a user who may erase."""
        issuer = Issuer(self._folder / "noted" / "issuer")
        return issuer.token(subject, (*DEFAULT_SCOPES, ERASE), ttl=24 * 3600)

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None
