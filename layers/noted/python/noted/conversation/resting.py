"""Conversations that rest: each gets an episode, by which it can be recalled once it is over.

A header's mark says when a conversation was last used. A scheduled sweep finds those that have rested and
sends a job for each; the worker writes the episode on the condition that nobody has used the conversation
since it was read. So a late or second job writes nothing that is older than what is there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from noted import ids
from noted.context.lettering import lettered
from noted.context.tokens import estimate
from noted.conversation import episodes
from noted.conversation.episode import Episode
from noted.conversation.summary import entities_of
from noted.conversation.turn import Kept
from noted.conversation.window import WINDOW
from noted.conversation.written import Given
from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import ModelError, ModelRefused, NotFound
from noted.privacy.entities import in_words
from noted.privacy.masking import Masked, Masker
from noted.recall import lexical, vectors
from noted.store.outbox import Outbox, Renewed

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.conversation.turn import Conversation, Turn
    from noted.models.seam import Embedder, LanguageModel
    from noted.retention import Retention
    from noted.store.memory import Memory
    from noted.store.queue import EpisodeJob, Queue
    from noted.store.repository import Repository

logger = logging.getLogger("noted.conversation")

# What one call reads, and how many calls an episode may take. Of a longer conversation the end counts.
_CALL_TOKENS = 8_000
_MOST_CALLS = 4
_FEWEST_TURNS = 2
_MOST_SENDINGS = 5
_PAGE = 100


@dataclass(frozen=True)
class _Material:
    """What an episode is made of: what came before, in short, then turns as lines for each call."""

    before: str | None
    calls: list[list[str]]
    began_at: datetime
    ended_at: datetime
    entities: dict[str, str]


class Resting:
    """Writes the episodes of conversations that have rested for `after`."""

    def __init__(
        self,
        model: LanguageModel,
        embedder: Embedder,
        clock: Clock,
        after: timedelta,
        masker: Callable[[Memory], Masker],
    ) -> None:
        self._model = model
        self._embedder = embedder
        self._clock = clock
        self._after = after
        self._masker = masker

    def write(self, job: EpisodeJob, repository: Repository) -> None:
        """Writes one conversation's episode. Does nothing, and calls no model, when the generation is over,
        memory is paused, the conversation is gone or goes on, or its episode is written already.

        Raises what the model raised; the mark then stays, and a later sweep sends the job again.
        """
        standing = repository.standing()
        if standing.generation != job.generation or standing.paused:
            return
        memory = repository.memory(job.generation)
        last_use = memory.episodes.last_use(job.conversation_id)
        if last_use is None:
            return
        try:
            conversation, window = memory.conversations.thread(job.conversation_id, WINDOW.most)
        except NotFound:
            return
        if window and window[-1].created_at + self._after > self._clock.now():
            return  # it goes on: it is found again once it rests
        material = None if conversation.incognito else _material(memory, conversation, window)
        told = self._told(material, self._masker(memory)) if material else None
        if not material or not told:
            memory.episodes.forget(job.conversation_id, last_use)
            return
        episode = self._episode(conversation, material, told, memory.retention)
        written = memory.episodes.write(episode, last_use)
        logger.info("episode written", extra={"outcome": "written" if written else "lost"})

    def _told(self, material: _Material, masker: Masker) -> Masked | None:
        """The text of the episode, masked: personal values that the model wrote itself too."""
        given = Given.of([material.before or "", *(line for call in material.calls for line in call)])
        told = Masked(material.before or "", material.entities)
        for call in material.calls:
            prompt, letters = lettered(episodes.prompt(told.text or None, call))
            try:
                text = episodes.read(letters.restored(self._model.call(prompt).text), given)
            except ModelRefused:
                return None  # the same call would be refused again
            told = masker.mask(text, {**material.entities, **told.entities})
        return told if told.text else None

    def _episode(
        self, conversation: Conversation, material: _Material, told: Masked, retention: Retention
    ) -> Episode:
        now = self._clock.now()
        episode = Episode(
            episode_id=f"{ids.EPISODE}{conversation.conversation_id.removeprefix(ids.CONVERSATION)}",
            conversation_id=conversation.conversation_id,
            text=told.text,
            began_at=material.began_at,
            ended_at=material.ended_at,
            created_at=now,
            expires_at=retention.episode(now),
            words=lexical.pack(lexical.tokens(in_words(told.text, with_letters=True))),
            entities=told.entities,
        )
        try:
            [embedded] = self._embedder.embed_facts([in_words(told.text)])
            return replace(episode, vector=vectors.pack(embedded), embedder=self._embedder.name)
        except (ModelError, ValueError, OSError) as error:
            logger.warning("episode stored without a vector", extra={"error_type": type(error).__name__})
            return episode


def sweep_rested(
    outbox: Outbox, queue: Queue, now: datetime, after: timedelta, deadline: Deadline = NO_DEADLINE
) -> int:
    """Sends a job for every conversation that has rested for `after`; returns how many. One whose episode
    fails is sent again after as long; after five times it is given up."""
    sent = 0
    for job in outbox.rested(now - after):
        if not deadline.left():
            break
        outcome = outbox.renew(job, now, _MOST_SENDINGS)
        if outcome is Renewed.SEND:
            queue.send(job.body(), job.principal.owner)
            sent += 1
        elif outcome is Renewed.GIVEN_UP:
            logger.error("episode given up", extra={"sendings": _MOST_SENDINGS})
    return sent


def _material(memory: Memory, conversation: Conversation, window: Sequence[Turn]) -> _Material | None:
    """What an episode may be made of; None for a conversation with too little to remember.

    The running summary stands for the turns that it covers, which keeps a long conversation cheap; but only
    if memory may learn from all of them.
    """
    summary, turns = conversation.summary, _unforgotten(memory, window)
    if conversation.beyond or (summary and not summary.memorable):
        turns, summary = _unforgotten(memory, _all(memory, conversation.conversation_id)), None
    elif summary:
        everything = _all(memory, conversation.conversation_id)
        known = _unforgotten(memory, everything)
        if known != everything:
            turns, summary = known, None
    belonging = [turn for turn in turns if episodes.belongs(turn)]
    if not summary and len(belonging) < _FEWEST_TURNS:
        return None
    calls = _calls(episodes.told(turns))
    first = memory.conversations.turns(conversation.conversation_id, 1, None).items
    said = [turn.said_at for turn in (*first, *(belonging or turns))]
    before = summary.block if summary else None
    # A window of which nothing may be remembered leaves the summary to be told again, shorter.
    return _Material(before, calls or [[]], min(said), max(said), entities_of(summary, belonging))


def _unforgotten(memory: Memory, turns: Sequence[Turn]) -> list[Turn]:
    """The turns, those from which a fact was learnt that is gone by now as if memory had been off: an episode
    would tell in other conversations what was erased or has ended."""
    learnt = memory.conversations.facts_of([turn.turn_id for turn in turns])
    there = memory.facts.some([fact_id for facts in learnt.values() for fact_id in facts])
    return [
        turn
        if all(fact_id in there for fact_id in learnt.get(turn.turn_id, ()))
        else replace(turn, memory=Kept.SKIPPED)
        for turn in turns
    ]


def _all(memory: Memory, conversation_id: str) -> list[Turn]:
    turns: list[Turn] = []
    after: str | None = None
    while True:
        page = memory.conversations.turns(conversation_id, _PAGE, after)
        turns += page.items
        after = page.after
        if after is None:
            return turns


def _calls(turns: Sequence[list[str]]) -> list[list[str]]:
    """The lines of turns, parted by what one call reads; of too many the last."""
    calls: list[list[str]] = []
    room = 0
    for lines in turns:
        tokens = sum(map(estimate, lines))
        if tokens > room:
            calls.append([])
            room = _CALL_TOKENS
        calls[-1] += lines
        room -= tokens
    return calls[-_MOST_CALLS:]
