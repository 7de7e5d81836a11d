"""What the report says of people's data, the guards, consolidation and extraction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evals import results
from evals.guards import QUESTIONS, STATEMENTS
from evals.intervals import told
from evals.report_speed import SYSTEMS
from evals.report_tables import NOT_MEASURED, table

_ERASED = ("after a restart", "same process", "small store")


def blocks(folder: Path) -> dict[str, str]:
    """The tables."""
    return {
        "lifecycle": _own(results.read(folder, "lifecycle")),
        "lifecycle-beside": _beside(folder),
        "guards": _guards(results.read(folder, "guards")),
        "consolidation": _consolidation(results.read(folder, "consolidation")),
        "extraction": _extraction(results.read(folder, "extraction")),
    }


def plots(_: Path) -> dict[str, str]:
    """None."""
    return {}


def _own(kept: dict[str, Any] | None) -> str:
    rows = [
        [what, wanted, found if holds else f"**{found}**"]
        for what, wanted, found, holds in (kept or {}).get("checks", [])
    ]
    return table(["", "should be", "found"], rows)


def _beside(folder: Path) -> str:
    columns = [
        "",
        "ids that read or erase another's",
        "ids refused",
        "nine copies of one fact: in the first ten",
        "kept of 200 adds by 8 threads",
        "found after an erasure",
        "left in files after an erasure",
    ]
    rows = []
    for path in sorted(folder.glob("lifecycle-*.json")):
        kept = json.loads(path.read_text("utf-8"))
        ids, erased = kept["ids"], _erased(kept["erase"])
        wrong = dict.fromkeys([*ids["leaks"], *ids["erased_another_user"]])
        left = erased["left_in_files_after_close"]
        kinds = dict.fromkeys("vectors" if name.startswith("vector") else "text" for name in left)
        rows.append(
            [
                SYSTEMS.get(kept["system"], kept["system"]),
                ", ".join(wrong) or "none",
                str(len(ids["refused"])),
                str(kept["dups"]["copies_of_the_same_fact_in_top_10"]),
                str(kept["threads"]["count"]),
                str(erased["found_after"]),
                ", ".join(kinds) or "nothing",
            ]
        )
    return table(columns, rows)


def _erased(kept: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(kept[case] for case in _ERASED if isinstance(kept[case], dict))
    return found


def _guards(kept: dict[str, Any] | None) -> str:
    if not kept:
        return NOT_MEASURED
    facts = kept["personas"]
    rows = [["persona facts", told(facts["facts"] - facts["passed"], facts["facts"])]]
    acts = {**QUESTIONS, **STATEMENTS}
    rows += [
        [f"{acts[act]} (`{act}`)", told(asked + others, count)]
        for act, (count, asked, others) in kept["acts"].items()
        if count
    ]
    return table(["", "dropped"], rows)


def _consolidation(kept: dict[str, Any] | None) -> str:
    if not kept:
        return NOT_MEASURED
    pairs, changes, shown = kept["pairs"], kept["changes"], kept.get("shown")
    rows = [["own pairs that code tells right", told(pairs["right"], pairs["pairs"])]]
    rows += [
        [f"labelled pairs, {label}: merged by code", told(merged, count)]
        for label, (count, merged) in kept.get("merges", {}).items()
    ]
    left = kept.get("bad_models", [])
    if left:
        count, none = sum(row[2] for row in left), sum(row[3] for row in left)
        rows.append(["left without a fact by a model that always decides the same", told(none, count)])
    rows.append(["own changes, decided rightly: let through", told(changes["passed"], changes["changes"])])
    if shown:
        what = f"the fact that ended is shown to the model among {shown['among']} others"
        rows.append([what, told(shown["shown"], shown["changes"])])
    return table(["", ""], rows)


def _extraction(kept: dict[str, Any] | None) -> str:
    if not kept:
        return NOT_MEASURED
    rows = [
        [
            name,
            told(each["with_facts"], each["messages"]),
            str(each["kept"]),
            ", ".join(f"{guard} {count}" for guard, count in each["dropped"].items()) or "none",
            f"{each['covered']:.0%}",
        ]
        for name, each in kept["kinds"].items()
    ]
    columns = [
        f"by `{kept['model']}`",
        "messages of which a fact is kept",
        "facts",
        "dropped",
        "covered by quotes",
    ]
    return table(columns, rows)
