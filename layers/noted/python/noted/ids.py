"""Opaque object ids: two letters for the kind and 26 characters of Crockford's base 32.

The first ten characters hold a number that orders the objects of a kind (milliseconds, or the user's
sequence), the other sixteen, 80 bits, make the id unguessable. An id sorts as its number does, so an id is
also a sort key.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SHAPE = re.compile(r"[a-z]{2}_[0-9A-HJKMNP-TV-Z]{26}")

CONVERSATION = "cv"
TURN = "tn"
FACT = "ft"
VERDICT = "vd"
ERASURE = "er"
EPISODE = "ep"
ACTIVITY = "ac"
AUDIT = "au"


def ordered(kind: str, order: int, unique: bytes | None = None) -> str:
    """An id of `kind` that sorts by `order` (0 to 2^50 - 1); `unique` gives its other 80 bits, random if
    None."""
    tail = unique if unique is not None else secrets.token_bytes(10)
    return f"{kind}_{_base32(order, 10)}{_base32(int.from_bytes(tail[:10], 'big'), 16)}"


def at(kind: str, instant: datetime, unique: bytes | None = None) -> str:
    """An id of `kind` that sorts by an instant, to the millisecond; instants before 1970 sort as 1970."""
    milliseconds = int((instant - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)
    return ordered(kind, max(milliseconds, 0), unique)


def is_id(kind: str, text: str) -> bool:
    """Whether `text` has the exact shape of an id of this kind."""
    return text.startswith(f"{kind}_") and _SHAPE.fullmatch(text) is not None


def order(object_id: str) -> int:
    """The number by which an id sorts: a turn's place in its user's sequence, say."""
    value = 0
    for character in object_id[3:13]:
        value = value * 32 + ALPHABET.index(character)
    return value


def _base32(number: int, length: int) -> str:
    if not 0 <= number < 32**length:
        raise ValueError("number out of range for an id")
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
