"""A check of what becomes of people's data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """What is looked at, what should be and what was found, in words, and whether that is so."""

    what: str
    wanted: str
    found: str
    holds: bool

    @classmethod
    def count(cls, what: str, wanted: int, found: int) -> Check:
        """A number that should be another one, and no more or less."""
        return cls(what, str(wanted), str(found), wanted == found)
