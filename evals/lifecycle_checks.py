"""Checks of what becomes of people's data, all but the one of erasures."""

from __future__ import annotations

import hashlib
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from evals.adapter import Noted
from evals.lifecycle_check import Check
from evals.lifecycle_world import World, erase, listed, recalled, tell
from noted.errors import Unauthenticated
from noted.identity import Secrets, principal_of

# Pairs of ids of two users that a careless store takes for one, or for a pattern: the one who reads, the one
# who owns.
LOOKALIKES = (
    ("user1", "user10"),
    ("user10", "user1"),
    ("Alice", "alice"),
    ("a_c", "abc"),
    ("a%", "abc"),
    ("*", "abc"),
    ("a*", "abc"),
    ("?", "a"),
    ("a.b", "a"),
    ("a/b", "a"),
    ("a:b", "a"),
    ("a#b", "a"),
    ("a~", "a"),
    ("../a", "a"),
    ("a'OR'1'='1", "a"),
    ('a"OR"1"="1', "a"),
    ("%61", "a"),
    ("x" * 255, "x" * 254),
    ("user@example.com", "user"),
    ("arn:aws:iam::1:user/a", "a"),
    ("null", "None"),
    ("0", "00"),
)
# Ids that are no one's: whoever has a token with one of them is refused, and reads nobody.
REFUSED = ("", " ", "alice ", " alice", "alice\n", "a b", "a\x00b", "café", "cafe\u0301", "ａ", "x" * 256)

_THREADS, _EACH = 8, 25
_OWN = 100
_CROWD = 100
_WIDTH = 384
_SEARCHES = 60
_THINGS = ("lamp", "book", "vase", "clock", "radio")


def isolation(here: World) -> list[Check]:
    """Forty users of the same facts but for a word each."""
    clients = {f"u{number:02}": here.client(f"u{number:02}") for number in range(40)}
    cities = ("Lisbon", "Oslo", "Quito")
    for name, client in clients.items():
        for city in cities:
            tell(client, f"Lived in {city} and had the code word {name}{city}")
    foreign = missing = asked = 0
    for number, (name, client) in enumerate(clients.items()):
        for query in ("Where did I live?", "What is my code word?", f"code word u{(number + 1) % 40:02}Oslo"):
            found = recalled(client, query, 20)
            asked += 1
            foreign += sum(f" {name}" not in text for text in found)
            missing += sum(not any(f"{name}{city}" in text for text in found) for city in cities)
    stranger = recalled(here.client("nobody"), "Where did I live?", 20)
    return [
        Check.count(f"facts of others in {asked} recalls of 40 users", 0, foreign),
        Check.count("own facts that did not come", 0, missing),
        Check.count("facts for a user who has none", 0, len(stranger)),
    ]


def identities(here: World) -> list[Check]:
    """Ids that look alike are different people; ids that are none are refused."""
    read, erased = [], []
    for number, (reader, owner) in enumerate(LOOKALIKES):
        theirs, ours = here.client(owner), here.client(reader)
        secret = f"umbrella{number}"
        tell(theirs, f"Hides the {secret} in the attic")
        if secret in "\n".join([*recalled(ours, secret, 20), *listed(ours)]):
            read.append(f"{reader!r} reads {owner!r}")
        erase(ours)
        if secret not in "\n".join(recalled(theirs, secret)):
            erased.append(f"{reader!r} erased {owner!r}")
    accepted = [repr(name) for name in REFUSED if _is_accepted(name)]
    pairs = len(LOOKALIKES)
    return [
        Check(f"{pairs} pairs of ids that look alike: one reads the other", "none", _listed(read), not read),
        Check("or erases the other", "none", _listed(erased), not erased),
        Check(f"{len(REFUSED)} ids that are none: taken for a user", "none", _listed(accepted), not accepted),
    ]


