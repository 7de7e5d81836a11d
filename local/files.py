"""Small files that several processes share: written whole or not at all, readable by their owner only."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def private_folder(path: Path) -> Path:
    """Makes `path` a folder that only its owner can enter, if it is not there yet."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def create_private(path: Path, content: bytes) -> bool:
    """Creates `path` (mode 0600) with this content, durably. False, and nothing changed, if it is there:
    of several processes that try at once exactly one wins, and none ever sees half a file."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
    finally:
        draft.unlink()
    _sync_folder(path.parent)
    return True


def append_line(path: Path, line: str) -> None:
    """Adds one line to a file (mode 0600) and returns when it is on the disk."""
    created = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(line.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    if created:
        _sync_folder(path.parent)


def remove(path: Path) -> None:
    """Deletes a file, durably; one that is not there is fine."""
    path.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    # Without this a crash of the machine can lose the name although the content is safe.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
