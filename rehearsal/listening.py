"""Which ports a program and its children listen on: a rehearsal is nobody's business off this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

_LISTENS = "0A"


def exposed(group: int) -> list[str]:
    """The addresses off the loopback interface on which a process group listens, as Linux tells them; empty
    where there is no /proc."""
    inodes = {inode for process in _members(group) for inode in _sockets(process)}
    found = []
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            fields = line.split()
            local, state, inode = fields[1], fields[3], fields[9]
            address, port = local.split(":")
            if state == _LISTENS and inode in inodes and not _address(address).is_loopback:
                found.append(f"{_address(address)}:{int(port, 16)}")
    return found


def _members(group: int) -> Iterator[Path]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(process.name)) == group:
                yield process
        except OSError:
            continue


def _sockets(process: Path) -> Iterator[str]:
    try:
        links = [descriptor.readlink().name for descriptor in (process / "fd").iterdir()]
    except OSError:
        return
    yield from (link[8:-1] for link in links if link.startswith("socket:["))


def _address(text: str) -> IPv4Address | IPv6Address:
    # Words of the machine's own byte order.
    raw = b"".join(bytes.fromhex(text[start : start + 8])[::-1] for start in range(0, len(text), 8))
    return IPv4Address(raw) if len(raw) == 4 else IPv6Address(raw)
