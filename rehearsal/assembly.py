"""The cloud assembly of a rehearsal: what `app.py` makes of cdk.json, with settings for a rehearsal."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from layers.dependencies import host
from local.issuer import AUDIENCE
from rehearsal.places import CDK, ROOT
from rehearsal.processes import run

ENVIRONMENT = "dev"
REGION = "us-east-1"
_STACK = "Noted"


@dataclass(frozen=True)
class Assembly:
    """A synthesised stack in a folder."""

    folder: Path

    @property
    def template(self) -> dict[str, Any]:
        """The template of the stack."""
        read: dict[str, Any] = json.loads((self.folder / f"{_STACK}.template.json").read_text())
        return read


def settings(issuer: str, **changes: str) -> dict[str, str]:
    """What the rehearsal decides of cdk.json, as values of `-c`. Everything else is as it stands there for
    the environment that may be taken away again."""
    return {
        "environment": ENVIRONMENT,
        "region": REGION,
        "identity": "oidc",
        "token_issuer": issuer,
        "token_audience": AUDIENCE,
        "model": "offline",
        "embedder": "local",
        **changes,
    }


def synthesise(folder: Path, log: Path, variables: Mapping[str, str], chosen: Mapping[str, str]) -> Assembly:
    """Runs `app.py` by the CDK's command line. Raises ProgramFailedError."""
    context = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
    command: list[str | Path] = [CDK, "synth", "--quiet", "--no-lookups", "--no-notices"]
    command += ["--output", folder, *context]
    run(command, log, variables, seconds=600, cwd=ROOT)
    return Assembly(folder)


def put_host_layer(assembly: Assembly, python: str) -> None:
    """Puts packages for this machine and this minor version of Python in the place of those for Lambda, in
    the assembly's copy of the layer: the emulator runs functions by its own interpreter. The template stays
    as it is.

    They are pointed to and not copied, since each worker of the emulator unpacks its layers anew.
    """
    [layer] = [
        resource["Properties"]["Content"]["S3Key"].removesuffix(".zip")
        for name, resource in assembly.template["Resources"].items()
        if resource["Type"] == "AWS::Lambda::LayerVersion" and "Dependencies" in name
    ]
    place = assembly.folder / f"asset.{layer}"
    shutil.rmtree(place)
    pointer = place / "python" / "lib" / f"python{python}" / "site-packages" / "packages.pth"
    pointer.parent.mkdir(parents=True)
    # Before the emulator's own packages, among which is an older botocore.
    pointer.write_text(f"import sys; sys.path.insert(0, {str(host.layer(python) / 'python')!r})\n")