def repeats(here: World) -> list[Check]:
    """One fact told nine times, among thirty that are different."""
    client, base = here.client("d"), "Moved to Porto in May and works as a nurse."
    near = (base.upper(), base.rstrip("."), f" {base} ", base.replace("Porto", "Porto "))
    for text in (*[base] * 5, *near):
        tell(client, text)
    for number in range(30):
        tell(client, f"Owns {number + 2} books about {_THINGS[number % 5]} number {number}")
    porto = [text for text in recalled(client, "Where did I move in May?") if "porto" in text.casefold()]
    return [
        Check.count("facts of one that was told 9 times and 30 others", 31, len(listed(client))),
        Check.count("of that one among the first ten", 1, len(porto)),
    ]


def threads(here: World) -> list[Check]:
    """Eight threads tell facts of one user at once."""
    texts = [
        f"Keeps {_THINGS[number % 5]} {number} of cupboard {thread} on shelf {thread}{number}"
        for thread in range(_THREADS)
        for number in range(_EACH)
    ]

    def work(part: Sequence[str]) -> int:
        client, failed = here.client("busy"), 0
        for text in part:
            try:
                tell(client, text)
            except httpx.HTTPStatusError:
                failed += 1
        return failed

    parts = [texts[start : start + _EACH] for start in range(0, len(texts), _EACH)]
    with ThreadPoolExecutor(_THREADS) as pool:
        failed = sum(pool.map(work, parts))
    client = here.client("busy")
    kept = listed(client)
    found = sum(text in recalled(client, text, 3) for text in texts)
    return [
        Check.count(f"refused of {len(texts)} facts told by {_THREADS} threads", 0, failed),
        Check.count("kept of them", len(texts), len(set(kept) & set(texts))),
        Check.count("kept twice", 0, len(kept) - len(set(kept))),
        Check.count("found by their own words", len(texts), found),
    ]


def beside_others(others: int) -> list[Check]:
    """A user of 100 facts, alone and beside a hundred others, over the store."""
    with tempfile.TemporaryDirectory() as folder:
        system = Noted(Path(folder), _Hashed())
        try:
            own = [f"The {_THINGS[number % 5]} number {number} is green" for number in range(_OWN)]
            system.add("small", own)
            alone = _searched(system)
            each = others // _CROWD
            for user in range(_CROWD):
                theirs = [f"The {_THINGS[number % 5]} number {number} is red" for number in range(each)]
                system.add(f"other-{user}", theirs)
            beside = _searched(system)
        finally:
            system.close()
    what = f"a search of {_OWN} facts, alone and beside {each * _CROWD:,} of others"
    taken = f"{alone.milliseconds:.1f} and {beside.milliseconds:.1f} ms"
    return [
        Check(what, "as fast", taken, beside.processor < 2 * alone.processor),
        Check.count("facts of others in them", 0, alone.foreign + beside.foreign),
    ]


@dataclass(frozen=True)
class _Searched:
    """Medians of a search's time and of this process's processor time, both in milliseconds, and how many
    facts of others came."""

    milliseconds: float
    processor: float
    foreign: int


class _Hashed:
    """An embedder that takes no time: a vector drawn by the text's hash."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_one(text) for text in texts]

    def embed_one(self, text: str) -> list[float]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).standard_normal(_WIDTH)
        return [float(value) for value in row / np.linalg.norm(row)]


def _searched(system: Noted) -> _Searched:
    times, processor, foreign = [], [], 0
    for number in range(_SEARCHES):
        began, worked = time.perf_counter(), time.process_time()
        found = system.search("small", f"What colour is the vase number {number}?", 10)
        times.append((time.perf_counter() - began) * 1e3)
        processor.append((time.process_time() - worked) * 1e3)
        foreign += sum("red" in hit.text for hit in found)
    return _Searched(statistics.median(times), statistics.median(processor), foreign)


def _is_accepted(subject: str) -> bool:
    try:
        principal_of({"sub": subject, "iss": "https://lifecycle.test"}, Secrets(bytes(32)))
    except Unauthenticated:
        return False
    return True


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
