"""Writes the tables of `docs/reliability.md` from the catalogue.

python -m tests.faults
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.faults.catalogue import FAULTS, INVARIANTS

DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"


def written(text: str) -> str:
    """The document with its tables as the catalogue has them. Raises ValueError without their marks."""
    tables = {
        "faults": _table(
            ("", "area", "fault", "what is injected", "what happens", "invariants"),
            (
                (
                    fault.id,
                    fault.area,
                    fault.fault,
                    fault.injected,
                    fault.happens,
                    ", ".join(map(str, fault.invariants)),
                )
                for fault in FAULTS
            ),
        ),
        "invariants": _table(
            ("", "what holds", "the tests that hold it"),
            ((str(each.number), each.holds, "<br>".join(map(_named, each.tests))) for each in INVARIANTS),
        ),
    }
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"no marks of {name}")
        text = f"{before}{begin}{table}{end}{after}"
    return text


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _named(test: str) -> str:
    file, _, name = test.partition("::")
    return f"`{Path(file).name}` {name.removeprefix('test_').replace('_', ' ')}"


def main() -> None:
    """Rewrites the document."""
    DOCUMENT.write_text(written(DOCUMENT.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
