"""A stand-in for a language model that needs no network: rules, and the same words for the same prompt.

It says what it is wherever its words are shown as an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from noted.models.canonical import canonical
from noted.models.lexicon import FIELD_MARKS
from noted.models.seam import Block, Prompt, Purpose, Reply, ToolCall, ToolResult, Usage
from noted.models.statements import Statement, statements
from noted.recall.block import LEAD
from noted.recall.lexical import tokens

_WHAT_THIS_IS = "No language model is configured, so this is an offline stand-in"
_ASKED = "asked for this to be remembered"
_LISTED_FACT = re.compile(r"^(?:New f|F)act (?P<number>\d{1,4})\b", re.MULTILINE)
# Stands over each turn where there are several.
_HEADING = re.compile(r"\ATurn \d+, typed on [^\n]*:\n")
_MOST_QUOTED = 5
# So many are quoted to a question about the user that shares no word with any of them.
_FEW = 3
# A reply that is meant to be short.
_MOST_CHARACTERS_RECOLLECTED = 1200
_ABOUT_ME = re.compile(r"\b(?:i|i['’]\w+|me|my|mine|myself)\b", re.IGNORECASE)
_CHARACTERS_PER_TOKEN = 4
_WORD = re.compile(r"\s*\S+\s*")


class OfflineLanguageModel:
    """What it does for each purpose:

    answer: says that no language model is configured, and quotes the recalled lines that fit the message.
    extraction: the first-person statements in the user's words, with the field of the profile that a plain
        one fills. Where the instructions say that they asked for it to be remembered, a sentence that fits no
        rule is kept as it stands.
    consolidation: ADD for each line that begins with `Fact 1` or `New fact 1`.
    query: the last block of the last message, with no time range.
    summary, episode: the text it was given, shortened from the middle.
    recollection: the `- ` lines it was given, in one sentence.

    It calls no tool and reads no result of one. Usage is an estimate: four characters a token.
    """

    name = "offline"

    def call(self, prompt: Prompt) -> Reply:
        """Always replies."""
        data = self._data(prompt)
        text = self._text(prompt) if data is None else json.dumps(data, ensure_ascii=False)
        return Reply(text, data, _usage(prompt, text))

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The same reply, word by word."""
        reply = self.call(prompt)
        yield from _WORD.findall(reply.text)
        yield reply

    def _data(self, prompt: Prompt) -> Mapping[str, Any] | None:
        if prompt.purpose is Purpose.EXTRACTION:
            return {"facts": _extracted(prompt)}
        if prompt.purpose is Purpose.CONSOLIDATION:
            numbers = dict.fromkeys(int(fact["number"]) for fact in _LISTED_FACT.finditer(_input(prompt)))
            return {"decisions": [_added(number) for number in numbers]}
        if prompt.purpose is Purpose.QUERY:
            return {"query": _message(prompt), "since": None, "until": None}
        return None

    def _text(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.ANSWER:
            return _answer(prompt)
        if prompt.purpose is Purpose.RECOLLECTION:
            texts = _texts(prompt)
            return _recollection(_listed("\n".join(texts[:-1] or texts)))
        return _shortened(_input(prompt), prompt.max_output_tokens * _CHARACTERS_PER_TOKEN)


def _texts(prompt: Prompt) -> list[str]:
    """The texts of the last message in which the user said any, and not only tools answered."""
    for message in reversed(prompt.messages):
        texts = [block.text for block in message.blocks if isinstance(block, Block)]
        if message.role == "user" and texts:
            return texts
    return [""]


def _input(prompt: Prompt) -> str:
    return "\n\n".join(_texts(prompt))


def _message(prompt: Prompt) -> str:
    return _texts(prompt)[-1].strip()


def _extracted(prompt: Prompt) -> list[dict[str, Any]]:
    asked = any(_ASKED in block.text for block in prompt.system)
    turns = [_HEADING.sub("", text) for text in _texts(prompt)]
    return [
        {
            "kind": statement.kind,
            "category": statement.category,
            "text": statement.text,
            "quote": statement.quote,
            "turn": number,
            "profile_field": _profile_field(statement),
            "valid_from": None,
            "valid_until": None,
        }
        for number, turn in enumerate(turns, start=1)
        for statement in statements(turn, remember=asked)
    ]


def _profile_field(statement: Statement) -> str | None:
    if statement.kind == "goal":
        return None
    return next((name for name, mark in FIELD_MARKS if mark.search(statement.text)), None)


def _added(number: int) -> dict[str, Any]:
    return {"reason": "Kept as it was said.", "fact": number, "action": "ADD", "target": None}


def _listed(text: str) -> list[str]:
    return [line[2:].strip() for line in text.splitlines() if line.startswith("- ") and line[2:].strip()]


def _recalled(text: str) -> list[str]:
    """The lines of the recalled block in a text: those right under its lead."""
    _, lead, after = text.partition(LEAD)
    lines: list[str] = []
    for line in after.splitlines()[1:] if lead else ():
        if not line.startswith("- "):
            break
        lines.append(line[2:].strip())
    return lines


def _answer(prompt: Prompt) -> str:
    beside = [line for text in _texts(prompt) for line in _recalled(text)]
    snapshot = [line for block in prompt.system for line in _recalled(block.text)]
    told = list(dict.fromkeys([*beside, *snapshot]))
    message = _message(prompt)
    if LEAD in message:
        # All in one block: what is asked stands after the recalled lines.
        message = "\n".join(
            line for line in message.splitlines() if line != LEAD and not line.startswith("- ")
        )
    fitting = _fitting(told, message)
    if not fitting and _ABOUT_ME.search(message):
        fitting = told if len(told) <= _FEW else beside[:_FEW]
    if not fitting:
        return f"{_WHAT_THIS_IS} that can only quote what you told it; nothing recorded fits this message."
    return f"{_WHAT_THIS_IS} quoting what you told it: {'; '.join(f'“{line}”' for line in fitting)}."


def _fitting(lines: Sequence[str], message: str) -> list[str]:
    """The lines that share words with the message, most words first."""
    asked = set(tokens(message))
    shared = [(len(asked.intersection(tokens(line))), line) for line in lines]
    ranked = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
    return [line for _, line in ranked[:_MOST_QUOTED]]


def _recollection(lines: Sequence[str]) -> str:
    if not lines:
        return "Nothing is recorded."
    lead, told = "In your own words, listed by an offline stand-in: ", list(lines)
    while len(told) > 1 and sum(map(len, told)) > _MOST_CHARACTERS_RECOLLECTED:
        told.pop()
    more = "; and more" if len(told) < len(lines) else ""
    return f"{lead}{'; '.join(told)}{more}."


def _shortened(text: str, limit: int) -> str:
    """The text itself if it is short enough, else its beginning and its end, cut between lines where that
    leaves anything: what was said first and last weighs most, and no id or number changes."""
    text = text.strip()
    if len(text) <= limit:
        return text
    half = max((limit - 3) // 2, 1)
    head, tail = text[:half], text[-half:]
    head = head.rpartition("\n")[0] or head.rpartition(" ")[0] or head
    tail = tail.partition("\n")[2] or tail.partition(" ")[2] or tail
    return f"{head}\n…\n{tail}"


def _usage(prompt: Prompt, text: str) -> Usage:
    blocks = [*prompt.system, *(block for message in prompt.messages for block in message.blocks)]
    tools = [canonical([tool.name, tool.description, tool.parameters]) for tool in prompt.tools]
    characters = sum(map(len, tools)) + sum(len(_written(block)) for block in blocks)
    return Usage(_tokens(characters), _tokens(len(text)), model_calls=1)


def _written(block: Block | ToolCall | ToolResult) -> str:
    return block.name + canonical(block.arguments) if isinstance(block, ToolCall) else block.text


def _tokens(characters: int) -> int:
    return -(-characters // _CHARACTERS_PER_TOKEN)
