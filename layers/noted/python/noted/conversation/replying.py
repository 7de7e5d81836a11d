"""The ways in which a message is answered: kept without an answer, from the facts alone, or by the model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from noted import metrics
from noted.context.lettering import lettered
from noted.conversation import replies
from noted.conversation.conversing import Conversed, converse
from noted.conversation.memory_tools import memory_tools
from noted.conversation.outcome import Outcome
from noted.conversation.outgoing import Outgoing
from noted.conversation.recollecting import recollected
from noted.conversation.toolbox import Lettering, Toolbox
from noted.conversation.tools import Tool, definitions
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Kept, Route, Turn
from noted.conversation.window import WINDOW
from noted.errors import MalformedOutput, ModelError, ModelRefused, NotedError, Unavailable
from noted.facts import remember
from noted.facts.fact import Fact, Status
from noted.facts.keeping import Harvest, Keeper, Said
from noted.models.seam import LanguageModel, Prompt, Purpose, Usage
from noted.privacy.entities import EntityType, ids_in, type_of
from noted.privacy.gate import Reason, SpecialCategory
from noted.privacy.letters import Letters
from noted.privacy.links import LinkFilter
from noted.privacy.masking import Masker, unmasked
from noted.privacy.unmasking import StreamRestorer
from noted.recall import recollection

if TYPE_CHECKING:
    from noted.conversation.preparing import Message, Prepared, Preparing
    from noted.facts.consolidating import Consolidation
    from noted.recall.search import Query, Recalled

logger = logging.getLogger("noted.conversation")

_RETRY_AFTER_SECONDS = 5
_DOWN = "The model cannot answer at the moment."
_BROKEN = "The model stopped in the middle of its answer. Nothing was kept of it."
_SILENT = "The model gave no answer."
# The gateway gives a whole answer 29 seconds: the model and its tools have these, the store the rest.
_ANSWER_SECONDS = 24.0
# What is replayed at most while the summary is late, in parts of the window's own room.
_LATE = 2
# What is never kept, however it is asked for.
_SECRETS = (EntityType.SECRET, EntityType.CARD)
# Far above what was asked for; a row of a table holds 400 KB.
_MOST_CHARACTERS = 30_000


@dataclass(frozen=True)
class Occasion:
    """Where and when a message is answered. `said_at` is when the user said it; `on`: whether memory is read
    and written in this conversation; `streamed`: whether the answer is wanted in pieces; `route` is the way
    that the message went before, if it is answered again for the `revision`-th time."""

    conversation: Conversation
    window: Sequence[Turn]
    turn_id: str
    now: datetime
    said_at: datetime
    on: bool
    streamed: bool
    route: Route | None = None
    revision: int = 0


class Replying:
    """Answers the messages of one user. `tools` are those of the deployer; with `own_tools` the model is also
    given those over the user's memory, by name. `consents` are what the user has consented to; an
    answer may link to `link_hosts` and to nowhere else."""

    def __init__(
        self,
        preparing: Preparing,
        model: LanguageModel,
        keeper: Keeper,
        masker: Masker,
        tools: Sequence[Tool[Any]] = (),
        own_tools: frozenset[str] = frozenset(),
        consents: Collection[SpecialCategory] = (),
        link_hosts: Collection[str] = (),
    ) -> None:
        self._preparing = preparing
        self._model = model
        self._keeper = keeper
        self._masker = masker
        self._tools = tuple(tools)
        self._own_tools = own_tools
        self._consents = frozenset(consents)
        self._link_hosts = link_hosts

    def replied(self, message: Message, occasion: Occasion) -> Generator[str, None, Outcome]:
        """What a message leads to. Gives pieces only of an answer that a model writes, as the user reads
        them: what a fixed reply claims is true only once it is stored. Raises Unavailable."""
        match occasion.route or _route(message):
            case Route.REMEMBER:
                return self._remembered(message, occasion)
            case Route.RECOLLECTION:
                return self._recollected(message, occasion)
            case Route.ANSWER:
                return (yield from self._answered(message, occasion))

    def consolidation(self, facts: Sequence[Fact], now: datetime) -> Consolidation:
        """What puts the facts of an outcome among those that are stored."""
        return self._keeper.consolidation(facts, now)

    def _answered(self, message: Message, occasion: Occasion) -> Generator[str, None, Outcome]:
        letters, values = Letters(), dict[str, str]()

        def identified(text: str) -> str:
            # The letters are those of the prompt, which is made after the tools.
            return letters.restored(text)

        tools = self._offered(message, occasion, values, identified)
        gathered = self._preparing.gathered(
            occasion.conversation, occasion.window, message, on=occasion.on, model=self._model
        )
        prepared = gathered.laid_out(_LATE * WINDOW.budget_tokens, definitions(tools))
        prompt, letters = lettered(prepared.prompt)
        values.update(prepared.entities)
        toolbox = Toolbox(
            tools,
            occasion.now,
            occasion.conversation.timezone,
            Lettering(
                lettered=lambda text: letters.rendered(self._masked(text, values)),
                identified=identified,
                revealed=lambda text: unmasked(identified(text), values),
            ),
            [label for turn in occasion.window for label in turn.figures],
            outside=bool(message.pasted) or any(turn.pasted for turn in occasion.window),
        )
        restorer = StreamRestorer(
            letters, values, toolbox.figures, toolbox.known, _typed(message, occasion.window)
        )
        outgoing = Outgoing(LinkFilter(self._link_hosts, letters.rendered(message.text)), restorer)
        shown: list[str] = []
        try:
            conversed = yield from self._told(prompt, toolbox, outgoing, shown, streamed=occasion.streamed)
        except ModelRefused as error:
            logger.warning("answer refused", extra={"error_type": type(error).__name__})
            if shown:
                raise Unavailable(_BROKEN, _RETRY_AFTER_SECONDS) from None
            return self._refused(message, occasion, prepared)
        except ModelError as error:
            logger.warning("no answer", extra={"error_type": type(error).__name__, "reason": error.reason})
            raise Unavailable(_BROKEN if shown else _DOWN, _RETRY_AFTER_SECONDS) from None
        told = "".join(shown)
        if not told.strip():
            raise Unavailable(_SILENT, _RETRY_AFTER_SECONDS)
        stored = self._masker.mask(outgoing.stored, values)
        return Outcome(
            route=Route.ANSWER,
            answer=stored.text,
            shown=told,
            memory=_kept(message, occasion, live=conversed.live),
            entities=stored.entities,
            figures=tuple(conversed.figures),
            recalled=_distinct((*prepared.recalled, *conversed.recalled)),
            degraded=prepared.degraded,
            usage=_usage(gathered.usage, conversed.usage),
            facts=self._keeper.asked(conversed.remembered, _said(message, occasion), occasion.now),
        )

    def _told(
        self,
        prompt: Prompt,
        toolbox: Toolbox,
        outgoing: Outgoing,
        shown: list[str],
        *,
        streamed: bool,
    ) -> Generator[str, None, Conversed]:
        """The conversation with the model. `shown` gathers the answer as the user reads it."""
        pieces = converse(self._model, prompt, toolbox, streamed=streamed, seconds=_ANSWER_SECONDS)
        conversed: Conversed | None = None
        characters = 0
        while conversed is None:
            try:
                piece = outgoing.feed(next(pieces))
            except StopIteration as end:
                conversed, piece = end.value, outgoing.finish()
            if not piece:
                continue
            shown.append(piece)
            characters += len(piece)
            if characters > _MOST_CHARACTERS:
                raise MalformedOutput("too long")
            if streamed:
                yield piece
        return conversed

    def _masked(self, text: str, values: dict[str, str]) -> str:
        """What a tool tells the model, with ids for the personal values in it, which `values` learns."""
        masked = self._masker.mask(text, values)
        values.update(masked.entities)
        return masked.text

    def _refused(self, message: Message, occasion: Occasion, prepared: Prepared) -> Outcome:
        return Outcome(
            Route.ANSWER,
            replies.REFUSED,
            _kept(message, occasion, live=False),
            recalled=prepared.recalled,
            degraded=prepared.degraded,
            usage={Purpose.ANSWER: Usage(model_calls=1)},
        )

    def _offered(
        self,
        message: Message,
        occasion: Occasion,
        values: dict[str, str],
        identified: Callable[[str], str],
    ) -> tuple[Tool[Any], ...]:
        """The deployer's tools, and where memory is on those over it. The same in every turn of a
        conversation, since they stand at the beginning of its prompts: where the user wants a message not to
        be remembered, there is nothing that could be."""
        if not occasion.on:
            return self._tools

        def find(query: Query) -> Recalled:
            found = self._preparing.search(query)
            for each in found.items:
                values.update(each.fact.entities)
            return found

        typed = message.text if message.remember else ""
        own = memory_tools(find, typed, occasion.conversation.timezone, identified, self._consents)
        return (*self._tools, *(tool for tool in own if tool.name in self._own_tools))

    def _remembered(self, message: Message, occasion: Occasion) -> Outcome:
        if not (occasion.on and message.remember):
            return Outcome(Route.REMEMBER, replies.MEMORY_OFF, Kept.SKIPPED)
        try:
            harvest = self._keeper.harvest(_said(message, occasion), occasion.now)
        except NotedError:
            raise  # the store and not the list: the message may be sent again
        except Exception as error:  # noqa: BLE001 (whatever it is, it costs this turn's list alone)
            error_type = type(error).__name__
            logger.warning("remember-only extraction failed", extra={"error_type": error_type})
            failed = Extraction(ExtractionStatus.FAILED, error_type=error_type)
            return Outcome(Route.REMEMBER, replies.NOTHING_KEPT, Kept.NOTHING, extraction=failed)
        metrics.dropped(harvest.dropped, occasion.now)
        return _harvested(harvest, message)

    def _recollected(self, message: Message, occasion: Occasion) -> Outcome:
        if not occasion.on:
            return Outcome(Route.RECOLLECTION, replies.MEMORY_OFF, Kept.NOTHING)
        facts = self._preparing.live()
        return recollected(facts, message, self._model, occasion.now, occasion.conversation.timezone)


def _usage(query: Usage, answer: Usage) -> dict[Purpose, Usage]:
    return {**({Purpose.QUERY: query} if query.model_calls else {}), Purpose.ANSWER: answer}


def _route(message: Message) -> Route:
    # A command beside a pasted text may have been pasted with it.
    if not message.pasted and remember.statement(message.text) is not None:
        return Route.REMEMBER
    if not message.pasted and recollection.asks_for_recollection(message.text):
        return Route.RECOLLECTION
    return Route.ANSWER


def _typed(message: Message, window: Sequence[Turn]) -> list[str]:
    """What the prompt holds of the user's own words and of what they pasted."""
    earlier = (text for turn in window for text in (turn.message, *turn.pasted))
    return [message.text, *message.pasted, *earlier]


