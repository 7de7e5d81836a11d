"""Strict reading of what a model sends back as data, with the one repair that is safe.

What comes back is untrusted: it is either one JSON object without ambiguity or `MalformedOutput`. Whether the
object has the right fields, and each item the right values, is for the code that asked.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from noted.errors import MalformedOutput

# No shape that is asked for is deeper than five levels.
_MAX_DEPTH = 16
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def read_object(text: str) -> dict[str, Any]:
    """The JSON object that a model wrote.

    Taken as it stands, or out of the Markdown fences or the prose around it where these hold no other
    bracket. Raises MalformedOutput for anything else: not an object, cut off, a key given twice, NaN or an
    infinity, nested more than 16 deep. Lone surrogates become U+FFFD, so that the result can be stored.
    """
    text = text.strip().removeprefix("\ufeff")
    try:
        return plain_object(_decoder.decode(text))
    except (ValueError, RecursionError):
        return plain_object(_only_object(text))


def _only_object(text: str) -> object:
    start = text.find("{")
    try:
        value, end = _decoder.raw_decode(text, max(start, 0))
    except (ValueError, RecursionError):
        raise MalformedOutput("malformed") from None
    if re.search(r"[\[\]{}]", text[: max(start, 0)] + text[end:]):
        raise MalformedOutput("malformed")
    return value


def plain_object(value: object) -> dict[str, Any]:
    """The same strictness for an object that a provider's client has parsed already."""
    if not isinstance(value, Mapping):
        raise MalformedOutput("malformed")
    plain: dict[str, Any] = _plain(value, 1)
    return plain


def read_arguments(value: object) -> dict[str, Any]:
    """The arguments of a tool call: the text of one JSON object, without any repair, or an object that is
    parsed already. No text is no arguments, as models write it for a tool that takes none. Raises
    MalformedOutput for anything else.
    """
    if not isinstance(value, str):
        return plain_object(value)
    try:
        return plain_object(_decoder.decode(value.strip())) if value.strip() else {}
    except (ValueError, RecursionError):
        raise MalformedOutput("malformed") from None


def checked_vectors(value: object, count: int) -> list[list[float]]:
    """`count` embedding vectors of one length, of finite numbers. Raises MalformedOutput otherwise."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        raise MalformedOutput("malformed")
    vectors = [_vector(item) for item in value]
    if len({len(vector) for vector in vectors}) > 1:
        raise MalformedOutput("malformed")
    return vectors


def without_surrogates(text: str) -> str:
    """The text with lone surrogates as U+FFFD: what is left can be sent and stored as UTF-8."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key is given twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _plain(value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH and isinstance(value, Mapping | list):
        raise MalformedOutput("malformed")
    if isinstance(value, Mapping):
        return {without_surrogates(str(key)): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise MalformedOutput("malformed")
    return value


def _vector(value: object) -> list[float]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise MalformedOutput("malformed")
    numbers: list[float] = []
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise MalformedOutput("malformed")
        numbers.append(float(number))
    return numbers
