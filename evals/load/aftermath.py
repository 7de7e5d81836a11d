"""Whether what was acknowledged under load is there afterwards, and what was erased is not."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from evals.load.users import User

_SAVED_WAIT = 20


@dataclass
class Aftermath:
    """What was looked for, by what it is, and what of it was not found. `left` holds what the service still
    has of users it said it had erased; `unfinished` counts extractions and erasures that had not ended when
    the time was over: not lost, since their marks stand in the tables."""

    checked: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    unfinished: Counter[str] = field(default_factory=Counter)
    extractions: Counter[str] = field(default_factory=Counter)

    @property
    def sound(self) -> bool:
        """Whether nothing was lost and nothing left."""
        return not self.lost and not self.left

    def as_json(self) -> dict[str, Any]:
        """All counts."""
        return {name: dict(counts) for name, counts in vars(self).items()}


class Check:
    """Looks at everything over HTTP, for up to `seconds` in all where something has still to end."""

    def __init__(
        self, client: httpx.AsyncClient, seconds: float, looked: Callable[[], object] = lambda: None
    ) -> None:
        self._client = client
        self._until = time.monotonic() + seconds
        self._looked = looked
        self.found = Aftermath()

    async def of(self, users: list[User]) -> Aftermath:
        """What became of all these users' writes. Raises httpx.HTTPError."""
        for user in users:
            await (self._gone(user) if user.erased else self._kept(user))
            self._looked()
        return self.found

    async def _kept(self, user: User) -> None:
        path = f"/v1/conversations/{user.conversation_id}/turns"
        await asyncio.gather(*(self._extracted(user, f"{path}/{turn_id}/saved") for turn_id in user.turns))
        there = {turn["turn_id"] async for turn in self._items(user, path)}
        self._compare("turns", set(user.turns), there)
        there = {fact["fact_id"] async for fact in self._items(user, "/v1/facts", status="all")}
        self._compare("facts", set(user.facts), there)
        for fact_id in {fact_id for fact_id, _ in user.verdicts}:
            fact = await self._get(user, f"/v1/facts/{fact_id}")
            given = {verdict_id for of, verdict_id in user.verdicts if of == fact_id}
            self._compare("verdicts", given, {each["verdict_id"] for each in fact["verdicts"]})

    async def _extracted(self, user: User, path: str) -> None:
        while True:
            saved = await self._get(user, path, wait=_SAVED_WAIT)
            if saved["status"] != "pending":
                self.found.extractions[saved["status"]] += 1
                return
            if time.monotonic() > self._until:
                self.found.unfinished["extractions"] += 1
                return

    async def _gone(self, user: User) -> None:
        assert user.erased is not None
        self.found.checked["erasures"] += 1
        del user.headers["If-Memory-Epoch"]
        if [each async for each in self._items(user, "/v1/conversations")]:
            self.found.left["conversations"] += 1
        if [each async for each in self._items(user, "/v1/facts", status="all")]:
            self.found.left["facts"] += 1
        while (await self._get(user, user.erased))["status"] != "complete":
            if time.monotonic() > self._until:
                self.found.unfinished["erasures"] += 1
                return
            await asyncio.sleep(1)

    def _compare(self, name: str, acknowledged: set[str], there: set[str]) -> None:
        self.found.checked[name] += len(acknowledged)
        if lost := acknowledged - there:
            self.found.lost[name] += len(lost)

    async def _items(self, user: User, path: str, **query: str) -> AsyncIterator[dict[str, Any]]:
        cursor = ""
        while True:
            page = await self._get(user, path, limit=100, **query, **({"cursor": cursor} if cursor else {}))
            for item in page["items"]:
                yield item
            if page["next_cursor"] is None:
                return
            cursor = page["next_cursor"]

    async def _get(self, user: User, path: str, **query: str | int) -> dict[str, Any]:
        reply = await self._client.get(path, params=query, headers=user.headers)
        body: dict[str, Any] = reply.raise_for_status().json()
        return body
