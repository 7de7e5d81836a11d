"""The pass that gives a vector to facts which were stored without one, while the embedder was down."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import ModelError, NotFound
from noted.privacy.masking import in_words
from noted.recall import vectors

if TYPE_CHECKING:
    from noted.identity import Principal
    from noted.models.seam import Embedder
    from noted.store.repository import Repository
    from noted.store.unembedded import Place, Unembedded

logger = logging.getLogger("noted.facts")

# As many as one pass embeds within its minute, one call each.
_MOST = 50


def reindex(
    unembedded: Unembedded,
    repository_of: Callable[[Principal], Repository],
    embedder: Embedder,
    now: datetime,
    deadline: Deadline = NO_DEADLINE,
) -> int:
    """Embeds facts that have no vector; returns how many have one now. Ends with the first call that finds
    the embedder still down. A text that it refuses is not tried again: words find the fact."""
    done = 0
    for place in unembedded.waiting(int(now.timestamp()), _MOST):
        if not deadline.left():
            break
        try:
            done += _embedded(place, unembedded, repository_of(place.principal), embedder)
        except (ModelError, OSError) as error:
            logger.warning("embedder is down", extra={"error_type": type(error).__name__})
            break
    return done


def _embedded(place: Place, unembedded: Unembedded, repository: Repository, embedder: Embedder) -> bool:
    if repository.standing().generation != place.generation:
        unembedded.unmark(place)
        return False
    facts = repository.memory(place.generation).facts
    try:
        fact = facts.fact(place.fact_id)
        [vector] = embedder.embed_facts([in_words(fact.text)])
        packed = vectors.pack(vector)
    except NotFound:
        return False  # it was erased, or has expired, and the index is a moment behind
    except ValueError as error:
        logger.warning("fact cannot be embedded", extra={"error_type": type(error).__name__})
        unembedded.unmark(place)
        return False
    # Where it was judged or ended meanwhile, the next pass finds it again.
    return facts.replace(fact, replace(fact, vector=packed, embedder=embedder.name))
