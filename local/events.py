"""Reads server-sent events (WHATWG HTML, section 9.2.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def read(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and data of each event, from the lines of a stream without their ends. An event that the stream
    breaks off is dropped."""
    name, data = "", list[str]()
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield name or "message", "\n".join(data)
            name, data = "", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)
