"""The work behind the queue: a turn is read, its facts are extracted, and both are marked in one commit.

Delivered twice, late or out of order, a message changes nothing that it has not changed before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from noted.clock import Clock
from noted.conversation.turn import Extraction, ExtractionStatus, Kept, Turn
from noted.errors import NotFound
from noted.facts.change import Change
from noted.facts.keeping import Harvest, Keeper, Said
from noted.models.seam import Purpose, Usage
from noted.store.conversations import Committed
from noted.store.memory import Memory
from noted.store.outbox import Outbox, Renewed
from noted.store.queue import ExtractionJob, Queue
from noted.store.repository import Repository

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
    keeper: Callable[[Memory], Keeper],
    clock: Clock,
    *,
    last_try: bool,
    every: int = 1,
) -> None:
    """Extracts one turn. Does nothing when the generation is over, memory is paused, the turn is gone, not to
    be remembered or extracted already.

    With `every` above 1 the turns of a conversation wait until there are so many, or the sweep sends one
    again, and are extracted in one call.

    Raises whatever the extraction raised, after it was noted for the user; on the last try the outbox mark is
    taken off, since the message then lies with the dead letters.
    """
    standing = repository.standing()
    if standing.generation != job.generation or standing.paused:
        return
    memory = repository.memory(job.generation)
    try:
        turn = memory.conversations.turn(job.conversation_id, job.turn_id)
        conversation = memory.conversations.conversation(job.conversation_id)
    except NotFound:
        return
    if turn.memory is not Kept.QUEUED:
        return
    done = memory.conversations.extraction(turn.turn_id)
    if done is not None and done.status is not ExtractionStatus.FAILED:
        memory.conversations.unmark(turn)
        return
    turns = [turn] if every == 1 else _due(turn, memory, clock.now(), every)
    said = [_said(each, conversation.timezone) for each in turns]
    try:
        _learn(turns, said, memory, keeper(memory), clock.now())
    except Exception as error:
        for each in turns:
            memory.conversations.note_failure(each, type(error).__name__)
        if last_try:
            memory.conversations.unmark(turn)
        raise


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
    )


def _learn(
    turns: Sequence[Turn], said: Sequence[Said], memory: Memory, keeper: Keeper, now: datetime
) -> None:
    """Extracts turns, puts what was found among the stored facts, and commits both with the marks. A turn
    that is gone by then, or was extracted by another worker, is left out."""
    left = list(zip(turns, keeper.harvests(said, now), strict=True))
    while left:
        outcomes = _committed(left, memory, keeper, now)
        for (_, harvest), outcome in zip(left, outcomes, strict=True):
            if outcome is not Committed.UNDONE:
                logger.info(
                    "turn extracted",
                    extra={"outcome": str(outcome), "kept": len(harvest.facts), "dropped": harvest.dropped},
                )
        left = [each for each, outcome in zip(left, outcomes, strict=True) if outcome is Committed.UNDONE]


def _committed(
    harvested: Sequence[tuple[Turn, Harvest]], memory: Memory, keeper: Keeper, now: datetime
) -> list[Committed]:
    facts = [fact for _, harvest in harvested for fact in harvest.facts]
    consolidation = keeper.consolidation(facts, now)

    def commit(change: Change) -> list[Committed]:
        holders = {fact.fact_id: holder.fact_id for fact, holder in zip(facts, change.kept, strict=True)}
        extracted = []
        # Turns that shared a call have its cost at the first of them.
        consolidated = consolidation.usage
        for turn, harvest in harvested:
            kept = tuple(dict.fromkeys(holders[fact.fact_id] for fact in harvest.facts))
            spent = {Purpose.EXTRACTION: harvest.usage, Purpose.CONSOLIDATION: consolidated}
            usage = {purpose: each for purpose, each in spent.items() if each.model_calls}
            extracted.append((turn, Extraction(ExtractionStatus.DONE, kept, harvest.dropped, usage=usage)))
            consolidated = Usage()
        return memory.conversations.commit_extractions(extracted, change)

    if not facts:
        return commit(Change())
    return memory.facts.settled(consolidation, commit)[1]


def sweep_outbox(outbox: Outbox, queue: Queue, now: datetime, older_than: timedelta = STALE_AFTER) -> int:
    """Sends again what was left undone for longer than `older_than`; returns how many messages were sent."""
    sent = 0
    for job in outbox.waiting(now - older_than):
        outcome = outbox.renew(job, now, _MOST_SENDINGS)
        if outcome is Renewed.SEND:
            queue.send(job.body(), job.principal.owner)
            sent += 1
        elif outcome is Renewed.GIVEN_UP:
            logger.error("extraction given up", extra={"sendings": _MOST_SENDINGS})
    return sent
