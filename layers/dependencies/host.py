"""The layer of third-party packages for this machine and any Python: the same packages, trimmed alike, where
functions are run without Lambda."""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
from pathlib import Path

from layers.dependencies import build

_ROOT = Path(__file__).resolve().parents[2]
# Which no commit holds.
_KEPT = _ROOT / "build" / "layers"
_LAMBDA_LOCK = _ROOT / "layers" / "dependencies" / "requirements.txt"
_MACHINE_LOCK = _ROOT / "requirements" / "dev.txt"


def layer(python: str) -> Path:
    """The folder of the layer for a minor version of Python, such as `3.13`. It is made once, and again
    when something changes that decides what it holds. Raises what `build.build` raises."""
    wanted = lock()
    kind = f"{build.fingerprint()} {python} {platform_name()} {wanted}"
    kept = _KEPT / hashlib.sha256(kind.encode()).hexdigest()[:16]
    if not kept.is_dir():
        requirements, draft = kept.with_suffix(".txt"), kept.with_suffix(".draft")
        _KEPT.mkdir(parents=True, exist_ok=True)
        requirements.write_text(wanted)
        shutil.rmtree(draft, ignore_errors=True)
        build.build(draft, python=python, platform=platform_name(), requirements=requirements)
        draft.rename(kept)
    return kept


def lock() -> str:
    """The lock of the layer for whatever Python: the same packages as in the lock for Lambda, as the lock of
    one machine pins them, which holds for all platforms."""
    wanted = {_name(entry) for entry in _entries(_LAMBDA_LOCK)}
    return "\n".join(entry for entry in _entries(_MACHINE_LOCK) if _name(entry) in wanted) + "\n"


def platform_name() -> str:
    """This machine, as uv names platforms. Raises RuntimeError where it was never tried."""
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    system = platform.system()
    if system not in ("Linux", "Darwin"):
        raise RuntimeError("the functions run on Linux or macOS")
    return f"{machine}-{'manylinux_2_28' if system == 'Linux' else 'apple-darwin'}"


def _entries(lock: Path) -> list[str]:
    """One text a package: its pin and its hashes."""
    lines = (line for line in lock.read_text().splitlines() if not line.lstrip().startswith("#"))
    return re.split(r"\n(?=\S)", "\n".join(lines).strip())


def _name(entry: str) -> str:
    return re.split(r"[\[=]", entry, maxsplit=1)[0]
