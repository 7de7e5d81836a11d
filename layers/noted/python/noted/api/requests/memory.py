"""Bodies of calls that tell, correct and judge facts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, create_model

from noted.api.requests.common import FACT_CHARACTERS, FactText, Instant, Request, SaidAt
from noted.facts.fact import Category, Kind, Verdict
from noted.facts.profile_schema import FIELDS


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
