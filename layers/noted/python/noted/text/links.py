"""Whether a text holds a link, or something that a reader's client would turn into one."""

from __future__ import annotations

import re

from noted.text.folding import plain

_SCHEME = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,15}:(?://|\\\\)|\b(?:mailto|javascript|data|tel|sms|file):\S"
    r"|(?<![:/\w])//\w[\w-]*\.\w",
    re.IGNORECASE,
)
_WWW = re.compile(r"\bwww\d?\.\S", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"\]\s?\(|!\[|\]\[[^\]]*\]|^\s*\[[^\]]+\]:\s*\S|<(?:a|img|link|iframe|script)\b|\b(?:href|src)\s*=",
    re.IGNORECASE | re.MULTILINE,
)
TOP_LEVEL = frozenset(
    """com org net edu gov mil int info biz name pro io ai app dev me tv ly gg co cc xyz site online store
    shop link click top club live blog cloud tech space website page web icu vip fun host work art news media
    agency example test invalid localhost onion eu uk us de fr es pt it nl be ch at se no dk fi is ie pl cz
    sk hu ro bg gr tr ua ru by lt lv ee hr si rs br mx ar cl pe au nz ca in cn jp kr tw hk sg my th id ph vn
    za ng ke eg ma il ae sa ir pk рф бел укр 中国 中國 भारत""".split()
)
_DOMAIN = re.compile(
    r"(?<![\w.])(?:[^\W_](?:[\w-]{0,62})\.)+(?P<top>[^\W\d_]{2,24})(?P<path>[/:?#]\S)?(?![\w-])(?!\.\w)"
)
_NUMERIC_PATH = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?[/?]\S")
_DOTTED_PATH = re.compile(r"(?<![\w.])[^\W_][\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,24}/\w")
_DOTNET = frozenset({"asp", "vb", "ado", "ml", "paint", "xamarin", "signalr", "json", "log4"})


def has_link(text: str) -> bool:
    """Whether the text holds a web or mail address, a link in Markdown or HTML, or the name of a host.

    A product's name with a dot in it is none: Node.js ends in no top-level domain, and ASP.NET is known. A
    name
    that is written as one, with a capital letter (Booking.com), is a host all the same.
    """
    visible = plain(text)
    visible = re.sub(r"(?<=[a-z0-9])[\u3002\uff61](?=[a-z0-9])", ".", visible, flags=re.IGNORECASE)
    if any(pattern.search(visible) for pattern in (_SCHEME, _WWW, _MARKDOWN, _DOTTED_PATH, _NUMERIC_PATH)):
        return True
    return any(_is_host(match) for match in _DOMAIN.finditer(visible))


def _is_host(match: re.Match[str]) -> bool:
    top = match["top"]
    if top.casefold() not in TOP_LEVEL and not top.casefold().startswith("xn"):
        return False
    labels = match.group().split(".")
    if top.istitle() and labels[0].islower() is False and len(top) == 2 and not match["path"]:
        return False  # the next sentence, written without a blank: "in Porto.It is"
    return bool(match["path"]) or not is_dotnet(".".join(labels))


def is_dotnet(name: str) -> bool:
    """Whether a name with a dot in it is a product's and no host's (ASP.NET)."""
    first, _, rest = name.casefold().partition(".")
    return first in _DOTNET and rest == "net"
