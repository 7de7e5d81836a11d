"""Erasure: of everything, of a conversation, of a fact, for a user or on behalf of a compliance system; and
the work that follows until the receipt is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noted import ids, metrics
from noted.api import compliance, replies
from noted.api.auditing import write_refused
from noted.api.http import Answer, Api, Call, Handler, function_handler
from noted.deadline import Deadline
from noted.errors import NotFound
from noted.privacy.erasure import Erasure
from noted.privacy.erasure_runtime import (
    erasure_worker,
    replay,
    replay_where_restored,
    sealed_subject,
)
from noted.privacy.organisation_erasure import OrganisationWork
from noted.store.database import Database

if TYPE_CHECKING:
    from noted.runtime import Runtime

RUN_ERASURES = "run-erasures"
# By hand, after rows of a backup were copied into a table.
REPLAY = "replay"
# Told by a rule on what is done to the keys of this deployment.
KEY_ENDANGERED = "key-endangered"


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    api = Api(runtime, "erasure")
    clock = runtime.clock

    def database(deadline: Deadline) -> Database:
        return Database(runtime.dynamodb, runtime.settings.table_prefix, clock, deadline=deadline)

    @api.on("DELETE", "/v1/memory")
    def erase_everything(call: Call) -> Answer:
        sealed = sealed_subject(runtime, call.claims)
        entry = Erasure(call.repository, clock, sealed).everything(call.expected_epoch)
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

    @api.on("GET", "/v1/receipt-keys")
    def get_receipt_keys(call: Call) -> Answer:
        return Answer(replies.receipt_keys(runtime.receipt_signer.jwk))

    compliance.serve(api, runtime)

    def handle(event: dict[str, Any], context: object) -> dict[str, Any]:
        if event.get("noted") == RUN_ERASURES:
            deadline = Deadline.of(context)
            replay_where_restored(runtime, deadline)
            taken = erasure_worker(runtime, deadline).run_due()
            organisations = OrganisationWork(
                database(deadline),
                lambda principal: runtime.repository(principal, deadline),
                runtime.drained,
                clock,
            )
            return {"taken": taken + organisations.run_due()}
        if event.get("noted") == KEY_ENDANGERED:
            metrics.write(metrics.KEY_ENDANGERED, clock.now(), {"KeysEndangered": 1})
            return {}
        if event.get("noted") == REPLAY:
            return vars(replay(runtime, Deadline.of(context)).from_the_start())
        response = api(event, context)
        write_refused(runtime, event, response)
        return response

    return handle


def _id(call: Call, name: str, kind: str) -> str:
    object_id = call.path[name]
    if not ids.is_id(kind, object_id):
        raise NotFound
    return object_id


handler = function_handler(build)
