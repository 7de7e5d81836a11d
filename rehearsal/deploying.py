"""`cdk bootstrap`, `deploy` and `destroy`, of an assembly, into the emulator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rehearsal.assembly import Assembly
from rehearsal.emulator import Emulator
from rehearsal.places import ACCOUNT, CDK
from rehearsal.processes import run


@dataclass(frozen=True)
class Cdk:
    """The CDK's command line. Its home is a folder of the rehearsal: it keeps accounts by their key there."""

    emulator: Emulator
    home: Path
    log: Path

    def bootstrap(self, assembly: Assembly) -> None:
        """Makes what the CDK needs in an account, once. Raises ProgramFailedError, as the others do."""
        self._run("bootstrap", f"aws://{ACCOUNT}/{self.emulator.region}", assembly)

    def deploy(self, assembly: Assembly) -> Mapping[str, str]:
        """Makes or changes everything and gives the outputs of the stack by their name."""
        told = self.home / "outputs.json"
        self._run(
            "deploy",
            "--all",
            assembly,
            "--require-approval",
            "never",
            "--progress",
            "events",
            "--outputs-file",
            str(told),
        )
        [outputs] = json.loads(told.read_text()).values()
        return dict(outputs)

    def destroy(self, assembly: Assembly) -> None:
        """Takes everything away again."""
        self._run("destroy", "--all", assembly, "--force")

    def _run(self, verb: str, what: str, assembly: Assembly, *more: str) -> str:
        command: list[str | Path] = [CDK, verb, what, "--app", assembly.folder, "--no-notices", *more]
        variables = self.emulator.variables() | {"HOME": str(self.home), "CI": "true"}
        return run(command, self.log, variables, seconds=600, cwd=self.home)
