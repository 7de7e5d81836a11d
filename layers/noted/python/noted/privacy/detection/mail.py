"""E-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType

# RFC 5321: at most 64 characters before the @ and 255 after it. What needs quoting is not looked for.
_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}\Z")
_DOMAIN = re.compile(
    r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})(?![\w])",
    re.IGNORECASE,
)
_MARKS = ".!#$%&'*+/=?^`{|}~-"


def emails(text: str) -> Iterator[Span]:
    """The addresses of a folded text. `a@b` has no top level and is none."""
    at = text.find("@")
    while at >= 0:
        local = _LOCAL.search(text[max(0, at - 64) : at])
        domain = _DOMAIN.match(text, at + 1)
        if local and domain:
            name = local.group().lstrip(_MARKS)
            if name and not name.endswith(".") and ".." not in name:
                start = at - len(name)
                yield Span(start, domain.end(), EntityType.EMAIL, text[start : domain.end()].casefold())
        at = text.find("@", at + 1)
