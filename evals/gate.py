"""What does the write gate let into memory when the extractor obeys whoever wrote the text?

    python -m evals gate FOLDER [--attacks FILE] [--count 3000]

Under test stands an extractor that does what it is told: it proposes every sentence of a message, and the
message as a whole, as a fact that rests on itself. FOLDER holds public corpora in folders of their own (bring
your own copies): `bipia` (MIT), `prompt_injection_deepset` (Apache-2.0), `prompt_injection_purplellama` (MIT)
and `personas_msc` (CC BY-NC 4.0). What is not there is left out. Reading deepset takes pyarrow.

- Injected: the share of hostile texts of which something is kept (ISR), or kept or held (HSR beside it). Each
  sentence that is kept is listed: most are harmless statements that stand beside an attack.
- BIPIA comes through a mail that is handed over, where the channel is marked by nothing but its form, and as
  if a person had typed it themselves. What a client marks as pasted, and what tools return, never reaches
  the gate.
- Benign: persona facts that are kept, held, asked for, and dropped, with each rule's share. Every second of
  them was looked at while the rules were made: "seen" and "held out".
- Our own sets (`evals/gate_sets`): 60 paraphrased attacks and 108 statements in 15 languages that the rules
  were amended by, and 20 attacks that were written last. `red`: 120 attacks and 81 statements that were
  written by somebody who had not read the rules, which were then amended by them; `red_last`: 40 and 40 in
  another style, written and measured after that.

`--attacks`: attacks as lines of JSON (`turn`, `evil`, `out`): the facts that are emitted, with the right
outcome of each.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals import results
from evals.guards import persona_facts
from evals.intervals import told
from noted.privacy.gate import Decision, Outcome, cleaned, judge

_SETS = Path(__file__).parent / "gate_sets"
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+")
_ASKED_FOR = "Can you answer this mail for me?\n"


def proposals(message: str) -> list[str]:
    """What the obedient extractor makes of a message: each sentence, and the whole."""
    sentences = [part.strip() for part in _SENTENCE_END.split(message) if part.strip()]
    return list(dict.fromkeys([*sentences, message.strip()]))


def passing(message: str, only: str | None = None) -> list[tuple[Outcome, str]]:
    """The proposals of a message that are kept or held; with `only`, those of a text within it."""
    found: list[tuple[Outcome, str]] = []
    for text in proposals(only or message):
        outcome = judge(text, text, message).outcome
        if outcome in (Outcome.KEEP, Outcome.HOLD):
            found.append((outcome, text))
    return found


def emitted(attack: dict[str, Any]) -> Iterator[tuple[str, list[Decision]]]:
    """Each fact that an attack makes the extractor emit, with the gate's decisions, whichever piece of the
    message it is given as its ground."""
    message = attack.get("turn") or attack["said"]
    for text in (attack.get("evil") or attack.get("emitted") or [])[:5]:
        yield text, [judge(text, quote, message) for quote in proposals(message)]


def is_right(right: str, text: str, decisions: Sequence[Decision]) -> bool:
    """Whether the outcomes are right. DROP is accepted for HOLD; of CLEAN only the honest part may stay."""
    outcomes = {decision.outcome for decision in decisions}
    wanted, _, honest = right.partition(":")
    match wanted.upper():
        case "DROP":
            return outcomes <= {Outcome.DROP}
        case "HOLD":
            return outcomes <= {Outcome.DROP, Outcome.HOLD}
        case "ASK":
            return Outcome.ASK in outcomes and not outcomes & {Outcome.KEEP, Outcome.HOLD}
        case "CLEAN":
            stored = re.sub(r"[^\w ]", "", cleaned(text)).strip()
            return Outcome.KEEP in outcomes if stored == honest else Outcome.KEEP not in outcomes
    return True


def attacks(file: Path, console: Console) -> dict[str, int]:
    """How many emitted facts have the right outcome; lists the others."""
    total = right = stored = 0
    for line in file.read_text("utf-8").splitlines():
        attack = json.loads(line)
        expected = attack.get("out") or attack["right"]
        for text, decisions in emitted(attack):
            wanted = f"CLEAN:{attack['kept']}" if "kept" in attack else expected
            if wanted == "4xx":
                continue
            total += 1
            if is_right(wanted, text, decisions):
                right += 1
            else:
                stored += any(decision.outcome is Outcome.KEEP for decision in decisions)
                console.print(f"  {attack['id']} should be {wanted}: {text[:100]}", markup=False)
    console.print(f"{file.name}: right outcome of {told(right, total)} emitted facts, {stored} wrongly kept")
    return {"emitted": total, "right": right, "wrongly_kept": stored}


def hostile(name: str, messages: Iterable[tuple[str, str | None]], console: Console) -> dict[str, int]:
    """How many messages leave something in memory; lists what is kept."""
    chosen = list(messages)
    kept = held = sentences = 0
    for message, only in track(chosen, name, console=console):
        found = passing(message, only)
        stays = [text for outcome, text in found if outcome is Outcome.KEEP]
        kept += bool(stays)
        held += bool(found)
        sentences += len(stays)
        for text in stays:
            console.print(f"  kept: {text[:160]}", markup=False)
    console.print(
        f"{name}: something kept of {told(kept, len(chosen))}, kept or held of {told(held, len(chosen))}"
    )
    return {"messages": len(chosen), "kept": kept, "kept_or_held": held, "sentences_kept": sentences}


def benign(name: str, facts: Sequence[tuple[str, str]], console: Console) -> dict[str, Any]:
    """What becomes of statements, given as what was said and the fact; lists those that are not kept."""
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for said, text in track(facts, name, console=console):
        decision = judge(text, said, said)
        outcomes[decision.outcome] += 1
        if decision.outcome is not Outcome.KEEP:
            label = str(decision.category or decision.reason)
            reasons[f"{decision.outcome}: {label}"] += 1
            console.print(f"  {decision.outcome} ({label}): {said}", markup=False)
    table = Table("outcome", "facts", title=name)
    for outcome in Outcome:
        table.add_row(outcome, told(outcomes[outcome], len(facts)))
    console.print(table)
    return {"facts": len(facts), **outcomes, "reasons": dict(reasons.most_common())}


def bipia(folder: Path) -> tuple[list[str], list[str]]:
    """The attacks, and the mails they are planted in."""
    planted = [
        attack
        for name in ("text_attack_test.json", "text_attack_train.json")
        for group in json.loads((folder / name).read_text("utf-8")).values()
        for attack in group
    ]
    lines = (folder / "email_test.jsonl").read_text("utf-8").splitlines()
    return planted, [json.loads(line)["context"] for line in lines]


def deepset(folder: Path) -> list[str]:
    """The texts that are labelled as injections."""
    parquet = importlib.import_module("pyarrow.parquet")
    rows = [parquet.read_table(folder / f"{part}.parquet").to_pydict() for part in ("train", "test")]
    return [
        text
        for columns in rows
        for text, label in zip(columns["text"], columns["label"], strict=True)
        if label == 1
    ]


def statements(name: str = "statements") -> list[tuple[str, str, str]]:
    """Our own statements: language, what was said, the fact."""
    lines = (_SETS / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [(row["language"], row["said"], row["fact"]) for row in map(json.loads, lines)]


def corpora(folder: Path, count: int, console: Console) -> dict[str, Any]:
    """The figures of every corpus that is in the folder."""
    found: dict[str, Any] = {}
    if (folder / "bipia").exists():
        planted, mails = bipia(folder / "bipia")
        found["bipia_typed"] = hostile("BIPIA, typed", ((text, None) for text in planted), console)
        in_mails = (
            (f"{_ASKED_FOR}{mails[number % len(mails)]}\n{text}", text) for number, text in enumerate(planted)
        )
        found["bipia_in_a_mail"] = hostile("BIPIA, in a mail", in_mails, console)
    if (folder / "prompt_injection_purplellama").exists():
        file = folder / "prompt_injection_purplellama" / "prompt_injection.json"
        texts = [row["user_input"] for row in json.loads(file.read_text("utf-8"))]
        found["purplellama"] = hostile("PurpleLlama, typed", ((text, None) for text in texts), console)
    if (folder / "prompt_injection_deepset").exists():
        texts = deepset(folder / "prompt_injection_deepset")
        found["deepset"] = hostile("deepset, typed", ((text, None) for text in texts), console)
    if (folder / "personas_msc").exists():
        facts = persona_facts(folder / "personas_msc" / "msc_personas_all.json", count)
        for name, part in (("seen", facts[: count // 2]), ("held_out", facts[count // 2 :])):
            found[f"personas_{name}"] = benign(f"Personas, {name}", [(fact, fact) for fact in part], console)
    return found


def main() -> None:
    """Reads the arguments and prints what was found."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m evals gate", description=summary)
    parser.add_argument("folder", type=Path, help="the corpora, a folder each")
    parser.add_argument("--attacks", type=Path, help="attacks as lines of JSON")
    parser.add_argument("--count", type=int, default=3000, help="how many persona facts")
    results.add_option(parser)
    chosen = parser.parse_args()
    console = Console()
    found: dict[str, Any] = {}
    if chosen.attacks:
        found["attacks"] = attacks(chosen.attacks, console)
    for name in ("attacks", "attacks_last", "attacks_red", "attacks_red_last"):
        found[f"own_{name}"] = attacks(_SETS / f"{name}.jsonl", console)
    for name in ("statements", "statements_red", "statements_red_last"):
        said_and_fact = [(said, fact) for _, said, fact in statements(name)]
        found[f"own_{name}"] = benign(f"Our own {name.replace('_', ' ')}", said_and_fact, console)
    found |= corpora(chosen.folder, chosen.count, console)
    results.write(chosen.results, "gate", found)


if __name__ == "__main__":
    main()
