"""`noted settings`, `noted export` and `noted import`: what users have a right to, in the terminal, over
HTTP."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from local.chat import RequestFailedError, detail

Json = dict[str, Any]

LISTS = ("conversations", "turns", "episodes", "facts", "verdicts", "activity", "erasures")
# In this order a part needs only what was sent before it.
_TAKEN = ("conversations", "turns", "facts")
# A call takes a hundred things and 256 KB.
_MOST_ITEMS, _MOST_BYTES = 100, 200_000


class Rights:
    """One user's rights over the service that `client` asks."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._epoch: str | None = None

    def settings(self, changes: Json) -> Json:
        """What is set, after changes to it. Raises RequestFailedError."""
        present = self._asked("GET", "/v1/settings")
        return self._asked("PUT", "/v1/settings", {**present, **changes}) if changes else present

    def export(self, path: Path) -> dict[str, int]:
        """Writes all that is held on the user into a new file that they alone may read; counts it. Raises
        RequestFailedError, and FileExistsError rather than write over a file."""
        document = self._asked("GET", "/v1/export")
        while following := document["next"]:
            part = self._asked("GET", following)
            for name in LISTS:
                document[name] += part[name]
            document["next"] = part["next"]
        with path.open("x", encoding="utf-8") as file:
            path.chmod(0o600)
            json.dump(document, file, ensure_ascii=False, indent=1)
        return {name: len(document[name]) for name in LISTS}

    def take_back(self, path: Path) -> Json:
        """Sends an export in as many parts as it takes; gives what became of it all, with the places of what
        was refused in the file's own lists. Raises ValueError for a file that is no export,
        RequestFailedError."""
        document = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(document, dict) or document.get("format") != "noted-export":
            raise ValueError("the file is not an export of Noted")
        self._asked("GET", "/v1/settings")  # the epoch that the whole import is for
        outcome: Json = {"imported": {}, "already_there": {}, "refused": []}
        for section in _TAKEN:
            items = document.get(section, [])
            order = _order(section, items)
            for sent in parts([items[place] for place in order]):
                part = {"format": document["format"], "version": document.get("version"), section: sent}
                _add(outcome, self._asked("POST", "/v1/import", part), order)
                order = order[len(sent) :]
        return outcome

    def _asked(self, method: str, address: str, body: Json | None = None) -> Json:
        headers = {}
        if method != "GET" and self._epoch is not None:
            headers["If-Memory-Epoch"] = self._epoch
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        response = self._client.request(method, address, json=body, headers=headers)
        if response.is_error:
            raise RequestFailedError(response.status_code, detail(response))
        if self._epoch is None:
            self._epoch = response.headers.get("memory-epoch")
        answer: Json = response.json()
        return answer


def parts(items: Sequence[Json]) -> Iterator[list[Json]]:
    """Items in as few lists, in their order, as one call each takes; one that is too large is by itself."""
    part: list[Json] = []
    size = 0
    for item in items:
        own = len(json.dumps(item).encode())
        if part and (len(part) == _MOST_ITEMS or size + own > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(item)
        size += own
    if part:
        yield part


def _order(section: str, items: list[Json]) -> list[int]:
    """The places of items in the order in which they are sent. Turns come back behind those that are there,
    so they go as they were said."""
    places = list(range(len(items)))
    return sorted(places, key=lambda place: str(items[place]["turn_id"])) if section == "turns" else places


def _add(outcome: Json, answer: Json, order: Sequence[int]) -> None:
    for name in ("imported", "already_there"):
        for section, number in answer[name].items():
            outcome[name][section] = outcome[name].get(section, 0) + number
    outcome["refused"] += [{**each, "index": order[each["index"]]} for each in answer["refused"]]
