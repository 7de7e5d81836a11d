"""What stands in the prompt of an answer: read, recalled and laid out, before any model is called."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from noted.context import layout
from noted.context.budget import fitting
from noted.context.tokens import estimate
from noted.conversation.episode import Episode
from noted.conversation.placeholders import told
from noted.conversation.summary import glance
from noted.errors import Unavailable
from noted.facts.live import live, without_copies
from noted.facts.profile import as_told
from noted.privacy.letters import Letters
from noted.recall.block import render
from noted.recall.episodes import recalled_episodes, without_denied
from noted.recall.episodes import render as render_episodes
from noted.recall.floor import within
from noted.recall.followups import needs_conversation
from noted.recall.index_recall import Brought, denied, newest, recall
from noted.recall.index_telling import Snapshot, Uncopied
from noted.recall.measuring import Measured
from noted.recall.once import Once
from noted.recall.rewording import LAST_EXCHANGES, Exchange, Reworded, reworded, without_model
from noted.recall.search import Query, Recalled

if TYPE_CHECKING:
    from noted.breaker import Breaker
    from noted.clock import Clock
    from noted.conversation.turn import Conversation, Turn
    from noted.facts.fact import Fact
    from noted.models.seam import Embedder, LanguageModel, Prompt, Reranker, ToolDefinition, Usage
    from noted.store.memory import Memory

logger = logging.getLogger("noted.conversation")

# Of these the best that the block has room for: recall@10 of LoCoMo's evidence is .69, of so many .71
# (docs/queries.md), and all are read with less than 20 read units.
_RECALLED = 16
_SNAPSHOT = 50
# Beyond the embedder's own time: what an answer waits for the tables. An answer without memory is better than
# none, and one read that hangs takes so long.
_TABLES_SECONDS = 2.0
UNREAD = "memory"


@dataclass(frozen=True)
class Message:
    """A message whose personal values are masked: `entities` holds what each id stands for. `pasted` is text
    that the user did not type; `remember`: whether memory may learn from the message; `degraded`: what could
    not be done for it."""

    text: str
    entities: Mapping[str, str]
    pasted: tuple[str, ...] = ()
    remember: bool = True
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """A prompt in its stored form, with entity ids, what those ids stand for, the facts that the message
    recalled, and what had to be done without."""

    prompt: Prompt
    entities: Mapping[str, str]
    recalled: tuple[Fact, ...]
    degraded: tuple[str, ...]


@dataclass(frozen=True)
class Gathered:
    """What a prompt is made of: the conversation with its window, the facts of its snapshot that are still
    told, those that the message recalled, of which `beside` are not in the snapshot, and the episodes of
    earlier conversations that it brought back. `usage` is what it cost to find out what the message means."""

    conversation: Conversation
    window: Sequence[Turn]
    message: Message
    now: datetime
    snapshot: Sequence[Fact]
    beside: Sequence[Fact]
    recalled: tuple[Fact, ...]
    episodes: Sequence[Episode]
    degraded: tuple[str, ...]
    usage: Usage

    def laid_out(self, history_tokens: int, tools: Sequence[ToolDefinition] = ()) -> Prepared:
        """The prompt. Where the replayed turns take more than `history_tokens`, the oldest are left out, and
        the summary holds of them what must not be lost."""
        left = fitting([layout.tokens(turn) for turn in self.window], history_tokens)
        replayed, summary = self.window[left:], self.conversation.summary
        if left:
            # The turns are still stored, and the summary that takes them in is on its way.
            summary = glance(summary, self.window[:left])
        prompt = layout.answer(
            snapshot=_block(as_told(self.snapshot, self.now)),
            summary=summary.block if summary else None,
            history=layout.history(replayed),
            new=layout.NewMessage(
                text=self.message.text,
                now=self.now,
                timezone=self.conversation.timezone,
                note=layout.figures_note(replayed[-1]) if replayed else None,
                recalled=_block(as_told(self.beside, self.now, known=self.snapshot)),
                episodes=render_episodes(self.episodes, self.conversation.timezone),
                pasted=self.message.pasted,
                unread=UNREAD in self.degraded,
            ),
            tools=tools,
        )
        entities = dict(summary.entities) if summary else {}
        for turn in replayed:
            entities.update(turn.entities)
        for fact in (*self.snapshot, *self.beside):
            entities.update(fact.entities)
        for episode in self.episodes:
            entities.update(episode.entities)
        entities.update(self.message.entities)
        return Prepared(
            prompt=prompt,
            entities=entities,
            recalled=self.recalled,
            degraded=(*self.degraded, *(("history",) if left or self.conversation.beyond else ())),
        )


class Preparing:
    """Prepares the prompts of one user."""

    def __init__(
        self,
        memory: Memory,
        embedder: Embedder,
        reranker: Reranker | None,
        clock: Clock,
        recall_budget_seconds: float,
        breaker: Breaker,
    ) -> None:
        """`breaker`: whether an answer waits for the tables at all."""
        self._memory = memory
        self._embedder = embedder
        self._reranker = reranker
        self._clock = clock
        self._recall_budget_seconds = recall_budget_seconds
        self._breaker = breaker
        self._uncopied: Uncopied | None = None

    def snapshot(self) -> tuple[str, ...]:
        """The facts that a conversation which begins now is told, by id, in the order in which they are
        told: the confirmed ones come first in the choice, then the newest."""
        try:
            return tuple(sorted(newest(self._memory, _SNAPSHOT, self._clock.now())))
        except Unavailable as error:
            _without_memory(error)
            return ()

    def live(self) -> list[Fact]:
        """The user's live facts, newest first."""
        return live(self._memory.facts.all(), self._clock.now())

    def search(self, query: Query) -> Recalled:
        """Searches the user's facts."""
        now = self._clock.now()
        budget = self._recall_budget_seconds
        return recall(self._memory, query, self._embedder, now, budget, reranker=self._reranker).recalled

    def gathered(
        self,
        conversation: Conversation,
        window: Sequence[Turn],
        message: Message,
        *,
        on: bool,
        model: LanguageModel | None = None,
    ) -> Gathered:
        """What the prompt for a message is made of. `on`: whether memory is read. `model` is asked what a
        message means that can only be understood with the turns before it; without one their words stand in.
        """
        now = self._clock.now()
        nothing = Brought(Recalled()), list[Episode](), tuple[str, ...]()
        meant = self._meant(conversation, window, message, now, model) if on else Reworded(message.text)
        snapshot = Snapshot(conversation.conversation_id, conversation.snapshot, begun=bool(window))
        brought, episodes, degraded = self._remembered(snapshot, conversation, meant, now) if on else nothing
        self._uncopied = brought.uncopied
        found = tuple(each.fact for each in brought.recalled.items)
        found = tuple(found[place] for place in within([estimate(fact.text) for fact in found]))
        told = brought.still_told
        return Gathered(
            conversation=conversation,
            window=window,
            message=message,
            now=now,
            snapshot=told,
            # What the snapshot tells already is not told twice.
            beside=without_copies([*told, *found])[len(told) :],
            recalled=found,
            episodes=episodes,
            degraded=(*message.degraded, *meant.degraded, *degraded, *brought.recalled.degraded),
            usage=meant.usage,
        )

    def keep_copy(self) -> None:
        """Keeps what the snapshot of the last prompt said, if that was read fact by fact, for the next turn
        of the conversation. Whatever goes wrong here costs later turns read units and nothing else."""
        uncopied, self._uncopied = self._uncopied, None
        if uncopied is None:
            return
        try:
            self._memory.snapshots.keep(uncopied.conversation_id, uncopied.edition, uncopied.facts)
        except Exception as error:  # noqa: BLE001 (the turn itself is stored)
            logger.warning("snapshot not copied", extra={"error_type": type(error).__name__})

    def _meant(
        self,
        conversation: Conversation,
        window: Sequence[Turn],
        message: Message,
        now: datetime,
        model: LanguageModel | None,
    ) -> Reworded:
        """What to search for, in the stored form. The model reads letters, as in every prompt."""
        letters = Letters()
        exchanges = [
            Exchange(letters.rendered(turn.message), letters.rendered(turn.answer))
            for turn in window[-LAST_EXCHANGES:]
        ]
        text, timezone = letters.rendered(message.text), conversation.timezone
        if model is not None:
            meant = reworded(model, exchanges, text, now, timezone, self._recall_budget_seconds)
        elif exchanges and needs_conversation(text):
            meant = Reworded(*without_model(exchanges, text, now, timezone))
        else:
            meant = Reworded(text)
        return replace(meant, text=letters.restored(meant.text))

    def _remembered(
        self, snapshot: Snapshot, conversation: Conversation, meant: Reworded, now: datetime
    ) -> tuple[Brought, list[Episode], tuple[str, ...]]:
        """What a message brings back, of facts and of earlier conversations. Memory that is down, or slow,
        never means that the answer is."""
        nothing = Brought(Recalled()), list[Episode](), (UNREAD,)
        if not self._breaker.allows():
            return nothing
        measured = Measured("answer", self._clock)
        reading = _recalling().submit(self._read, snapshot, conversation, meant, now)
        try:
            brought, episodes = reading.result(self._recall_budget_seconds + _TABLES_SECONDS)
        except (Unavailable, OutOfTime) as error:
            self._breaker.record(succeeded=False)
            measured.end(0, degraded=True)
            _without_memory(error)
            return nothing
        self._breaker.record(succeeded=True)
        measured.end(len(brought.recalled.items), degraded=bool(brought.recalled.degraded))
        return brought, episodes, ()

    def _read(
        self, snapshot: Snapshot, conversation: Conversation, meant: Reworded, now: datetime
    ) -> tuple[Brought, list[Episode]]:
        query = Query(meant.text, limit=_RECALLED, timezone=conversation.timezone, about=meant.about)
        embedder = Once(self._embedder)
        # Beside the facts, so that the answer waits for one of them alone.
        reading = _threads().submit(self._memory.episodes.all)
        brought = recall(
            self._memory,
            query,
            embedder,
            now,
            self._recall_budget_seconds,
            snapshot,
            self._reranker,
        )
        episodes = [each for each in reading.result() if each.conversation_id != conversation.conversation_id]
        episodes = recalled_episodes(episodes, query, embedder.made, embedder.name, now)
        if episodes:
            episodes = without_denied(episodes, denied(self._memory, now), now)
        return brought, episodes


def _without_memory(error: Exception) -> None:
    logger.warning("answer without memory", extra={"error_type": type(error).__name__})


@cache
def _recalling() -> ThreadPoolExecutor:
    # Apart from the threads that it waits for. A reading that is given up ends with its own time-outs.
    return ThreadPoolExecutor(max_workers=32, thread_name_prefix="recall")


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=16, thread_name_prefix="episodes")


def _block(facts: Sequence[Fact]) -> str | None:
    return render(map(told, facts))
