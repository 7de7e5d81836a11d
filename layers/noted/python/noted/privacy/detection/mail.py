"""E-mail addresses, also with the words "(at)" and "(dot)" in brackets for the two marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType

# RFC 5321: at most 64 characters before the @ and 255 after it. What needs quoting is not looked for, nor the
# marks / = ? { | }, which part an address from what stands before it in a list or in an address of the web.
_LOCAL = re.compile(r"[\w.!#$%&'*+^`~-]{1,64}\Z")
_AT = re.compile(r"@| ?(?:\( ?(?:at|@) ?\)|\[ ?(?:at|@) ?\]|\{ ?(?:at|@) ?\}) ?", re.IGNORECASE)
_DOT = r"(?:\.| ?(?:\( ?dot ?\)|\[ ?dot ?\]|\{ ?dot ?\}) ?)"
_DOMAIN = re.compile(
    rf"(?:[^\W_](?:[\w-]{{0,61}}[^\W_])?{_DOT}){{1,8}}(?:xn--[a-z0-9-]{{2,59}}|[^\W\d_]{{2,24}})(?![\w])",
    re.IGNORECASE,
)
_SPELLED_DOT = re.compile(_DOT, re.IGNORECASE)
_MARKS = ".!#$%&'*+^`~-"


def emails(text: str) -> Iterator[Span]:
    """The addresses of a folded text. `a@b` has no top level and is none."""
    for at in _AT.finditer(text):
        local = _LOCAL.search(text[max(0, at.start() - 64) : at.start()])
        domain = _DOMAIN.match(text, at.end())
        if local and domain:
            name = local.group().lstrip(_MARKS)
            if name and not name.endswith(".") and ".." not in name:
                address = f"{name}@{_SPELLED_DOT.sub('.', domain.group())}".casefold()
                yield Span(at.start() - len(name), domain.end(), EntityType.EMAIL, address)
