"""The work behind the queue: a turn is read, its facts are extracted, and both are marked in one commit.

Delivered twice, late or out of order, a message changes nothing that it has not changed before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from noted.clock import Clock
from noted.conversation.turn import Extraction, ExtractionStatus, Kept
from noted.errors import NotFound
from noted.facts.keeping import Keeper, Said
from noted.store.memory import Memory
from noted.store.outbox import Outbox, Renewed
from noted.store.queue import ExtractionJob, Queue
from noted.store.repository import Repository

logger = logging.getLogger("noted.facts")

# A message that is on its way needs no second one; the queue's own retries take about this long.
STALE_AFTER = timedelta(minutes=2)
# After this many sendings a turn that always kills its worker is given up.
_MOST_SENDINGS = 5


def learn(
    job: ExtractionJob,
    repository: Repository,
    keeper: Callable[[Memory], Keeper],
    clock: Clock,
    *,
    last_try: bool,
) -> None:
    """Extracts one turn. Does nothing when the generation is over, memory is paused, the turn is gone, not to
    be remembered or extracted already.

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
    said = Said(
        message=turn.message,
        said_at=turn.said_at,
        timezone=conversation.timezone,
        conversation_id=turn.conversation_id,
        turn_id=turn.turn_id,
    )
    try:
        harvest = keeper(memory).harvest(said, clock.now())
    except Exception as error:
        memory.conversations.note_failure(turn, type(error).__name__)
        if last_try:
            memory.conversations.unmark(turn)
        raise
    extraction = Extraction(
        ExtractionStatus.DONE, tuple(fact.fact_id for fact in harvest.facts), harvest.dropped
    )
    outcome = memory.conversations.commit_extraction(turn, extraction, harvest.facts)
    logger.info(
        "turn extracted",
        extra={"outcome": str(outcome), "kept": len(harvest.facts), "dropped": harvest.dropped},
    )


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
