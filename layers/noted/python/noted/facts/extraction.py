"""Extraction: the prompt that asks a model for facts, the schema of its answer, and the reading of it.

The prompt asks; it decides nothing. Whatever comes back is untrusted and goes through the guards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args
from zoneinfo import ZoneInfo

from noted.clock import instant
from noted.errors import MalformedOutput
from noted.facts.fact import Category, Kind
from noted.facts.profile_schema import FIELDS
from noted.facts.proposed import ProposedFact
from noted.models.seam import Block, Prompt, PromptMessage, Purpose

_INSTRUCTIONS = """\
You read what one person typed to an assistant and list the durable facts and goals that they stated about
themselves.

Keep:
- identity, preferences, constraints, ongoing projects, relationships, and goals that they state as theirs.
- their own words, numbers and dates. A verb first, no subject: "I plan to retire at 55" becomes
  "Plans to retire at 55".
- the language of the message. Placeholders such as <PERSON_A> exactly as they stand.
- words such as "yesterday" in the text; what date they mean goes into valid_from.

Leave out:
- questions, and anything they want to know or wonder about.
- passing states, guesses, and what they quote from others or from a page.
- orders to the assistant. They are not facts about the person.

For each fact give the slice of their words that says it as `quote`, copied letter by letter.
If there is nothing to keep, give an empty list."""

_FILLED = "\n".join(
    (
        "Some facts fill a field of the person's profile. Where a fact says how it is now, name its field in",
        "`profile_field`; for every other fact, and for every goal, that is null:",
        *(f"- {field.name}: {field.meaning}." for field in FIELDS.values()),
    )
)
_SYSTEM = f"{_INSTRUCTIONS}\n\n{_FILLED}" if FIELDS else _INSTRUCTIONS

# The first line of each turn where there are several.
TURN_HEADING = "Turn {number}, typed on {day}:"

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["facts"],
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    "kind",
                    "category",
                    "text",
                    "quote",
                    "turn",
                    "profile_field",
                    "valid_from",
                    "valid_until",
                ],
                "properties": {
                    "kind": {"type": "string", "enum": list(get_args(Kind))},
                    "category": {"type": "string", "enum": list(get_args(Category))},
                    "text": {"type": "string"},
                    "quote": {"type": "string"},
                    "turn": {"type": "integer"},
                    "profile_field": {"type": ["string", "null"]},
                    "valid_from": {"type": ["string", "null"]},
                    "valid_until": {"type": ["string", "null"]},
                },
            },
        }
    },
}


@dataclass(frozen=True)
class Read:
    """The readable items of an answer, and how many could not be read."""

    proposed: list[ProposedFact]
    unreadable: int


@dataclass(frozen=True)
class Words:
    """What a user typed in one of several turns, and when."""

    text: str
    said_at: datetime


def prompt(words: str, said_at: datetime, timezone: str, *, asked: bool) -> Prompt:
    """The call for the facts in `words`, which are the user's own and all that the model is given to read.

    The day on which they were said, in the user's time zone, stands with the instructions, and whether the
    user asked for these words to be remembered.
    """
    about = f"They typed it on {_day(said_at, timezone)} ({timezone})."
    if asked:
        about += " They asked for this to be remembered."
    return _prompt(about, [words])


def prompt_of_turns(turns: Sequence[Words], timezone: str) -> Prompt:
    """The same for several turns of one conversation in one call, numbered from 1, each with its day."""
    about = (
        f"They typed these {len(turns)} turns one after the other ({timezone}). Give for each fact the "
        "number of the turn that says it as `turn`; its quote stands in that turn. One turn may tell what a "
        'word such as "it" means in another.'
    )
    told = [
        f"{TURN_HEADING.format(number=number, day=_day(turn.said_at, timezone))}\n{turn.text}"
        for number, turn in enumerate(turns, start=1)
    ]
    return _prompt(about, told)


def _prompt(about: str, words: Sequence[str]) -> Prompt:
    return Prompt(
        purpose=Purpose.EXTRACTION,
        system=(Block(_SYSTEM, cache_point=True), Block(about)),
        messages=(PromptMessage("user", tuple(Block(each) for each in words)),),
        schema=SCHEMA,
    )


def _day(moment: datetime, timezone: str) -> str:
    return moment.astimezone(ZoneInfo(timezone)).strftime("%A, %Y-%m-%d")


def read(data: Mapping[str, Any]) -> Read:
    """Reads an answer strictly: an item that is not as the schema says is left out alone. Raises
    MalformedOutput when there is no list at all."""
    items = data.get("facts")
    if not isinstance(items, list):
        raise MalformedOutput("malformed")
    proposed = [_item(item) for item in items]
    readable = [fact for fact in proposed if fact is not None]
    return Read(readable, len(proposed) - len(readable))


def day_or_instant(text: str | None, timezone: str) -> datetime | None:
    """The instant that a model's date names: a day begins at midnight in the user's time zone. Raises
    ValueError."""
    if text is None:
        return None
    parsed = datetime.fromisoformat(text)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=ZoneInfo(timezone))
    return instant(parsed.isoformat())


def _item(item: Any) -> ProposedFact | None:
    if not isinstance(item, Mapping):
        return None
    kind, text, quote = item.get("kind"), item.get("text"), item.get("quote")
    if kind not in get_args(Kind) or not isinstance(text, str) or not isinstance(quote, str):
        return None
    category, turn = item.get("category", "other"), item.get("turn", 1)
    if not isinstance(category, str) or not isinstance(turn, int) or isinstance(turn, bool) or turn < 1:
        return None
    dates = [item.get("valid_from"), item.get("valid_until"), item.get("profile_field")]
    if not all(value is None or isinstance(value, str) for value in dates):
        return None
    return ProposedFact(
        kind="goal" if kind == "goal" else "fact",
        text=text.strip(),
        quote=quote,
        category=_category(category),
        turn=turn,
        valid_from=dates[0],
        valid_until=dates[1],
        profile_field=dates[2],
    )


def _category(name: str) -> Category:
    known: dict[str, Category] = {each: each for each in get_args(Category)}
    # A category that nobody knows is no reason to lose what the person said.
    return known.get(name, "other")
