"""From new statements to a change of the stored facts: code settles what it can, one model call is asked
about the rest, and code applies what of its decisions counts."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from noted.errors import ModelError
from noted.facts import consolidation, limits
from noted.facts.change import Change, Stored
from noted.facts.consolidation import Action, Case, Decision
from noted.facts.decisions import Refusal, rulings
from noted.facts.fact import Fact, Status
from noted.facts.fields import succeeds
from noted.facts.settling import Settling
from noted.facts.similar import similar
from noted.facts.timeline import Timeline
from noted.models.seam import Prompt, Reply, Usage

if TYPE_CHECKING:
    from noted.retention import Retention

logger = logging.getLogger("noted.facts")

# The second call is for facts that another worker changed while the first was made. After that what a model
# would have to be asked about is added.
MOST_CALLS = 2

# DynamoDB takes 100 writes in one transaction; the others are the turn's, the fence's and the claim's.
MOST_ROWS = 70

Ask = Callable[[Prompt], Reply]


class Consolidation:
    """The consolidation of one set of statements, which is done again when the stored facts change under it.

    `ask` calls a model with a prompt in its stored form; None asks nobody.
    `by_user`: the statements were told by hand; `imported`: out of a copy of a memory. `usage` is what the
    calls cost so far; `refused` counts the decisions that did not count in the last change, by `Refusal`, and
    `over` has the ids of the statements for which there was no room: no fact holds them.
    """

    def __init__(
        self,
        statements: Sequence[Fact],
        now: datetime,
        retention: Retention,
        ask: Ask | None,
        *,
        by_user: bool = False,
        imported: bool = False,
    ) -> None:
        self._statements = statements
        self._now = now
        self._retention = retention
        self._ask = ask
        self._by_user = by_user
        self._imported = imported
        self._asked: tuple[tuple[str, ...], ...] | None = None
        self._decisions: list[Decision] = []
        self._unreadable = 0
        self._calls = 0
        self.usage = Usage()
        self.refused: Counter[str] = Counter()
        self.over: frozenset[str] = frozenset()

    def change(self, stored: Stored) -> Change:
        """What the statements do to the facts as they are stored. A model that is down, or answers nothing
        readable, leaves every statement that code did not settle as a fact of its own."""
        self.refused, self.over = Counter(), frozenset()
        statements = self._statements
        change = self._made(stored, statements)
        while not self._by_user and (over := limits.over(change.added, stored)):
            self.over |= over
            statements = [each for each in self._statements if each.fact_id not in self.over]
            change = self._made(stored, statements)
        if not self._by_user:
            change = limits.bounded(change, stored, self._now)
        if change.size <= MOST_ROWS:
            return change
        # Never seen outside of a test: statements that end dozens of facts at once. They are all kept.
        there = {fact.fact_id for fact in stored.facts}
        new = [statement for statement in statements if statement.fact_id not in there]
        return Change(stored.revision, tuple(new), kept=tuple(statements))

    def _made(self, stored: Stored, statements: Sequence[Fact]) -> Change:
        timeline = Timeline(stored, self._now, self._expires)
        settling = Settling(stored, timeline, self._now, by_user=self._by_user, imported=self._imported)
        open_ = [statement for statement in statements if not settling.settle(statement)]
        for statement in statements:
            _fill(statement, timeline)
        # A later statement of the same set may have taken the place of an open one.
        standing = [statement for statement in open_ if timeline.is_open(statement.fact_id)]
        cases = [case for statement in standing if (case := _case(statement, timeline)).similar]
        if cases and self._decided(cases):
            self._apply(cases, timeline)
        return timeline.change(statements)

    def _decided(self, cases: Sequence[Case]) -> bool:
        """Whether there are decisions about exactly these cases; asks for them if there may be a call yet."""
        shown = tuple((case.new.fact_id, *(fact.fact_id for fact in case.similar)) for case in cases)
        if shown == self._asked:
            return True
        if self._ask is None or self._calls == MOST_CALLS:
            return False
        self._calls += 1
        self._asked, self._decisions, self._unreadable = shown, [], 0
        try:
            reply = self._ask(consolidation.prompt(cases))
            self.usage += reply.usage
            self._decisions, self._unreadable = consolidation.read(reply.data or {})
        except ModelError as error:
            logger.warning("consolidation without a model", extra={"error_type": type(error).__name__})
        return True

    def _apply(self, cases: Sequence[Case], timeline: Timeline) -> None:
        accepted, self.refused = rulings(self._decisions, cases, consolidation.numbered(cases))
        if self._unreadable:
            self.refused[str(Refusal.UNREADABLE)] += self._unreadable
        for ruling in accepted:
            if ruling.action is Action.NOOP:
                timeline.withdraw(ruling.new.fact_id, ruling.target.fact_id)
                continue
            end = timeline.succeed if ruling.action is Action.UPDATE else timeline.supersede
            if not end(ruling.new.fact_id, ruling.target.fact_id):
                self.refused[str(Refusal.LATE)] += 1
        if self.refused:
            logger.warning("consolidation decisions refused", extra={"refused": dict(self.refused)})

    def _expires(self, fact: Fact, said_at: datetime) -> datetime:
        held = fact.status(self._now) is Status.HELD
        return self._retention.fact(fact.category, max(self._now, said_at), held=held)


def _fill(statement: Fact, timeline: Timeline) -> None:
    """Ends the stored fact that filled the field of the profile which an added statement fills now."""
    own = statement.fact_id
    if timeline.is_stored(own) or statement.profile_field is None:
        return
    for fact in timeline.standing(statement.kind):
        stored = timeline.is_stored(fact.fact_id)
        both_open = timeline.is_open(own) and timeline.is_open(fact.fact_id)
        if stored and both_open and succeeds(timeline.fact(own), fact):
            timeline.supersede(own, fact.fact_id)


def _case(statement: Fact, timeline: Timeline) -> Case:
    own = statement.fact_id
    among = [
        fact
        for fact in timeline.standing(statement.kind)
        if timeline.is_stored(fact.fact_id) and timeline.is_open(fact.fact_id)
    ]
    return Case(timeline.fact(own), tuple(similar(statement, among)))
