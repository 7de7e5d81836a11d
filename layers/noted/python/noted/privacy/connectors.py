"""The places outside of the tables that a deployer registers: `NOTED_ERASURE_CONNECTORS`, a JSON list of
`{"name", "url"}`. Only these are ever called."""

from __future__ import annotations

import ipaddress
import json
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_MAX_CONNECTORS = 20


@dataclass(frozen=True)
class Connector:
    """A satellite that is reached over HTTP, as it is registered."""

    name: str
    url: str


def read_connectors(text: str | None) -> tuple[Connector, ...]:
    """The connectors of a JSON list of `{"name", "url"}`; none for nothing.

    Raises ValueError for a name that is not 1 to 31 of a-z, 0-9 and hyphens or is given twice, and for an
    address that is not https; http is taken for the loopback interface alone.
    """
    try:
        listed = json.loads(text or "[]")
    except ValueError:
        listed = None
    if not isinstance(listed, list) or len(listed) > _MAX_CONNECTORS:
        raise ValueError(f'must be a list of at most {_MAX_CONNECTORS} of {{"name", "url"}}')
    connectors = tuple(_connector(each) for each in listed)
    if len({each.name for each in connectors}) < len(connectors):
        raise ValueError("has a name twice")
    return connectors


def _connector(given: object) -> Connector:
    if not isinstance(given, dict) or given.keys() != {"name", "url"}:
        raise ValueError('each has "name" and "url" and nothing else')
    name, url = given["name"], given["url"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError("a name is 1 to 31 of a-z, 0-9 and hyphens and begins with a letter")
    if not isinstance(url, str) or not _allowed(url):
        raise ValueError("a url is https, without user, password, query and fragment")
    return Connector(name, url)


def _allowed(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    if not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
        return False
    if not re.fullmatch(r"[\x21-\x7e]+", url):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))


def is_loopback(host: str) -> bool:
    """Whether a host can only be this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
