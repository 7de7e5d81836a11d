"""Settings, export and import in the terminal, against a service that is scripted here."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.chat import RequestFailedError
from local.rights import LISTS, Rights, parts

UNSET: dict[str, Any] = {
    "memory": "on",
    "retention_days": None,
    "timezone": None,
    "language": None,
    "consents": {},
}


class Script:
    """A service with two turns and many facts, which it gives out in two parts."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.settings: dict[str, Any] = dict(UNSET)
        self.refuses = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        body: dict[str, Any] = json.loads(request.content) if request.content else {}
        if request.url.path == "/v1/settings":
            self.settings = body or self.settings
            return self._answer(self.settings)
        if request.url.path == "/v1/import":
            assert request.headers["if-memory-epoch"] == "7"
            assert len(request.content) <= 256 * 1024
            [section] = body.keys() - {"format", "version"}
            counts = {section: len(body[section])}
            refused = [{"section": section, "index": 0, "reason": "no"}]
            return self._answer({"imported": counts, "already_there": {section: 0}, "refused": refused})
        following = "cursor" not in request.url.params
        document: dict[str, Any] = {"format": "noted-export", "version": "1", **{name: [] for name in LISTS}}
        ids = ["tn_2", "tn_1"] if following else ["tn_0"]
        document["turns"] = [{"turn_id": each, "message": "é" * 9} for each in ids]
        document["next"] = "/v1/export?cursor=more" if following else None
        return self._answer(document)

    def _answer(self, body: object) -> httpx.Response:
        if self.refuses:
            return httpx.Response(self.refuses, json={"title": "No", "detail": "Not now."})
        return httpx.Response(200, json=body, headers={"Memory-Epoch": "7"})

    def rights(self) -> Rights:
        return Rights(httpx.Client(base_url="http://noted.test", transport=httpx.MockTransport(self)))


def test_settings_are_shown_and_changed_one_by_one() -> None:
    script = Script()
    assert script.rights().settings({}) == UNSET
    assert [request.method for request in script.requests] == ["GET"]
    changed = script.rights().settings({"retention_days": 30})
    assert changed == UNSET | {"retention_days": 30}
    assert script.requests[-1].headers["if-memory-epoch"] == "7"


def test_an_export_is_one_file_for_its_user_alone_and_replaces_none(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    assert Script().rights().export(path)["turns"] == 3
    document = json.loads(path.read_text("utf-8"))
    assert [turn["turn_id"] for turn in document["turns"]] == ["tn_2", "tn_1", "tn_0"]
    assert document["next"] is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        Script().rights().export(path)


def test_an_import_sends_turns_as_they_were_said_in_parts_that_are_taken(tmp_path: Path) -> None:
    path, script = tmp_path / "in.json", Script()
    script.rights().export(path)
    document = json.loads(path.read_text("utf-8"))
    document["facts"] = [{"text": "x" * 900, "fact_id": number} for number in range(230)]
    path.write_text(json.dumps(document))
    script.requests.clear()
    outcome = script.rights().take_back(path)
    sent = [json.loads(each.content) for each in script.requests if each.method == "POST"]
    assert [turn["turn_id"] for turn in sent[0]["turns"]] == ["tn_0", "tn_1", "tn_2"]
    assert [len(part["facts"]) for part in sent[1:]] == [100, 100, 30]
    assert outcome["imported"] == {"turns": 3, "facts": 230}
    # What was refused is told by its place in the file.
    assert [(each["section"], each["index"]) for each in outcome["refused"]] == [
        ("turns", 2),
        ("facts", 0),
        ("facts", 100),
        ("facts", 200),
    ]
    assert len({each.headers["idempotency-key"] for each in script.requests if each.method == "POST"}) == 4


def test_what_is_no_export_and_what_the_service_refuses(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match="not an export"):
        Script().rights().take_back(path)
    script = Script()
    script.refuses = 409
    with pytest.raises(RequestFailedError, match="Not now"):
        script.rights().settings({})


def test_parts_hold_at_most_what_a_call_takes() -> None:
    large = {"text": "x" * 150_000}
    assert [len(part) for part in parts([large, large, {"text": "y"}])] == [1, 2]
    assert list(parts([])) == []
