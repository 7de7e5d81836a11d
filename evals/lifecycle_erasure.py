"""What an erasure leaves: the bytes of every file of a service, before and after."""

from __future__ import annotations

from typing import Any

import httpx

from evals.lifecycle_check import Check
from evals.lifecycle_world import (
    World,
    erase,
    eventually,
    files_with,
    listed,
    opened,
    recalled,
    reply,
    tell,
)
from noted.store.tables import MEMORY

_USER, _OTHER = "quillaborg@lifecycle.test", "neighbour"
_WORD, _ANSWERED, _PHONE, _NAME = "zqxmarkerfelt", "zqxanswervelt", "+44 20 7946 0958", "Quillaborg"
_CONTROL = "zqxcontrolword"
# Enough for the window to be cut and a summary written.
_TURNS = 24


def erasure(here: World) -> list[Check]:
    """A user who said, was answered, told, and had a conversation summarised is erased; another stays."""
    user, other = here.client(_USER), here.client(_OTHER)
    for number in range(20):
        tell(other, f"Keeps {number} boxes of tea on shelf {number}")
    _live(user)
    kept = sorted(listed(other))
    _plain_row(here)
    before = files_with(here.folder, _needles())
    told_before = len(recalled(user, _WORD))
    receipt = erase(user)["receipt"]
    told_after = len(recalled(user, _WORD)) + len(listed(user))
    while_open = files_with(here.folder, _needles())
    here.stop()
    closed = files_with(here.folder, _needles())
    again = opened(here.folder)
    try:
        user, other = again.client(_USER), again.client(_OTHER)
        reopened = len(recalled(user, _WORD)) + len(listed(user))
        others_kept = sorted(listed(other)) == kept
        tell(other, "Has a dog")
        later = files_with(here.folder, _needles())
    finally:
        again.stop()
    rows = sum(receipt["counts"].values())
    return [
        Check("a plain row is found in the files", "yes", _yes("control" in before), "control" in before),
        Check("the facts are recalled before the erasure", "some", str(told_before), told_before > 0),
        _bytes("words, number, name or id in files before an erasure", before),
        Check("rows that the receipt counts", "some", str(rows), rows > 0),
        Check("facts afterwards", "0", str(told_after), told_after == 0),
        _bytes("in files after the erasure", while_open),
        _bytes("in files after the service has ended", closed),
        Check("facts after a restart", "0", str(reopened), reopened == 0),
        _bytes("in files after a restart and a write", later),
        Check("the facts of another user after it all", "unchanged", _same(others_kept), others_kept),
    ]


def _live(user: httpx.Client) -> None:
    """A whole life: facts told, a message answered, turns recorded until there is a summary, an episode."""
    tell(user, f"My passport lies in the {_WORD} drawer")
    tell(user, f"Can be called at {_PHONE} and is named {_NAME}")
    conversation = reply(user.post("/v1/conversations", json={}))["conversation_id"]
    turns = f"/v1/conversations/{conversation}/turns"
    reply(user.post(turns, json={"message": f"I live in {_WORD} street. My number is {_PHONE}."}))
    for number in range(_TURNS):
        said = f"I own {number} lamps of {_WORD} glass, and {_NAME} calls me at {_PHONE}."
        turn = reply(
            user.post(f"{turns}:record", json={"user": said, "assistant": f"The {_ANSWERED} {number}."})
        )
        reply(user.get(turn["saved_url"], params={"wait": 25}))
    eventually(lambda: reply(user.get("/v1/episodes"))["items"] or None)


def _plain_row(here: World) -> None:
    row: dict[str, Any] = {"pk": {"S": "control"}, "sk": {"S": "control"}, "text": {"S": _CONTROL}}
    here.database.put_item(TableName=f"{here.settings.table_prefix}-{MEMORY.name}", Item=row)


def _needles() -> dict[str, bytes]:
    words = {
        "word": _WORD,
        "answer": _ANSWERED,
        "phone": _PHONE,
        "digits": "2079460958",
        "name": _NAME,
        "id": _USER,
    }
    forms = {
        f"{name}{suffix}": needle
        for name, text in words.items()
        for suffix, needle in (
            ("", text.encode()),
            (" in lower case", text.lower().encode()),
            (" in capitals", text.upper().encode()),
            (" as UTF-16", text.encode("utf-16-le")),
        )
    }
    return {**forms, "control": _CONTROL.encode()}


def _bytes(what: str, found: dict[str, list[str]]) -> Check:
    own = {name: files for name, files in found.items() if name != "control"}
    told = "; ".join(f"{name} in {', '.join(files)}" for name, files in own.items()) or "none"
    return Check(what, "none", told, not own)


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _same(holds: bool) -> str:
    return "unchanged" if holds else "changed"
