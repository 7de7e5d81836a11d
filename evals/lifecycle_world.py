"""A whole service on a database on disk, for checks of what becomes of people's data."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from local.dynamodb import DynamoDBLocal
from local.listener import listen
from local.service import Service, dynamodb_client
from noted.settings import Settings

_WAIT_SECONDS = 60.0
T = TypeVar("T")


@dataclass
class World:
    """A running service and the folder of all its files."""

    folder: Path
    service: Service
    database: Any
    settings: Settings
    _ending: ExitStack
    _clients: list[httpx.Client] = field(default_factory=list)

    def client(self, subject: str) -> httpx.Client:
        """A client in the name of a user. Raises ValueError for a subject that no token is made for."""
        headers = {"Authorization": f"Bearer {self.service.issuer.token(subject, ttl=3600)}"}
        client = httpx.Client(base_url=self.service.url, headers=headers, timeout=60, trust_env=False)
        self._clients.append(client)
        return client

    def stop(self) -> None:
        """Ends the service and its database; the files stay until the world ends."""
        for client in self._clients:
            client.close()
        self._clients.clear()
        self._ending.close()


@contextmanager
def world(folder: Path | None = None) -> Iterator[World]:
    """A world in a new folder that goes with it, or again over the folder of one that was stopped."""
    with tempfile.TemporaryDirectory() as new:
        here = opened(folder or Path(new))
        try:
            yield here
        finally:
            here.stop()


def opened(folder: Path) -> World:
    """Starts a service over a folder. A conversation gets its episode after a second's rest."""
    settings = Settings(episode_after_seconds=1)
    engine = DynamoDBLocal()
    engine.start(folder / "dynamodb")
    database = dynamodb_client(engine.endpoint)
    service = Service(settings, data=folder, dynamodb=database, environment={})
    listening = listen(0)
    service.start(listening)
    ending = ExitStack()
    for end in (engine.stop, database.close, listening.close, service.stop):
        ending.callback(end)
    return World(folder, service, database, settings, ending)


def reply(response: httpx.Response) -> dict[str, Any]:
    """The body of a reply that succeeded. Raises httpx.HTTPStatusError."""
    body: dict[str, Any] = response.raise_for_status().json()
    return body


def tell(client: httpx.Client, text: str) -> dict[str, Any]:
    """Tells a fact."""
    return reply(client.post("/v1/facts", json={"text": text, "kind": "fact"}))


def recalled(client: httpx.Client, query: str, limit: int = 10) -> list[str]:
    """The texts of what a query brings back, best first."""
    items = reply(client.post("/v1/recall", json={"query": query, "limit": limit}))["items"]
    return [item["fact"]["text"] for item in items]


def listed(client: httpx.Client) -> list[str]:
    """The texts of all facts of a user, in whatever state they are."""
    texts: list[str] = []
    cursor: str | None = None
    while True:
        query = {"status": "all", "limit": "100"} | ({"cursor": cursor} if cursor else {})
        page = reply(client.get("/v1/facts", params=query))
        texts += [fact["text"] for fact in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return texts


def erase(client: httpx.Client) -> dict[str, Any]:
    """Erases everything about a user and gives the finished erasure with its receipt."""
    begun = reply(client.delete("/v1/memory"))

    def finished() -> dict[str, Any] | None:
        erasure = reply(client.get(begun["status_url"]))
        return erasure if erasure["status"] != "running" else None

    return eventually(finished)


def eventually(what: Callable[[], T | None]) -> T:
    """What comes at last. Raises TimeoutError after a minute."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while (found := what()) is None:
        if time.monotonic() > deadline:
            raise TimeoutError("what was waited for did not come")
        time.sleep(0.1)
    return found


def files_with(folder: Path, needles: Mapping[str, bytes]) -> dict[str, list[str]]:
    """The names of the needles that files hold, each with those files, relative to the folder."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            for name, needle in needles.items():
                if needle in content:
                    found.setdefault(name, []).append(str(path.relative_to(folder)))
    return found
