"""That the stack can be rehearsed: the settings of `make rehearse` synthesise, and its lock is Lambda's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from layers.dependencies import host
from rehearsal.assembly import settings
from tests.infra.conftest import ROOT, Template

pytestmark = pytest.mark.xdist_group("infra")


def test_the_settings_of_a_rehearsal_synthesise(synthesise: Callable[..., Template]) -> None:
    template = synthesise(
        **settings(
            "https://127.0.0.1:1", extraction_model="offline", prefix="noted-dev", deletion_protection="false"
        )
    )
    resources = template["Resources"].items()
    [issuer] = [
        each["Properties"]["JwtConfiguration"]["Issuer"]
        for _, each in resources
        if each["Type"] == "AWS::ApiGatewayV2::Authorizer"
    ]
    assert issuer == "https://127.0.0.1:1"
    # Nothing but the account's role for logs stays when it is taken away, and there is one layer of packages
    # to put this machine's into.
    kept = {each["Type"] for _, each in resources if each.get("DeletionPolicy") == "Retain"}
    assert kept == {"AWS::IAM::Role", "AWS::ApiGateway::Account"}
    layers = [name for name, each in resources if each["Type"] == "AWS::Lambda::LayerVersion"]
    assert len([name for name in layers if "Dependencies" in name]) == 1
    assert "bedrock:InvokeModel" not in repr(template)


def pins(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+==[0-9a-z.]+)", lock, re.MULTILINE))


def test_a_rehearsal_has_the_packages_of_lambda_in_their_versions() -> None:
    wanted = pins((ROOT / "layers" / "dependencies" / "requirements.txt").read_text())
    found = pins(host.lock())
    assert wanted <= found
    # Beside these, only another version for an older Python.
    assert {pin.partition("==")[0] for pin in found} == {pin.partition("==")[0] for pin in wanted}


def test_the_lock_of_the_emulator_names_hashes_and_no_address() -> None:
    lock = Path(ROOT / "requirements" / "rehearsal.txt").read_text()
    assert "://" not in lock
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=[a-z])", lock) if "==" in entry)