def _said(message: Message, occasion: Occasion) -> Said:
    return Said(
        message=message.text,
        said_at=occasion.said_at,
        timezone=occasion.conversation.timezone,
        conversation_id=occasion.conversation.conversation_id,
        turn_id=occasion.turn_id,
        entities=message.entities,
        revision=occasion.revision,
    )


def _kept(message: Message, occasion: Occasion, *, live: bool) -> Kept:
    # What a live look-up gave holds for the moment, and the user's words beside it are about that.
    return Kept.QUEUED if occasion.on and message.remember and not live else Kept.SKIPPED


def confirmed(outcome: Outcome, kept: Sequence[Fact], now: datetime) -> Outcome:
    """The outcome of a remember-only message once it is known which facts hold what it told: nothing else may
    be claimed."""
    if outcome.route is not Route.REMEMBER or not outcome.facts:
        return outcome
    standing = {fact.status(now) for fact in kept}
    if Status.LIVE in standing:
        return outcome
    if Status.HELD in standing:
        return replace(outcome, answer=replies.KEPT_ASIDE)
    return replace(outcome, answer=replies.NOTHING_KEPT, memory=Kept.NOTHING)


def _nothing_kept(harvest: Harvest, message: Message) -> str:
    """What is said when nothing of a message was kept, by why."""
    if harvest.minor:
        return replies.MEMORY_OFF
    if harvest.asks:
        return replies.CONSENT_NEEDED
    secret = any(type_of(each) in _SECRETS for each in ids_in([message.text]))
    return replies.NEVER_KEPT if secret or str(Reason.SECRET) in harvest.dropped else replies.NOTHING_KEPT


def _harvested(harvest: Harvest, message: Message) -> Outcome:
    kept = bool(harvest.facts)
    return Outcome(
        route=Route.REMEMBER,
        answer=replies.NOTED if kept else _nothing_kept(harvest, message),
        memory=Kept.SAVED if kept else Kept.NOTHING,
        usage={Purpose.EXTRACTION: harvest.usage} if harvest.usage.model_calls else {},
        extraction=Extraction(
            ExtractionStatus.DONE,
            tuple(fact.fact_id for fact in harvest.facts),
            harvest.dropped,
            usage={Purpose.EXTRACTION: harvest.usage} if harvest.usage.model_calls else {},
            asks=harvest.asks,
        ),
        facts=harvest.facts,
        minor=harvest.minor,
    )


def _distinct(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    return tuple({fact.fact_id: fact for fact in facts}.values())
