"""Which of two representations a client would rather have (RFC 9110, section 12.5.1)."""

from __future__ import annotations

import re

_QUALITY = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


def wants(accept: str | None, media_type: str, *, rather_than: str) -> bool:
    """Whether an `Accept` header asks for `media_type`: it is named, by itself or by its kind (`text/*`), and
    has a higher quality than `rather_than`, or the same and is named more closely. `*/*` asks for nothing in
    particular. A range that is not well formed is passed over."""
    ranges = [found for part in (accept or "").split(",") if (found := _range(part))]
    quality, closeness = _best(ranges, media_type)
    return quality > 0 and closeness > 0 and (quality, closeness) > _best(ranges, rather_than)


def _best(ranges: list[tuple[str, float]], media_type: str) -> tuple[float, int]:
    """The quality of a media type and how closely the range that gives it names it, 0 for `*/*`: of the
    ranges that match, the closest decides."""
    names = ("*/*", media_type.partition("/")[0] + "/*", media_type)
    matching = [(names.index(name), quality) for name, quality in ranges if name in names]
    closeness, quality = max(matching, default=(0, 0.0))
    return quality, closeness


def _range(text: str) -> tuple[str, float] | None:
    name, *parameters = (part.strip().lower() for part in text.split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            return (name, float(value)) if _QUALITY.fullmatch(value.strip()) else None
    return (name, 1.0)
