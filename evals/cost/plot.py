"""Charts of lines or of dots as SVG, side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 420, 300  # of a panel, in pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 22, 44, 46
# Told apart by their dashes too, for whoever sees no colours.
_COLOURS = ("#b3261e", "#c77700", "#7a6a00", "#6aa3f0", "#0b57d0")
_DASHES = ("", "7 3", "2 3", "7 3", "")
_STYLE = (
    "text{font:12px sans-serif;fill:#1f1f1f}.title{font-weight:600;font-size:13px}"
    ".grid{stroke:#e3e3e3}.axis{stroke:#747775}.line{fill:none;stroke-width:2}"
)


@dataclass(frozen=True)
class Line:
    """A line's name, its values at 1, 2, 3 …, and the ends of the interval around each, where there are
    any."""

    name: str
    values: Sequence[float]
    intervals: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Panel:
    """A chart with a title, what stands on its axis across, and how a value of the other axis is written.
    `places` are names of the places across, in the place of their numbers; lines that are not `joined` are
    dots, those of one place beside each other."""

    title: str
    across: str
    lines: Sequence[Line]
    written: Callable[[float], str]
    places: Sequence[str] = ()
    joined: bool = True


def svg(panels: Sequence[Panel], description: str) -> str:
    """The panels side by side, with one legend below. Lines of one name have one colour in all of them."""
    names = list(dict.fromkeys(line.name for panel in panels for line in panel.lines))
    width, height = _WIDTH * len(panels), _HEIGHT + 18 * len(names) + 12
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(description)}</title><style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(panels):
        body += [f'<g transform="translate({number * _WIDTH} 0)">', *_panel(panel, names), "</g>"]
    for number, name in enumerate(names):
        y = _HEIGHT + 18 * number + 8
        body.append(f'<path class="line" {_stroke(number)} d="M{_LEFT} {y}h34"/>')
        body.append(f'<text x="{_LEFT + 42}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*body, "</svg>", ""])


def ticks(most: float) -> list[float]:
    """Four to eight round values from 0 on, the last one at or above `most`.

    >>> ticks(76_000)
    [0, 20000, 40000, 60000, 80000]
    """
    if most <= 0:
        return [0, 1]
    power = 10.0 ** math.floor(math.log10(most))
    step = next(unit * power for unit in (0.2, 0.5, 1, 2) if most / (unit * power) <= 7)
    step = int(step) if step >= 1 else step
    return [step * number for number in range(math.ceil(most / step) + 1)]


def _panel(panel: Panel, names: Sequence[str]) -> list[str]:
    highest = (end for line in panel.lines for _, end in line.intervals)
    heights = ticks(max([*(value for line in panel.lines for value in line.values), *highest]))
    longest = max(len(line.values) for line in panel.lines)
    inner_width, inner_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(place: float) -> float:
        # A name stands in the middle of its share of the axis, a number at the end of it.
        return round(_LEFT + inner_width * (place - (0.5 if panel.places else 0)) / longest, 1)

    def y(value: float) -> float:
        return round(_TOP + inner_height * (1 - value / heights[-1]), 1)

    body = [f'<text class="title" x="{_LEFT}" y="20">{escape(panel.title)}</text>']
    for value in heights:
        height, name = y(value), escape(panel.written(value))
        body.append(f'<path class="grid" d="M{_LEFT} {height}H{_WIDTH - _RIGHT}"/>')
        body.append(f'<text x="{_LEFT - 6}" y="{height + 4}" text-anchor="end">{name}</text>')
    body.append(f'<path class="axis" d="M{_LEFT} {y(0)}H{_WIDTH - _RIGHT}"/>')
    numbers = {place: f"{place:g}" for place in ticks(longest) if place <= longest}
    body += [
        f'<text x="{x(place)}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{escape(name)}</text>'
        for place, name in (dict(enumerate(panel.places, 1)) or numbers).items()
    ]
    across, middle = escape(panel.across), _LEFT + inner_width / 2
    body.append(f'<text x="{middle:g}" y="{_HEIGHT - 10}" text-anchor="middle">{across}</text>')
    for number, line in enumerate(panel.lines):
        # Dots of one place stand in its middle three fifths.
        aside = 0 if panel.joined else 0.6 * ((number + 0.5) / len(panel.lines) - 0.5)
        stroke = _stroke(names.index(line.name))
        points = [(x(place + aside), y(value)) for place, value in enumerate(line.values, 1)]
        for (across_at, _), (low, high) in zip(points, line.intervals, strict=False):
            body.append(f'<path class="line" {stroke} d="M{across_at} {y(low)}V{y(high)}"/>')
        if panel.joined:
            told = " ".join(f"{left},{top}" for left, top in points)
            body.append(f'<polyline class="line" {stroke} points="{told}"/>')
        else:
            fill = _COLOURS[names.index(line.name) % len(_COLOURS)]
            body += [f'<circle cx="{left}" cy="{top}" r="3.5" fill="{fill}"/>' for left, top in points]
    return body


def _stroke(number: int) -> str:
    colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)]
    return f'stroke="{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")
