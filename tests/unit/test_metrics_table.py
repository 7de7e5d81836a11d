"""docs/monitoring.md lists every metric as the code writes it."""

from __future__ import annotations

import re
from pathlib import Path

from noted import metrics
from noted.metrics import FAMILIES, Family

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "monitoring.md"


def by(family: Family, name: str) -> str:
    """By what a metric is told, as the table writes it."""
    ways = [family.dimensions]
    if name in family.totals:
        ways.append(family.total_dimensions)
    return "; ".join(", ".join(each) for each in ways)


def test_the_table_has_every_metric_with_its_unit_and_dimensions() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|([^|]*)\|", TABLE.read_text(), re.MULTILINE)
    written = [(name, unit, dimensions.strip()) for name, unit, dimensions in rows]
    assert written == [
        (name, unit, by(family, name)) for family in FAMILIES for name, unit in family.units.items()
    ]


def test_every_metric_is_written_somewhere() -> None:
    sources = [*ROOT.glob("layers/noted/python/noted/**/*.py"), *ROOT.glob("functions/*/*.py")]
    source = "\n".join(path.read_text("utf-8") for path in sources)
    written = re.findall(r"\bwrite\(\s*(?:metrics\.)?([A-Z_]+),", source)
    assert {id(getattr(metrics, name)) for name in written} == {id(family) for family in FAMILIES}
