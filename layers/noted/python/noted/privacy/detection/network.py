"""Addresses on a network: IP versions 4 and 6, and those of devices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.detection.context import before
from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType

_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:(?<=:)(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])")
_MAC = re.compile(
    r"(?<![\w:-])[0-9A-Fa-f]{2}(?P<mark>[:-])(?:[0-9A-Fa-f]{2}(?P=mark)){4}[0-9A-Fa-f]{2}(?![\w:-])"
)
# 10.15.7.1 is a version after these words, and a section of a text.
_VERSION = re.compile(
    r"(?:\bv|version\w*|release|build|firmware|driver|chrome|firefox|section|chapter|clause|ios|macos"
    r"|android|kernel|update|upgrade\w*)(?: to| is| was|:|/)? ?v?$"
)
_HEXADECIMAL_LETTER = re.compile(r"[A-Fa-f]")


def addresses(text: str) -> Iterator[Span]:
    """The addresses of a folded text. 127.0.0.1 and the empty address are nobody's."""
    for match in _MAC.finditer(text):
        if match["mark"] == ":" or _HEXADECIMAL_LETTER.search(match.group()):
            yield Span(*match.span(), EntityType.MAC, match.group().casefold().replace("-", ":"))
    for pattern in (_IPV6, _IPV4):
        for match in pattern.finditer(text):
            if span := _ip(text, match):
                yield span


def _ip(text: str, match: re.Match[str]) -> Span | None:
    written = match.group()
    start, end = match.span()
    if ":" in written:
        # A colon at the end closes a phrase: "from fe80::1: nothing".
        while written.endswith(":") and not written.endswith("::"):
            written, end = written[:-1], end - 1
        if written.count(":") < 2 or not any(character.isdigit() for character in written):
            return None
        if re.fullmatch(r"\d\d?(?::\d\d?)+", written):
            return None  # times of a clock
    elif _VERSION.search(before(text, start, 24)):
        return None
    import ipaddress  # only here: most texts hold nothing that looks like one

    try:
        address = ipaddress.ip_address(written)
    except ValueError:
        return None
    if address.is_loopback or address.is_unspecified or written == "255.255.255.255":
        return None
    return Span(start, end, EntityType.IP, address.compressed)
