"""The structured profile: which facts hold its fields, what their values are, when one is too old to count,
and how a prompt tells them.

A profile is not stored: it is what the live facts say. So what a user rejects, corrects or erases is gone
from it at once, and its history is that of the facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from noted.facts.fact import Fact, Provenance, Status
from noted.facts.live import statuses, without_copies
from noted.facts.profile_schema import FIELDS, Fields, ProfileField


@dataclass(frozen=True)
class Known:
    """What is known of a field. `value` is masked, `facts` are those that it rests on, the newest first;
    `stale`: it was last said or confirmed so long ago that it counts as unknown."""

    value: str
    facts: tuple[Fact, ...]
    stale: bool

    @property
    def fact_id(self) -> str:
        """The newest of its facts."""
        return self.facts[0].fact_id

    @property
    def recorded_at(self) -> datetime:
        """When it was last said or confirmed."""
        return last_told(self.facts[0])

    @property
    def provenance(self) -> Provenance:
        """`confirmed` if the user told or confirmed all of it by their own hand."""
        return "confirmed" if all(fact.provenance == "confirmed" for fact in self.facts) else "said"

    @property
    def entities(self) -> dict[str, str]:
        """What the ids in the value stand for."""
        return {identity: value for fact in self.facts for identity, value in fact.entities.items()}


def profile_of(facts: Sequence[Fact], now: datetime, fields: Fields = FIELDS) -> dict[str, Known | None]:
    """Every field in the order of the schema, with what a user's facts say of it; None: nothing."""
    by_field = holders(facts, now)
    return {name: _known(field, by_field.get(name, []), now) for name, field in fields.items()}


def holders(facts: Sequence[Fact], now: datetime) -> dict[str, list[Fact]]:
    """The live facts that fill each field by now, of all facts of a user: those told last first."""
    standing = statuses(facts, now)
    found: dict[str, list[Fact]] = {}
    for fact in sorted(facts, key=_newest_last, reverse=True):
        begun = fact.valid_from is None or fact.valid_from <= now
        if fact.profile_field and begun and standing[fact.fact_id] is Status.LIVE:
            found.setdefault(fact.profile_field, []).append(fact)
    return found


def value_of(field: ProfileField, text: str) -> str:
    """The value in the text of a fact: what follows an opening of the field, else the whole text, in which
    nothing of it is lost ("Is allergic to nuts" gives "nuts", "Doesn't eat meat" itself)."""
    opening = _opening(field, text)
    return text[len(opening) :].lstrip(" :") if opening else text


def statement(field: ProfileField, value: str) -> str:
    """The text of the fact by which a user fills a field with a value. A value that is a statement of the
    field already is its text."""
    told = value.strip()
    return told if _opening(field, told) else f"{field.openings[0]} {told}"


def is_stale(fact: Fact, now: datetime, fields: Fields = FIELDS) -> bool:
    """Whether a fact fills a field and is too old to count. Saying or confirming it again refreshes it."""
    field = fields.get(fact.profile_field or "")
    return field is not None and field.lasts is not None and last_told(fact) + field.lasts <= now


def last_told(fact: Fact) -> datetime:
    """When a fact was last said or confirmed."""
    return max(fact.created_at, fact.last_confirmed_at)


def as_told(
    facts: Sequence[Fact], now: datetime, known: Iterable[Fact] = (), fields: Fields = FIELDS
) -> list[Fact]:
    """The facts as a prompt tells them: those of the profile first, in the order of its fields, then the
    others in theirs.

    A stale one is told as unknown, with the day on which it was last told and without what it says ("Home
    town: unknown (last told 2024-01-02)"): once a field, and not at all where another fact tells the field.
    `known` are facts that the same prompt tells in another place.
    """
    stale = {fact.fact_id for fact in facts if is_stale(fact, now, fields)}
    told = {fact.profile_field for fact in known}
    fresh = {fact.profile_field for fact in facts if fact.fact_id not in stale}
    order = {name: place for place, name in enumerate(fields)}
    result = []
    for fact in sorted(facts, key=lambda fact: order.get(fact.profile_field or "", len(order))):
        if fact.fact_id not in stale:
            result.append(fact)
        elif fact.profile_field not in told | fresh:
            told.add(fact.profile_field)
            of_field = [each for each in facts if each.profile_field == fact.profile_field]
            result.append(_unknown(max(of_field, key=last_told), fields))
    return result


def _unknown(fact: Fact, fields: Fields) -> Fact:
    label, day = fields[fact.profile_field or ""].label, last_told(fact).date().isoformat()
    return replace(fact, text=f"{label}: unknown (last told {day})", entities={})


def _known(field: ProfileField, holding: Sequence[Fact], now: datetime) -> Known | None:
    if not holding:
        return None
    fresh = [fact for fact in holding if not is_stale(fact, now, {field.name: field})]
    facts = without_copies(fresh or holding)
    facts = facts if field.several else facts[:1]
    return Known("; ".join(value_of(field, fact.text) for fact in facts), tuple(facts), stale=not fresh)


def _opening(field: ProfileField, text: str) -> str | None:
    """The opening that a text has before something else, the longest that fits."""
    fitting = [
        opening
        for opening in field.openings
        if text[: len(opening)].casefold() == opening.casefold()
        and text[len(opening) : len(opening) + 1] in (" ", ":")
        and text[len(opening) :].strip(" :")
    ]
    return max(fitting, key=len, default=None)


def _newest_last(fact: Fact) -> tuple[datetime, int, str]:
    return last_told(fact), fact.sequence, fact.fact_id
