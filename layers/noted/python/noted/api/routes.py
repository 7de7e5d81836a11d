"""Every route of the service, once: the stack, the local front and the OpenAPI document are made from
here."""

from __future__ import annotations

from dataclasses import dataclass

READ = "memory:read"
WRITE = "memory:write"
ERASE = "memory:erase"


@dataclass(frozen=True)
class Route:
    """`function` names the folder in `functions/` that serves the route. `scope` None: open to everyone.
    `streams`: its reply can be told as server-sent events."""

    method: str
    path: str
    function: str
    scope: str | None
    summary: str
    streams: bool = False


ROUTES = (
    Route("POST", "/v1/conversations", "answer", WRITE, "Begin a conversation"),
    Route("GET", "/v1/conversations", "answer", READ, "List conversations, newest first"),
    Route("GET", "/v1/conversations/{conversation_id}", "answer", READ, "One conversation"),
    Route("DELETE", "/v1/conversations/{conversation_id}", "erasure", WRITE, "Erase a conversation"),
    Route("GET", "/v1/conversations/{conversation_id}/turns", "answer", READ, "Its turns, oldest first"),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/turns",
        "answer",
        WRITE,
        "Say something, get an answer",
        streams=True,
    ),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/turns:record",
        "answer",
        WRITE,
        "Keep a turn that another system answered",
    ),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/turns:retry",
        "answer",
        WRITE,
        "Answer the last message again",
        streams=True,
    ),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/context",
        "answer",
        READ,
        "The prompt for a message, for clients that call a model themselves",
    ),
    Route(
        "GET",
        "/v1/conversations/{conversation_id}/turns/{turn_id}/saved",
        "answer",
        READ,
        "What was kept from a turn",
    ),
    Route("POST", "/v1/recall", "recall", READ, "Search what is remembered"),
    Route("GET", "/v1/episodes", "recall", READ, "List what conversations were about, newest first"),
    Route("GET", "/v1/facts", "recall", READ, "List facts, newest first"),
    Route("POST", "/v1/facts", "verdicts", WRITE, "Tell a fact"),
    Route("POST", "/v1/facts:batch", "verdicts", WRITE, "Tell up to a hundred facts"),
    Route("GET", "/v1/facts/{fact_id}", "recall", READ, "One fact with its verdicts and history"),
    Route("PATCH", "/v1/facts/{fact_id}", "verdicts", WRITE, "Correct a fact"),
    Route("DELETE", "/v1/facts/{fact_id}", "erasure", WRITE, "Erase a fact"),
    Route("POST", "/v1/facts/{fact_id}/verdicts", "verdicts", WRITE, "Judge a fact"),
    Route("GET", "/v1/profile", "recall", READ, "The structured profile"),
    Route("PATCH", "/v1/profile", "verdicts", WRITE, "Set or clear fields of the profile"),
    Route("DELETE", "/v1/memory", "erasure", WRITE, "Erase everything about the user"),
    Route("GET", "/v1/erasures/{erasure_id}", "erasure", READ, "How far an erasure is, and its receipt"),
    Route("POST", "/v1/admin/erasures", "erasure", ERASE, "Erase a person on behalf of a compliance system"),
    Route(
        "GET",
        "/v1/admin/erasures/{subject_request_id}",
        "erasure",
        ERASE,
        "How far such an erasure is, and its receipt",
    ),
    Route("GET", "/v1/health", "recall", None, "Whether the service answers"),
    Route("GET", "/openapi.json", "recall", None, "This interface as OpenAPI 3.1"),
)
