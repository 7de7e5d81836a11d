"""What goes into the layer of third-party packages."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import botocore
import botocore.session
import pytest
from botocore.loaders import Loader

from layers.dependencies import build

ROOT = Path(__file__).resolve().parents[2]


def tree(root: Path, *files: str) -> None:
    for name in files:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("interpreter,warnings", [(None, 1), ("/usr/bin/python3.13", 0)])
def test_a_deployment_without_byte_code_says_so(
    monkeypatch: pytest.MonkeyPatch, interpreter: str | None, warnings: int
) -> None:
    from aws_cdk import App, Stack
    from aws_cdk.assertions import Annotations, Match

    from infra.layers import Layers

    monkeypatch.setattr(build, "interpreter", lambda: interpreter)
    stack = Stack(App(context={"aws:cdk:bundling-stacks": []}), "Stack")
    Layers(stack, "Layers")
    help_of_uv = Match.string_like_regexp("uv python install 3.13")
    found = Annotations.from_stack(stack).find_warning("*", help_of_uv)
    assert len(found) == warnings


def test_what_no_function_reads_is_removed(tmp_path: Path) -> None:
    kept = {
        "numpy/__init__.py",
        "numpy/testing/__init__.py",
        "numpy/latest.py",
        "numpy-2.5.5.dist-info/METADATA",
        "numpy-2.5.5.dist-info/licenses/LICENSE.txt",
        "botocore/data/endpoints.json",
        "botocore/data/partitions.json",
        "botocore/data/sdk-default-configuration.json",
        "botocore/data/_retry.json",
        "botocore/data/dynamodb/2012-08-10/service-2.json.gz",
        "botocore/data/bedrock-runtime/2023-09-30/service-2.json.gz",
        "boto3/data/sqs/2012-11-05/resources-1.json",
    }
    dropped = {
        ".lock",
        "bin/openai",
        "numpy/__init__.pyi",
        "numpy/tests/test_numpy.py",
        "numpy/_core/tests/data/numbers.csv",
        "numpy-2.5.5.dist-info/RECORD",
        "numpy-2.5.5.dist-info/INSTALLER",
        "botocore/data/ec2/2016-11-15/service-2.json.gz",
        "botocore/data/bedrock-agent/2023-06-05/service-2.json.gz",
        "boto3/data/ec2/2016-11-15/resources-1.json",
    }
    tree(tmp_path, *kept, *dropped)
    build.trim(tmp_path)
    assert files(tmp_path) == kept


@pytest.fixture(scope="module")
def trimmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """botocore's data as a layer has it."""
    assert botocore.__file__
    source, data = Path(botocore.__file__).parent / "data", tmp_path_factory.mktemp("botocore") / "data"
    data.mkdir()
    for each in source.iterdir():
        if each.name in build.SERVICES:
            shutil.copytree(each, data / each.name)
        elif each.is_file():
            shutil.copy(each, data)
    build.trim_models(data)
    return data


def session(data: Path | None) -> botocore.session.Session:
    made = botocore.session.Session()
    made.set_credentials("none", "none")
    if data:
        loader = Loader(extra_search_paths=[str(data)], include_default_search_paths=False)
        made.register_component("data_loader", loader)
    return made


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1", "cn-north-1", "us-gov-west-1"])
@pytest.mark.parametrize("service", sorted(build.SERVICES))
def test_a_client_of_the_layer_does_what_a_client_of_boto3_does(
    trimmed: Path, service: str, region: str
) -> None:
    ours, theirs = (session(data).create_client(service, region) for data in (trimmed, None))
    assert ours.meta.endpoint_url == theirs.meta.endpoint_url
    ours_model, their_model = ours.meta.service_model, theirs.meta.service_model
    assert ours_model.operation_names == their_model.operation_names
    assert ours_model.metadata == their_model.metadata
    for name in their_model.shape_names:
        ours_shape, their_shape = ours_model.shape_for(name), their_model.shape_for(name)
        assert ours_shape.metadata == their_shape.metadata
        assert list(getattr(ours_shape, "members", ())) == list(getattr(their_shape, "members", ()))


def test_the_layer_has_no_documentation_and_no_endpoints_of_other_services(trimmed: Path) -> None:
    models = list(trimmed.glob("*/*/service-2.json"))
    assert {model.parts[-3] for model in models} == build.SERVICES
    for model in models:
        assert '"documentation":"' not in model.read_text()
    partitions = json.loads((trimmed / "endpoints.json").read_bytes())["partitions"]
    assert {name for each in partitions for name in each["services"]} <= build.SERVICES
    assert len(partitions) == len(session(None).get_available_partitions())


def test_every_client_that_the_library_makes_has_its_service_in_the_layer() -> None:
    sources = [*(ROOT / "layers" / "noted").rglob("*.py"), *(ROOT / "functions").rglob("*.py")]
    made = {
        service
        for source in sources
        for service in re.findall(r"""boto3\.client\(\s*["']([a-z0-9-]+)["']""", source.read_text("utf-8"))
    }
    assert made >= {"dynamodb", "sqs", "secretsmanager"}
    assert made <= build.SERVICES


def test_a_change_of_the_lock_is_another_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = build.fingerprint()
    assert build.fingerprint() == before
    changed = tmp_path / "requirements.txt"
    changed.write_bytes(build._REQUIREMENTS.read_bytes() + b"\n")
    monkeypatch.setattr(build, "_REQUIREMENTS", changed)
    assert build.fingerprint() != before


def test_the_lock_pins_every_package_by_hash() -> None:
    lock = (ROOT / "layers" / "dependencies" / "requirements.txt").read_text("utf-8")
    entries = [entry for entry in re.split(r"\n(?=\S)", lock) if re.match(r"[a-z]", entry)]
    assert len(entries) > 10
    unpinned = [entry for entry in entries if not re.match(r"[a-z0-9._-]+==\S+ \\\n +--hash=sha256:", entry)]
    assert unpinned == []


def test_byte_code_is_of_the_functions_python_and_valid_at_any_time(tmp_path: Path) -> None:
    if build.interpreter() is None:
        pytest.skip("no Python of the functions' version on this machine")
    tree(tmp_path, "python/noted/clock.py")
    build.compile_tree(tmp_path)
    (byte_code,) = tmp_path.rglob("*.pyc")
    assert byte_code.name == "clock.cpython-313.pyc"
    # PEP 552: bit 0 set, the file is matched by a hash; bit 1 unset, which is not even checked.
    assert int.from_bytes(byte_code.read_bytes()[4:8], "little") == 0b01
    assert b"/opt/python/noted/clock.py" in byte_code.read_bytes()
