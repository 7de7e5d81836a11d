"""A fact: one thing that a user said about themselves, with where it came from and what they think of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

Kind = Literal["fact", "goal"]
Category = Literal["identity", "preference", "constraint", "project", "relationship", "other"]
Provenance = Literal["said", "confirmed"]


# Why a fact is held whose user has withdrawn the consent by which it was kept.
CONSENT_WITHDRAWN = "consent_withdrawn"


class Verdict(StrEnum):
    """What a user says of a fact."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    INACCURATE = "inaccurate"


class Status(StrEnum):
    """What may be done with a fact. Only a live one reaches a prompt."""

    LIVE = "live"
    HELD = "held"
    REJECTED = "rejected"
    INACCURATE = "inaccurate"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Source:
    """The turn in which a fact was said, and the user's own words for it."""

    conversation_id: str
    turn_id: str
    quote: str


@dataclass(frozen=True)
class GivenVerdict:
    """One verdict row. `sequence` is its place in the user's write order: the highest one stands."""

    verdict_id: str
    fact_id: str
    verdict: Verdict
    at: datetime
    sequence: int
    note: str | None = None


@dataclass(frozen=True)
class Fact:
    """`sequence` is the place of the fact's turn in the user's write order; times are aware, in UTC.

    `expires_at` ends storage (None: kept until erased); `valid_until` ends truth, and the row stays as
    history. `words` are the packed tokens of the text by which it is found, `vector` the packed embedding of
    it by the model named in `embedder`. `same` is equal for facts of one kind with the same words in the same
    order; the store fills it in. Text and quote are masked: `entities` holds, by its id, what each id in them
    stands for.

    A fact that was said in a second conversation too is `copied_as` a row from there, whose `copy_of` names
    it: that row is told to nobody, and counts once the fact is erased with its own conversation.

    `kept_at` is from when its storage is counted: since it was stored or last confirmed, whichever is later.

    `profile_field` names the field of the structured profile that the fact fills, if any. `held_because` is
    why a fact is held, as a rule's name; `special_category` names the special category of personal data that
    it gives away, which its user has consented to have kept. `withheld`: that consent is withdrawn, so
    that the fact is held whatever else is said of it; no row says so.
    """

    fact_id: str
    kind: Kind
    category: Category
    text: str
    provenance: Provenance
    sequence: int
    created_at: datetime
    last_confirmed_at: datetime
    source: Source | None = None
    held: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    latest_verdict: GivenVerdict | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    words: bytes | None = None
    vector: bytes | None = None
    embedder: str | None = None
    same: bytes | None = field(default=None, compare=False)
    entities: Mapping[str, str] = field(default_factory=dict)
    copy_of: str | None = None
    copied_as: str | None = None
    profile_field: str | None = None
    held_because: str | None = None
    special_category: str | None = None
    kept_at: datetime | None = None
    withheld: bool = False

    @property
    def began(self) -> datetime:
        """Since when it holds, as far as the user said: since it was said, or the earlier time it names."""
        return min(self.created_at, self.valid_from) if self.valid_from else self.created_at

    def status(self, now: datetime) -> Status:
        """The user's word comes first, then doubt, then what later statements and time did to the fact: what
        is held stays so until it is confirmed, and never becomes history that a prompt may tell."""
        verdict = self.latest_verdict.verdict if self.latest_verdict else None
        if verdict is Verdict.REJECTED:
            return Status.REJECTED
        if verdict is Verdict.INACCURATE:
            return Status.INACCURATE
        if self.withheld:
            return Status.HELD
        if self.held and verdict is not Verdict.CONFIRMED:
            return Status.HELD
        if self.superseded_by and (self.valid_until is None or self.valid_until <= now):
            return Status.SUPERSEDED
        if self.valid_until and self.valid_until <= now:
            return Status.EXPIRED
        return Status.LIVE
