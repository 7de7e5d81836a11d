"""Erasure: of everything, of a conversation, of a fact, for a user or on behalf of a compliance system; and
the work that follows until the receipt is written."""

from __future__ import annotations

from typing import Any

from noted import ids
from noted.api import replies
from noted.api.http import Answer, Api, Call, Handler, function_handler
from noted.api.requests import SubjectErasureRequest
from noted.errors import NotFound
from noted.identity import principal_of
from noted.privacy.compliance import Compliance
from noted.privacy.erasure import Erasure, run_due
from noted.runtime import Runtime
from noted.store.database import Database
from noted.store.erasing import Jobs

RUN_ERASURES = "run-erasures"


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    api = Api(runtime, "erasure")
    clock = runtime.clock

    def database() -> Database:
        return Database(runtime.dynamodb, runtime.settings.table_prefix, clock)

    @api.on("DELETE", "/v1/memory")
    def erase_everything(call: Call) -> Answer:
        entry = Erasure(call.repository, clock).everything(call.expected_epoch)
        return Answer(replies.accepted(entry), 202)

    @api.on("DELETE", "/v1/conversations/{conversation_id}")
    def erase_conversation(call: Call) -> Answer:
        conversation_id = _id(call, "conversation_id", ids.CONVERSATION)
        entry = Erasure(call.repository, clock).conversation(conversation_id, call.expected_epoch)
        return Answer(replies.accepted(entry), 202)

    @api.on("DELETE", "/v1/facts/{fact_id}")
    def erase_fact(call: Call) -> Answer:
        entry = Erasure(call.repository, clock).fact(_id(call, "fact_id", ids.FACT), call.expected_epoch)
        return Answer(replies.accepted(entry), 202)

    @api.on("GET", "/v1/erasures/{erasure_id}")
    def get_erasure(call: Call) -> Answer:
        return Answer(replies.erasure(call.repository.ledger.entry(_id(call, "erasure_id", ids.ERASURE))))

    @api.on("POST", "/v1/admin/erasures")
    def erase_subject(call: Call) -> Answer:
        request = call.body(SubjectErasureRequest)
        subject = principal_of(dict(call.claims) | {"sub": request.subject}, runtime.secrets)
        compliance = Compliance(database(), call.principal, runtime.secrets)
        entry = compliance.erase(
            request.subject_request_id.lower(),
            runtime.repository(subject),
            Erasure(runtime.repository(subject), clock),
        )
        return Answer(replies.subject_erasure(request.subject_request_id, entry), 202)

    @api.on("GET", "/v1/admin/erasures/{subject_request_id}")
    def get_subject_erasure(call: Call) -> Answer:
        request_id = call.path["subject_request_id"]
        entry = Compliance(database(), call.principal, runtime.secrets).entry(request_id.lower())
        return Answer(replies.subject_erasure(request_id, entry), 200)

    def handle(event: dict[str, Any], context: object) -> dict[str, Any]:
        if event.get("noted") == RUN_ERASURES:
            jobs = Jobs(database())
            taken = run_due(jobs, lambda job: runtime.repository(job.principal), runtime.drained, clock)
            return {"taken": taken}
        return api(event, context)

    return handle


def _id(call: Call, name: str, kind: str) -> str:
    object_id = call.path[name]
    if not ids.is_id(kind, object_id):
        raise NotFound
    return object_id


handler = function_handler(build)
