"""Which facts stand, judged together: a verdict on one also speaks about its older copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from noted.facts.fact import Fact, GivenVerdict, Status, Verdict

_Same = bytes | str
# What the user said no to.
DENIED = (Status.REJECTED, Status.INACCURATE)


def statuses(facts: Iterable[Fact], now: datetime) -> dict[str, Status]:
    """The status of each fact by id. A fact that has the same words as one that was rejected or called
    inaccurate is hidden with it when it was said before that verdict: an older copy, or a replay of the same
    message. What the user says after a verdict counts as new."""
    facts = list(facts)
    own = {fact.fact_id: fact.status(now) for fact in facts}
    denials: dict[_Same, GivenVerdict] = {}
    for fact in facts:
        if own[fact.fact_id] in DENIED and (verdict := fact.latest_verdict):
            known = denials.get(_same(fact), verdict)
            denials[_same(fact)] = max(known, verdict, key=lambda each: each.sequence)
    if not denials:
        return own
    return {
        fact.fact_id: Status.REJECTED
        if own[fact.fact_id] is Status.LIVE and _denied_by(denials.get(_same(fact)), fact)
        else own[fact.fact_id]
        for fact in facts
    }


def replayed_denial(statement: Fact, facts: Iterable[Fact]) -> Fact | None:
    """The fact that the user rejected, or called inaccurate, after they had said the same in the statement:
    what is worked off late brings nothing back."""
    for fact in facts:
        verdict = fact.latest_verdict
        if (
            verdict is not None
            and verdict.verdict is not Verdict.CONFIRMED
            and _same(fact) == _same(statement)
            and _denied_by(verdict, statement)
        ):
            return fact
    return None


def denies(facts: Iterable[Fact], statement: Fact) -> bool:
    """Whether the user rejected, or called inaccurate, the same in the same words."""
    verdicts = [fact.latest_verdict for fact in facts if _same(fact) == _same(statement)]
    known = [verdict for verdict in verdicts if verdict is not None]
    latest = max(known, key=lambda verdict: verdict.sequence, default=None)
    return latest is not None and latest.verdict is not Verdict.CONFIRMED


def live(facts: Sequence[Fact], now: datetime) -> list[Fact]:
    """The facts that may reach a prompt, in the given order; of several copies only the first."""
    standing = statuses(facts, now)
    return without_copies([fact for fact in facts if standing[fact.fact_id] is Status.LIVE])


def without_copies(facts: Iterable[Fact]) -> list[Fact]:
    """The facts without those that say the same in the same words as one before them."""
    first: dict[_Same, Fact] = {}
    for fact in facts:
        first.setdefault(_same(fact), fact)
    return list(first.values())


def still_told(fact_ids: Iterable[str], facts: Iterable[Fact], now: datetime) -> list[Fact]:
    """What stands now of facts that were told before, in their order: a corrected one has its correction in
    its place, one that was taken back is left out, and what was added since changes nothing."""
    facts = list(facts)
    standing = statuses(facts, now)
    by_id = {fact.fact_id: fact for fact in facts}
    told = []
    for fact_id in fact_ids:
        fact = by_id.get(fact_id)
        while fact and fact.superseded_by and standing[fact.fact_id] is Status.INACCURATE:
            fact = by_id.get(fact.superseded_by)
        if fact and standing[fact.fact_id] is Status.LIVE:
            told.append(fact)
    return without_copies(told)


def as_of(facts: Sequence[Fact], moment: datetime, now: datetime) -> list[Fact]:
    """The facts that held at an earlier instant, as it is known now: they had begun by then, and neither
    ended nor been superseded. What the user rejected, or corrected, was never true and stays out."""
    standing = statuses(facts, now)
    by_id: Mapping[str, Fact] = {fact.fact_id: fact for fact in facts}

    def stood(fact: Fact) -> bool:
        if standing[fact.fact_id] in (*DENIED, Status.HELD) or fact.began > moment:
            return False
        if fact.valid_until or fact.superseded_by is None:
            return fact.valid_until is None or fact.valid_until > moment
        successor = by_id.get(fact.superseded_by)
        return successor is not None and successor.began > moment

    return without_copies(fact for fact in facts if stood(fact))


def with_history(facts: Sequence[Fact], now: datetime) -> list[Fact]:
    """The live facts and those that were true once: superseded, or past their validity."""
    standing = statuses(facts, now)
    told = (Status.LIVE, Status.SUPERSEDED, Status.EXPIRED)
    return [fact for fact in facts if standing[fact.fact_id] in told]


def without_stand_ins(facts: Iterable[Fact]) -> tuple[list[Fact], list[Fact]]:
    """The facts, and the copies that stand in for one that is there. A copy whose fact was erased with its
    own conversation is a fact by itself."""
    rows = list(facts)
    there = {fact.fact_id for fact in rows}
    copies = [fact for fact in rows if fact.copy_of in there]
    return [fact for fact in rows if fact.copy_of not in there], copies


def _same(fact: Fact) -> _Same:
    # What the store worked out once; a fact that was never stored says the same as none but itself.
    return fact.same if fact.same is not None else fact.fact_id


def _denied_by(denial: GivenVerdict | None, copy: Fact) -> bool:
    if denial is None or (copy.latest_verdict and copy.latest_verdict.sequence > denial.sequence):
        return False
    # An old conversation that is recorded late comes later in the write order, but was said before.
    replayed = copy.source is not None and copy.created_at < denial.at
    return replayed or copy.sequence < denial.sequence
