"""Does recall read the time that a query names?

    python -m evals.times FOLDER

The folder holds `DateTimeModel.json`, the English specification of Microsoft's Recognizers-Text (MIT: bring
your own copy), and may hold the German one as `DateTimeModel.de.json`: sentences, the instant at which
each is read, and what it names. A sentence counts when it names one date or range of dates, and one that has
begun by then, since a query looks back; of two readings the one in the past is expected. Their habit of
speaking of plans ("I'll go back on Friday") is put into the past ("I went back on Friday"). The texts without
any expression are for false hits. The other sets are our own: queries and windows that were written down
before the rules had seen them. For the English one no rule was changed; for other languages see
`evals.time_queries`.

`--undated FILE...` counts windows in texts that should name no time, one a line, in any language; with
`--misses` each is listed, to tell a false hit from a time that is named after all.

"exact": both ends are right. "begin": the first is. "inside": the window read and the one expected overlap. A
range with an open end has one end to get right. Part of the misses are conventions (the set's "past 3 days"
ends yesterday, its "between A and B" where B begins), and part is not among our windows: holidays, decades,
numbers of weeks, dates in figures without a year, and plans ("Let's meet on Friday").
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals.time_queries import GROUPS, ZONES
from noted.recall.times import Window, window

BERLIN = ZoneInfo("Europe/Berlin")
THURSDAY = datetime(2026, 5, 14, 9, tzinfo=BERLIN)
# Query, since, until: local dates or times; None is an open end, and no ends at all is no window.
HELD_OUT: tuple[tuple[str, str | None, str | None], ...] = (
    ("what did my doctor tell me two weeks ago", "2026-04-27", "2026-05-04"),
    ("Which books did I finish between February and April?", "2026-02-01", "2026-05-01"),
    ("everything I told you on Sunday about the garden", "2026-05-10", "2026-05-11"),
    ("What was I working on in late 2025?", "2025-01-01", "2026-01-01"),
    ("who did I meet the weekend before last", "2026-05-02", "2026-05-04"),
    ("What did I say about rent from 3 to 9 April?", "2026-04-03", "2026-04-10"),
    ("did I change my diet after January 15th?", "2026-01-16", None),
    ("notes from this past Tuesday", "2026-05-12", "2026-05-13"),
    ("what did we talk about on the evening of 2 May", "2026-05-02", "2026-05-03"),
    ("How did I feel over the past 10 days?", "2026-05-04", "2026-05-15"),
    ("What did I order last autumn", "2025-09-01", "2025-12-01"),
    ("Where did I live before 2020?", None, "2020-01-01"),
    ("What was I up to in the first week of March?", "2026-03-01", "2026-03-08"),
    ("When I moved on March 28th, what was the address?", "2026-03-28", "2026-03-29"),
    ("what happened the night before last", "2026-05-12T17:00", "2026-05-13T06:00"),
    ("Did I see anyone last Friday night?", "2026-05-08T17:00", "2026-05-09T06:00"),
    ("things I said earlier this month", "2026-05-01", "2026-06-01"),
    ("Which appointments did I have in Q1?", "2026-01-01", "2026-04-01"),
    ("Should I march with the second group or sit in the sun?", None, None),
    ("Is 24 to 36 months a long lease for 1,900 euros?", None, None),
    ("May I bring 3 friends on the 5pm train?", None, None),
    ("What is the speed of a 2021 Model 3?", None, None),
    ("Do I work from 9 to 5 on weekdays?", None, None),
    ("What should I cook for dinner this weekend?", None, None),
    ("Will my sister arrive next Tuesday?", None, None),
    ("How do I call 020 7946 0958 from version 3.12?", None, None),
    ("Which of my friends is called April or June?", None, None),
    ("Who won the fall of Rome quiz?", None, None),
)

_PAST = (
    (
        re.compile(r"\bIch (?:komme|werde|gehe|fahre|bin|besuche|treffe)\b(?!.*\b(?:gewesen|gekommen)\b)"),
        "Ich war",
    ),
    (re.compile(r"\bI'll go back\b"), "I went back"),
    (re.compile(r"\bI'll be out\b"), "I was out"),
    (re.compile(r"\bI(?:'ll| will) (?:leave|travel|stay|go back)\b"), "I stayed"),
    (re.compile(r"\b(?:will|can only|could) (happen|leave)\b"), r"did \1"),
)


@dataclass(frozen=True)
class Sentence:
    """A query, the instant and zone in which it is read, and the windows of which one is expected."""

    query: str
    now: datetime
    timezone: str
    expected: tuple[Window, ...]


def recognizers(specification: Path) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences that name a time, and those that name none."""
    dated: list[Sentence] = []
    undated: list[Sentence] = []
    for case in json.loads(specification.read_text("utf-8-sig")):
        now = datetime.fromisoformat(
            case.get("Context", {}).get("ReferenceDateTime", "2018-01-01T00:00:00")
        ).replace(tzinfo=UTC)
        if not case["Results"]:
            undated.append(Sentence(case["Input"], now, "UTC", ()))
            continue
        names = [result.get("TypeName", "").rpartition(".")[2] for result in case["Results"]]
        if names not in (["date"], ["daterange"]):
            continue
        values = (case["Results"][0].get("Resolution") or {}).get("values", [])
        spans = [span for value in values if (span := _expected(value)) and _begun(span, now)]
        if spans:
            dated.append(Sentence(_in_the_past(case["Input"]), now, "UTC", tuple(spans)))
    return dated, undated


