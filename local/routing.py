"""Finds the route of a request as an HTTP API does: whole segments only, a literal before a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from noted.api.routes import Route


@dataclass(frozen=True)
class Match:
    """A route and its path parameters, URL-decoded."""

    route: Route
    parameters: Mapping[str, str]


class Routing:
    """The routes of a service."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = [(route, route.path.split("/")) for route in routes]

    def find(self, method: str, path: str) -> Match | list[str]:
        """The match, or the methods that this path does know: none if it is unknown. `path` is as it was
        sent, percent-encoded. Raises ValueError if it does not decode to UTF-8."""
        segments = [unquote_to_bytes(segment).decode() for segment in path.split("/")]
        candidates = [
            (template, Match(route, parameters))
            for route, template in self._routes
            if (parameters := _parameters(template, segments)) is not None
        ]
        matches = [candidate for candidate in candidates if candidate[1].route.method == method]
        if not matches:
            return sorted(match.route.method for _, match in candidates)
        return min(matches, key=lambda candidate: [_is_parameter(part) for part in candidate[0]])[1]


def _parameters(template: list[str], segments: list[str]) -> dict[str, str] | None:
    if len(template) != len(segments):
        return None
    parameters = {}
    for part, segment in zip(template, segments, strict=True):
        if _is_parameter(part):
            if not segment:
                return None
            parameters[part[1:-1]] = segment
        elif part != segment:
            return None
    return parameters


def _is_parameter(part: str) -> bool:
    return part.startswith("{") and part.endswith("}")
