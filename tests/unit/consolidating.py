"""A memory of facts without a store, and a model whose decisions are written down."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from noted import ids
from noted.facts.change import Change, Stored
from noted.facts.consolidating import Consolidation
from noted.facts.fact import Fact, GivenVerdict, Kind, Source, Verdict
from noted.facts.live import as_of, live
from noted.facts.words import words
from noted.models.seam import Prompt, Reply, Usage
from noted.recall import lexical
from noted.retention import Retention

BEGIN = datetime(2026, 1, 1, 9, tzinfo=UTC)
# New text, stored text -> what a good model decides. What is not there is added.
Verdicts = Mapping[tuple[str, str], str]
_NEW = re.compile(r"New fact (\d+): (.*) \(said on \d{4}-\d\d-\d\d\)")
_STORED = re.compile(r"(\d+)\. (.*) \(said on \d{4}-\d\d-\d\d\)")


def at(day: int) -> datetime:
    """An instant on a day, counted from the beginning of the tests' year."""
    return BEGIN + timedelta(days=day)


def statement(text: str, day: int = 0, kind: Kind = "fact", chat: str | None = "one", **more: Any) -> Fact:
    """A fact as an extraction makes it, said on a day in a conversation (None: told by hand)."""
    source = Source(f"cv_{chat}", f"tn_{day}", text) if chat else None
    values: dict[str, Any] = {
        "fact_id": ids.at(ids.FACT, at(day)),
        "kind": kind,
        "category": "other",
        "text": text,
        "provenance": "said" if chat else "confirmed",
        "sequence": day,
        "created_at": at(day),
        "last_confirmed_at": at(day),
        "source": source,
        "expires_at": at(day + 365),
        "words": lexical.pack(lexical.tokens(text)),
        "same": sha256(repr((kind, words(text))).encode()).digest()[:16],
    }
    return Fact(**(values | more))


def asked(prompt: Prompt) -> list[tuple[int, str, list[tuple[int, str]]]]:
    """The new facts of a prompt with their numbers, each with the stored ones that it is shown with."""
    cases: list[tuple[int, str, list[tuple[int, str]]]] = []
    [block] = prompt.messages[-1].blocks
    for line in str(getattr(block, "text", "")).splitlines():
        if new := _NEW.fullmatch(line):
            cases.append((int(new[1]), new[2], []))
        elif stored := _STORED.fullmatch(line):
            cases[-1][2].append((int(stored[1]), stored[2]))
    return cases


def decision(fact: int, action: str, target: int | None) -> dict[str, Any]:
    """One decision as a model writes it."""
    return {"reason": "because", "fact": fact, "action": action, "target": target}


def knowing(verdicts: Verdicts) -> Callable[[Prompt], Reply]:
    """A model that decides as it is written down, and adds everything else."""

    def ask(prompt: Prompt) -> Reply:
        decisions = [
            decision(number, verdicts[new, stored], target)
            for number, new, shown in asked(prompt)
            for target, stored in shown
            if (new, stored) in verdicts
        ]
        return Reply("", {"decisions": decisions}, Usage(model_calls=1))

    return ask


@dataclass
class Memory:
    """Facts in a list, changed as the store would change them."""

    ask: Callable[[Prompt], Reply] | None = None
    facts: dict[str, Fact] = field(default_factory=dict)
    revision: int = 0
    prompts: list[Prompt] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    day: int = 1000

    def learn(self, *statements: Fact, by_user: bool = False) -> Change:
        """Consolidates statements and keeps what comes of it."""
        ask = None if self.ask is None else self._asked
        consolidation = Consolidation(statements, at(self.day), Retention(), ask, by_user=by_user)
        change = consolidation.change(self.stored())
        self.refused = dict(consolidation.refused)
        assert change.revision == self.revision
        for fact in change.added:
            assert fact.fact_id not in self.facts
            self.facts[fact.fact_id] = fact
        for altered in change.altered:
            assert self.facts[altered.before.fact_id] == altered.before
            unchanged = ("fact_id", "kind", "category", "text", "source", "created_at", "sequence", "held")
            assert all(getattr(altered.before, name) == getattr(altered.after, name) for name in unchanged)
            self.facts[altered.after.fact_id] = altered.after
        self.revision += bool(change.added)
        return change

    def _asked(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        assert self.ask is not None
        return self.ask(prompt)

    def stored(self) -> Stored:
        """All facts, as they are read."""
        newest_first = sorted(self.facts.values(), key=lambda fact: fact.fact_id, reverse=True)
        copies = [fact for fact in newest_first if fact.copy_of in self.facts]
        facts = [fact for fact in newest_first if fact.copy_of not in self.facts]
        return Stored(self.revision, tuple(facts), tuple(copies))

    def judge(self, fact: Fact, verdict: Verdict, day: int, sequence: int) -> None:
        """Lets a verdict stand on a fact."""
        given = GivenVerdict(ids.ordered(ids.VERDICT, sequence), fact.fact_id, verdict, at(day), sequence)
        self.facts[fact.fact_id] = replace(self.facts[fact.fact_id], latest_verdict=given)

    def forget(self, chat: str) -> None:
        """Deletes what came from a conversation."""
        kept = self.facts.items()
        self.facts = {
            key: fact
            for key, fact in kept
            if not (fact.source and fact.source.conversation_id == f"cv_{chat}")
        }

    def live(self) -> list[str]:
        """The texts of the live facts, in order of the alphabet."""
        return sorted(fact.text for fact in live(self.stored().facts, at(self.day)))

    def live_rows(self) -> list[str]:
        """The same with every row, copies in the same words too."""
        now = at(self.day)
        return sorted(fact.text for fact in self.stored().facts if fact.status(now) == "live")

    def as_of(self, day: int) -> list[str]:
        """The texts of what held on a day."""
        return sorted(fact.text for fact in as_of(self.stored().facts, at(day), at(self.day)))

    def named(self, text: str) -> list[Fact]:
        """The rows with a text, the ones said first before the others; copies that stand in for one left
        out."""
        rows: Iterable[Fact] = (fact for fact in self.stored().facts if fact.text == text)
        return sorted(rows, key=lambda fact: (fact.created_at, fact.fact_id))