def held_out() -> list[Sentence]:
    """Our own queries."""
    return [
        Sentence(
            query,
            THURSDAY,
            BERLIN.key,
            (Window(_local(since), _local(until)),) if since or until else (),
        )
        for query, since, until in HELD_OUT
    ]


def of_languages(languages: str) -> list[Sentence]:
    """Our own queries in a group of other languages."""
    return [
        Sentence(
            query,
            THURSDAY.replace(tzinfo=ZoneInfo(ZONES[language])),
            ZONES[language],
            (Window(_local(since, ZONES[language]), _local(until, ZONES[language])),)
            if since or until
            else (),
        )
        for language, query, since, until in GROUPS[languages]
    ]


def undated_texts(files: Sequence[Path]) -> list[Sentence]:
    """Texts that should name no time, one a line."""
    lines = (line.strip() for file in files for line in file.read_text("utf-8").splitlines())
    return [Sentence(line, THURSDAY, BERLIN.key, ()) for line in lines if line]


def _local(text: str | None, zone: str = BERLIN.key) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC) if text else None


def _in_the_past(sentence: str) -> str:
    for pattern, past in _PAST:
        sentence = pattern.sub(past, sentence)
    return sentence


def _expected(value: dict[str, Any]) -> Window | None:
    try:
        if "value" in value:
            first = date.fromisoformat(value["value"])
            return Window(_midnight(first), _midnight(date.fromordinal(first.toordinal() + 1)))
        since, until = (
            _midnight(date.fromisoformat(value[end])) if value.get(end) else None for end in ("start", "end")
        )
    except ValueError:
        return None
    return Window(since, until) if since or until else None


def _midnight(of: date) -> datetime:
    return datetime.combine(of, time(), UTC)


def _begun(expected: Window, now: datetime) -> bool:
    return expected.since is None or expected.since <= now


def _overlap(one: Window, other: Window) -> bool:
    since = max((bound for bound in (one.since, other.since) if bound), default=None)
    until = min((bound for bound in (one.until, other.until) if bound), default=None)
    return since is None or until is None or since < until


def measured(name: str, sentences: list[Sentence], table: Table, console: Console) -> list[Sentence]:
    """Adds a row of counts over the sentences that name a time; gives those whose window is not the one
    expected."""
    found = exact = begin = inside = false = 0
    wrong = []
    for sentence in track(sentences, name, console=console):
        read = window(sentence.query, sentence.now, sentence.timezone)
        right = read in sentence.expected if sentence.expected else read is None
        if not right:
            wrong.append(sentence)
        if sentence.expected:
            found += read is not None
            exact += right
            begin += read is not None and any(read.since == each.since for each in sentence.expected)
            inside += read is not None and any(_overlap(read, each) for each in sentence.expected)
        else:
            false += read is not None
    named = sum(bool(sentence.expected) for sentence in sentences)
    table.add_row(
        name,
        *(f"{count} of {named}" if named else "" for count in (found, exact, begin, inside)),
        f"{false} of {len(sentences) - named}" if named < len(sentences) else "",
    )
    return wrong


def main() -> None:
    """Reads the arguments and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m evals.times", description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder that holds DateTimeModel.json")
    parser.add_argument(
        "--undated", type=Path, nargs="*", default=(), help="texts that name no time, one a line"
    )
    parser.add_argument("--misses", action="store_true", help="also list what was not read as expected")
    chosen = parser.parse_args()
    console = Console()
    table = Table("", "a window", "exact", "begin", "inside", "false hits", title="Times in queries")
    dated, undated = recognizers(chosen.data / "DateTimeModel.json")
    sets = [("dates", dated), ("no date", undated), ("held out", held_out())]
    if (german := chosen.data / "DateTimeModel.de.json").exists():
        dated, undated = recognizers(german)
        sets += [("German dates", dated), ("German, no date", undated)]
    sets += [(f"held out, {languages}", of_languages(languages)) for languages in GROUPS]
    if chosen.undated:
        sets.append(("texts without a date", undated_texts(chosen.undated)))
    wrong = [sentence for name, sentences in sets for sentence in measured(name, sentences, table, console)]
    console.print(table)
    if chosen.misses:
        for sentence in wrong:
            read = window(sentence.query, sentence.now, sentence.timezone)
            console.print(f"{sentence.now:%Y-%m-%d} {sentence.query}", markup=False, highlight=False)
            for label, each in [("expected", one) for one in sentence.expected] + [("read", read)]:
                ends = (each.since, each.until) if each else ()
                line = " .. ".join(f"{end:%Y-%m-%dT%H:%M}" if end else "" for end in ends)
                console.print(f"    {label:9} {line or 'none'}", markup=False, highlight=False)


if __name__ == "__main__":
    main()
