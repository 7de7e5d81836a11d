"""JSON in one order, so that equal prompts are equal bytes: a provider's cache looks for equal bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from noted.models.parsing import without_surrogates


def ordered(value: Any) -> Any:
    """The same JSON value with the keys of every object sorted, and text that can be sent as UTF-8."""
    if isinstance(value, Mapping):
        return {without_surrogates(key): ordered(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [ordered(item) for item in value]
    return without_surrogates(value) if isinstance(value, str) else value


def canonical(value: Any) -> str:
    """The value as JSON text: keys sorted, no blanks, letters of every script as they are."""
    return json.dumps(ordered(value), ensure_ascii=False, separators=(",", ":"))
