"""Users over HTTP: what they call, and what was acknowledged to them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from evals.load.arrivals import Kind
from evals.load.models import statement

# Longer than the gateway waits; a client that waits for ever would hide a call that never ends.
TIMEOUT_SECONDS = 35.0
# Facts that each user has before the load, so that recall and lists have something to do.
FACTS = 20
_STATING = 0.3


@dataclass
class User:
    """A user: `erased` from when the erasure was asked for. The other fields are what the service has
    acknowledged: turns by their id, facts, and verdicts by the fact they are of."""

    headers: dict[str, str]
    conversation_id: str = ""
    turns: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    verdicts: list[tuple[str, str]] = field(default_factory=list)
    erased: str | None = None


class Users:
    """All of them, and the calls that they make. Who calls is drawn among those who are not erased."""

    def __init__(self, client: httpx.AsyncClient, users: Sequence[User], chance: random.Random) -> None:
        self._client = client
        self.all = list(users)
        self._live = list(users)
        self._chance = chance
        self._numbers = itertools.count(1_000)
        self._calls: dict[Kind, Callable[[User], Awaitable[httpx.Response]]] = {
            Kind.TURN: self._turn,
            Kind.RECALL: self._recall,
            Kind.FACTS: self._facts,
            Kind.TURNS: self._turns,
            Kind.TELL: self._tell,
            Kind.JUDGE: self._judge,
            Kind.ERASE: self._erase,
        }

    async def begin(self) -> None:
        """Gives each user a conversation and some facts. Raises httpx.HTTPError."""
        for user in self.all:
            begun = await self._client.post("/v1/conversations", json={}, headers=user.headers)
            user.conversation_id = _body(begun)["conversation_id"]
            facts = [
                {"text": f"Owns {statement(next(self._numbers))[6:-1]}", "kind": "fact"} for _ in range(FACTS)
            ]
            told = await self._client.post("/v1/facts:batch", json={"facts": facts}, headers=user.headers)
            user.facts += [each["fact_id"] for each in _body(told)["items"] if "fact_id" in each]
            # What every client of the service sends: what is under way when a user is erased writes nothing.
            user.headers["If-Memory-Epoch"] = told.headers["memory-epoch"]

    async def perform(self, kind: Kind) -> str | None:
        """Makes a call as one of the users. Gives the kind of error: a status with its problem, or the type
        of what went wrong on the way; None if it did what it should."""
        user = self._live.pop() if kind is Kind.ERASE else self._chance.choice(self._live)
        try:
            reply = await self._calls[kind](user)
        except httpx.HTTPError as error:
            return type(error).__name__
        if reply.is_success:
            return None
        problem = reply.json().get("type", "") if "json" in reply.headers.get("content-type", "") else ""
        return f"{reply.status_code} {str(problem).rpartition(':')[2]}".strip()

    async def _turn(self, user: User) -> httpx.Response:
        message = (
            "Could you help me to plan the next week? I have a meeting on Monday and want to prepare it. "
        )
        if self._chance.random() < _STATING:
            message += statement(next(self._numbers))
        reply = await self._post(
            user, f"/v1/conversations/{user.conversation_id}/turns", {"message": message}
        )
        if reply.is_success:
            user.turns.append(reply.json()["turn_id"])
        return reply

    async def _recall(self, user: User) -> httpx.Response:
        return await self._post(user, "/v1/recall", {"query": "Which boats do I own in the harbour?"})

    async def _facts(self, user: User) -> httpx.Response:
        return await self._client.get("/v1/facts", headers=user.headers)

    async def _turns(self, user: User) -> httpx.Response:
        path = f"/v1/conversations/{user.conversation_id}/turns"
        return await self._client.get(path, params={"limit": 20}, headers=user.headers)

    async def _tell(self, user: User) -> httpx.Response:
        text = f"Owns {statement(next(self._numbers))[6:-1]}"
        reply = await self._post(user, "/v1/facts", {"text": text, "kind": "fact"})
        if reply.is_success:
            user.facts.append(reply.json()["fact_id"])
        return reply

    async def _judge(self, user: User) -> httpx.Response:
        fact_id = self._chance.choice(user.facts)
        reply = await self._post(user, f"/v1/facts/{fact_id}/verdicts", {"verdict": "confirmed"})
        if reply.is_success:
            user.verdicts.append((fact_id, reply.json()["verdict_id"]))
        return reply

    async def _erase(self, user: User) -> httpx.Response:
        # From here on nobody acts for the user; what is under way already goes on.
        reply = await self._client.delete("/v1/memory", headers=user.headers)
        if reply.is_success:
            user.erased = reply.json()["status_url"]
        else:
            self._live.append(user)
        return reply

    async def _post(self, user: User, path: str, body: dict[str, Any]) -> httpx.Response:
        return await self._client.post(path, json=body, headers=user.headers)


def _body(reply: httpx.Response) -> dict[str, Any]:
    body: dict[str, Any] = reply.raise_for_status().json()
    return body
