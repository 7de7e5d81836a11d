"""Idempotency keys: the same key and request within 24 hours does the work once. A row holds pointers to what
the work made, never a copy of an answer."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noted.errors import Conflict, InvalidRequest
from noted.store import keys
from noted.store.codec import expiry
from noted.store.database import ConditionFailed, Database
from noted.store.tables import EXPIRY, MEMORY
from noted.store.writes import Condition, Row, Write, put

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.retention import Retention

# Longer than any function that claims a key may run: after it, the claimant is dead.
_LEASE_SECONDS = 60


# Makes the writes that end a claim, from a pointer to what the work made.
Finish = Callable[[dict[str, Any]], list[Write]]


def nothing_to_finish(_: dict[str, Any]) -> list[Write]:
    """Without an idempotency key there is no claim to end."""
    return []


@dataclass(frozen=True)
class Claim:
    """The right to do a piece of work once. `digest` is the hashed key, `token` the claimant."""

    digest: str
    fingerprint: str
    token: str


@dataclass(frozen=True)
class Done:
    """The work was done before; `pointer` names what it made."""

    pointer: dict[str, Any]


class Idempotency:
    """The keys of one partition."""

    def __init__(self, database: Database, partition: str, retention: Retention, clock: Clock) -> None:
        self._database = database
        self._partition = partition
        self._retention = retention
        self._clock = clock

    def claim(self, key: str, request: str) -> Claim | Done:
        """Takes a key for a request (method, path and body). One write unit.

        Raises InvalidRequest when the key was used for another request, Conflict while the same work is being
        done.
        """
        now = int(self._clock.now().timestamp())
        claim = Claim(_digest(key), _digest(request), secrets.token_hex(8))
        row = self._row(claim, {"lease_until": now + _LEASE_SECONDS})
        free = Condition(
            "attribute_not_exists(pk) OR #expiry <= :now "
            "OR (lease_until <= :now AND fingerprint = :fingerprint)",
            {"#expiry": EXPIRY},
            {":now": now, ":fingerprint": claim.fingerprint},
        )
        try:
            self._database.put(MEMORY.name, row, free)
        except ConditionFailed as failure:
            return self._taken(failure.rows[0], claim)
        return claim

    def done(self, claim: Claim, pointer: dict[str, Any]) -> Write:
        """Ends a claim within the transaction that commits its work. Its condition fails if the claim ran out
        and another request took it."""
        row = self._row(claim, {"pointer": json.dumps(pointer)})
        held = Condition("claimant = :claimant", values={":claimant": claim.token})
        return put(MEMORY.name, row, held)

    def release(self, claim: Claim) -> None:
        """Ends the lease of a key whose work was not done, so that the same request does it when it is sent
        again. One write unit."""
        held = Condition(
            "claimant = :claimant AND attribute_not_exists(pointer)", values={":claimant": claim.token}
        )
        try:
            self._database.update(
                MEMORY.name,
                self._partition,
                keys.idempotency(claim.digest),
                "SET lease_until = :now",
                values={":now": int(self._clock.now().timestamp())},
                condition=held,
            )
        except ConditionFailed:
            return  # it ran out, or the work was done after all

    def _taken(self, row: Row | None, claim: Claim) -> Done:
        if row is not None and row["fingerprint"] != claim.fingerprint:
            raise InvalidRequest([("Idempotency-Key", "was used for another request")])
        if row is None or "pointer" not in row:
            raise Conflict("The same request is being worked on.", retry_after=2)
        return Done(json.loads(row["pointer"]))

    def _row(self, claim: Claim, attributes: Row) -> Row:
        return {
            "pk": self._partition,
            "sk": keys.idempotency(claim.digest),
            EXPIRY: expiry(self._retention.idempotency(self._clock.now())),
            "fingerprint": claim.fingerprint,
            "claimant": claim.token,
            **attributes,
        }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
