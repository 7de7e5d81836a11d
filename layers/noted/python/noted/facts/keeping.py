"""From a user's words to facts that are ready to be stored: the model's proposals, the guards, the removal of
repeats, and a vector for each."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from noted import ids
from noted.context.lettering import lettered
from noted.errors import MalformedOutput, ModelError, ModelRefused
from noted.facts import extraction, gating, guards, remember, repeats
from noted.facts.consolidating import Consolidation
from noted.facts.fact import Fact, Source
from noted.facts.fields import filled_field
from noted.facts.sameness import same_mark
from noted.models.seam import Embedder, LanguageModel, Prompt, Reply, Usage
from noted.privacy.letters import Letters
from noted.privacy.masking import in_words, occurring
from noted.recall import lexical, vectors

if TYPE_CHECKING:
    from noted.facts.proposed import ProposedFact
    from noted.privacy.gate import SpecialCategory
    from noted.privacy.sealing import Sealer
    from noted.retention import Retention

logger = logging.getLogger("noted.facts")

# One turn of a person holds a handful of facts; a model that lists dozens is inventing, or was told to.
MOST_FACTS = 5
# Of what is proposed of a turn, so many are judged, which takes time: the others are not even looked at.
_MOST_JUDGED = 40
# Of all turns of one call: the commit is one transaction, and each fact may alter others.
_MOST_TOGETHER = 20
# A remember-only message waits for it behind its extraction, and without it facts are only kept side by side.
_CONSOLIDATION_SECONDS = 8.0


@dataclass(frozen=True)
class Said:
    """What a user typed in a turn, masked, and when and where it was said. `entities` holds what each id in
    it stands for, `figures` the labels that tools filled in the answer, `revision` how often the turn has
    been answered again."""

    message: str
    said_at: datetime
    timezone: str
    conversation_id: str
    turn_id: str
    entities: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    revision: int = 0


@dataclass(frozen=True)
class Harvest:
    """Facts to store, how many proposals each rule dropped, the special categories that one of them would
    have needed consent for, and what the model call cost. `minor`: the user said to be a child."""

    facts: tuple[Fact, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    asks: tuple[str, ...] = ()
    minor: bool = False


class Keeper:
    """Learns facts from the words of a user, who has consented to what `consents` names."""

    def __init__(
        self,
        model: LanguageModel,
        embedder: Embedder,
        sealer: Sealer,
        retention: Retention,
        consents: Collection[SpecialCategory] = (),
    ) -> None:
        self._model = model
        self._embedder = embedder
        self._sealer = sealer
        self._retention = retention
        self._consents = frozenset(consents)

    def harvest(self, said: Said, now: datetime) -> Harvest:
        """One model call, none for blank words. Raises ModelUnavailable or MalformedOutput; a refusal of the
        model, or of a guardrail before it, means that there is nothing to keep."""
        statement = remember.statement(said.message)
        words = said.message if statement is None else statement
        if not words.strip():
            return Harvest()
        asked = statement is not None
        letters = Letters([said.message])
        prompt = extraction.prompt(letters.rendered(words), said.said_at, said.timezone, asked=asked)
        try:
            reply = self._model.call(prompt)
        except ModelRefused:
            return Harvest()
        [harvest] = self._harvested(reply, letters, [said], now)
        return harvest

    def harvests(self, said: Sequence[Said], now: datetime) -> list[Harvest]:
        """The same for several turns of one conversation, one harvest each, with one call for all of them
        where that works: messages that ask to remember have a call of their own, and so has each turn when
        the model refuses one of them or its answer cannot be read."""
        together = [
            each for each in said if each.message.strip() and remember.statement(each.message) is None
        ]
        found: dict[str, Harvest] = {}
        if len(together) > 1:
            letters = Letters([each.message for each in together])
            turns = [extraction.Words(letters.rendered(each.message), each.said_at) for each in together]
            try:
                reply = self._model.call(extraction.prompt_of_turns(turns, together[0].timezone))
                harvested = self._harvested(reply, letters, together, now)
            except (MalformedOutput, ModelRefused) as error:
                logger.warning("turns extracted one by one", extra={"error_type": type(error).__name__})
            else:
                turn_ids = [each.turn_id for each in together]
                found = dict(zip(turn_ids, harvested, strict=True))
        return [found.get(each.turn_id) or self.harvest(each, now) for each in said]

    def _harvested(
        self, reply: Reply, letters: Letters, said: Sequence[Said], now: datetime
    ) -> list[Harvest]:
        """What of a reply about turns counts, turn by turn. What is not of a single turn counts with the
        first: the cost, what cannot be read, and what names no turn of these."""
        read = extraction.read(reply.data or {})
        typed = {
            number: letters.rendered(gating.typed(each.message)) for number, each in enumerate(said, start=1)
        }
        harvests: list[Harvest] = []
        room = _MOST_TOGETHER
        for number, each in enumerate(said, start=1):
            own = [
                fact
                for fact in read.proposed
                if fact.turn == number or (number == 1 and fact.turn not in typed)
            ]
            passed: list[ProposedFact] = []
            dropped: Counter[str] = Counter()
            for fact in own[:_MOST_JUDGED]:
                words = typed.get(fact.turn, "")
                if guard := guards.failing(
                    gating.as_read(fact), words, own_tokens=letters.tokens, filled_fields=each.figures
                ):
                    dropped[str(guard)] += 1
                else:
                    passed.append(_identified(fact, letters))
            judged = gating.gated(passed, each.message, self._consents)
            dropped += judged.dropped
            if number == 1:
                dropped["unreadable"] += read.unreadable
            unique = _without_repeats(judged.kept)
            dropped["repeat"] += len(judged.kept) - len(unique)
            most = min(room, MOST_FACTS)
            facts = []
            for proposed in unique[:most]:
                try:
                    facts.append(self._fact(proposed, each, now))
                except ValueError:
                    dropped["date"] += 1
            dropped["limit"] += len(unique[most:]) + len(own[_MOST_JUDGED:])
            room -= len(facts)
            counts = {name: count for name, count in dropped.items() if count}
            usage = reply.usage if number == 1 else Usage()
            harvests.append(
                Harvest(tuple(self.indexed(facts)), counts, usage, asks=judged.asks, minor=judged.minor)
            )
        return harvests

    def asked(self, proposed: Sequence[ProposedFact], said: Said, now: datetime) -> tuple[Fact, ...]:
        """Facts that have passed the guards and that the user asked for, ready to be stored."""
        return tuple(self.indexed([self._fact(each, said, now) for each in proposed]))

    def consolidation(self, facts: Sequence[Fact], now: datetime) -> Consolidation:
        """What puts new facts among the stored ones, with the model where code alone cannot tell."""
        return Consolidation(facts, now, self._retention, self._ask)

    def _ask(self, prompt: Prompt) -> Reply:
        return self._model.call(replace(lettered(prompt)[0], seconds=_CONSOLIDATION_SECONDS))

    def indexed(self, facts: Sequence[Fact]) -> list[Fact]:
        """The facts with what they are found and compared by: their words, and a vector each. When the
        embedder is down they go without vectors, since words find them too."""
        worded = [
            replace(
                fact,
                words=lexical.pack(lexical.tokens(in_words(fact.text, with_letters=True))),
                same=same_mark(self._sealer, fact.kind, fact.text),
            )
            for fact in facts
        ]
        if not worded:
            return []
        try:
            embedded = self._embedder.embed_facts([in_words(fact.text) for fact in worded])
            packed = [vectors.pack(vector) for vector in embedded]
        except (ModelError, ValueError, OSError) as error:
            logger.warning("facts stored without vectors", extra={"error_type": type(error).__name__})
            return worded
        return [
            replace(fact, vector=vector, embedder=self._embedder.name)
            for fact, vector in zip(worded, packed, strict=True)
        ]

    def _fact(self, proposed: ProposedFact, said: Said, now: datetime) -> Fact:
        # The same words of the same turn always make the same id: a second delivery writes the same rows. A
        # user who has the turn answered again says them again: what they erased before stays another fact.
        again = (str(said.revision),) if said.revision else ()
        unique = self._sealer.blind("fact", said.turn_id, proposed.kind, proposed.text, *again)
        filled = filled_field(proposed)
        category = filled.category if filled else proposed.category
        return Fact(
            fact_id=ids.at(ids.FACT, said.said_at, unique),
            kind=proposed.kind,
            category=category,
            text=proposed.text,
            provenance="said",
            sequence=ids.order(said.turn_id),
            created_at=said.said_at,
            last_confirmed_at=said.said_at,
            source=Source(said.conversation_id, said.turn_id, proposed.quote),
            valid_from=extraction.day_or_instant(proposed.valid_from, said.timezone),
            valid_until=extraction.day_or_instant(proposed.valid_until, said.timezone),
            # Counted from when it is kept: a conversation that is imported years later is not stale at once.
            expires_at=self._retention.fact(
                category, max(now, said.said_at), held=proposed.held_because is not None
            ),
            kept_at=max(now, said.said_at),
            entities=occurring(said.entities, proposed.text, proposed.quote),
            profile_field=filled.name if filled else None,
            held=proposed.held_because is not None,
            held_because=proposed.held_because,
            special_category=proposed.special_category,
        )


def _without_repeats(facts: Sequence[ProposedFact]) -> list[ProposedFact]:
    """Without repeats. A held fact takes the place of no other one: it may never come to be told."""
    sure = repeats.without_repeats([fact for fact in facts if fact.held_because is None])
    held = [fact for fact in facts if fact.held_because is not None]
    unique = [*sure, *(fact for fact in repeats.without_repeats([*sure, *held]) if fact.held_because)]
    return [fact for fact in facts if any(fact is each for each in unique)]


def _identified(proposed: ProposedFact, letters: Letters) -> ProposedFact:
    """The fact in the form in which it is stored, with ids for the placeholders that the model wrote."""
    return replace(proposed, text=letters.restored(proposed.text), quote=letters.restored(proposed.quote))
