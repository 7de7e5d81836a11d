"""What was kept from a turn, and the wait for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from noted.conversation.turn import Extraction, ExtractionStatus, Kept, Turn
from noted.errors import NotFound

if TYPE_CHECKING:
    from noted.facts.fact import Fact
    from noted.store.memory import Memory

# Half a second is what a person does not notice; every look costs half a read unit.
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 0.5


def extraction_of(memory: Memory, turn: Turn) -> Extraction:
    """What came of a turn's extraction so far."""
    if turn.memory is Kept.SKIPPED:
        return Extraction(ExtractionStatus.SKIPPED)
    done = memory.conversations.extraction(turn.turn_id)
    if done is not None:
        return done
    return Extraction(ExtractionStatus.PENDING if turn.memory is Kept.QUEUED else ExtractionStatus.DONE)


def awaited_extraction(memory: Memory, turn: Turn, seconds: float) -> Extraction:
    """The same, after waiting up to `seconds` for it not to be pending any more."""
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    while True:
        extraction = extraction_of(memory, turn)
        left = deadline - time.monotonic()
        if extraction.status is not ExtractionStatus.PENDING or left <= 0:
            return extraction
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)


def facts_of(memory: Memory, extraction: Extraction) -> list[Fact]:
    """The facts that were kept and are still there."""
    return still_there(memory, extraction.facts)


def still_there(memory: Memory, fact_ids: tuple[str, ...]) -> list[Fact]:
    """Facts by id, without those that have been erased or have ended."""
    found = []
    for fact_id in fact_ids:
        try:
            found.append(memory.facts.fact(fact_id))
        except NotFound:
            continue
    return found
