"""One good request for every route, so that what holds of all routes can be tested on all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noted.api.routes import ERASE, READ, ROUTES, WRITE, Route
from tests.api.helpers import Json, erase, say, tell

if TYPE_CHECKING:
    import httpx

    from tests.api.conftest import Clients

EVERY_SCOPE = (READ, WRITE, ERASE)

BODIES: dict[tuple[str, str], Json] = {
    ("POST", "/v1/conversations"): {"timezone": "Europe/Paris"},
    ("POST", "/v1/conversations/{conversation_id}/turns"): {"message": "I live in Porto"},
    ("POST", "/v1/conversations/{conversation_id}/turns:record"): {"user": "Hello", "assistant": "Hi"},
    ("POST", "/v1/conversations/{conversation_id}/context"): {"message": "Where do I live?"},
    ("POST", "/v1/recall"): {"query": "Where do I live?"},
    ("POST", "/v1/facts"): {"text": "Has a cat", "kind": "fact"},
    ("POST", "/v1/facts:batch"): {"facts": [{"text": "Has a dog", "kind": "fact"}]},
    ("PATCH", "/v1/facts/{fact_id}"): {"text": "Lives in Braga"},
    ("POST", "/v1/facts/{fact_id}/verdicts"): {"verdict": "confirmed"},
    ("PATCH", "/v1/profile"): {"home_town": "Porto"},
    ("PUT", "/v1/settings"): {
        "retention_days": 365,
        "timezone": "Europe/Lisbon",
        "language": "pt-BR",
        "consents": {"health": {"given": True}},
    },
    ("POST", "/v1/import"): {
        "format": "noted-export",
        "version": "1",
        "facts": [
            {
                "fact_id": "ft_00000000000000000000000001",
                "kind": "fact",
                "text": "Has a hamster",
                "created_at": "2026-01-01T00:00:00.000Z",
            }
        ],
    },
    ("POST", "/v1/admin/erasures"): {
        "subject_request_id": "0b8e5c1e-5f1a-4d53-9a52-000000000001",
        "subject": "carol",
        "regulation": "gdpr",
        "submitted_time": "2026-01-01T00:00:00Z",
    },
    ("POST", "/v1/admin/organisation-erasures"): {
        "request_id": "0b8e5c1e-5f1a-4d53-9a52-000000000002",
        "submitted_time": "2026-01-01T00:00:00Z",
    },
}

# Ids of the right shape that nobody has.
MISSING = {
    "conversation_id": "cv_00000000000000000000000000",
    "turn_id": "tn_00000000000000000000000000",
    "fact_id": "ft_00000000000000000000000000",
    "erasure_id": "er_00000000000000000000000000",
    "subject_request_id": "0b8e5c1e-5f1a-4d53-9a52-ffffffffffff",
    "request_id": "0b8e5c1e-5f1a-4d53-9a52-fffffffffffe",
}


def send(client: httpx.Client, route: Route, ids: dict[str, str], **headers: str) -> httpx.Response:
    """Sends a route's good request, with these ids in its path."""
    address = route.path.format(**ids)
    return client.request(route.method, address, json=BODIES.get((route.method, route.path)), headers=headers)


def routes(scope: str | None, method: str | None = None) -> list[Route]:
    """The routes that need a scope."""
    return [route for route in ROUTES if route.scope == scope and method in (None, route.method)]


def routes_with_ids() -> list[Route]:
    """The routes whose path holds an id of a user's own; that of an organisation's request is all its
    clients'."""
    return [route for route in ROUTES if "{" in route.path and "{request_id}" not in route.path]


def one_of_each(service: Clients, subject: str) -> dict[str, str]:
    """Makes one of everything that has an id, for one user; gives the ids."""
    client = service.client(subject, EVERY_SCOPE)
    conversation = client.post("/v1/conversations").json()["conversation_id"]
    turn = say(client, conversation, "I live in Porto", remember=False)
    erased = erase(client, f"/v1/facts/{tell(client, 'Has a goldfish')['fact_id']}")
    tell(service.client("carol"), "Has a parrot")
    body = BODIES["POST", "/v1/admin/erasures"]
    requested = client.post("/v1/admin/erasures", json=body)
    body = BODIES["POST", "/v1/admin/organisation-erasures"]
    of_all = client.post("/v1/admin/organisation-erasures", json=body)
    return {
        "conversation_id": conversation,
        "turn_id": turn["turn_id"],
        "fact_id": tell(client, "Lives in Porto")["fact_id"],
        "erasure_id": erased["erasure_id"],
        "subject_request_id": requested.json()["subject_request_id"],
        "request_id": of_all.json()["request_id"],
    }
