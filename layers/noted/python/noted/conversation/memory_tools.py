"""The agent's own tools over the memory of the user who asks: `recall` and `remember`.

Whose memory it is, comes from the session: the tools are made for one turn, and none of their arguments names
a user. Both are offered only while memory is on.

`remember` keeps what the customer typed in this message and nothing else. A page that was pasted, or what
another tool returned, can talk a model into asking for anything, so it is not run for a model that has read
one, and the fact must rest on a piece of the typed message that is the customer's own, pass the guards and
the write gate of extraction, and say what that piece says in its words: none may be added but stop words, and
no denial may come or go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from noted.conversation.placeholders import told
from noted.conversation.toolbox import RESULT_CHARACTERS
from noted.conversation.tools import Arguments, Tool, ToolContext, ToolOutcome
from noted.facts.fact import Category, Fact, Kind
from noted.facts.gating import as_read, gated
from noted.facts.gating import typed as own_words_of
from noted.facts.guards import Guard, failing
from noted.facts.profile import as_told
from noted.facts.proposed import ProposedFact
from noted.privacy.entities import ids_in
from noted.privacy.gate import SpecialCategory, says_no_more
from noted.recall.block import render
from noted.recall.search import Query, Recalled

RECALL, REMEMBER = "recall", "remember"
OWN_TOOLS = frozenset({RECALL, REMEMBER})
MOST_REMEMBERED = 3
FACT_CHARACTERS = 160
QUOTE_CHARACTERS = 500
_QUERY_CHARACTERS = 500
# Letters of placeholders can make a text longer than it is stored.
_BLOCK_CHARACTERS = RESULT_CHARACTERS * 3 // 4

NOTHING_FOUND = "Nothing of that kind is remembered."
KEPT = "It is kept when this answer is given."
HELD = "It is set aside until the customer confirms it in the list of their memory."
ASKED = "Not kept: the customer has not consented to facts of this kind, which they can do in their settings."
LIMIT = f"Not kept: at most {MOST_REMEMBERED} facts are kept from one message."
OWN_WORDS = "Not kept: the text says it in other words than the quote. Use the customer's own words."
_NOT_KEPT = {
    Guard.EMPTY: "Not kept: the text says nothing.",
    Guard.QUESTION: "Not kept: it reads as a question.",
    Guard.PLACEHOLDER: "Not kept: it holds a placeholder that the customer's message does not hold.",
    Guard.FIELD: "Not kept: it holds a label of a figure.",
    Guard.QUOTE: "Not kept: the quote is no piece of what the customer typed in this message.",
    Guard.NUMBER: "Not kept: it states a number that the quote does not state.",
}
_REFUSED = "Not kept: it is no fact that the customer stated about themselves."


class RecallArguments(Arguments):
    """What to look for in the customer's memory."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=_QUERY_CHARACTERS, description="What to look for, in plain words."),
    ]
    limit: Annotated[int, Field(ge=1, le=10, description="How many facts at most.")] = 10


class RememberArguments(Arguments):
    """A fact, and the customer's words for it."""

    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=FACT_CHARACTERS,
            description="One fact in the customer's own words, a verb first and no subject.",
        ),
    ]
    quote: Annotated[
        str,
        Field(
            min_length=1,
            max_length=QUOTE_CHARACTERS,
            description="The piece of the customer's present message that says it, letter by letter.",
        ),
    ]
    kind: Annotated[Kind, Field(description="A goal only if the customer states it as theirs.")] = "fact"
    category: Category = "other"


@dataclass(frozen=True)
class MemoryOutcome(ToolOutcome):
    """What came of a call of one of these tools: the facts that the model was told, or the one to keep."""

    recalled: tuple[Fact, ...] = ()
    remembered: tuple[ProposedFact, ...] = ()


def memory_tools(
    find: Callable[[Query], Recalled],
    typed: str,
    timezone: str,
    identified: Callable[[str], str],
    consents: Collection[SpecialCategory] = (),
) -> tuple[Tool[Any], ...]:
    """The tools for one turn of one user. `find` searches that user's live facts and no others; `typed` is
    what they typed in this message, as it is stored; `identified` turns what the model wrote into that form;
    `consents` are what the user has consented to.
    """
    return (_recall_tool(find, timezone, identified), _remember_tool(typed, identified, consents))


def _recall_tool(
    find: Callable[[Query], Recalled], timezone: str, identified: Callable[[str], str]
) -> Tool[RecallArguments]:
    def recall(arguments: RecallArguments, context: ToolContext) -> ToolOutcome:
        query = Query(identified(arguments.query), limit=arguments.limit, timezone=timezone)
        facts = tuple(found.fact for found in find(query).items)
        # Whole facts only: half a fact can say the opposite.
        while (block := _block(facts, context.now)) and len(block) > _BLOCK_CHARACTERS:
            facts = facts[:-1]
        return MemoryOutcome(text=block or NOTHING_FOUND, recalled=facts)

    return Tool(
        RECALL,
        "Looks for facts that the customer told in earlier chats, beyond those that are given already.",
        RecallArguments,
        recall,
        numbers_in_text=True,
        of_memory=True,
    )


def _remember_tool(
    typed: str, identified: Callable[[str], str], consents: Collection[SpecialCategory]
) -> Tool[RememberArguments]:
    kept: list[ProposedFact] = []

    def remember(arguments: RememberArguments, _: ToolContext) -> ToolOutcome:
        fact = ProposedFact(
            kind=arguments.kind,
            text=identified(arguments.text).strip(),
            quote=identified(arguments.quote),
            category=arguments.category,
        )
        if (reason := _reason_against(fact, typed)) is not None:
            return MemoryOutcome(text=reason, failed=True)
        judged = gated([fact], typed, consents)
        if not judged.kept:
            return MemoryOutcome(text=ASKED if judged.asks else _REFUSED, failed=True)
        [fact] = judged.kept
        if fact not in kept:
            if len(kept) >= MOST_REMEMBERED:
                return MemoryOutcome(text=LIMIT, failed=True)
            kept.append(fact)
        return MemoryOutcome(text=HELD if fact.held_because else KEPT, remembered=(fact,))

    return Tool(
        REMEMBER,
        "Keeps a lasting fact or goal that the customer states about themselves in their present message. "
        "Use it when they ask for it. Everything else that they state is kept without it.",
        RememberArguments,
        remember,
        numbers_in_text=True,
        lasting=True,
        of_memory=True,
    )


def _block(facts: tuple[Fact, ...], now: datetime) -> str | None:
    return render(map(told, as_told(facts, now)))


def _reason_against(fact: ProposedFact, typed: str) -> str | None:
    """Why the fact is not kept, None if it is."""
    guard = failing(as_read(fact), own_words_of(typed), own_tokens=ids_in([typed]))
    if guard is not None:
        return _NOT_KEPT.get(guard, _REFUSED)
    return None if says_no_more(fact.text, fact.quote) else OWN_WORDS


def told_to_model(outcomes: Iterable[ToolOutcome]) -> tuple[Fact, ...]:
    """The facts that the model was told, each once, in order."""
    facts = (fact for each in outcomes if isinstance(each, MemoryOutcome) for fact in each.recalled)
    return tuple({fact.fact_id: fact for fact in facts}.values())


def to_be_kept(outcomes: Iterable[ToolOutcome]) -> tuple[ProposedFact, ...]:
    """The facts that are to be stored with the turn, each once, in order."""
    facts = (fact for each in outcomes if isinstance(each, MemoryOutcome) for fact in each.remembered)
    return tuple(dict.fromkeys(facts))
