"""Facts, verdicts and the profile as clients get them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, create_model

from noted.api.problems import Problem, problem_of
from noted.api.replies.common import Reply, Time
from noted.facts.fact import Category, Fact, GivenVerdict, Kind, Provenance, Status, Verdict
from noted.facts.profile_schema import FIELDS
from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.masking import unmasked

if TYPE_CHECKING:
    from noted.errors import InvalidRequest
    from noted.facts.profile import Known


def _is_none(value: object) -> bool:
    return value is None


class LatestVerdict(Reply):
    """The verdict that stands."""

    verdict: Verdict
    at: Time


class SourceReply(Reply):
    """Where a fact was said."""

    conversation_id: str
    turn_id: str
    quote: str


class FactReply(Reply):
    """A fact."""

    fact_id: str
    kind: Kind
    category: Category
    text: str
    status: Status
    provenance: Provenance
    source: SourceReply | None
    created_at: Time
    last_confirmed_at: Time
    valid_from: Time | None
    valid_until: Time | None
    expires_at: Time | None
    latest_verdict: LatestVerdict | None
    supersedes: str | None
    superseded_by: str | None
    held_because: str | None = Field(
        default=None, exclude_if=_is_none, description="Of a held fact alone: why it is held."
    )
    special_category: SpecialCategory | None = Field(
        default=None,
        exclude_if=_is_none,
        description="Only of a fact that was kept by a consent: to which category.",
    )


class VerdictReply(Reply):
    """One verdict row."""

    verdict_id: str
    fact_id: str
    verdict: Verdict
    at: Time
    note: str | None


class HistoryReply(Reply):
    """What a fact superseded, and what superseded it, nearest first."""

    supersedes: list[FactReply]
    superseded_by: list[FactReply]


class FactDetailReply(FactReply):
    """A fact with all verdicts on it, oldest first, and its history."""

    verdicts: list[VerdictReply]
    history: HistoryReply


class RefusedReply(Reply):
    """Why an item of a batch was not kept."""

    error: Problem


class BatchReply(Reply):
    """Facts in the order of the request; where one was refused, why."""

    items: list[FactReply | RefusedReply]


class ProfileFieldReply(Reply):
    """What is known of a field. `recorded_at`: when it was last said or confirmed; `stale`: so long ago that
    a model is told it as unknown."""

    value: str
    recorded_at: Time
    provenance: Provenance
    stale: bool
    fact_id: str


_PROFILE_FIELDS: dict[str, Any] = {
    name: (ProfileFieldReply | None, Field(description=field.meaning)) for name, field in FIELDS.items()
}


ProfileReply: type[BaseModel] = create_model(
    "ProfileReply",
    __base__=Reply,
    __doc__="The structured profile: each of its fields, null where nothing is known.",
    **_PROFILE_FIELDS,
)


def fact(value: Fact, status: Status) -> FactReply:
    """A fact with the status that it has among the others."""
    verdict = value.latest_verdict
    return FactReply(
        fact_id=value.fact_id,
        kind=value.kind,
        category=value.category,
        text=unmasked(value.text, value.entities),
        status=status,
        provenance=value.provenance,
        source=_source(value),
        created_at=value.created_at,
        last_confirmed_at=value.last_confirmed_at,
        valid_from=value.valid_from,
        valid_until=value.valid_until,
        expires_at=value.expires_at,
        latest_verdict=LatestVerdict(verdict=verdict.verdict, at=verdict.at) if verdict else None,
        supersedes=value.supersedes,
        superseded_by=value.superseded_by,
        held_because=value.held_because if status is Status.HELD else None,
        special_category=SpecialCategory(value.special_category) if value.special_category else None,
    )


def _source(value: Fact) -> SourceReply | None:
    source = value.source
    if source is None:
        return None
    quote = unmasked(source.quote, value.entities)
    return SourceReply(conversation_id=source.conversation_id, turn_id=source.turn_id, quote=quote)


def facts(values: Iterable[Fact], now: datetime) -> list[FactReply]:
    """Facts that are told one by one, each with its own status."""
    return [fact(value, value.status(now)) for value in values]


def refused(error: InvalidRequest) -> RefusedReply:
    """An item of a batch that was not kept."""
    return RefusedReply(error=problem_of(error))


def verdict(value: GivenVerdict) -> VerdictReply:
    """A verdict row."""
    return VerdictReply(
        verdict_id=value.verdict_id,
        fact_id=value.fact_id,
        verdict=value.verdict,
        at=value.at,
        note=value.note,
    )


def fact_detail(
    value: Fact, by_id: Mapping[str, Fact], statuses: Mapping[str, Status], verdicts: Iterable[GivenVerdict]
) -> FactDetailReply:
    """A fact with its verdicts and history. Erased ends of a history are left out."""

    def chain(first: str | None, attribute: str) -> list[FactReply]:
        found: list[FactReply] = []
        seen: set[str] = set()
        following = first
        while following and following in by_id and following not in seen:
            seen.add(following)
            found.append(fact(by_id[following], statuses[following]))
            following = getattr(by_id[following], attribute)
        return found

    return FactDetailReply(
        **fact(value, statuses[value.fact_id]).model_dump(),
        verdicts=[verdict(each) for each in verdicts],
        history=HistoryReply(
            supersedes=chain(value.supersedes, "supersedes"),
            superseded_by=chain(value.superseded_by, "superseded_by"),
        ),
    )


def profile(known: Mapping[str, Known | None]) -> BaseModel:
    """The structured profile as the user reads it."""
    return ProfileReply.model_validate({name: each and _profile_field(each) for name, each in known.items()})


def _profile_field(known: Known) -> ProfileFieldReply:
    return ProfileFieldReply(
        value=unmasked(known.value, known.entities),
        recorded_at=known.recorded_at,
        provenance=known.provenance,
        stale=known.stale,
        fact_id=known.fact_id,
    )
