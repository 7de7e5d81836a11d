"""The fields of the structured profile: the one place where whoever deploys the service changes them.

The extraction prompt names the fields in this order, the interface and its OpenAPI document have one property
for each, and a snapshot tells them first. A field that is taken out leaves its facts: they are ordinary ones
from then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.facts.fact import Category

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class ProfileField:
    """One thing that is known of a person, or not.

    `name` is what clients and models call it, `label` what a prompt calls it where its value is unknown.
    `meaning` tells the extraction which facts fill it. Such a fact is of `category`, which says how long it
    is kept. After `max_age` days in which it was not said or confirmed again it counts as unknown; None:
    never.

    `openings` are the words that may stand before the value in the text of a fact; with the first of them a
    value that the user enters becomes a fact ("Lives in" makes "Lives in Porto" of "Porto").

    `several`: a person may have several of it at once, each a fact of its own. Of any other field the newest
    fact holds.

    Raises ValueError for a definition that cannot work.
    """

    name: str
    label: str
    meaning: str
    category: Category
    max_age: int | None
    openings: tuple[str, ...]
    several: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r}: a field is named in small letters, digits and underscores")
        if not self.label.strip() or not self.meaning.strip():
            raise ValueError(f"{self.name}: a field needs a label and a meaning")
        if not self.openings or any(not opening.strip() for opening in self.openings):
            raise ValueError(f"{self.name}: a field needs an opening")
        if self.max_age is not None and self.max_age < 1:
            raise ValueError(f"{self.name}: max_age is a whole number of days, at least 1")

    @property
    def lasts(self) -> timedelta | None:
        """How long a value counts as known."""
        return timedelta(days=self.max_age) if self.max_age else None


Fields = Mapping[str, ProfileField]


def by_name(fields: Iterable[ProfileField]) -> Fields:
    """The fields by name, in their order. Raises ValueError for two of one name."""
    found: dict[str, ProfileField] = {}
    for field in fields:
        if field.name in found:
            raise ValueError(f"{field.name}: two fields of one name")
        found[field.name] = field
    return found


FIELDS = by_name(
    (
        ProfileField(
            name="name",
            label="Name",
            meaning="what they are called, or want to be called",
            category="identity",
            max_age=None,
            openings=("Is called", "Is named", "Goes by", "Name is", "Wants to be called"),
        ),
        ProfileField(
            name="language",
            label="Language",
            meaning="the language in which they want to be answered; not every language that they speak",
            category="preference",
            max_age=None,
            openings=("Wants to be answered in", "Prefers to be answered in", "Wants answers in"),
        ),
        ProfileField(
            name="timezone",
            label="Time zone",
            meaning="the time zone in which they live",
            category="identity",
            max_age=365,
            openings=("Is in the time zone", "Lives in the time zone", "Time zone is"),
        ),
        ProfileField(
            name="home_town",
            label="Home town",
            meaning="where they live now; not where they come from, travel to, or plan to live",
            category="identity",
            max_age=365,
            openings=("Lives in", "Has moved to", "Moved to", "Home town is"),
        ),
        ProfileField(
            name="birth_date",
            label="Date of birth",
            meaning="the date, or the year, in which they were born",
            category="identity",
            max_age=None,
            openings=("Was born on", "Was born in", "Date of birth is"),
        ),
        ProfileField(
            name="occupation",
            label="Occupation",
            meaning="the work that they do now, or that they are retired, studying or without work",
            category="identity",
            max_age=365,
            openings=("Works as", "Is"),
        ),
        ProfileField(
            name="employer",
            label="Employer",
            meaning="the company or person that they work for now",
            category="identity",
            max_age=365,
            openings=("Works for", "Works at", "Is employed by"),
        ),
        ProfileField(
            name="diet",
            label="Diet",
            meaning="how they eat as a rule (vegetarian, halal, no pork); not one meal, and no allergy",
            category="constraint",
            max_age=365,
            openings=("Eats", "Is"),
        ),
        ProfileField(
            name="allergies",
            label="Allergies",
            meaning="one thing that they are allergic to or cannot tolerate; a fact of its own for each",
            category="constraint",
            max_age=None,
            openings=("Is allergic to",),
            several=True,
        ),
    )
)
