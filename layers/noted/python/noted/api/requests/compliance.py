"""Bodies of a compliance system's calls."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from noted.api.requests.common import Instant, Request
from noted.privacy.grounds import Grounds

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
