"""Regular expressions that are compiled when they are first used.

A function knows hundreds of them from its start, and a request meets few: compiled at import, those of the
English words around a time alone would be a twentieth of a cold start.
"""

from __future__ import annotations

import re
from functools import cached_property


class Pattern:
    """A regular expression over text, with the methods of `re.Pattern` that take a place to begin at."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.source)

    def search(self, text: str, begin: int = 0) -> re.Match[str] | None:
        """The first place where it matches."""
        return self._compiled.search(text, begin)

    def match(self, text: str, begin: int = 0) -> re.Match[str] | None:
        """Its match at `begin`."""
        return self._compiled.match(text, begin)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Its match of the whole text."""
        return self._compiled.fullmatch(text)
