"""Fields of the profile that a user sets or clears by their own hand, as a change of their facts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted.facts import profile
from noted.facts.change import Altered, Change, Stored
from noted.facts.consolidating import Consolidation

if TYPE_CHECKING:
    from noted.facts.fact import Fact
    from noted.retention import Retention


class Filling:
    """Puts statements, one for each field that they name, in the place of what fills these fields, and finds
    the facts that fill the fields to be `cleared`. What ends a field stays as history."""

    def __init__(
        self, statements: Sequence[Fact], cleared: Collection[str], now: datetime, retention: Retention
    ) -> None:
        self._statements = statements
        self._cleared = cleared
        self._now = now
        self._consolidation = Consolidation(statements, now, retention, None, by_user=True)
        self.denied: tuple[tuple[Fact, ...], ...] = ()

    def change(self, stored: Stored) -> Change:
        """The change of the facts as they are stored; from then on `denied` has those to call inaccurate,
        each with the copies that stand in for it, which the change leaves alone. A statement that fills its
        field already, in the same text, is confirmed."""
        holders = profile.holders(stored.facts, self._now)
        denied = [fact for name in self._cleared for fact in holders.get(name, ())]
        self.denied = tuple((fact, *_copies(fact, stored)) for fact in denied)
        ending = {
            statement.fact_id: [
                fact
                for fact in holders.get(statement.profile_field or "", ())
                if fact.text != statement.text and fact.fact_id != statement.fact_id
            ]
            for statement in self._statements
        }
        taken = {fact.fact_id for facts in (denied, *ending.values()) for fact in facts}
        others = replace(
            stored,
            facts=tuple(fact for fact in stored.facts if fact.fact_id not in taken),
            copies=tuple(copy for copy in stored.copies if copy.copy_of not in taken),
        )
        change = self._consolidation.change(others)
        for statement, holder in zip(self._statements, change.kept, strict=True):
            if facts := ending[statement.fact_id]:
                rows = [row for fact in facts for row in (fact, *_copies(fact, stored))]
                change = _ended(change, rows, holder, self._now)
        return change


def _copies(fact: Fact, stored: Stored) -> list[Fact]:
    return [copy for copy in stored.copies if copy.copy_of == fact.fact_id]


def _ended(change: Change, facts: Sequence[Fact], holder: Fact, now: datetime) -> Change:
    """The change with facts, told last first, ended by the one that holds their field from now on."""
    linked = replace(holder, supersedes=holder.supersedes or facts[0].fact_id)

    def after(fact: Fact) -> Fact:
        return linked if fact.fact_id == linked.fact_id else fact

    ended = [
        Altered(
            fact, replace(fact, superseded_by=holder.fact_id, valid_until=min(now, fact.valid_until or now))
        )
        for fact in facts
    ]
    return replace(
        change,
        added=tuple(map(after, change.added)),
        altered=(*(replace(each, after=after(each.after)) for each in change.altered), *ended),
        kept=tuple(map(after, change.kept)),
    )
