"""What the gate says about a proposed fact, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.privacy.gate.categories import SpecialCategory


class Outcome(StrEnum):
    """What becomes of a proposed fact."""

    KEEP = "keep"
    HOLD = "hold"
    """Shown to the user, and recalled only once they have confirmed it."""
    DROP = "drop"
    ASK = "ask"
    """Kept only if the user consents to its special category."""


class Reason(StrEnum):
    """Why a fact is not simply kept."""

    EMPTY = "empty"
    UNICODE = "unicode"
    TOO_LONG = "too_long"
    MARKUP = "markup"
    PLACEHOLDER = "placeholder"
    OPAQUE = "opaque"
    SECRET = "secret"  # noqa: S105 (the name of a reason)
    MINOR = "minor"
    CONTACT = "contact"
    LINK = "link"
    DIRECTIVE = "directive"
    TRIGGER = "trigger"
    AUTHORITY = "authority"
    RECOMMENDATION = "recommendation"
    ALIAS = "alias"
    QUESTION = "question"
    NOT_OWN_WORDS = "not_own_words"
    NOT_COVERED = "not_covered"
    ASSENT = "assent"
    NOT_FIRST_PERSON = "not_first_person"
    THIRD_PARTY = "third_party"
    SPECIAL_CATEGORY = "special_category"
    DOUBT = "doubt"


@dataclass(frozen=True)
class Decision:
    """The outcome for one fact. `category` is set with ASK, and where a special category is the reason."""

    outcome: Outcome
    reason: Reason | None = None
    category: SpecialCategory | None = None


KEEP = Decision(Outcome.KEEP)
