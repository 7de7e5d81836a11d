"""The facts of a user while new statements are put among them: what is said again is confirmed, what is
contradicted ends and stays as history, and the order in which statements are worked off does not matter.

Statements stand in the order in which they were said. One that is worked off late takes the place that it
would have had: it ends nothing that was said after it, but is history itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from noted import ids
from noted.facts.change import Altered, Change, Stored
from noted.facts.entailment import Relation, relation
from noted.facts.fact import Fact, Kind, Status
from noted.facts.live import statuses

Expiry = Callable[[Fact, datetime], datetime]
_Order = tuple[datetime, int]


def _last_said(fact: Fact) -> datetime:
    return max(fact.created_at, fact.last_confirmed_at)


def _filling(fact: Fact, like: Fact, *, first: bool = False) -> Fact:
    """A fact with a field of the profile to fill: its own, or the other one's where it has none. `first`: the
    other one's, where that has any."""
    own, other = fact.profile_field, like.profile_field
    return replace(fact, profile_field=(other or own) if first else (own or other))


def _order(fact: Fact) -> _Order:
    return fact.created_at, fact.sequence


class Timeline:
    """The stored facts with the changes that are made to them. `expires` tells when the storage of a fact
    ends that was said again at an instant."""

    def __init__(self, stored: Stored, now: datetime, expires: Expiry) -> None:
        self._revision = stored.revision
        self._before = {fact.fact_id: fact for fact in (*stored.facts, *stored.copies)}
        self._facts = dict(self._before)
        self._held_by: dict[str, str] = {}
        self._expires = expires
        self._now = now
        self._standing = statuses(stored.facts, now)

    def standing(self, kind: Kind, *among: Status) -> list[Fact]:
        """The facts of a kind that are live, or of one of the given statuses; the added ones come last."""
        wanted = among or (Status.LIVE,)
        return [
            self._facts[fact_id]
            for fact_id, status in self._standing.items()
            if status in wanted and self._facts[fact_id].kind == kind
        ]

    def fact(self, fact_id: str) -> Fact:
        """A fact as it stands by now."""
        return self._facts[fact_id]

    def is_open(self, fact_id: str) -> bool:
        """Whether a fact is live and nothing has been said to end it."""
        return self._standing.get(fact_id) is Status.LIVE and self._facts[fact_id].superseded_by is None

    def is_stored(self, fact_id: str) -> bool:
        """Whether a fact is stored already, in whatever state."""
        return fact_id in self._before

    def hold(self, statement: Fact, fact_id: str) -> None:
        """Notes that a stored fact holds the statement already, as it is."""
        if fact_id != statement.fact_id:
            self._held_by[statement.fact_id] = fact_id

    def add(self, statement: Fact) -> None:
        """Adds a statement as a fact of its own."""
        self._put(statement)

    def withdraw(self, fact_id: str, holder: str) -> None:
        """Takes an added fact back, since another one holds what it says, and confirms that one."""
        statement = self._facts.pop(fact_id)
        del self._standing[fact_id]
        self.confirm(holder, statement)

    def confirm(self, fact_id: str, statement: Fact, *, same: bool = False, by_user: bool = False) -> None:
        """Refreshes a fact that was said again; it fills the field of the profile that the statement fills,
        unless it fills one already. `same`: the statement says all of it, so that it also holds since then
        and outlives the erasure of its first conversation. `by_user`: the user told it by hand, which is a
        confirmation, and decides about the field."""
        fact = self._facts[fact_id]
        fact = replace(fact, last_confirmed_at=max(fact.last_confirmed_at, statement.created_at))
        if fact.expires_at is not None:
            fact = replace(fact, expires_at=max(fact.expires_at, self._expires(fact, statement.created_at)))
        fact = replace(fact, kept_at=max(self._now, statement.created_at, fact.kept_at or self._now))
        if by_user:
            fact = replace(fact, provenance="confirmed")
        fact = _filling(fact, statement, first=by_user)
        self._facts[fact_id] = fact
        if same and self._is_from_elsewhere(statement, fact):
            copy = replace(_filling(statement, fact), copy_of=fact_id)
            self._facts[copy.fact_id] = copy
            self._facts[fact_id] = replace(fact, copied_as=copy.fact_id)
        if same and statement.created_at < fact.began:
            self._extend(fact_id, statement)
        self.hold(statement, fact_id)

    def supersede(self, new_id: str, old_id: str) -> bool:
        """Ends one fact where an added one begins. False if the added one was said first: then it is the one
        that ended, and what it would have ended before that is what it ends."""
        new, old = self._facts[new_id], self._facts[old_id]
        if (new.created_at, new.sequence) >= (_last_said(old), old.sequence):
            self._end(old_id, new)
            return True
        if old.began < new.created_at:
            old_id = self._split(old_id, new)
        self._precede(new_id, old_id)
        return False

    def succeed(self, new_id: str, old_id: str) -> bool:
        """The same for a fact that says how it is now what the other one said: it fills the same field of the
        profile, unless it fills one already."""
        self._facts[new_id] = _filling(self._facts[new_id], self._facts[old_id])
        return self.supersede(new_id, old_id)

    def absorb(self, new_id: str, old_id: str) -> None:
        """Ends a fact of which an added one says all and more, whichever of the two was said first."""
        new, old = self._facts[new_id], self._facts[old_id]
        self._facts[new_id] = replace(
            _filling(new, old), last_confirmed_at=max(new.last_confirmed_at, old.last_confirmed_at)
        )
        self._end(old_id, self._facts[new_id])

    def change(self, statements: Iterable[Fact]) -> Change:
        """All that was changed, for the statements that it was changed for."""
        added = [fact for fact_id, fact in self._facts.items() if fact_id not in self._before]
        altered = [
            Altered(fact, self._facts[fact_id])
            for fact_id, fact in self._before.items()
            if self._facts[fact_id] != fact
        ]
        kept = tuple(self._facts[self._holder(statement.fact_id)] for statement in statements)
        return Change(self._revision, tuple(added), tuple(altered), kept)

    def _put(self, fact: Fact) -> None:
        self._facts[fact.fact_id] = fact
        self._standing[fact.fact_id] = fact.status(self._now)

    def _holder(self, fact_id: str) -> str:
        while fact_id in self._held_by:
            fact_id = self._held_by[fact_id]
        return fact_id

    def _is_from_elsewhere(self, statement: Fact, fact: Fact) -> bool:
        """Whether a statement would be lost if the fact's conversation were erased. One copy is enough."""
        if fact.source is None or fact.copied_as in self._facts:
            return False
        return statement.source is None or (statement.source.conversation_id != fact.source.conversation_id)

    def _end(self, old_id: str, new: Fact) -> None:
        old = self._facts[old_id]
        until = max(old.began, new.valid_from or new.created_at)
        if old.valid_until:
            until = min(until, old.valid_until)
        self._put(replace(old, superseded_by=new.fact_id, valid_until=until))
        if copy := self._facts.get(old.copied_as or ""):
            self._facts[copy.fact_id] = replace(copy, superseded_by=new.fact_id, valid_until=until)
        if new.supersedes is None:
            self._facts[new.fact_id] = replace(self._facts[new.fact_id], supersedes=old_id)

    def _extend(self, fact_id: str, statement: Fact) -> None:
        """Lets a fact hold since an earlier statement of it, as far as nothing else held in between."""
        fact = self._facts[fact_id]
        ended = [each for each in self._ended_by(fact_id) if relation(each.text, fact.text) is Relation.OTHER]
        if any(each.began > statement.created_at for each in ended):
            part = replace(statement, fact_id=ids.at(ids.FACT, statement.created_at))
            self.add(replace(part, copy_of=None))
            self._precede(part.fact_id, fact_id)
            return
        self._facts[fact_id] = replace(fact, valid_from=statement.created_at)
        for each in ended:
            if each.valid_until and each.valid_until > statement.created_at:
                self._put(replace(each, valid_until=statement.created_at))

    def _ended_by(self, fact_id: str) -> list[Fact]:
        return [
            fact
            for fact in self._facts.values()
            if fact.superseded_by == fact_id and fact.copy_of not in self._facts
        ]

    def _precede(self, new_id: str, later_id: str) -> None:
        """Puts a fact into the history of a later one, where it belongs by when it was said."""
        new = self._facts[new_id]
        while between := [each for each in self._ended_by(later_id) if _order(each) > _order(new)]:
            later_id = min(between, key=_order).fact_id
        for earlier in self._ended_by(later_id):
            self._end(earlier.fact_id, self._facts[new_id])
        later = self._facts[later_id]
        ended = self._facts[new_id]
        until = max(ended.began, later.valid_from or later.created_at)
        self._put(replace(ended, superseded_by=later_id, valid_until=until))
        self._facts[later_id] = replace(later, supersedes=new_id)

    def _split(self, fact_id: str, between: Fact) -> str:
        """Parts a fact that was said before and after another one into two; gives the id of the later."""
        fact = self._facts[fact_id]
        moment = _last_said(fact) if fact.created_at < between.created_at else fact.began
        part_id = ids.at(ids.FACT, moment)
        part = replace(fact, fact_id=part_id, valid_from=None, copied_as=None, latest_verdict=None)
        if fact.created_at < between.created_at:
            self.add(replace(part, created_at=moment, supersedes=None))
            self._end(fact_id, between)
            return part_id
        self.add(replace(part, created_at=moment, last_confirmed_at=moment))
        self._facts[fact_id] = replace(fact, valid_from=fact.created_at)
        self._end(part_id, between)
        return fact_id
