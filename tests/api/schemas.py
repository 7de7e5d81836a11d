"""Checks a JSON value against a JSON Schema, as far as the interface's schemas go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
# Words that say something about a value and are not checked, or are checked with another one.
_REMARKS = frozenset(("title", "description", "default", "format", "examples"))
_KNOWN = frozenset(
    (
        *("$ref", "anyOf", "allOf", "enum", "const", "type", "pattern", "minLength", "maxLength"),
        *(
            "minimum",
            "maximum",
            "items",
            "minItems",
            "maxItems",
            "properties",
            "required",
            "additionalProperties",
            "propertyNames",
        ),
    )
)


class Schemas:
    """The schemas of one OpenAPI document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def wrong(self, value: Any, schema: Mapping[str, Any] | bool, at: str = "$") -> Iterator[str]:
        """Says, for each thing that is wrong with the value, where it is and which word it breaks. Raises
        ValueError for a word that is not known here."""
        if isinstance(schema, bool):
            if not schema:
                yield f"{at}: nothing may be here"
            return
        if unknown := schema.keys() - _KNOWN - _REMARKS:
            raise ValueError(f"{at}: {sorted(unknown)} cannot be checked")
        if "$ref" in schema:
            yield from self.wrong(value, self.resolved(schema["$ref"]), at)
        if "anyOf" in schema and all(list(self.wrong(value, choice, at)) for choice in schema["anyOf"]):
            yield f"{at}: anyOf"
        for part in schema.get("allOf", ()):
            yield from self.wrong(value, part, at)
        if "type" in schema and not _is_of(value, schema["type"]):
            yield f"{at}: type"
            return
        yield from (f"{at}: {word}" for word in _broken(value, schema))
        yield from self._inside(value, schema, at)

    def resolved(self, reference: str) -> Mapping[str, Any]:
        """What a local reference points to. Raises KeyError."""
        found: Any = self._document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        return dict(found)

    def _inside(self, value: Any, schema: Mapping[str, Any], at: str) -> Iterator[str]:
        if isinstance(value, list) and "items" in schema:
            for number, item in enumerate(value):
                yield from self.wrong(item, schema["items"], f"{at}[{number}]")
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            for name, item in value.items():
                rest = properties.get(name, schema.get("additionalProperties", True))
                yield from self.wrong(name, schema.get("propertyNames", True), f"{at}.{name}")
                yield from self.wrong(item, rest, f"{at}.{name}")


def _is_of(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    return any(
        isinstance(value, _TYPES[name]) and (not isinstance(value, bool) or name == "boolean")
        for name in names
    )


def _broken(value: Any, schema: Mapping[str, Any]) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield "enum"
    if "const" in schema and value != schema["const"]:
        yield "const"
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield "pattern"
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            yield "minLength, maxLength"
        if schema.get("format") == "date-time" and not re.fullmatch(
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", value
        ):
            yield "format"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield "minimum, maximum"
    if isinstance(value, list) and not schema.get("minItems", 0) <= len(value) <= schema.get(
        "maxItems", len(value)
    ):
        yield "minItems, maxItems"
    if isinstance(value, dict):
        yield from (f"required {name}" for name in schema.get("required", ()) if name not in value)
