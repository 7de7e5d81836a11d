"""From a user's words to facts that are ready to be stored: the model's proposals, the guards, the removal of
repeats, and a vector for each."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from noted import ids
from noted.errors import ModelError, ModelRefused
from noted.facts import extraction, guards, remember, repeats
from noted.facts.fact import Fact, Source
from noted.facts.proposed import ProposedFact
from noted.models.seam import Embedder, LanguageModel, Usage
from noted.privacy.sealing import Sealer
from noted.recall import lexical, vectors
from noted.retention import Retention

logger = logging.getLogger("noted.facts")

# One turn of a person holds a handful of facts; a model that lists dozens is inventing. It also keeps the
# commit within one transaction.
MOST_FACTS = 20


@dataclass(frozen=True)
class Said:
    """What a user typed in a turn, and when and where it was said."""

    message: str
    said_at: datetime
    timezone: str
    conversation_id: str
    turn_id: str


@dataclass(frozen=True)
class Harvest:
    """Facts to store, how many proposals each guard dropped, and what the model call cost."""

    facts: tuple[Fact, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


class Keeper:
    """Learns facts from a user's words."""

    def __init__(
        self, model: LanguageModel, embedder: Embedder, sealer: Sealer, retention: Retention
    ) -> None:
        self._model = model
        self._embedder = embedder
        self._sealer = sealer
        self._retention = retention

    def harvest(self, said: Said, now: datetime) -> Harvest:
        """One model call, none for blank words. Raises ModelUnavailable or MalformedOutput; a refusal of the
        model, or of a guardrail before it, means that there is nothing to keep."""
        statement = remember.statement(said.message)
        words = said.message if statement is None else statement
        if not words.strip():
            return Harvest()
        asked = statement is not None
        try:
            reply = self._model.call(extraction.prompt(words, said.said_at, said.timezone, asked=asked))
        except ModelRefused:
            return Harvest()
        read = extraction.read(reply.data or {})
        passed, failed = guards.passed(read.proposed, {1: said.message})
        dropped = Counter(str(guard) for _, guard in failed)
        dropped["unreadable"] += read.unreadable
        unique = repeats.without_repeats(passed)
        dropped["repeat"] += len(passed) - len(unique)
        facts = []
        for proposed in unique[:MOST_FACTS]:
            try:
                facts.append(self._fact(proposed, said, now))
            except ValueError:
                dropped["date"] += 1
        dropped["limit"] += len(unique[MOST_FACTS:])
        return Harvest(
            tuple(self.indexed(facts)),
            {name: count for name, count in dropped.items() if count},
            reply.usage,
        )

    def indexed(self, facts: Sequence[Fact]) -> list[Fact]:
        """The facts with what they are found by: their words, and a vector each. When the embedder is down
        they go without vectors, since words find them too."""
        worded = [replace(fact, words=lexical.pack(lexical.tokens(fact.text))) for fact in facts]
        if not worded:
            return []
        try:
            embedded = self._embedder.embed_facts([fact.text for fact in worded])
            packed = [vectors.pack(vector) for vector in embedded]
        except (ModelError, ValueError, OSError) as error:
            logger.warning("facts stored without vectors", extra={"error_type": type(error).__name__})
            return worded
        return [
            replace(fact, vector=vector, embedder=self._embedder.name)
            for fact, vector in zip(worded, packed, strict=True)
        ]

    def _fact(self, proposed: ProposedFact, said: Said, now: datetime) -> Fact:
        # The same words of the same turn always make the same id: a second delivery writes the same rows.
        unique = self._sealer.blind("fact", said.turn_id, proposed.kind, proposed.text)
        return Fact(
            fact_id=ids.at(ids.FACT, said.said_at, unique),
            kind=proposed.kind,
            category=proposed.category,
            text=proposed.text,
            provenance="said",
            sequence=ids.order(said.turn_id),
            created_at=said.said_at,
            last_confirmed_at=said.said_at,
            source=Source(said.conversation_id, said.turn_id, proposed.quote),
            valid_from=extraction.day_or_instant(proposed.valid_from, said.timezone),
            valid_until=extraction.day_or_instant(proposed.valid_until, said.timezone),
            # Counted from when it is kept: a conversation that is imported years later is not stale at once.
            expires_at=self._retention.fact(proposed.category, max(now, said.said_at)),
        )
