"""What clients send. Unknown fields are refused: none of them could do what its sender hopes for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    create_model,
    field_validator,
)

from noted.facts.fact import Category, Kind, Verdict
from noted.facts.profile_schema import FIELDS
from noted.preferences import MOST_RETENTION_DAYS, is_language_tag
from noted.privacy.grounds import Grounds

MESSAGE_CHARACTERS = 16_000
FACT_CHARACTERS = 500


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _instant(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is out of range") from None


def _said_at(moment: datetime) -> datetime:
    # Also keeps the instant's date within the calendar in every time zone.
    if moment.year < 1900:
        raise ValueError("must not lie before 1900")
    return moment


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("is not a time zone of the IANA database") from None
    return name


Message = Annotated[str, StringConstraints(max_length=MESSAGE_CHARACTERS), AfterValidator(_not_blank)]
FactText = Annotated[str, StringConstraints(max_length=FACT_CHARACTERS), AfterValidator(_not_blank)]
Timezone = Annotated[str, AfterValidator(_timezone)]
Instant = Annotated[AwareDatetime, AfterValidator(_instant)]
SaidAt = Annotated[Instant, AfterValidator(_said_at)]


class Request(BaseModel):
    """A body: strict types, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class ConversationRequest(Request):
    """`POST /v1/conversations`."""

    incognito: bool = False
    timezone: Timezone | None = None


class TurnRequest(Request):
    """`POST …/turns`."""

    message: Message
    pasted: Annotated[list[str], Field(max_length=20)] = []
    remember: bool = True


class RecordRequest(Request):
    """`POST …/turns:record`."""

    user: Message
    assistant: Annotated[str, StringConstraints(max_length=MESSAGE_CHARACTERS)]
    at: SaidAt | None = None
    remember: bool = True


class NoFields(Request):
    """A call that says everything by its address."""


class ContextRequest(Request):
    """`POST …/context`. The least budget holds the instructions and a short message."""

    message: Message
    budget_tokens: Annotated[int, Field(ge=500, le=200_000)] = 8000


class RecallRequest(Request):
    """`POST /v1/recall`."""

    query: Message
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    since: Instant | None = None
    until: Instant | None = None
    kinds: Annotated[list[Kind], Field(min_length=1)] = ["fact", "goal"]
    include_history: bool = False
    as_of: Instant | None = None
    conversation_id: str | None = None

    @field_validator("until")
    @classmethod
    def _ends_after_it_begins(cls, until: datetime | None, fields: ValidationInfo) -> datetime | None:
        since = fields.data.get("since")
        if since and until and since >= until:
            raise ValueError("must be later than since")
        return until


class FactRequest(Request):
    """`POST /v1/facts`, and each fact of a batch."""

    text: FactText
    kind: Kind
    category: Category = "other"
    created_at: SaidAt | None = None
    valid_until: Instant | None = None


class BatchRequest(Request):
    """`POST /v1/facts:batch`: its facts are judged one by one."""

    facts: Annotated[list[Any], Field(min_length=1, max_length=100)]


class CorrectionRequest(Request):
    """`PATCH /v1/facts/{fact_id}`."""

    text: FactText


class _ProfileFields(Request):
    def values(self) -> dict[str, str]:
        """The values to set, by field."""
        sent = {name: getattr(self, name) for name in self.model_fields_set}
        return {name: value for name, value in sent.items() if value is not None}

    def cleared(self) -> list[str]:
        """The fields to clear."""
        return [name for name in self.model_fields_set if getattr(self, name) is None]


_PROFILE_FIELDS: dict[str, Any] = {
    name: (FactText | None, Field(default=None, description=field.meaning)) for name, field in FIELDS.items()
}
ProfileRequest: type[_ProfileFields] = create_model(
    "ProfileRequest",
    __base__=_ProfileFields,
    __doc__="`PATCH /v1/profile`: the fields to change; null clears one.",
    **_PROFILE_FIELDS,
)


class VerdictRequest(Request):
    """`POST /v1/facts/{fact_id}/verdicts`."""

    verdict: Literal["confirmed", "rejected", "inaccurate"]
    note: Annotated[str, StringConstraints(max_length=FACT_CHARACTERS)] | None = None

    def given(self) -> Verdict:
        """The verdict in the domain's terms."""
        return Verdict(self.verdict)


def _language(tag: str) -> str:
    if not is_language_tag(tag):
        raise ValueError("is not a language tag (BCP 47)")
    return tag


Language = Annotated[str, AfterValidator(_language)]
ConsentName = Literal[
    "memory",
    "health",
    "religion",
    "politics",
    "union",
    "sex_life",
    "origin",
    "biometrics",
    "crime",
]


class ConsentRequest(Request):
    """A consent that is given or withdrawn. `at` and `version` are the service's own: what a reply told may
    be sent back, and counts for nothing."""

    given: bool
    at: Instant | None = None
    version: str | None = None


class SettingsRequest(Request):
    """`PUT /v1/settings`: what is sent takes the place of what was set, and a field that is not sent is set
    to null; only `memory`, and consents that are not named, stay as they are."""

    memory: Literal["on", "paused"] | None = None
    retention_days: Annotated[int, Field(ge=1, le=MOST_RETENTION_DAYS)] | None = None
    timezone: Timezone | None = None
    language: Language | None = None
    consents: dict[ConsentName, ConsentRequest] = {}


RequestId = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]
# `gdpr` and `ccpa` are OpenDSR's.
Regulation = Literal["gdpr", "ccpa", "uk_gdpr", "fadp", "lgpd", "pipeda", "appi", "popia", "other"]
# Grounds of the GDPR's article 17 (1), from a to f, behind what a person need not give a ground for, and what
# ends a relation without anybody asking.
ReasonCode = Literal[
    "subject_request",
    "account_closed",
    "contract_ended",
    "no_longer_necessary",
    "consent_withdrawn",
    "objection",
    "unlawful_processing",
    "legal_obligation",
    "child",
]


class _ComplianceRequest(Request):
    regulation: Regulation = "gdpr"
    reason_code: ReasonCode = "subject_request"
    submitted_time: Instant

    def grounds(self) -> Grounds:
        """Why it is asked for, in the domain's terms."""
        return Grounds(self.regulation, self.reason_code, self.submitted_time)


class SubjectErasureRequest(_ComplianceRequest):
    """`POST /v1/admin/erasures`, in the terms of OpenDSR; of its types of request there is one."""

    subject_request_id: RequestId
    subject_request_type: Literal["erasure"] = "erasure"
    subject: Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,255}$")]


class OrganisationErasureRequest(_ComplianceRequest):
    """`POST /v1/admin/organisation-erasures`."""

    request_id: RequestId
