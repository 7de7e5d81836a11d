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
    `streams`: its reply can be told as server-sent events. `erases`: what is there is gone afterwards, so a
    token that tells of a login must tell of a recent one. `calls_models`: it has models called, at
    once or behind the queue; that costs money, so the gateway lets fewer of them through."""

    method: str
    path: str
    function: str
    scope: str | None
    summary: str
    streams: bool = False
    erases: bool = False
    calls_models: bool = False

    @property
    def audited(self) -> bool:
        """Whether who is refused is written down: every call on behalf of others is."""
        return self.scope == ERASE

    @property
    def admits(self) -> tuple[str, ...]:
        """The scopes of which a token must carry one to reach the function at all. The function itself asks
        for `scope`: where refusals are written down, it has to see those who lack it."""
        if self.scope is None:
            return ()
        return (ERASE, READ, WRITE) if self.audited else (self.scope,)


ROUTES = (
    Route("POST", "/v1/conversations", "answer", WRITE, "Begin a conversation"),
    Route("GET", "/v1/conversations", "answer", READ, "List conversations, newest first"),
    Route("GET", "/v1/conversations/{conversation_id}", "answer", READ, "One conversation"),
    Route(
        "DELETE",
        "/v1/conversations/{conversation_id}",
        "erasure",
        WRITE,
        "Erase a conversation",
        erases=True,
    ),
    Route("GET", "/v1/conversations/{conversation_id}/turns", "answer", READ, "Its turns, oldest first"),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/turns",
        "answer",
        WRITE,
        "Say something, get an answer",
        streams=True,
        calls_models=True,
    ),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/turns:record",
        "answer",
        WRITE,
        "Keep a turn that another system answered",
        calls_models=True,
    ),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/turns:retry",
        "answer",
        WRITE,
        "Answer the last message again",
        streams=True,
        calls_models=True,
    ),
    Route(
        "POST",
        "/v1/conversations/{conversation_id}/context",
        "answer",
        READ,
        "The prompt for a message, for clients that call a model themselves",
        calls_models=True,
    ),
    Route(
        "GET",
        "/v1/conversations/{conversation_id}/turns/{turn_id}/saved",
        "answer",
        READ,
        "What was kept from a turn",
    ),
    Route("POST", "/v1/recall", "recall", READ, "Search what is remembered", calls_models=True),
    Route("GET", "/v1/episodes", "recall", READ, "List what conversations were about, newest first"),
    Route("GET", "/v1/facts", "recall", READ, "List facts, newest first"),
    Route("POST", "/v1/facts", "verdicts", WRITE, "Tell a fact", calls_models=True),
    Route("POST", "/v1/facts:batch", "verdicts", WRITE, "Tell up to a hundred facts", calls_models=True),
    Route("GET", "/v1/facts/{fact_id}", "recall", READ, "One fact with its verdicts and history"),
    Route("PATCH", "/v1/facts/{fact_id}", "verdicts", WRITE, "Correct a fact", calls_models=True),
    Route("DELETE", "/v1/facts/{fact_id}", "erasure", WRITE, "Erase a fact", erases=True),
    Route("POST", "/v1/facts/{fact_id}/verdicts", "verdicts", WRITE, "Judge a fact"),
    Route("GET", "/v1/profile", "recall", READ, "The structured profile"),
    Route("PATCH", "/v1/profile", "verdicts", WRITE, "Set or clear fields of the profile", calls_models=True),
    Route("DELETE", "/v1/memory", "erasure", WRITE, "Erase everything about the user", erases=True),
    Route("GET", "/v1/settings", "recall", READ, "What the user has set"),
    Route("PUT", "/v1/settings", "verdicts", WRITE, "Set it: pause, retention, zone, language, consents"),
    Route("GET", "/v1/export", "verdicts", READ, "All that is held on the user, in parts where it is large"),
    Route("POST", "/v1/import", "verdicts", WRITE, "Take an export back", calls_models=True),
    Route("GET", "/v1/activity", "recall", READ, "What was done with the memory, newest first"),
    Route("GET", "/v1/erasures/{erasure_id}", "erasure", READ, "How far an erasure is, and its receipt"),
    Route("GET", "/v1/receipt-keys", "erasure", None, "The keys that receipts are signed with"),
    Route(
        "POST",
        "/v1/admin/erasures",
        "erasure",
        ERASE,
        "Erase a person on behalf of a compliance system",
        erases=True,
    ),
    Route(
        "GET",
        "/v1/admin/erasures/{subject_request_id}",
        "erasure",
        ERASE,
        "How far such an erasure is, and its receipt",
    ),
    Route(
        "POST",
        "/v1/admin/organisation-erasures",
        "erasure",
        ERASE,
        "Ask for the erasure of a whole organisation",
        erases=True,
    ),
    Route(
        "GET",
        "/v1/admin/organisation-erasures/{request_id}",
        "erasure",
        ERASE,
        "How far the erasure of the organisation is",
    ),
    Route(
        "POST",
        "/v1/admin/organisation-erasures/{request_id}/approvals",
        "erasure",
        ERASE,
        "Approve, as a second client, the erasure of the organisation",
        erases=True,
    ),
    Route("GET", "/v1/admin/users", "erasure", ERASE, "List the organisation's users by derived id"),
    Route("GET", "/v1/admin/activity", "erasure", ERASE, "List what this client asked for, newest first"),
    Route("GET", "/v1/health", "recall", None, "Whether the service answers"),
    Route("GET", "/openapi.json", "recall", None, "This interface as OpenAPI 3.1"),
)
