"""The calls of compliance systems, as routes of the function that erases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noted.api import replies
from noted.api.cursors import Cursors
from noted.api.http import Answer, Api, Call
from noted.api.replies import Page
from noted.api.requests.common import NoFields
from noted.api.requests.compliance import OrganisationErasureRequest, SubjectErasureRequest
from noted.identity import principal_of
from noted.privacy.compliance import Compliance
from noted.privacy.erasure import Erasure
from noted.privacy.erasure_runtime import sealed_subject
from noted.privacy.organisation_erasure import OrganisationRequests
from noted.privacy.sealing import Sealer
from noted.store.database import Database
from noted.store.directory import Directory

if TYPE_CHECKING:
    from noted.runtime import Runtime

_ORGANISATION = "/v1/admin/organisation-erasures"


def serve(api: Api, runtime: Runtime) -> None:
    """Adds the routes to the function's API."""
    parts = _Parts(runtime)

    @api.on("POST", "/v1/admin/erasures")
    def erase_subject(call: Call) -> Answer:
        request = call.body(SubjectErasureRequest)
        # The organisation and the issuer are the caller's own, whoever is named.
        subject = principal_of(dict(call.claims) | {"sub": request.subject}, runtime.secrets)
        repository = runtime.repository(subject, call.deadline)
        made, entry = parts.compliance(call).erase(
            request.subject_request_id.lower(),
            repository,
            Erasure(repository, runtime.clock, sealed_subject(runtime, call.claims, request.subject)),
            request.grounds(),
        )
        return Answer(replies.compliance_erasure(made, entry), 202)

    @api.on("GET", "/v1/admin/erasures/{subject_request_id}")
    def get_subject_erasure(call: Call) -> Answer:
        request_id = call.path["subject_request_id"].lower()
        return Answer(replies.compliance_erasure(*parts.compliance(call).entry(request_id)))

    @api.on("POST", _ORGANISATION)
    def erase_organisation(call: Call) -> Answer:
        request = call.body(OrganisationErasureRequest)
        job = parts.organisation(call).request(request.request_id.lower(), request.grounds())
        return Answer(replies.organisation_erasure(job), 202)

    @api.on("GET", f"{_ORGANISATION}/{{request_id}}")
    def get_organisation_erasure(call: Call) -> Answer:
        job = parts.organisation(call).erasure(call.path["request_id"].lower())
        return Answer(replies.organisation_erasure(job))

    @api.on("POST", f"{_ORGANISATION}/{{request_id}}/approvals")
    def approve_organisation_erasure(call: Call) -> Answer:
        call.body(NoFields)
        job = parts.organisation(call).approve(call.path["request_id"].lower())
        return Answer(replies.organisation_erasure(job), 202)

    @api.on("GET", "/v1/admin/users")
    def list_users(call: Call) -> Answer:
        limit, cursor = call.whole_number("limit", 50, 1, 100), call.query("cursor")
        cursors = parts.cursors(call, "users")
        directory = Directory(parts.database(call), call.principal.organisation)
        page = directory.page(limit, cursors.take(cursor))
        return Answer(
            replies.UsersReply(
                items=[replies.user(each) for each in page.items],
                next_cursor=cursors.give(page.after),
                count=None if cursor else directory.count(),
            )
        )

    @api.on("GET", "/v1/admin/activity")
    def list_audited(call: Call) -> Answer:
        limit, cursors = call.whole_number("limit", 50, 1, 100), parts.cursors(call, "audit")
        page = parts.compliance(call).audit.page(limit, cursors.take(call.query("cursor")))
        items = [replies.audited(each) for each in page.items]
        return Answer(Page[replies.AuditedReply](items=items, next_cursor=cursors.give(page.after)))


class _Parts:
    """What these calls are served with."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def database(self, call: Call) -> Database:
        """The tables."""
        runtime = self._runtime
        return Database(
            runtime.dynamodb, runtime.settings.table_prefix, runtime.clock, deadline=call.deadline
        )

    def compliance(self, call: Call) -> Compliance:
        """What the calling system may do about one person."""
        runtime = self._runtime
        return Compliance(
            self.database(call),
            call.principal,
            runtime.secrets,
            runtime.clock,
            runtime.settings.compliance_daily_requests,
        )

    def organisation(self, call: Call) -> OrganisationRequests:
        """What it may do about its whole organisation."""
        return OrganisationRequests(
            self.database(call), call.principal, self.compliance(call), self._runtime.clock
        )

    def cursors(self, call: Call, name: str) -> Cursors:
        """The cursors of a list. A system has no memory and so no key: they are sealed under one that hangs
        on the service's secret and on who asks."""
        purpose = f"cursors of {call.principal.owner}"
        return Cursors(Sealer(self._runtime.secrets.key(purpose)), [f"admin {name}"])
