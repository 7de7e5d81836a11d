"""Where the rehearsal keeps what it makes: in `build/rehearsal`, which no commit holds."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "rehearsal"
# The emulator's own environment: the functions run by its interpreter.
PYTHON = WORK / "venv" / "bin" / "python"
REQUIREMENTS = ROOT / "requirements" / "rehearsal.txt"
CDK = ROOT / "node_modules" / ".bin" / "cdk"

LOOPBACK = "127.0.0.1"
# The emulator's. It takes a made-up key for the root user of this account.
ACCOUNT = "000000000000"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "rehearsal", "AWS_SECRET_ACCESS_KEY": "rehearsal"}


def free_port() -> int:
    """A port of the loopback interface that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def environment(**more: str) -> dict[str, str]:
    """The variables for a program of the rehearsal: those of this process without any that lead to an AWS
    account, a proxy or a model, and `more`."""
    lead_away = ("AWS_", "NOTED_", "OPENAI_", "PYTEST_")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(lead_away) and not name.lower().endswith("_proxy")
    }
    usual = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.devnull}
    usual |= {"AWS_SHARED_CREDENTIALS_FILE": os.devnull, "CDK_DISABLE_CLI_TELEMETRY": "true"}
    # The programs of this environment first: the CDK's command line then finds its Node.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return kept | usual | {"NO_PROXY": LOOPBACK, "PATH": path} | more
