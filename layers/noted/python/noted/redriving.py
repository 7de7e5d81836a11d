"""Dead letters sent again, once what made them fail is mended: only those that still mean something.

A message outlives what it is about. Between its failure and the day on which somebody sends it again, a user
can have erased everything, the conversation or the turn, or the work can have been done by another message.
The queue's own means of sending messages back would not look; this does, message by message.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noted.conversation.turn import ExtractionStatus, Kept
from noted.errors import NotFound
from noted.store.queue import ExtractionJob, InvalidMessage, Job, Queue, RetentionJob, read_job

if TYPE_CHECKING:
    from noted.deadline import Deadline
    from noted.identity import Principal
    from noted.store.dead_letters import DeadLetters
    from noted.store.repository import Repository

logger = logging.getLogger("noted.redriving")

# In one run, so that what is sent again cannot crowd out what is new.
MOST = 1000
_LEAST_SECONDS = 5.0


@dataclass
class Redriven:
    """How many messages were sent again, how many were dropped since nothing is left to be done, and how many
    were left where they are since that could not be found out."""

    sent: int = 0
    dropped: int = 0
    left: int = 0


def redrive(
    letters: DeadLetters,
    repository_of: Callable[[Principal], Repository],
    queue: Queue,
    deadline: Deadline,
    most: int = MOST,
) -> Redriven:
    """Goes through up to about `most` dead letters, as far as the time allows. A message is removed after it
    was sent, so one can be sent twice, which changes nothing, and none is lost. Raises what the letters
    raise when they are received."""
    done = Redriven()
    while done.sent + done.dropped + done.left < most and deadline.left() > _LEAST_SECONDS:
        received = letters.receive()
        if not received:
            break
        for letter in received:
            try:
                job = _job(letter.body)
                wanted = job is not None and is_wanted(job, repository_of(job.principal))
                if job is not None and wanted:
                    queue.send(job.body(), job.principal.owner)
                letters.remove(letter)
            except Exception as error:  # noqa: BLE001 (one message must not hold up the others)
                logger.warning("dead letter left", extra={"error_type": type(error).__name__})
                done.left += 1
            else:
                done.sent += wanted
                done.dropped += not wanted
    logger.info("dead letters redriven", extra=vars(done))
    return done


def is_wanted(job: Job, repository: Repository) -> bool:
    """Whether what a message asks for can still be done: the user's generation is the same, what it is about
    is there, and it was not done by another message. Raises Unavailable."""
    if repository.standing().generation != job.generation:
        return False
    if isinstance(job, RetentionJob):
        return True
    conversations = repository.memory(job.generation).conversations
    try:
        if not isinstance(job, ExtractionJob):
            conversations.conversation(job.conversation_id)
            return True
        turn = conversations.turn(job.conversation_id, job.turn_id)
    except NotFound:
        return False
    done = conversations.extraction(turn.turn_id)
    return turn.memory is Kept.QUEUED and (done is None or done.status is ExtractionStatus.FAILED)


def _job(body: str) -> Job | None:
    """None for what is no message of ours: nobody can ever work it off."""
    try:
        return read_job(body)
    except InvalidMessage:
        return None
