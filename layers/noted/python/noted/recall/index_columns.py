"""What the index of facts knows of each fact beside its words and its vector, a column each.

Enough to tell which facts stand, by the rules of `noted.facts.live`, and to weigh them, without their texts.
What few facts have (a verdict, an end, a successor) is kept by place.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from noted.clock import instant, timestamp
from noted.facts.fact import Category, Fact, GivenVerdict, Kind, Source, Verdict
from noted.recall import index_ids
from noted.recall.index_bytes import inflated, joined, parted, squeezed, unsqueezed

if TYPE_CHECKING:
    from numpy import bool_, bytes_, int64, uint8, uint64
    from numpy.typing import NDArray

CATEGORIES: tuple[Category, ...] = (
    "identity",
    "preference",
    "constraint",
    "project",
    "relationship",
    "other",
)
# Bits of `flags`; between the last two stands the place of the category.
GOAL, CONFIRMED, HELD, SAID, PROFILE = 1, 2, 4, 8, 128
_CATEGORY_SHIFT = 4
_SAME_BYTES = 6  # two of 10,000 facts meet by chance in 1 of 5 million users
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# The attributes of a fact by which it may stand apart from the others.
Rare = Mapping[str, Any]
RARE = ("latest_verdict", "valid_from", "valid_until", "superseded_by", "copy_of")
ALTERABLE = frozenset({*RARE, "expires_at", "last_confirmed_at", "provenance"})


@dataclass(frozen=True)
class Columns:
    """Row i of each column is one fact. `created` and `confirmed` are milliseconds since 1970, `expires`
    seconds (0: never); `same` is equal for facts of one kind with the same words; `rare` has what few have,
    by place, in the form in which rows store it."""

    ids: NDArray[bytes_]
    created: NDArray[int64]
    confirmed: NDArray[int64]
    expires: NDArray[int64]
    sequence: NDArray[int64]
    same: NDArray[uint64]
    flags: NDArray[uint8]
    rare: Mapping[int, Rare] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> Columns:
        """The columns of facts, in their order."""
        import numpy as np

        rare = {place: _rare(fact) for place, fact in enumerate(facts)}
        return cls(
            ids=np.array([fact.fact_id.encode() for fact in facts], dtype=index_ids.KIND),
            created=np.array([milliseconds(fact.created_at) for fact in facts], dtype=np.int64),
            confirmed=np.array([milliseconds(fact.last_confirmed_at) for fact in facts], dtype=np.int64),
            expires=np.array([_seconds(fact.expires_at) for fact in facts], dtype=np.int64),
            sequence=np.array([fact.sequence for fact in facts], dtype=np.int64),
            same=np.array([_same(fact) for fact in facts], dtype=np.uint64),
            flags=np.array([_flags(fact) for fact in facts], dtype=np.uint8),
            rare={place: attributes for place, attributes in rare.items() if attributes},
        )

    def fact(self, place: int) -> Fact:
        """One fact as the rules see it, without its text."""
        rare, flags = self.rare.get(place, {}), int(self.flags[place])
        fact_id = self.ids[place].decode()
        verdict = rare.get("latest_verdict")
        kind: Kind = "goal" if flags & GOAL else "fact"
        return Fact(
            fact_id=fact_id,
            kind=kind,
            category=CATEGORIES[(flags & ~PROFILE) >> _CATEGORY_SHIFT],
            text="",
            provenance="confirmed" if flags & CONFIRMED else "said",
            sequence=int(self.sequence[place]),
            created_at=moment(int(self.created[place])),
            last_confirmed_at=moment(int(self.confirmed[place])),
            source=Source("", "", "") if flags & SAID else None,
            held=bool(flags & HELD),
            valid_from=_instant(rare.get("valid_from")),
            valid_until=_instant(rare.get("valid_until")),
            expires_at=moment(int(self.expires[place]) * 1000) if self.expires[place] else None,
            latest_verdict=_verdict(fact_id, verdict) if verdict else None,
            superseded_by=rare.get("superseded_by"),
            copy_of=rare.get("copy_of"),
            same=int(self.same[place]).to_bytes(_SAME_BYTES, "big"),
        )

    def categories(self) -> list[Category]:
        """The category of each fact."""
        return [CATEGORIES[(flag & ~PROFILE) >> _CATEGORY_SHIFT] for flag in self.flags.tolist()]

    def has(self, flag: int) -> NDArray[bool_]:
        """Of which facts a bit of `flags` is set."""
        import numpy as np

        return np.asarray(self.flags & flag, dtype=np.bool_)

    def taken(self, places: NDArray[Any]) -> Columns:
        """The columns of some facts, in the order of `places`."""
        now_at = {int(place): at for at, place in enumerate(places.tolist())}
        rare = {now_at[place]: rare for place, rare in self.rare.items() if place in now_at}
        return self._each(lambda column: column[places], rare)

    def altered(self, changes: Mapping[int, Rare]) -> Columns:
        """The columns after changes by place, in the form in which rows store what they change."""
        if not changes:
            return self
        copy = self._each(lambda column: column.copy(), dict(self.rare))
        rare: dict[int, Rare] = dict(self.rare)
        for place, change in changes.items():
            if "expires_at" in change:
                copy.expires[place] = change["expires_at"] or 0
            if confirmed := change.get("last_confirmed_at"):
                copy.confirmed[place] = milliseconds(instant(confirmed))
            if "provenance" in change:
                others = int(copy.flags[place]) & ~CONFIRMED
                copy.flags[place] = others | (CONFIRMED if change["provenance"] == "confirmed" else 0)
            own = {name: value for name, value in change.items() if name in RARE and value is not None}
            if own:
                rare[place] = {**rare.get(place, {}), **own}
        return replace(copy, rare=rare)

    def earliest_expiry(self) -> int:
        """When the first of the facts expires, 0 for never."""
        ending = self.expires[self.expires > 0]
        return int(ending.min()) if len(ending) else 0

    def pack(self) -> bytes:
        """The stored form."""
        import numpy as np

        packed = index_ids.packed(self.ids)
        same = self.same.astype(">u8").view(np.uint8).reshape(len(self), 8)[:, 8 - _SAME_BYTES :]
        rare = json.dumps({str(place): dict(rare) for place, rare in self.rare.items()}).encode()
        columns = [
            packed.T,
            self.created - index_ids.times(packed),
            self.confirmed - self.created,
            self.expires - self.created // 1000,
            np.diff(self.sequence, prepend=np.int64(0)),
            self.flags,
        ]
        return joined([*map(squeezed, columns), same.tobytes(), zlib.compress(rare)])

    @classmethod
    def unpack(cls, whole: bytes, count: int) -> Columns:
        """Reads the stored form of so many facts. Raises ValueError when damaged."""
        import numpy as np

        ids, created, confirmed, expires, sequence, flags, same, rare = parted(whole)
        rows = np.ascontiguousarray(
            unsqueezed(ids, "u1", count * index_ids.PACKED).reshape(index_ids.PACKED, count).T
        )
        created_at = unsqueezed(created, "i8", count) + index_ids.times(rows)
        padded = np.zeros((count, 8), dtype=np.uint8)
        padded[:, 8 - _SAME_BYTES :] = np.frombuffer(same, dtype=np.uint8).reshape(count, _SAME_BYTES)
        return cls(
            ids=index_ids.unpacked(rows),
            created=created_at,
            confirmed=unsqueezed(confirmed, "i8", count) + created_at,
            expires=unsqueezed(expires, "i8", count) + created_at // 1000,
            sequence=np.cumsum(unsqueezed(sequence, "i8", count)),
            same=padded.view(">u8").reshape(-1).astype(np.uint64),
            flags=unsqueezed(flags, "u1", count),
            rare={int(place): attributes for place, attributes in json.loads(inflated(rare)).items()},
        )

    def _each(self, change: Callable[[Any], Any], rare: Mapping[int, Rare]) -> Columns:
        return _columns([change(getattr(self, name)) for name in _ARRAYS], rare)


_ARRAYS = ("ids", "created", "confirmed", "expires", "sequence", "same", "flags")


def concatenated(parts: Iterable[Columns]) -> Columns:
    """Columns one after the other."""
    import numpy as np

    several = list(parts)
    rare: dict[int, Rare] = {}
    before = 0
    for columns in several:
        rare |= {place + before: attributes for place, attributes in columns.rare.items()}
        before += len(columns)
    return _columns(
        [np.concatenate([getattr(columns, name) for columns in several]) for name in _ARRAYS], rare
    )


def _columns(arrays: Sequence[Any], rare: Mapping[int, Rare]) -> Columns:
    ids, created, confirmed, expires, sequence, same, flags = arrays
    return Columns(ids, created, confirmed, expires, sequence, same, flags, rare)


def milliseconds(of: datetime) -> int:
    """Milliseconds since 1970 of the instant that is stored for one."""
    return (instant(timestamp(of)) - _EPOCH) // timedelta(milliseconds=1)


def moment(at: int) -> datetime:
    """The instant so many milliseconds after 1970."""
    return _EPOCH + timedelta(milliseconds=at)


def _seconds(expires_at: datetime | None) -> int:
    return math.ceil(expires_at.timestamp()) if expires_at else 0


def _same(fact: Fact) -> int:
    return int.from_bytes((fact.same or b"")[:_SAME_BYTES], "big")


def _flags(fact: Fact) -> int:
    bits = {GOAL: fact.kind == "goal", CONFIRMED: fact.provenance == "confirmed"}
    bits |= {HELD: fact.held, SAID: fact.source is not None, PROFILE: fact.profile_field is not None}
    return (
        sum(bit for bit, is_set in bits.items() if is_set)
        | CATEGORIES.index(fact.category) << _CATEGORY_SHIFT
    )


def _rare(fact: Fact) -> Rare:
    verdict = fact.latest_verdict
    attributes = {
        "latest_verdict": verdict
        and {
            "verdict_id": verdict.verdict_id,
            "verdict": str(verdict.verdict),
            "at": timestamp(verdict.at),
            "sequence": verdict.sequence,
        },
        "valid_from": timestamp(fact.valid_from) if fact.valid_from else None,
        "valid_until": timestamp(fact.valid_until) if fact.valid_until else None,
        "superseded_by": fact.superseded_by,
        "copy_of": fact.copy_of,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _verdict(fact_id: str, summary: Mapping[str, Any]) -> GivenVerdict:
    return GivenVerdict(
        verdict_id=summary["verdict_id"],
        fact_id=fact_id,
        verdict=Verdict(summary["verdict"]),
        at=instant(summary["at"]),
        sequence=summary["sequence"],
    )


def _instant(text: str | None) -> datetime | None:
    return instant(text) if text else None
