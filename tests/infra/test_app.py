"""The program that the CDK's command line runs, in an empty environment: no credentials, no network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("infra")

ROOT = Path(__file__).resolve().parents[2]

# Ends the program at the first attempt to reach another machine, in Python and in Node.
WITHOUT_NETWORK_IN_PYTHON = """
import os, runpy, sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        os.write(2, b"network: " + event.encode()); os._exit(97)
sys.addaudithook(refuse)
sys.path.insert(0, os.getcwd())
runpy.run_path("app.py", run_name="__main__")
"""
WITHOUT_NETWORK_IN_NODE = """
const refuse = (what) => () => { require("fs").writeSync(2, "network: " + what); process.exit(98); };
require("net").Socket.prototype.connect = refuse("connect");
require("dns").lookup = refuse("lookup");
"""


def run(tmp_path: Path, context: dict[str, object]) -> subprocess.CompletedProcess[str]:
    refuse = tmp_path / "refuse.js"
    refuse.write_text(WITHOUT_NETWORK_IN_NODE)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        # What jsii has unpacked before; it holds no settings.
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(Path.home() / ".cache" / "aws" / "jsii" / "package-cache"),
        "NODE_OPTIONS": f"--require={refuse}",
        "CDK_VALIDATION": "false",
        "CDK_OUTDIR": str(tmp_path / "cdk.out"),
        "CDK_CONTEXT_JSON": json.dumps(context | {"aws:cdk:bundling-stacks": []}),
    }
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_NETWORK_IN_PYTHON],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_stack_of_cdk_json_synthesises_without_credentials_and_network(tmp_path: Path) -> None:
    done = run(tmp_path, {})
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "cdk.out" / "manifest.json").read_text())
    region = json.loads((ROOT / "cdk.json").read_text())["context"]["region"]
    stacks = {
        name: artifact["environment"]
        for name, artifact in manifest["artifacts"].items()
        if artifact["type"] == "aws:cloudformation:stack"
    }
    assert stacks == {"Noted": f"aws://unknown-account/{region}"}
    # Nothing is left to be looked up in an account.
    assert "missing" not in manifest


def test_the_command_line_comes_before_cdk_json(tmp_path: Path) -> None:
    done = run(tmp_path, {"prefix": "staging"})
    assert done.returncode == 0, done.stderr
    template = (tmp_path / "cdk.out" / "Noted.template.json").read_text()
    assert '"staging-memory"' in template
    assert '"noted-memory"' not in template


def test_a_mistake_in_the_settings_is_named_and_nothing_is_synthesised(tmp_path: Path) -> None:
    done = run(tmp_path, {"log_retention_days": 400})
    assert done.returncode == 1
    assert "cdk.json: log_retention_days must be 1, 3, 5, 7 or 14" in done.stderr
    assert not (tmp_path / "cdk.out" / "Noted.template.json").exists()


def test_a_slip_in_the_name_of_a_setting_deploys_nothing(tmp_path: Path) -> None:
    for slip in ("enviroment", "deletion-protection"):
        done = run(tmp_path, {slip: "dev"})
        assert done.returncode == 1
        assert f"cdk.json: {slip} must be a setting" in done.stderr
        assert not (tmp_path / "cdk.out" / "Noted.template.json").exists()
