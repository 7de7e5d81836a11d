"""The work behind the queue: a turn is read, its facts are extracted, and both are marked in one commit.

Delivered twice, late or out of order, a message changes nothing that it has not changed before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from noted import metrics
from noted.conversation.turn import Extraction, ExtractionStatus, Kept, Turn
from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import NotFound
from noted.facts.change import Change
from noted.facts.keeping import Harvest, Keeper, Said
from noted.facts.limits import refusing
from noted.models.seam import Purpose, Usage
from noted.store.conversations import Committed
from noted.store.ledger import fact_mark
from noted.store.outbox import Outbox, Renewed

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.store.memory import Memory
    from noted.store.queue import ExtractionJob, Queue
    from noted.store.repository import Repository, Standing

logger = logging.getLogger("noted.facts")

# A message that is on its way needs no second one; the queue's own retries take about this long.
STALE_AFTER = timedelta(minutes=2)
# The most turns in one call, so that the commit is one transaction, and among how many they are looked for.
MOST_TURNS = 10
_AMONG = 30
# After this many sendings a turn that always kills its worker is given up.
_MOST_SENDINGS = 5


def learn(
    job: ExtractionJob,
    repository: Repository,
    keeper: Callable[[Memory, Standing], Keeper],
    clock: Clock,
    *,
    last_try: bool,
    every: int = 1,
    clean_since: datetime | None = None,
) -> None:
    """Extracts one turn. Does nothing when the generation is over, the turn is gone, not to be remembered or
    extracted already. While memory is paused nothing is learnt from it, nor will be when it is on again.

    With `every` above 1 the turns of a conversation wait until there are so many, or the sweep sends one
    again, and are extracted in one call.

    A user who says to be a child has their memory paused: it is not for children.

    `clean_since` is when the tables were last restored and replayed. A turn of before may have been extracted
    already, without a trace of it in the tables; what the user erased of it since is not learnt again.

    Raises whatever the extraction raised, after it was noted for the user; on the last try the outbox mark is
    taken off, since the message then lies with the dead letters.
    """
    standing = repository.standing()
    if standing.generation != job.generation:
        return
    memory = repository.memory(job.generation)
    try:
        turn = memory.conversations.turn(job.conversation_id, job.turn_id)
        conversation = memory.conversations.conversation(job.conversation_id)
    except NotFound:
        return
    if turn.memory is not Kept.QUEUED:
        return
    if standing.paused:
        memory.conversations.skip(turn)
        return
    done = memory.conversations.extraction(turn.turn_id)
    if done is not None and done.status is not ExtractionStatus.FAILED:
        memory.conversations.unmark(turn)
        return
    turns = [turn] if every == 1 else _due(turn, memory, clock.now(), every)
    said = [_said(each, conversation.timezone) for each in turns]
    may_be_again = clean_since is not None and min(each.created_at for each in turns) < clean_since
    try:
        erased = repository.ledger.erased_facts() if may_be_again else frozenset()
        minor, fenced = _learn(turns, said, memory, keeper(memory, standing), clock.now(), erased)
        if minor:
            repository.pause(job.generation)
        if fenced and _is_paused(repository, job.generation):
            for each in turns:
                memory.conversations.skip(each)
    except Exception as error:
        for each in turns:
            memory.conversations.note_failure(each, type(error).__name__)
        if last_try:
            memory.conversations.unmark(turn)
        raise


def _is_paused(repository: Repository, generation: int) -> bool:
    standing = repository.standing()
    return standing.generation == generation and standing.paused


def _due(turn: Turn, memory: Memory, now: datetime, every: int) -> list[Turn]:
    """The turns that are extracted together with one whose message has come: none while there are too few and
    the oldest of them has not waited long enough."""
    waiting = memory.conversations.queued(turn.conversation_id, _AMONG)
    if all(each.turn_id != turn.turn_id for each in waiting):
        return [turn]  # far behind, or its mark was taken off: it has nobody else
    if len(waiting) < every and now < waiting[0].created_at + STALE_AFTER:
        return []
    return waiting[:MOST_TURNS]


def _said(turn: Turn, timezone: str) -> Said:
    return Said(
        message=turn.message,
        said_at=turn.said_at,
        timezone=timezone,
        conversation_id=turn.conversation_id,
        turn_id=turn.turn_id,
        entities=turn.entities,
        figures=turn.figures,
        revision=turn.revision,
    )


def _learn(
    turns: Sequence[Turn],
    said: Sequence[Said],
    memory: Memory,
    keeper: Keeper,
    now: datetime,
    erased: Collection[str],
) -> tuple[bool, bool]:
    """Extracts turns, puts what was found among the stored facts, and commits both with the marks. A turn
    that is gone by then, or was extracted by another worker, is left out. Tells whether the user said in one
    of them to be a child, and whether nothing may be kept of them any more."""
    harvests = [_without(erased, harvest) for harvest in keeper.harvests(said, now)]
    left = list(zip(turns, harvests, strict=True))
    minor, fenced = any(harvest.minor for _, harvest in left), False
    while left:
        outcomes = _committed(left, memory, keeper, now)
        for (_, harvest), outcome in zip(left, outcomes, strict=True):
            if outcome is not Committed.UNDONE:
                values = {"ExtractedTurns": 1, "FactsKept": len(harvest.facts)}
                metrics.write(metrics.EXTRACTIONS, now, values, outcome=str(outcome))
                metrics.dropped(harvest.dropped, now)
        fenced = fenced or Committed.FENCED in outcomes
        left = [each for each, outcome in zip(left, outcomes, strict=True) if outcome is Committed.UNDONE]
    return minor, fenced


def _without(erased: Collection[str], harvest: Harvest) -> Harvest:
    """The harvest without the facts whose marks are among those of erased ones."""
    facts = tuple(fact for fact in harvest.facts if fact_mark(fact.fact_id) not in erased)
    if len(facts) == len(harvest.facts):
        return harvest
    return replace(
        harvest,
        facts=facts,
        dropped=harvest.dropped | {"erased": len(harvest.facts) - len(facts)},
    )


def _committed(
    harvested: Sequence[tuple[Turn, Harvest]], memory: Memory, keeper: Keeper, now: datetime
) -> list[Committed]:
    facts = [fact for _, harvest in harvested for fact in harvest.facts]
    consolidation = keeper.consolidation(facts, now)

    def commit(change: Change) -> list[Committed]:
        accepted = [fact.fact_id for fact in facts if fact.fact_id not in consolidation.over]
        holders = {fact: holder.fact_id for fact, holder in zip(accepted, change.kept, strict=True)}
        extracted = []
        # Turns that shared a call have its cost at the first of them.
        consolidated = consolidation.usage
        for turn, harvest in harvested:
            kept = tuple(
                dict.fromkeys(holders[fact.fact_id] for fact in harvest.facts if fact.fact_id in holders)
            )
            dropped = refusing(harvest.dropped, harvest.facts, consolidation.over)
            spent = {Purpose.EXTRACTION: harvest.usage, Purpose.CONSOLIDATION: consolidated}
            usage = {purpose: each for purpose, each in spent.items() if each.model_calls}
            done = Extraction(ExtractionStatus.DONE, kept, dropped, usage=usage, asks=harvest.asks)
            extracted.append((turn, done))
            consolidated = Usage()
        return memory.conversations.commit_extractions(extracted, change)

    if not facts:
        return commit(Change())
    return memory.facts.settled(consolidation, commit)[1]


def sweep_outbox(
    outbox: Outbox,
    queue: Queue,
    now: datetime,
    older_than: timedelta = STALE_AFTER,
    deadline: Deadline = NO_DEADLINE,
) -> int:
    """Sends again what was left undone for longer than `older_than`; returns how many messages were sent."""
    sent = 0
    for job in outbox.waiting(now - older_than):
        if not deadline.left():
            break
        outcome = outbox.renew(job, now, _MOST_SENDINGS)
        if outcome is Renewed.SEND:
            queue.send(job.body(), job.principal.owner)
            sent += 1
        elif outcome is Renewed.GIVEN_UP:
            logger.error("extraction given up", extra={"sendings": _MOST_SENDINGS})
    return sent
