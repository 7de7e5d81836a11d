"""What of a new statement code settles by itself, before any model is asked: repeats of facts that are
stored.

Only live facts count. One that has ended, or was rejected, holds up nothing: what is true again is said
again.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted.facts.entailment import Relation, relation
from noted.facts.fact import Fact, Status
from noted.facts.live import denies, replayed_denial
from noted.text.dates import relates_to_now
from noted.text.folding import fold

if TYPE_CHECKING:
    from noted.facts.change import Stored
    from noted.facts.timeline import Timeline

# Why a fact is held that the user rejected, or called inaccurate, in the same words.
REJECTED_BEFORE = "rejected_before"
_CODE_BYTES = 4


class Settling:
    """Puts the statements of one user among their facts. `by_user`: they were told by hand, one by one;
    `imported`: out of a copy of a memory, which is no new word of the user on what they have rejected."""

    def __init__(
        self,
        stored: Stored,
        timeline: Timeline,
        now: datetime,
        *,
        by_user: bool = False,
        imported: bool = False,
    ) -> None:
        self._stored = stored
        self._now = now
        self._timeline = timeline
        self._by_user = by_user
        self._imported = imported
        self._codes = {fact.fact_id: _codes(fact) for fact in stored.facts}

    def settle(self, statement: Fact) -> bool:
        """Adds a statement, or finds the fact that holds it. True if nothing about it is left to ask.

        A replay of what the user rejected is that rejected fact; the same said again confirms the live fact;
        a text that holds a live one and more takes its place, and one that is held by another confirms that.
        """
        if self._timeline.is_stored(statement.fact_id):
            self._timeline.hold(statement, statement.fact_id)
            return True
        if (denied := replayed_denial(statement, self._stored.facts)) is not None:
            self._timeline.hold(statement, denied.fact_id)
            return True
        standing = statement.status(self._now)
        if self._imported and standing is Status.LIVE and denies(self._stored.facts, statement):
            statement = replace(
                statement,
                held=True,
                held_because=REJECTED_BEFORE,
                provenance="said",
                latest_verdict=None,
            )
            standing = Status.HELD
        if (repeated := self._same(statement, standing)) is not None:
            self._timeline.confirm(repeated.fact_id, statement, same=True, by_user=self._by_user)
            return True
        if standing is Status.HELD and (live := self._same(statement, Status.LIVE)) is not None:
            # A doubtful statement is no reason to keep a fact longer.
            self._timeline.hold(statement, live.fact_id)
            return True
        if standing is not Status.LIVE:
            self._add(statement)
            return True
        return self._settle_near(statement)

    def _settle_near(self, statement: Fact) -> bool:
        poorer: list[Fact] = []
        for fact in self._near(statement):
            related = relation(statement.text, fact.text)
            if related is Relation.SAME and statement.valid_until and not fact.valid_until:
                # The same, and until when.
                related = Relation.RICHER
            if related is not Relation.RICHER and not repeats_in_time(statement, fact):
                continue
            if related is Relation.SAME:
                self._timeline.confirm(fact.fact_id, statement, same=True, by_user=self._by_user)
                return True
            if related is Relation.POORER:
                self._timeline.confirm(fact.fact_id, statement)
                return True
            if related is Relation.RICHER and fact.superseded_by is None:
                poorer.append(fact)
        self._add(statement)
        for fact in poorer:
            self._timeline.absorb(statement.fact_id, fact.fact_id)
        return bool(poorer)

    def _add(self, statement: Fact) -> None:
        self._timeline.add(statement)
        self._codes[statement.fact_id] = _codes(statement)

    def _same(self, statement: Fact, status: Status) -> Fact | None:
        """The fact of this status that the statement repeats, with the same words in the same order."""
        if statement.same is None:
            return None
        for fact in self._timeline.standing(statement.kind, status):
            if fact.same == statement.same and repeats_in_time(statement, fact):
                return fact
        return None

    def _near(self, statement: Fact) -> list[Fact]:
        """The live facts of which one could hold the other: all words of one are words of the other."""
        own = _codes(statement)
        return [
            fact
            for fact in self._timeline.standing(statement.kind)
            if not own or not (codes := self._codes.get(fact.fact_id, own)) or own <= codes or codes <= own
        ]


def repeats_in_time(statement: Fact, fact: Fact) -> bool:
    """Whether a statement with the words of a fact can mean the same period: not when it names an end that
    the fact does not have, begins after the fact's end, or counts from the day on which it is said
    ("tomorrow") and was said on another day."""
    if statement.valid_until and statement.valid_until != fact.valid_until:
        return False
    if statement.valid_from and fact.valid_until and statement.valid_from >= fact.valid_until:
        return False
    another_day = statement.created_at.date() != fact.created_at.date()
    return not (another_day and relates_to_now(fold(statement.text)))


def _codes(fact: Fact) -> frozenset[bytes]:
    """The different words of a fact, as it is stored with them."""
    words = fact.words or b""
    return frozenset(words[start : start + _CODE_BYTES] for start in range(0, len(words), _CODE_BYTES))
