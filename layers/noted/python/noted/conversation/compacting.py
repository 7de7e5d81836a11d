"""Compaction: turns leave the window of a conversation for its running summary, off the answer's path.

The summary and the new beginning of the window are one write, on the condition that the window is still the
one that was read. A summary that fails keeps the turns, so there is never a hole; delivered twice, late or
beside another worker, a job changes nothing that has been changed before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from noted.context import layout
from noted.context.lettering import lettered
from noted.context.tokens import estimate
from noted.conversation import summary
from noted.conversation.window import WINDOW, WindowLimits, cut, overfull
from noted.errors import ModelError, ModelRefused, NotFound

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.conversation.turn import Summary, Turn
    from noted.models.seam import LanguageModel
    from noted.privacy.masking import Masker
    from noted.store.conversations import Uncut
    from noted.store.memory import Memory
    from noted.store.queue import Queue, SummaryJob
    from noted.store.repository import Repository

logger = logging.getLogger("noted.conversation")

# One call reads so much at most. A window that grew while the model was down is cut in several jobs.
_CALL_TOKENS = 8_000


def compact(
    job: SummaryJob,
    repository: Repository,
    model: LanguageModel,
    queue: Queue,
    clock: Clock,
    masker: Callable[[Memory], Masker],
    *,
    last_try: bool,
    limits: WindowLimits = WINDOW,
) -> None:
    """Cuts the window of one conversation, with one model call. Does nothing, and calls no model, when the
    generation is over, the conversation is gone, or no turn is to leave.

    Raises what the model raised, and the turns stay. After the last try the outbox mark is taken off, and
    the next turn that finds the window over its limit makes another; but a window that has outgrown what may
    wait is then cut all the same, with a summary that code makes.
    """
    if repository.standing().generation != job.generation:
        return
    memory = repository.memory(job.generation)
    try:
        uncut = memory.conversations.uncut(job.conversation_id, limits.most)
    except NotFound:
        return
    tokens = [layout.tokens(turn) for turn in uncut.turns]
    leaving = uncut.turns[: cut(tokens, limits)]
    if not leaving:
        if uncut.turns:
            memory.conversations.unmark_window(job.conversation_id, uncut.turns[-1].turn_id)
        return
    before = uncut.conversation.summary
    leaving = leaving[: _fitting([sum(map(estimate, summary.rows(turn))) for turn in leaving])]
    try:
        made = summarised(before, leaving, model, masker(memory))
    except ModelError as error:
        refused = isinstance(error, ModelRefused)
        if not (last_try or refused):
            raise
        if overfull(tokens, limits):
            logger.warning("window cut without a model", extra={"error_type": type(error).__name__})
            made = summary.emergency(before, leaving)
        else:
            memory.conversations.unmark_window(job.conversation_id, uncut.turns[-1].turn_id)
            if refused:
                return  # the same call would be refused again
            raise
    _keep(job, memory, uncut, made, queue, clock, limits)


def summarised(
    before: Summary | None, leaving: Sequence[Turn], model: LanguageModel, masker: Masker
) -> Summary:
    """The running summary after these turns, by one model call. Personal values that the model wrote itself
    are masked like those of an answer. Raises ModelError."""
    prompt, letters = lettered(summary.prompt(before, leaving))
    written = letters.restored(model.call(prompt).text)
    text = summary.read(written, summary.given(before, leaving))
    masked = masker.mask(text, summary.entities_of(before, leaving))
    return summary.summarised(before, leaving, masked.text, masked.entities)


def _keep(
    job: SummaryJob,
    memory: Memory,
    uncut: Uncut,
    made: Summary,
    queue: Queue,
    clock: Clock,
    limits: WindowLimits,
) -> None:
    staying = [turn for turn in uncut.turns if turn.turn_id > made.covers_through]
    keep = partial(memory.conversations.keep_summary, uncut.conversation, made, staying[0].turn_id)
    more = uncut.more or cut([layout.tokens(turn) for turn in staying], limits) > 0
    kept = not more and keep(more_since=None, last_turn_id=staying[-1].turn_id)
    if not kept:
        # More turns are to leave, or some came meanwhile, which made no job since this one was on its way.
        kept = more = keep(more_since=clock.now())
    logger.info(
        "window cut",
        extra={
            "outcome": "written" if kept else "lost",
            "turns": len(uncut.turns) - len(staying),
            "pinned": len(made.pinned),
            "dropped": made.dropped,
        },
    )
    if kept and more:
        try:
            queue.send(job.body(), job.principal.owner)
        except Exception as error:  # noqa: BLE001 (the mark in the table is enough: it is swept)
            logger.warning("message not sent", extra={"error_type": type(error).__name__})


def _fitting(tokens_per_turn: Sequence[int]) -> int:
    """How many of the turns one call reads: at least one."""
    return max(sum(taken <= _CALL_TOKENS for taken in accumulate(tokens_per_turn)), 1)
