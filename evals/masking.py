"""What of the personal data in a text does masking find, and what does it take that is none?

    python -m evals.masking FOLDER [--names local] [--benign FILE ...] [--misses]

The folder holds `synth_dataset_v2.json` of Presidio-research (MIT: bring your own copy): 1,500 made-up
sentences with the places of personal data. A value is found when every letter and digit of it is masked, by
whatever type. Every second sentence was looked at while the rules were made, the others were not: "seen" and
"held out". Precision counts the spans that touch any of the marked ones.

`--benign` reads sentences in which nothing, or hardly anything, is a personal value: the personas of
Multi-Session Chat, the dialogues of LoCoMo, or lines of text. What is masked there is listed by its kind.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from noted.privacy.detection import Span
from noted.privacy.masking import Detector
from noted.privacy.names import names_detector

_RULES = {
    "EMAIL_ADDRESS": "rules",
    "PHONE_NUMBER": "rules",
    "CREDIT_CARD": "rules",
    "IBAN_CODE": "rules",
    "US_SSN": "rules",
    "IP_ADDRESS": "rules",
    "US_DRIVER_LICENSE": "rules, beside a word",
}
_NAMES = {"PERSON": "names", "STREET_ADDRESS": "names (addresses)", "ZIP_CODE": "names (addresses)"}
# Kept as they are: without a name beside them they point at nobody, and memory lives on them.
_KEPT = dict.fromkeys(("GPE", "ORGANIZATION", "DATE_TIME", "TITLE", "AGE", "NRP", "DOMAIN_NAME"), "kept")
SCOPE = {**_RULES, **_NAMES, **_KEPT}


@dataclass(frozen=True)
class Marked:
    """A sentence with the places of the personal data in it: kind, start and end."""

    text: str
    values: tuple[tuple[str, int, int], ...]


@dataclass
class Tally:
    """Counts over sentences."""

    there: Counter[str]
    found: Counter[str]
    masked: Counter[str]
    wrong: Counter[str]


def load(path: Path) -> list[Marked]:
    """The sentences of a file in Presidio-research's form."""
    return [
        Marked(
            sentence["full_text"],
            tuple(
                (value["entity_type"], value["start_position"], value["end_position"])
                for value in sentence["spans"]
            ),
        )
        for sentence in json.loads(path.read_text("utf-8"))
    ]


def is_covered(text: str, start: int, end: int, spans: list[Span]) -> bool:
    """Whether every letter and digit of a place is in some span."""
    return all(
        any(span.start <= place < span.end for span in spans)
        for place in range(start, end)
        if text[place].isalnum()
    )


def measured(
    sentences: list[Marked], detector: Detector, name: str, console: Console
) -> tuple[Tally, list[str]]:
    """The counts, and a line for each value that was missed or wrongly taken."""
    tally = Tally(Counter(), Counter(), Counter(), Counter())
    misses: list[str] = []
    for sentence in track(sentences, name, console=console):
        spans, _ = detector.found(sentence.text)
        for kind, start, end in sentence.values:
            tally.there[kind] += 1
            if is_covered(sentence.text, start, end, spans):
                tally.found[kind] += 1
            elif kind in _RULES or (detector.names and kind in _NAMES):
                misses.append(f"missed {kind}: {sentence.text[start:end]!r} in {sentence.text!r}")
        for span in spans:
            tally.masked[span.type] += 1
            if not any(start < span.end and span.start < end for _, start, end in sentence.values):
                tally.wrong[span.type] += 1
                misses.append(
                    f"wrong {span.type}: {sentence.text[span.start : span.end]!r} in {sentence.text!r}"
                )
    return tally, misses


def recalls(halves: dict[str, Tally]) -> Table:
    """The share of the values that was found, by kind."""
    table = Table("kind", "found by", *halves, title="Personal data found")
    for kind, scope in SCOPE.items():
        table.add_row(kind, scope, *(_share(half.found[kind], half.there[kind]) for half in halves.values()))
    return table


def precisions(halves: dict[str, Tally]) -> Table:
    """The share of the masked spans that touch personal data, by type."""
    table = Table("type", *halves, title="Masked spans that are personal data")
    for kind in sorted({kind for half in halves.values() for kind in half.masked}):
        rights = ((half.masked[kind] - half.wrong[kind], half.masked[kind]) for half in halves.values())
        table.add_row(kind, *(_share(*right) for right in rights))
    return table


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})" if whole else ""


def sentences_in(path: Path) -> Iterator[str]:
    """The sentences of a file that holds no marks: the strings of a JSON file's lists or its `text` fields,
    or lines."""
    if path.suffix == ".json":
        yield from _strings(json.loads(path.read_text("utf-8")))
    else:
        yield from (line for line in path.read_text("utf-8").splitlines() if line.strip())


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield item
            else:
                yield from _strings(item)
    elif isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        else:
            for item in value.values():
                yield from _strings(item)


def benign(path: Path, detector: Detector, console: Console) -> Table:
    """What is masked in a file without marks."""
    sentences = sorted(set(sentences_in(path)))
    taken: defaultdict[str, list[str]] = defaultdict(list)
    touched, began = 0, time.perf_counter()
    for sentence in track(sentences, path.name, console=console):
        spans, _ = detector.found(sentence)
        touched += bool(spans)
        for span in spans:
            taken[span.type].append(sentence[span.start : span.end])
    took = 1000 * (time.perf_counter() - began) / max(1, len(sentences))
    title = f"{path.name}: {touched} of {len(sentences)} sentences masked, {took:.2f} ms each"
    table = Table("type", "spans", "what", title=title)
    for kind, values in sorted(taken.items()):
        most = ", ".join(f"{value!r}" for value, _ in Counter(values).most_common(12))
        table.add_row(kind, str(len(values)), most)
    return table


def main() -> None:
    """Reads the arguments and prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m evals.masking", description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder that holds synth_dataset_v2.json")
    parser.add_argument("--names", default="none", help="none, local, or comprehend[:es]")
    parser.add_argument("--region", help="where the users are, such as GB, for telephone numbers")
    parser.add_argument("--benign", type=Path, nargs="*", default=[], help="files without personal data")
    parser.add_argument("--misses", action="store_true", help="also list what was missed or wrongly masked")
    chosen = parser.parse_args()
    console = Console()
    detector = Detector(names_detector(chosen.names), chosen.region)
    sentences = load(chosen.data / "synth_dataset_v2.json")
    halves: dict[str, Tally] = {}
    misses: list[str] = []
    for name, half in (("seen", sentences[::2]), ("held out", sentences[1::2])):
        halves[name], listed = measured(half, detector, name, console)
        misses += [f"{name}: {line}" for line in listed]
    console.print(recalls(halves))
    console.print(precisions(halves))
    if chosen.misses:
        for line in misses:
            console.print(line, markup=False, highlight=False)
    for path in chosen.benign:
        console.print(benign(path, detector, console))


if __name__ == "__main__":
    main()
