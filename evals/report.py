"""The report page: tables and plots of what the other commands kept as JSON.

    python -m evals report --out docs [--results evals/results]

`report.md` in the folder is written by hand but for its tables: what stands between `<!-- name -->` and
`<!-- end -->` is replaced. The plots stand beside it as SVG. Nothing is measured here, and what was not kept
is said to be not measured.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from evals import report_lifecycle, report_limits, report_recall, report_speed

_PARTS = (report_recall, report_limits, report_speed, report_lifecycle)
_BLOCK = re.compile(r"(<!-- (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
RESULTS = Path(__file__).parent / "results"


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """The page with its blocks replaced. Raises ValueError for a block that nobody makes, and for one that is
    made and not shown."""
    shown = {match["name"] for match in _BLOCK.finditer(page)}
    if wrong := shown ^ set(blocks):
        raise ValueError(f"these blocks are only made or only shown: {', '.join(sorted(wrong))}")
    return _BLOCK.sub(lambda match: f"{match[1]}\n{blocks[match['name']]}\n\n{match[3]}", page)


def blocks(results: Path) -> dict[str, str]:
    """All tables, by the names of their blocks."""
    return {name: text for part in _PARTS for name, text in part.blocks(results).items()}


def plots(results: Path) -> dict[str, str]:
    """All plots as SVG, by the names of their files."""
    return {name: text for part in _PARTS for name, text in part.plots(results).items()}


def main() -> None:
    """Fills in the page and draws the plots."""
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m evals report", description=summary)
    parser.add_argument("--out", type=Path, required=True, help="folder of report.md")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON files")
    chosen = parser.parse_args()
    page = chosen.out / "report.md"
    page.write_text(filled(page.read_text("utf-8"), blocks(chosen.results)), "utf-8")
    for name, drawn in plots(chosen.results).items():
        (chosen.out / name).write_text(drawn, "utf-8")


if __name__ == "__main__":
    main()
