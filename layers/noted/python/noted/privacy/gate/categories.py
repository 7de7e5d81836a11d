"""The special categories of personal data, of which a fact is kept only with consent.

They are those of Article 9 of the GDPR, with criminal matters (Article 10) beside them.
"""

from __future__ import annotations

from enum import StrEnum


class SpecialCategory(StrEnum):
    """What a fact about a person can give away."""

    HEALTH = "health"
    RELIGION = "religion"
    POLITICS = "politics"
    UNION = "union"
    SEX_LIFE = "sex_life"
    ORIGIN = "origin"
    BIOMETRICS = "biometrics"
    CRIME = "crime"
