"""Many users are erased while as many others write, and what a backup from before still opens.

    python -m evals.erasure [--users 200] [--results FOLDER]

A one-machine service of its own runs on a database on disk, with the offline stand-in as model. Half of the
users are erased over HTTP, at once on eight threads, while the others go on writing. Afterwards no row of the
erased may be left or have come back, each row that the others had must be the same to the byte, and all that
they wrote must be there. Each receipt is checked against the published keys.

The backup drill: all five tables are copied before the erasures. Afterwards everything that is left of the
service, its secret and its folder of keys, is tried on the copy. Nothing of the erased may open; so that this
means something, the rows of the others must.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from evals import results
from evals.lifecycle_check import Check
from evals.lifecycle_world import World, erase, reply, tell, world
from local.issuer import ISSUER
from noted.identity import Principal, principal_of
from noted.privacy.receipt import ReceiptInvalid, verify
from noted.privacy.sealing import CannotOpen, Place, Sealer
from noted.privacy.wrapping import CannotUnwrap
from noted.store.database import row_of
from noted.store.tables import CONTROL, KEYS, MEMORY, TABLES, VERDICTS

_THREADS = 8
_FACTS = 3
_PATIENCE_SECONDS = 900.0
# Version, nonce and tag of the least that is sealed.
_SEALED_BYTES = 29
_CONTENT = (MEMORY.name, VERDICTS.name, KEYS.name)

Rows = dict[str, dict[tuple[str, str], dict[str, Any]]]


@dataclass
class Times:
    """Seconds until an erasure was acknowledged, and until its receipt."""

    fenced: list[float] = field(default_factory=list)
    completed: list[float] = field(default_factory=list)


def drill(here: World, users: int) -> tuple[list[Check], Times]:
    """All checks on one service."""
    erased = [f"erased-{number}" for number in range(users)]
    others = [f"other-{number}" for number in range(users)]
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda name: _live(here, name), [*erased, *others]))
    while (before := _rested(here)) is None:
        time.sleep(1)
    times = Times()
    with ThreadPoolExecutor(_THREADS) as erasing, ThreadPoolExecutor(_THREADS) as writing:
        receipts = erasing.map(lambda name: _erased(here, name, times), erased)
        written = writing.map(lambda name: _writes(here, name), others)
        told, lost = list(receipts), sum(1 for kept in written if not kept)
    here.service.queue.drain(_PATIENCE_SECONDS)
    after = copied(here)
    return [
        *_rows(here, before, after, erased, others),
        *_told(here, told, lost),
        *_backup(here, before, erased, others),
    ], times


def copied(here: World) -> Rows:
    """Every row of every table, as a backup has them."""
    scan = here.database.get_paginator("scan")
    return {
        table.name: {
            (item["pk"]["S"], item["sk"]["S"]): item
            for page in scan.paginate(
                TableName=f"{here.settings.table_prefix}-{table.name}", ConsistentRead=True
            )
            for item in page["Items"]
        }
        for table in TABLES
    }


def _rested(here: World) -> Rows | None:
    """A copy, once no work of the background is left that would change a row by itself."""
    here.service.queue.drain(_PATIENCE_SECONDS)
    rows = copied(here)
    return None if any("outbox" in row for row in rows[MEMORY.name].values()) else rows


def _live(here: World, name: str) -> None:
    client = here.client(name)
    for number in range(_FACTS):
        tell(client, f"Keeps {number} boxes of {_word(name)} tea")
    begun = reply(client.post("/v1/conversations", json={}))["conversation_id"]
    said = {"user": f"I own lamps of {_word(name)} glass.", "assistant": "I see."}
    reply(client.post(f"/v1/conversations/{begun}/turns:record", json=said))
    fact = reply(client.get("/v1/facts"))["items"][0]["fact_id"]
    reply(client.post(f"/v1/facts/{fact}/verdicts", json={"verdict": "confirmed"}))


def _erased(here: World, name: str, times: Times) -> dict[str, Any]:
    began = time.perf_counter()
    client = here.client(name)
    fence: list[float] = []

    def note(response: httpx.Response) -> None:
        if response.request.method == "DELETE":
            fence.append(time.perf_counter() - began)

    client.event_hooks = {"response": [note]}
    done = erase(client)
    times.fenced += fence
    times.completed.append(time.perf_counter() - began)
    return done


def _writes(here: World, name: str) -> bool:
    """Whether all that another user writes meanwhile is there afterwards."""
    client = here.client(name)
    told = {tell(client, f"Has {number} {_word(name)} cups")["fact_id"] for number in range(_FACTS)}
    return told <= {fact["fact_id"] for fact in reply(client.get("/v1/facts"))["items"]}


def _rows(
    here: World, before: Rows, after: Rows, erased: Sequence[str], others: Sequence[str]
) -> list[Check]:
    gone, kept = _owners(here, erased), _owners(here, others)
    had = sum(_count(before, owner) for owner in gone)
    left = sum(_count(after, owner) for owner in gone)
    changed = [
        place
        for table in (MEMORY.name, VERDICTS.name, KEYS.name)
        for place, row in before[table].items()
        if _owner(place) in kept and not _changes(place) and after[table].get(place) != row
    ]
    same = sum(_count(before, owner) for owner in kept)
    return [
        Check("rows of the users before they are erased", "some", str(had), had > 0),
        Check("rows of them afterwards", "0", str(left), left == 0),
        Check(
            f"rows of the others, of {same}, that are another byte for byte",
            "0",
            str(len(changed)),
            not changed,
        ),
    ]


def _told(here: World, told: Sequence[dict[str, Any]], lost: int) -> list[Check]:
    keys = reply(here.client("auditor").get("/v1/receipt-keys"))
    valid = sum(1 for each in told if _valid(each["receipt"], keys))
    return [
        Check("receipts that are complete and signed", str(len(told)), str(valid), valid == len(told)),
        Check("others who miss something that they wrote meanwhile", "0", str(lost), lost == 0),
    ]


def _backup(here: World, before: Rows, erased: Sequence[str], others: Sequence[str]) -> list[Check]:
    gone, kept = _owners(here, erased), _owners(here, others)
    sealed, opened = _opened(here, before, gone)
    control_sealed, control_opened = _opened(here, before, kept)
    words = [_word(name).encode() for name in (*erased, *others)]
    plain = sum(
        any(word in repr(row).encode() for word in words) for rows in before.values() for row in rows.values()
    )
    whose = f"sealed values of the others in the copy, of {control_sealed}, that open"
    return [
        Check(whose, str(control_sealed), str(control_opened), control_sealed == control_opened > 0),
        Check(
            f"sealed values of the erased in the copy, of {sealed}, that open", "0", str(opened), opened == 0
        ),
        Check("rows of the copy in which a word stands in plain text", "0", str(plain), plain == 0),
    ]


def _opened(here: World, rows: Rows, owners: set[str]) -> tuple[int, int]:
    """How many sealed values there are of some users, and how many open with all that the service has."""
    wrapper = here.service.runtime.key_wrapper
    sealed, opened = 0, 0
    sealers: dict[str, Sealer] = {}
    for (partition, _), item in rows[KEYS.name].items():
        try:
            sealers[partition] = Sealer(wrapper.unwrap((row_of(item) or {})["wrapped"], partition))
        except CannotUnwrap:
            continue
    for table in (MEMORY.name, VERDICTS.name, CONTROL.name):
        for place, item in rows[table].items():
            if _owner(place) not in owners:
                continue
            for attribute, value in (row_of(item) or {}).items():
                # What is shorter is a blind index, by which the same words are known again.
                if not isinstance(value, bytes) or len(value) < _SEALED_BYTES:
                    continue
                sealed += 1
                sealer = sealers.get(place[0])
                opened += sealer is not None and _opens(sealer, value, Place(table, *place, attribute))
    return sealed, opened


def _opens(sealer: Sealer, value: bytes, place: Place) -> bool:
    for each in (sealer, sealer.vault):
        try:
            each.open(value, place)
        except CannotOpen:
            continue
        return True
    return False


def _valid(receipt: dict[str, Any] | None, keys: dict[str, Any]) -> bool:
    try:
        verify(receipt or {}, keys)
    except ReceiptInvalid:
        return False
    return True


def _changes(place: tuple[str, str]) -> bool:
    # What a user's own writing changes: how often their facts changed, and the index that is built of them.
    return place[1] == "FACTS~revision" or place[1].startswith("INDEX#")


def _owners(here: World, names: Sequence[str]) -> set[str]:
    return {_principal(here, name).owner for name in names}


def _principal(here: World, name: str) -> Principal:
    return principal_of({"sub": name, "iss": ISSUER}, here.service.runtime.secrets)


def _owner(place: tuple[str, str]) -> str:
    return place[0].rpartition("#g")[0] or place[0]


def _count(rows: Rows, owner: str) -> int:
    return sum(_owner(place) == owner for table in _CONTENT for place in rows[table])


def _word(name: str) -> str:
    return "zqx" + name.replace("-", "")


def _quantiles(seconds: Sequence[float]) -> str:
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return f"p50 {cuts[49]:.2f} s, p99 {cuts[98]:.2f} s, longest {max(seconds):.2f} s"


def table(found: Sequence[Check], times: Times) -> Table:
    """A row a check, and the times."""
    made = Table("", "should be", "found", "", title="Erasure")
    for check in found:
        made.add_row(check.what, check.wanted, check.found, "" if check.holds else "FAILS")
    made.add_row("until nothing can be read any more", "", _quantiles(times.fenced), "")
    made.add_row("until the receipt, all at once", "", _quantiles(times.completed), "")
    return made


def main() -> int:
    """Runs the drill and prints a table; 1 when a check fails."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m evals.erasure", description=summary)
    parser.add_argument("--users", type=int, default=200, help="users who are erased (%(default)s)")
    results.add_option(parser)
    chosen = parser.parse_args()
    with world() as here:
        found, times = drill(here, chosen.users)
    Console().print(table(found, times))
    rows = [[check.what, check.wanted, check.found, check.holds] for check in found]
    told = {"checks": rows, "fenced_seconds": times.fenced, "completed_seconds": times.completed}
    results.write(chosen.results, "erasure", told)
    return 0 if all(check.holds for check in found) else 1


if __name__ == "__main__":
    sys.exit(main())
