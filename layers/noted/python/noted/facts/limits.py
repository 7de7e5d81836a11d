"""How much is learnt, whatever a model proposes. What a user tells by hand is not counted here.

The facts are counted as they were read for the change, which lands only if none was added since: no counter
of its own can come apart from them, and two workers cannot share the last place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from noted.facts.change import Altered, Change, Stored
from noted.facts.fact import Fact, Status

# Facts that are learnt from what was said on one day (UTC). A conversation that is recorded later counts for
# the days on which it took place.
A_DAY = 50
DAILY = "daily_limit"
# Facts that are live, were learnt and never confirmed. The one that was last said longest ago makes room.
LIVE = 1_000
# Rows of one statement that was true, ended, and was said again: a change of mind a minute is no history.
REPEATED = 10


def over(added: Iterable[Fact], stored: Stored) -> frozenset[str]:
    """The ids of added facts for which the day on which they were said has no room. What was known before and
    is said again is no new fact, so the newest word counts however often somebody changes it."""
    counted = Counter(_day(fact) for fact in stored.facts if fact.source)
    known = {(fact.kind, fact.same) for fact in stored.facts if fact.superseded_by}
    refused = []
    for fact in added:
        if fact.source is None or fact.copy_of or (fact.kind, fact.same) in known:
            continue
        counted[_day(fact)] += 1
        if counted[_day(fact)] > A_DAY:
            refused.append(fact.fact_id)
    return frozenset(refused)


def refusing(dropped: Mapping[str, int], facts: Iterable[Fact], refused: Collection[str]) -> dict[str, int]:
    """The counts of what was dropped, with those of some facts for which a day had no room."""
    count = sum(fact.fact_id in refused for fact in facts)
    return {**dropped, DAILY: count} if count else dict(dropped)


def bounded(change: Change, stored: Stored, now: datetime) -> Change:
    """The change with room made for what it adds: old rows of a repeated statement end their storage, and
    live facts that nobody ever confirmed end their truth, at most as many as are added. Confirmed facts are
    never touched."""
    learnt = [fact for fact in change.added if fact.source and fact.copy_of is None]
    taken = {each.after.fact_id for each in change.altered}
    free = [fact for fact in stored.facts if fact.fact_id not in taken and _is_unconfirmed(fact)]
    forgotten = [
        Altered(fact, replace(fact, expires_at=now)) for added in learnt for fact in _outlived(added, free)
    ]
    live = [fact for fact in free if fact.status(now) is Status.LIVE and fact.superseded_by is None]
    most = len(live) + len(learnt) - LIVE
    oldest = sorted(live, key=lambda fact: (fact.last_confirmed_at, fact.fact_id))
    ended = [
        Altered(fact, replace(fact, valid_until=max(fact.began, now)))
        for fact in oldest[: max(0, min(most, len(learnt)))]
    ]
    return replace(change, altered=(*change.altered, *forgotten, *ended))


def _outlived(added: Fact, facts: Sequence[Fact]) -> list[Fact]:
    """The rows of an added fact's statement that ended before, without the newest ones."""
    if added.same is None:
        return []
    rows = [
        fact for fact in facts if fact.superseded_by and (fact.kind, fact.same) == (added.kind, added.same)
    ]
    return sorted(rows, key=lambda fact: fact.fact_id)[: -(REPEATED - 1)]


def _is_unconfirmed(fact: Fact) -> bool:
    return fact.source is not None and fact.provenance == "said" and fact.latest_verdict is None


def _day(fact: Fact) -> date:
    return fact.created_at.date()
