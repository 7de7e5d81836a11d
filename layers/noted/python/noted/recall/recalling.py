"""Recall on behalf of a client: over a user's memory, and for a conversation if one is named."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted.recall.index_recall import recall
from noted.recall.search import Query, Recalled

if TYPE_CHECKING:
    from noted.models.seam import Embedder, Reranker
    from noted.store.memory import Memory
    from noted.store.repository import Standing


def recalled(
    memory: Memory,
    standing: Standing,
    conversation_id: str | None,
    query: Query,
    embedder: Embedder,
    now: datetime,
    budget_seconds: float,
    reranker: Reranker | None = None,
) -> Recalled:
    """What a query brings back: nothing while memory is paused, or in an incognito conversation. A
    conversation lends the query its time zone, and without one the user does. Raises NotFound for one that is
    not there."""
    query = replace(query, timezone=standing.preferences.zone)
    if conversation_id is not None:
        conversation = memory.conversations.conversation(conversation_id)
        if conversation.incognito:
            return Recalled()
        query = replace(query, timezone=conversation.timezone)
    if standing.paused:
        return Recalled()
    return recall(memory, query, embedder, now, budget_seconds, reranker=reranker).recalled
