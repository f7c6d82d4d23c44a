"""Costs of a failover as a picture: a number of the scale from left to right, requests from bottom to top (pure).

Both axes are logarithmic. Marks are measured points; a line is the fit, in a band that nine of ten measurements fall
into. Each client has a line per number of the other axis; dashes tell clients apart without colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from probe.cells.cost_growth import METRICS, Fit, fit
from probe.model.cell import Engine
from probe.model.cost_point import CostPoint
from probe.model.engines import ENGINES
from probe.model.scale import CLIENTS, PARTITIONS, Scale

WIDTH, LEFT, RIGHT, TOP, PLOT, LINE = 560, 60, 24, 40, 260, 18
"""Pixels: the picture, its margins, the plot's height, a line of the legend."""
STEPS = 24
"""Places of a fit that are joined."""
SAMPLE = 32
"""Pixels: the length of a client's line in the legend."""
COLOURS = (
    "#1b5e9e", "#b3471d", "#2a7a3b", "#6b3fa0", "#8a6d00", "#444444",
    "#c2185b", "#00796b", "#6d4c41", "#0277bd", "#558b2f", "#d32f2f",
)  # fmt: skip
DASHES = ("", "7 3", "2 3", "9 3 2 3", "1 5", "12 4")
COST = "Metadata"


@dataclass(frozen=True, slots=True)
class _Frame:
    """The ranges of both axes, as logarithms to base ten."""

    left: float
    right: float
    top: float

    def x(self, value: float) -> float:
        share = (math.log10(value) - self.left) / max(0.1, self.right - self.left)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + PLOT - math.log10(max(1.0, value)) / self.top * PLOT


def cost_picture(points: Sequence[CostPoint]) -> str:
    """Return the picture of the points of one scenario as SVG; its title says which."""
    axis = PARTITIONS if len({one.partitions for one in points}) > 1 else CLIENTS
    numbers = [getattr(one, axis) for one in points]
    highest = max(10, *(one.metadata for one in points))
    frame = _Frame(math.log10(min(numbers)), math.log10(max(numbers)), math.ceil(math.log10(highest) + 0.2))
    clients = list(dict.fromkeys(one.client for one in points))
    height = TOP + PLOT + 44 + LINE * len(clients)
    scenario = ", ".join(dict.fromkeys(one.scenario for one in points))
    brokers = ", ".join(dict.fromkeys(ENGINES[Engine(one.engine)].title for one in points))
    title = f"Metadata requests of one failover, {scenario}, {brokers}"
    body = [*_axes(frame, axis, sorted(set(numbers))), *_clients(points, clients, frame, axis)]
    legend = [line for place, client in enumerate(clients) for line in _legend(place, client)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
            'font-size="12" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            f'<text x="{LEFT}" y="20">{escape(title)}</text>',
            *body,
            *legend,
            "</svg>\n",
        ]
    )


def _style(place: int) -> tuple[str, str]:
    """Return the colour and the dashes of a client; no two of dozens have both in common."""
    return COLOURS[place % len(COLOURS)], DASHES[(place + place // len(COLOURS)) % len(DASHES)]


def _legend(place: int, client: str) -> Iterator[str]:
    (colour, dash), y = _style(place), TOP + PLOT + 56 + LINE * place
    ends = f'x1="{LEFT}" x2="{LEFT + SAMPLE}" y1="{y - 4}" y2="{y - 4}"'
    yield f'<line {ends} stroke="{colour}" stroke-width="3" stroke-dasharray="{dash}"/>'
    yield f'<text x="{LEFT + SAMPLE + 8}" y="{y}" fill="{colour}">{escape(client)}</text>'


def _axes(frame: _Frame, axis: str, numbers: Sequence[int]) -> Iterator[str]:
    for power in range(int(frame.top) + 1):
        y = frame.y(10**power)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>'
    for number in numbers:
        yield f'<text x="{frame.x(number):.1f}" y="{TOP + PLOT + 16}" text-anchor="middle">{number:,}</text>'
    yield f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{TOP + PLOT + 34}" text-anchor="middle">{axis}</text>'


def _clients(points: Sequence[CostPoint], clients: Sequence[str], frame: _Frame, axis: str) -> Iterator[str]:
    other = CLIENTS if axis == PARTITIONS else PARTITIONS
    for place, client in enumerate(clients):
        mine = [one for one in points if one.client == client]
        colour, dash = _style(place)
        found = fit(mine, METRICS[COST])
        if found is not None:
            for number in sorted({getattr(one, other) for one in mine}):
                reached = [getattr(one, axis) for one in mine if getattr(one, other) >= number]
                ends = min(reached), max(reached)
                yield from _curve(found, replace(Scale(), **{other: number}), ends, frame, axis, f"{colour}|{dash}")
        for one in mine:
            words = f"{client}: {one.scale}: {one.metadata} Metadata requests"
            x, y = frame.x(getattr(one, axis)), frame.y(one.metadata)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{escape(words)}</title></circle>'


def _curve(found: Fit, base: Scale, ends: tuple[int, int], frame: _Frame, axis: str, style: str) -> Iterator[str]:
    """Draw a fit as far as it was measured with as many of the other number."""
    (colour, dash), (low, high) = style.split("|"), ends
    places = [low * (high / low) ** (step / STEPS) for step in range(STEPS + 1)]
    scales = [replace(base, **{axis: max(1, round(place))}) for place in places]
    middle = [f"{frame.x(getattr(one, axis)):.1f},{frame.y(found.expected(one)):.1f}" for one in scales]
    lower, upper = (
        [f"{frame.x(getattr(one, axis)):.1f},{frame.y(found.interval(one)[side]):.1f}" for one in scales]
        for side in (0, 1)
    )
    yield f'<polygon points="{" ".join([*lower, *reversed(upper)])}" fill="{colour}" fill-opacity="0.10"/>'
    yield f'<polyline points="{" ".join(middle)}" fill="none" stroke="{colour}" stroke-dasharray="{dash}"/>'
