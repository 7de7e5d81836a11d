"""The write gate: rules in code that every text passes before it becomes memory.

A model that extracts facts may be talked into anything by what it reads, so it is taken to obey whoever wrote
the text. What may be kept is decided here, from the words that the user typed and from nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noted.privacy.gate.categories import SpecialCategory
    from noted.privacy.gate.channel import own_words
    from noted.privacy.gate.decision import Decision, Outcome, Reason
    from noted.privacy.gate.evidence import says_no_more
    from noted.privacy.gate.judging import is_withheld, judge
    from noted.privacy.gate.normalise import cleaned
    from noted.privacy.gate.steering import claims_a_role, steers

GATE_VERSION = 3
"""Raised with every change of a rule, so that what passed an older gate can be judged again."""

__all__ = [
    "GATE_VERSION",
    "Decision",
    "Outcome",
    "Reason",
    "SpecialCategory",
    "claims_a_role",
    "cleaned",
    "is_withheld",
    "judge",
    "own_words",
    "says_no_more",
    "steers",
]

_MODULES = {
    "Decision": "decision",
    "Outcome": "decision",
    "Reason": "decision",
    "SpecialCategory": "categories",
    "claims_a_role": "steering",
    "cleaned": "normalise",
    "is_withheld": "judging",
    "judge": "judging",
    "own_words": "channel",
    "says_no_more": "evidence",
    "steers": "steering",
}


def __getattr__(name: str) -> Any:
    """The rules have dear patterns, and whoever names a category of personal data needs none of them: each
    module is imported when something of it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
