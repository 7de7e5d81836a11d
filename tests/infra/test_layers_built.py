"""The layers as they are built: the same each time, of byte code, for the functions' machine, and small."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from layers.dependencies import build

# What Lambda takes in one upload; and, unzipped, for all layers and the code together.
ZIPPED_BYTES = 50_000_000
UNZIPPED_BYTES = 262_144_000
AARCH64 = 183
_EPOCH = (1980, 1, 1, 0, 0, 0)


def digests(root: Path) -> dict[str, tuple[int, str]]:
    """What a zip takes of each file: its name, its permissions and what is in it."""
    return {
        str(path.relative_to(root)): (path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in root.rglob("*")
        if path.is_file()
    }


def zipped(root: Path) -> int:
    """Bytes of a zip of a folder, at the fastest level: no other makes it larger."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            archive.writestr(
                zipfile.ZipInfo(str(path.relative_to(root)), _EPOCH),
                path.read_bytes(),
                zipfile.ZIP_DEFLATED,
                1,
            )
    return len(held.getbuffer())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The layer of third-party packages, built twice; the second time by a machine that hides its files."""
    folder = tmp_path_factory.mktemp("layers")
    before = os.umask(0o022)
    try:
        build.build(folder / "once")
        os.umask(0o077)
        build.build(folder / "again")
    except subprocess.CalledProcessError:
        pytest.skip("the packages of the layer cannot be had here")
    finally:
        os.umask(before)
    return folder / "once", folder / "again"


@pytest.mark.xdist_group("layer")
def test_two_builds_are_the_same_to_the_byte(built: tuple[Path, Path]) -> None:
    once, again = map(digests, built)
    assert len(once) > 1000
    assert once == again
    assert {mode & 0o777 for mode, _ in once.values()} <= {0o644, 0o755}


@pytest.mark.xdist_group("layer")
def test_it_is_small_enough_to_upload_and_to_unpack(built: tuple[Path, Path]) -> None:
    once, _ = built
    assert zipped(once) < ZIPPED_BYTES
    assert sum(path.stat().st_size for path in once.rglob("*") if path.is_file()) < UNZIPPED_BYTES


@pytest.mark.xdist_group("layer")
def test_what_is_compiled_in_it_is_for_the_functions_machine(built: tuple[Path, Path]) -> None:
    once, _ = built
    libraries = [path for path in once.rglob("*.so*") if path.is_file()]
    assert len(libraries) > 10
    for path in libraries:
        head = path.read_bytes()[:20]
        # ELF: 64 bits, little-endian, and the machine at offset 18.
        assert head[:6] == b"\x7fELF\x02\x01"
        assert int.from_bytes(head[18:20], "little") == AARCH64


@pytest.mark.xdist_group("layer")
def test_every_module_of_it_has_byte_code(built: tuple[Path, Path]) -> None:
    if build.interpreter() is None:
        pytest.skip("no Python of the functions' version on this machine")
    once, _ = built
    missing = [
        path
        for path in once.rglob("*.py")
        if not (path.parent / "__pycache__" / f"{path.stem}.cpython-313.pyc").exists()
    ]
    # Sources of other versions of Python, which this one cannot read, are all that is left.
    assert len(missing) < 5


@pytest.mark.xdist_group("layer")
def test_zones_are_found_where_the_system_has_none(built: tuple[Path, Path]) -> None:
    once, _ = built
    # Without this machine's zones (an empty TZPATH) and without its packages (-S).
    berlin = "zoneinfo.ZoneInfo('Europe/Berlin')"
    show = f"import datetime, zoneinfo; print(datetime.datetime(2026, 7, 1, tzinfo={berlin}))"
    asked = [sys.executable, "-S", "-c", show]
    without = {"PYTHONTZPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    alone = subprocess.run(asked, env=without, capture_output=True, text=True, check=False)
    assert "ZoneInfoNotFoundError" in alone.stderr
    layered = without | {"PYTHONPATH": str(once / "python")}
    found = subprocess.run(asked, env=layered, capture_output=True, text=True, check=True)
    assert found.stdout == "2026-07-01 00:00:00+02:00\n"


@pytest.mark.xdist_group("layer")
def test_models_of_services_are_those_that_are_called(built: tuple[Path, Path]) -> None:
    once, _ = built
    data = once / "python" / "botocore" / "data"
    assert {path.name for path in data.iterdir() if path.is_dir()} == build.SERVICES


@pytest.mark.xdist_group("infra")
def test_two_builds_of_the_library_are_the_same_to_the_byte(tmp_path: Path) -> None:
    from infra import layers

    for name in ("once", "again"):
        layers._build_library(tmp_path / name)
    once, again = digests(tmp_path / "once"), digests(tmp_path / "again")
    assert once == again
    assert "python/noted/runtime.py" in once
    assert not any("cpython-3" in name and "cpython-313" not in name for name in once)
