"""Builds the layer of third-party packages for Lambda: Python 3.13 on arm64, without Docker, on any machine.

`uv` takes the wheels that requirements.txt pins by hash, for the platform of the functions and not of this
machine. What a function never reads is removed, and the rest is byte-compiled: a layer is read-only, so
without byte code every cold start would compile what it imports.

By hand: `python layers/dependencies/build.py DIRECTORY`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

PYTHON = "3.13"
# Amazon Linux 2023 has glibc 2.34; numpy's wheels ask for 2.27 or 2.28, which manylinux2014 does not allow.
PLATFORM = "aarch64-manylinux_2_28"
# The clients that the functions make. Models of all the other services are 28 MB of botocore.
SERVICES = frozenset(
    {"bedrock", "bedrock-runtime", "comprehend", "dynamodb", "kms", "secretsmanager", "sqs", "sts"}
)

_HERE = Path(__file__).parent
_REQUIREMENTS = _HERE / "requirements.txt"
# Notes of the installer and programs: they differ from machine to machine, and nothing imports them.
_INSTALLER_FILES = frozenset({"INSTALLER", "RECORD", "REQUESTED", "direct_url.json"})


def build(
    target: Path, *, python: str = PYTHON, platform: str = PLATFORM, requirements: Path = _REQUIREMENTS
) -> None:
    """Fills `target` with the layer: everything is below `python/`, where Lambda looks for it. `python` (a
    minor version), `platform` (as uv names it) and the lock are those of Lambda, unless functions are to run
    elsewhere.

    Raises RuntimeError without `uv`, and subprocess.CalledProcessError if a package cannot be had as pinned.
    """
    packages = target / "python"
    install = [
        *(uv(), "pip", "install", "--quiet", "--no-deps", "--require-hashes"),
        *("--python", sys.executable, "--target", str(packages), "--link-mode", "copy"),
        *("--python-version", python, "--python-platform", platform, "--only-binary", ":all:"),
        *("--no-compile-bytecode", "--requirement", str(requirements)),
    ]
    # Pinned by hash, what uv has kept is as good as what it would fetch: the network is for the rest.
    if subprocess.run([*install, "--offline"], capture_output=True, check=False).returncode != 0:
        subprocess.run(install, check=True, env=registry() | os.environ)
    trim(packages)
    trim_models(packages / "botocore" / "data")
    compile_tree(target)
    make_readable(target)


def trim(packages: Path) -> None:
    """Removes tests, type stubs, the installer's notes and the models of services that no function calls."""
    for path in sorted(packages.rglob("*"), reverse=True):
        if path.is_dir() and path.name == "tests":
            shutil.rmtree(path)
        elif path.is_file() and (path.suffix == ".pyi" or path.name in _INSTALLER_FILES):
            path.unlink()
    shutil.rmtree(packages / "bin", ignore_errors=True)
    (packages / ".lock").unlink(missing_ok=True)
    for data in (packages / "botocore" / "data", packages / "boto3" / "data"):
        # Files that stand beside the services (endpoints, partitions, retries, defaults) serve all of them.
        for service in data.iterdir() if data.is_dir() else ():
            if service.is_dir() and service.name not in SERVICES:
                shutil.rmtree(service)


def trim_models(data: Path) -> None:
    """Takes out of botocore's data what it reads at every start and no function needs: the endpoints of other
    services, of which there are a megabyte, and the documentation of the operations. A client is made from
    the rest in a third of the time (`python -m evals coldstart`)."""
    endpoints = data / "endpoints.json"
    known = json.loads(endpoints.read_bytes())
    for partition in known["partitions"]:
        services = partition["services"]
        partition["services"] = {name: services[name] for name in sorted(SERVICES & services.keys())}
    endpoints.write_text(json.dumps(known, separators=(",", ":")))
    for packed in sorted(data.glob("*/*/service-2.json.gz")):
        model = json.loads(gzip.decompress(packed.read_bytes()), object_hook=_without_documentation)
        # Unpacked: packed it would differ from one version of zlib to the next, and a layer is a zip anyway.
        packed.with_suffix("").write_text(json.dumps(model, separators=(",", ":")))
        packed.unlink()


def _without_documentation(value: dict[str, Any]) -> dict[str, Any]:
    # A member that is called so has an object in its place.
    return {
        name: each for name, each in value.items() if name != "documentation" or not isinstance(each, str)
    }


def compile_tree(target: Path) -> None:
    """Writes byte code beside every module below `target`, valid whatever the files' times become in a zip.

    Byte code of another minor version is ignored by the runtime, so without a Python 3.13 none is written.
    """
    python = interpreter()
    if python is None:
        print(f"No Python {PYTHON} found: {target} is built without byte code.", file=sys.stderr)
        return
    # -s and -p: tracebacks name the files as they lie in the function.
    command = [python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
    subprocess.run([*command, "-s", str(target), "-p", "/opt", str(target)], check=True)


def make_readable(target: Path) -> None:
    """Lets everybody read what is below `target`, whatever this machine would have: Lambda runs it as a user
    of its own, and a zip keeps permissions, so that those of a machine would make it another zip."""
    for path in target.rglob("*"):
        executable = path.is_dir() or path.stat().st_mode & 0o100
        path.chmod(0o755 if executable else 0o644)


def fingerprint() -> str:
    """A hash over all that decides what `build` makes."""
    digest = hashlib.sha256()
    for part in (_REQUIREMENTS.read_bytes(), Path(__file__).read_bytes(), bytes([interpreter() is not None])):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


@cache
def interpreter() -> str | None:
    """A Python of the functions' minor version: this one, one on the path, of pyenv or of uv."""
    return next(filter(_is_wanted, _candidates()), None)


def _candidates() -> Iterator[str]:
    name = f"python{PYTHON}"
    yield sys.executable
    for directory in os.get_exec_path():
        yield str(Path(directory) / name)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for version in sorted(pyenv.glob(f"versions/{PYTHON}.*")):
        yield str(version / "bin" / name)
    find = [uv(), "python", "find", "--managed-python", "--no-python-downloads", PYTHON]
    yield subprocess.run(find, capture_output=True, text=True, check=False).stdout.strip()


def _is_wanted(python: str) -> bool:
    if not os.access(python, os.X_OK):
        return False
    show = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        # -I: a directory of this machine on the path of modules must not decide what is found.
        answer = subprocess.run([python, "-I", "-c", show], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.stdout.strip() == PYTHON


def registry() -> dict[str, str]:
    """The registry and certificates that pip is set up for, which uv does not read by itself."""
    found = {"UV_SYSTEM_CERTS": "true"}
    for variable, option in (("UV_DEFAULT_INDEX", "index-url"), ("SSL_CERT_FILE", "cert")):
        get = [sys.executable, "-m", "pip", "config", "get", f"global.{option}"]
        value = subprocess.run(get, capture_output=True, text=True, check=False).stdout.strip()
        if value:
            found[variable] = value
    return found


def uv() -> str:
    """The program that installs packages: beside this interpreter, or on the path. Raises RuntimeError."""
    beside = Path(sys.executable).with_name("uv")
    program = str(beside) if beside.exists() else shutil.which("uv")
    if program is None:
        raise RuntimeError("uv is needed to build the layer of third-party packages")
    return program


if __name__ == "__main__":
    build(Path(sys.argv[1]))
