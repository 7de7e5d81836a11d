"""The answer to "what did I tell you?": from all live facts, by one model call without tools or history, and
checked by code."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from noted.context import layout
from noted.context.lettering import lettered
from noted.conversation import replies
from noted.conversation.outcome import Outcome
from noted.conversation.placeholders import told_alone
from noted.conversation.turn import Kept, Route
from noted.errors import ModelError
from noted.models.seam import LanguageModel, Purpose, Usage
from noted.privacy.masking import occurring, unmasked
from noted.recall import recollection, times
from noted.recall.block import render

if TYPE_CHECKING:
    from noted.conversation.preparing import Message
    from noted.facts.fact import Fact

logger = logging.getLogger("noted.conversation")


def recollected(
    live: Sequence[Fact], message: Message, model: LanguageModel, now: datetime, timezone: str
) -> Outcome:
    """Answers from a user's live facts, those of the time that the question names if there are any.

    Without facts no model is called. When the model is down, or its reply fails the check, code lists the
    facts itself, which is true in any case.
    """
    question = message.text
    then = told_then(live, question, now, timezone)
    # "Nothing is recorded" would be untrue when there is only nothing of that time.
    facts, missed = (then, False) if then else (live, then is not None)
    listing = told_alone(facts, question)
    block = render(listing)
    if block is None:
        return Outcome(Route.RECOLLECTION, replies.NOTHING_RECORDED, Kept.NOTHING)
    prompt, letters = lettered(layout.recollection(block, question, missed=missed))
    texts = [letters.rendered(text) for _, text in listing]
    listed = recollection.listed(listing)
    answer = (
        listed if recollection.reply_passes(letters.rendered(listed), texts) else replies.NOTHING_RECORDED
    )
    usage, degraded = Usage(), list[str]()
    try:
        reply = model.call(prompt)
    except ModelError as error:
        logger.warning("recollection without the model", extra={"error_type": type(error).__name__})
        degraded.append("model")
    else:
        usage = reply.usage
        if recollection.reply_passes(reply.text, texts):
            answer = letters.restored(reply.text)
    known = dict(message.entities)
    for fact in facts:
        known.update(fact.entities)
    entities = occurring(known, answer)
    return Outcome(
        Route.RECOLLECTION,
        answer,
        Kept.NOTHING,
        shown=unmasked(answer, entities),
        entities=entities,
        recalled=tuple(facts),
        degraded=tuple(degraded),
        usage={Purpose.RECOLLECTION: usage} if usage.model_calls else {},
    )


def told_then(facts: Sequence[Fact], question: str, now: datetime, timezone: str) -> list[Fact] | None:
    """The facts that were told in the time for which a question asks; None if it asks for no time."""
    named = times.window(question, now, timezone)
    if named is None or not times.asks_when_told(question):
        return None
    return [fact for fact in facts if named.holds(fact.created_at)]
