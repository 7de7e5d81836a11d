"""The OpenAPI 3.1 document, made from the route table and from the models that the handlers use."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic import BaseModel, RootModel
from pydantic.json_schema import models_json_schema

import noted
from noted.api import events, imports, replies
from noted.api.problems import CONTENT_TYPE, Problem
from noted.api.requests.compliance import OrganisationErasureRequest, SubjectErasureRequest
from noted.api.requests.conversations import ContextRequest, ConversationRequest, RecordRequest, TurnRequest
from noted.api.requests.memory import (
    BatchRequest,
    CorrectionRequest,
    FactRequest,
    ProfileRequest,
    VerdictRequest,
)
from noted.api.requests.preferences import SettingsRequest
from noted.api.requests.recall import RecallRequest
from noted.api.routes import ROUTES, Route

Document = RootModel[dict[str, Any]]

_Bodies = tuple[type[BaseModel] | None, int, type[BaseModel]]

_BODIES: dict[tuple[str, str], _Bodies] = {
    ("POST", "/v1/conversations"): (ConversationRequest, 201, replies.ConversationReply),
    ("GET", "/v1/conversations"): (None, 200, replies.Page[replies.ConversationReply]),
    ("GET", "/v1/conversations/{conversation_id}"): (None, 200, replies.ConversationDetailReply),
    ("DELETE", "/v1/conversations/{conversation_id}"): (None, 202, replies.AcceptedReply),
    ("GET", "/v1/conversations/{conversation_id}/turns"): (None, 200, replies.Page[replies.TurnReply]),
    ("POST", "/v1/conversations/{conversation_id}/turns"): (TurnRequest, 201, replies.TurnReply),
    ("POST", "/v1/conversations/{conversation_id}/turns:record"): (
        RecordRequest,
        201,
        replies.TurnReply,
    ),
    ("POST", "/v1/conversations/{conversation_id}/turns:retry"): (None, 201, replies.TurnReply),
    ("POST", "/v1/conversations/{conversation_id}/context"): (
        ContextRequest,
        200,
        replies.ContextReply,
    ),
    ("GET", "/v1/conversations/{conversation_id}/turns/{turn_id}/saved"): (None, 200, replies.SavedReply),
    ("POST", "/v1/recall"): (RecallRequest, 200, replies.RecallReply),
    ("GET", "/v1/episodes"): (None, 200, replies.Page[replies.EpisodeReply]),
    ("GET", "/v1/facts"): (None, 200, replies.Page[replies.FactReply]),
    ("POST", "/v1/facts"): (FactRequest, 201, replies.FactReply),
    ("POST", "/v1/facts:batch"): (BatchRequest, 200, replies.BatchReply),
    ("GET", "/v1/facts/{fact_id}"): (None, 200, replies.FactDetailReply),
    ("PATCH", "/v1/facts/{fact_id}"): (CorrectionRequest, 200, replies.FactReply),
    ("DELETE", "/v1/facts/{fact_id}"): (None, 202, replies.AcceptedReply),
    ("POST", "/v1/facts/{fact_id}/verdicts"): (VerdictRequest, 201, replies.VerdictReply),
    ("GET", "/v1/profile"): (None, 200, replies.ProfileReply),
    ("PATCH", "/v1/profile"): (ProfileRequest, 200, replies.ProfileReply),
    ("DELETE", "/v1/memory"): (None, 202, replies.AcceptedReply),
    ("GET", "/v1/erasures/{erasure_id}"): (None, 200, replies.ErasureReply),
    ("GET", "/v1/receipt-keys"): (None, 200, replies.ReceiptKeysReply),
    ("GET", "/v1/settings"): (None, 200, replies.SettingsReply),
    ("PUT", "/v1/settings"): (SettingsRequest, 200, replies.SettingsReply),
    ("GET", "/v1/export"): (None, 200, replies.ExportReply),
    ("POST", "/v1/import"): (imports.ImportRequest, 200, replies.ImportReply),
    ("GET", "/v1/activity"): (None, 200, replies.Page[replies.ActivityReply]),
    ("POST", "/v1/admin/erasures"): (SubjectErasureRequest, 202, replies.ComplianceErasureReply),
    ("GET", "/v1/admin/erasures/{subject_request_id}"): (None, 200, replies.ComplianceErasureReply),
    ("POST", "/v1/admin/organisation-erasures"): (
        OrganisationErasureRequest,
        202,
        replies.OrganisationErasureReply,
    ),
    ("GET", "/v1/admin/organisation-erasures/{request_id}"): (None, 200, replies.OrganisationErasureReply),
    ("POST", "/v1/admin/organisation-erasures/{request_id}/approvals"): (
        None,
        202,
        replies.OrganisationErasureReply,
    ),
    ("GET", "/v1/admin/users"): (None, 200, replies.UsersReply),
    ("GET", "/v1/admin/activity"): (None, 200, replies.Page[replies.AuditedReply]),
    ("GET", "/v1/health"): (None, 200, replies.HealthReply),
    ("GET", "/openapi.json"): (None, 200, Document),
}

_TEXT: dict[str, Any] = {"type": "string"}
_EVENTS: dict[str, Any] = {
    "type": "string",
    "description": (
        'Server-sent events, for `Accept: text/event-stream`: `delta` with `{"text"}` for each piece of the '
        "answer, then `turn` with the whole turn, or `error` with a problem. What goes wrong before the "
        "first event is answered as a problem with its status."
    ),
}
_PAGING: dict[str, dict[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50},
    "cursor": _TEXT,
}
_QUERIES: dict[tuple[str, str], dict[str, dict[str, Any]]] = {
    ("GET", "/v1/conversations"): _PAGING,
    ("GET", "/v1/conversations/{conversation_id}/turns"): _PAGING,
    ("GET", "/v1/conversations/{conversation_id}/turns/{turn_id}/saved"): {
        "wait": {"type": "integer", "minimum": 0, "maximum": 25, "default": 0}
    },
    ("GET", "/v1/episodes"): _PAGING,
    ("GET", "/v1/export"): {"cursor": _TEXT},
    ("GET", "/v1/activity"): _PAGING,
    ("GET", "/v1/admin/users"): _PAGING,
    ("GET", "/v1/admin/activity"): _PAGING,
    ("GET", "/v1/facts"): {
        "status": {"type": "string", "enum": ["live", "all"], "default": "live"},
        "kind": {"type": "string", "enum": ["fact", "goal"]},
        "q": _TEXT,
        **_PAGING,
    },
}


@cache
def document() -> dict[str, Any]:
    """The whole document, as plain JSON values."""
    received = {model for model, _, _ in _BODIES.values() if model}
    sent = {model for _, _, model in _BODIES.values() if model is not Document} | {Problem}
    modes = [(model, "validation") for model in received] + [(model, "serialization") for model in sent]
    names, definitions = models_json_schema(
        sorted(modes, key=lambda each: each[0].__name__),  # type: ignore[arg-type]
        ref_template="#/components/schemas/{model}",
    )
    references = {model: reference for (model, _), reference in names.items()}
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, references)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Noted",
            "version": noted.__version__,
            "description": "A memory layer that its users own.",
        },
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            },
        },
    }


def _operation(route: Route, references: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    request, status, reply = _BODIES[(route.method, route.path)]
    content = {"application/json": {"schema": references.get(reply, {"type": "object"})}}
    if route.streams:
        content[events.CONTENT_TYPE] = {"schema": _EVENTS}
    operation: dict[str, Any] = {
        "summary": route.summary,
        "operationId": _operation_id(route),
        "parameters": _parameters(route),
        "responses": {
            str(status): {
                "description": (reply.__doc__ or route.summary).strip().split("\n")[0],
                "content": content,
            },
            "default": {
                "description": "A problem (RFC 9457)",
                "content": {CONTENT_TYPE: {"schema": references[Problem]}},
            },
        },
    }
    if request:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": references[request]}},
        }
    # A bearer scheme has no scopes of its own in OpenAPI 3.1, yet may list the roles that a call needs.
    operation["security"] = [{"token": [route.scope]}] if route.scope else []
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": _TEXT}
        for name in re.findall(r"\{(\w+)\}", route.path)
    ]
    found += [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in _QUERIES.get((route.method, route.path), {}).items()
    ]
    if route.scope and route.method != "GET":
        found.append(
            {"name": "If-Memory-Epoch", "in": "header", "required": False, "schema": {"type": "integer"}}
        )
    if route.scope and route.method == "POST":
        found.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": _TEXT})
    return found


def _operation_id(route: Route) -> str:
    words = re.sub(r"[^a-z]+", "_", re.sub(r"\{(\w+)\}", r"by_\1", route.path.removeprefix("/v1").lower()))
    return f"{route.method.lower()}{words}".rstrip("_")
