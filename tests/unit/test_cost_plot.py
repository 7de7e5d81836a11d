"""The plot of costs."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from evals.cost.plot import Line, Panel, svg, ticks

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    "most, expected",
    [
        (76_000, [0, 20_000, 40_000, 60_000, 80_000]),
        (500, [0, 100, 200, 300, 400, 500]),
        (0.3, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
        (1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, [0, 1]),
    ],
)
def test_an_axis_has_few_round_values_up_to_the_most(most: float, expected: list[float]) -> None:
    assert ticks(most) == pytest.approx(expected)


def test_a_line_goes_through_its_values_to_scale() -> None:
    panel = Panel(
        "Cost", "turns", [Line("a <b>", [0, 50, 100]), Line("c", [100, 100, 100])], lambda v: f"{v:g}"
    )
    root = ET.fromstring(svg([panel, panel], "two"))  # noqa: S314 (our own)
    first, flat, again, _ = root.iter(f"{SVG}polyline")
    points = [tuple(map(float, pair.split(","))) for pair in first.attrib["points"].split()]
    (x1, y1), (x2, y2), (x3, y3) = points
    assert x3 - x2 == pytest.approx(x2 - x1, abs=0.2)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2)
    assert y3 == float(flat.attrib["points"].split()[0].split(",")[1])
    # The same name has the same look in both panels, and another name another one.
    assert first.attrib["stroke"] == again.attrib["stroke"] != flat.attrib["stroke"]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts.count("a <b>") == 1
    assert texts.count("Cost") == 2
