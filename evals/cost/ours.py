"""The calls of Noted: an answer from its own layout, an extraction a turn, and a summary where the window is
cut."""

from __future__ import annotations

from collections.abc import Iterator

from evals.cost.caching import read
from evals.cost.conversation import TIMEZONE, Call, Talk, answered, made_up_text, prompt_of
from noted.context import layout
from noted.context.tokens import estimate
from noted.conversation import summary
from noted.conversation.memory_tools import memory_tools
from noted.conversation.tools import definitions
from noted.conversation.turn import Summary, Turn
from noted.conversation.window import WINDOW, WindowLimits, cut
from noted.conversation.written import Given
from noted.facts import extraction
from noted.recall.search import Recalled

_FACTS_OUTPUT_TOKENS = 80  # one fact with its quote, as JSON
_SUMMARY_TOKENS = 450  # the 300 words that the prompt of a summary asks for at most


def noted(held: Talk, limits: WindowLimits = WINDOW, *, memory: bool = True) -> Iterator[Call]:
    """The calls of a conversation with this window. Without `memory` it is incognito: nothing is recalled and
    nothing is learnt.

    No model writes the summaries: each has the most words that it may have and repeats nothing, so that all
    the numbers of the turns are carried beside it, up to their limit. A summary is done before the next
    message. The model is offered the tools of memory and uses none.
    """
    own = definitions(memory_tools(lambda _: Recalled(), "", TIMEZONE, str))
    window: list[Turn] = []
    running: Summary | None = None
    for number, turn in enumerate(held.turns, 1):
        snapshot, recalled, tools = (held.snapshot, held.recalled, own) if memory else (None, None, ())
        yield answered(number, turn, prompt_of(turn, window, snapshot, running, recalled, tools))
        if memory:
            learning = extraction.prompt(turn.message, turn.said_at, TIMEZONE, asked=False)
            yield Call(number, read(learning), 0, _FACTS_OUTPUT_TOKENS)
        window.append(turn)
        if leaving := cut([layout.tokens(each) for each in window], limits):
            text = made_up_text(f"Summary {number:04}. ", _SUMMARY_TOKENS)
            yield Call(number, read(summary.prompt(running, window[:leaving])), 0, estimate(text))
            kept = summary.read(text, Given.of([text]))
            running = summary.summarised(running, window[:leaving], kept)
            del window[:leaving]
