"""A sweep as a picture: the swept value from left to right, recovery from bottom to top (pure).

Values have equal distances, since they may be words. Times have a logarithmic axis. Each trial is a mark, whose shape
is its outcome; a line through the medians joins the marks of a client. Shapes and dashes are readable without colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from probe.cells.sweeps import Curve, Step, SweepResult
from probe.model import Verdict
from probe.model.outcomes import OUTCOMES
from probe.site.data.outcome_signs import tone

WIDTH = 480
"""Narrow, so that its words are readable on a telephone."""
LEFT, RIGHT = 52, 8
TOP, BAND, PLOT, AXIS = 46, 26, 210, 46
"""Heights: the title, the band of trials without a recovery, the plot, the axis with its label."""
FRAME = {"WIDTH": WIDTH, "LEFT": LEFT, "RIGHT": RIGHT, "TOP": TOP, "BAND": BAND, "PLOT": PLOT}
"""The same for the template."""
LETTER, LINE = 6.9, 20
"""Width of a letter, height of a line of the legend."""
APART, SPREAD = 13.0, 2.0
"""Greatest distance of two clients at one value; distance of the trials of one."""
DASHES = ("", "7 3", "2 3", "9 3 2 3", "1 5", "12 4")
"""Lines of the clients, in their order."""
DRAWN = {outcome: info.shape for outcome, info in OUTCOMES.items() if info.shape}
"""The shapes of the outcomes, the best first."""
NICE = tuple(factor * 10**power for power in range(6) for factor in (1, 2, 5))
"""Times, in ms, at which the axis may begin, end and have a tick."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A trial, or a sample in the legend."""

    x: float
    y: float
    shape: str
    style: str
    """Classes: how it is filled, and the tone of its judgement."""
    title: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through medians, or a sample in the legend."""

    points: str
    dash: str


@dataclass(frozen=True, slots=True)
class Label:
    """A text with its place."""

    x: float
    y: float
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that the template draws."""

    height: int
    title: str
    desc: str
    headings: tuple[str, ...]
    ticks: tuple[Label, ...]
    values: tuple[Label, ...]
    axis: str
    strokes: tuple[Stroke, ...]
    marks: tuple[Mark, ...]
    legend: tuple[Label, ...]
    """The words of its samples, which are among `strokes` and `marks`."""


def picture(result: SweepResult) -> Picture:
    """Lay a sweep out."""
    y = _scale([ms for curve in result.curves for step in curve.steps for ms in step.recovery_ms])
    centres = {value: _centre(result, place) for place, value in enumerate(result.sweep.values)}
    apart = min(APART, 0.8 * (WIDTH - LEFT - RIGHT) / len(centres) / max(1, len(result.curves)))
    shifts = [(place - (len(result.curves) - 1) / 2) * apart for place in range(len(result.curves))]
    marks = [
        one for curve, shift in zip(result.curves, shifts, strict=True) for one in _marks(curve, centres, shift, y)
    ]
    strokes = [
        Stroke(points, DASHES[place % len(DASHES)])
        for place, (curve, shift) in enumerate(zip(result.curves, shifts, strict=True))
        for points in _medians(curve, result.sweep.values, centres, shift, y)
    ]
    bottom = TOP + BAND + PLOT
    samples = _legend(result, bottom + AXIS + LINE / 2)
    asked = result.asked
    return Picture(
        height=round(samples.bottom + LINE / 2),
        title=f"{result.subject}: recovery by {result.sweep.label}",
        desc=" ".join(_described(result)),
        headings=(
            result.subject,
            f"ms until it recovered; {result.trials} trials each; Kafka {asked.broker}, {asked.engine}",
        ),
        ticks=tuple(Label(LEFT, y(ms), str(ms)) for ms in y.ticks),
        values=tuple(_value(text, x, len(centres)) for text, x in centres.items()),
        axis=result.sweep.label,
        strokes=(*strokes, *samples.strokes),
        marks=(*marks, *samples.marks),
        legend=samples.labels,
    )


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale of milliseconds, between two nice numbers."""

    ticks: tuple[int, ...]

    def __call__(self, ms: float) -> float:
        """Return the y coordinate of a time."""
        low, high = math.log(self.ticks[0]), math.log(self.ticks[-1])
        share = (math.log(max(ms, self.ticks[0])) - low) / (high - low)
        return TOP + BAND + PLOT - min(1.0, share) * (PLOT - 6)


def _scale(times: Sequence[float]) -> Scale:
    low = max((nice for nice in NICE if nice <= min(times, default=100)), default=NICE[0])
    high = min((nice for nice in NICE if nice >= max(times, default=1000) and nice > low), default=NICE[-1])
    return Scale(tuple(nice for nice in NICE if low <= nice <= high))


def _centre(result: SweepResult, place: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (place + 0.5) / len(result.sweep.values)


def _value(text: str, x: float, count: int) -> Label:
    """Return the label of a value, as long as its column allows."""
    most = max(3, int((WIDTH - LEFT - RIGHT) / count / LETTER))
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    return Label(x, TOP + BAND + PLOT + 18, shown, text)


def _marks(curve: Curve, centres: Mapping[str, float], shift: float, y: Scale) -> Iterator[Mark]:
    for step in curve.steps:
        for place, one in enumerate(step.seen):
            x = centres[step.value] + shift + (place - (len(step.seen) - 1) / 2) * SPREAD
            ms = one.facts.recovery_ms
            took = "no recovery" if ms is None else f"{ms:.0f} ms"
            title = f"{curve.name}, {step.value}: {OUTCOMES[one.outcome].label}, {took}"
            yield Mark(x, TOP + BAND / 2 if ms is None else y(ms), DRAWN[one.outcome], mark_style(one), title)


def mark_style(one: Verdict) -> str:
    """Return the classes of a trial's mark: whether it is filled, and the tone of its judgement."""
    return f"{'full' if OUTCOMES[one.outcome].severity else 'hollow'} {tone(one.outcome, one.conforms)}"


def _medians(
    curve: Curve, values: Sequence[str], centres: Mapping[str, float], shift: float, y: Scale
) -> Iterator[str]:
    """Yield the lines between neighbouring values that both have a median, as points."""
    found = {step.value: step.median_ms for step in curve.steps}
    for left, right in pairwise(values):
        ends = [(centres[value] + shift, ms) for value in (left, right) if (ms := found.get(value)) is not None]
        if len(ends) == 2:
            yield " ".join(f"{x:.1f},{y(ms):.1f}" for x, ms in ends)


def _described(result: SweepResult) -> Iterable[str]:
    """Yield the picture in words, a sentence per client."""
    for curve in result.curves:
        steps = "; ".join(f"{step.value}: {_told(step)}" for step in curve.steps)
        yield f"{curve.name}, {result.sweep.label}: {steps}."


def _told(step: Step) -> str:
    ms = step.median_ms
    return step.outcomes.replace(";", " ").replace(":", " ") + (", no recovery" if ms is None else f", {ms:.0f} ms")


@dataclass(frozen=True, slots=True)
class _Samples:
    strokes: tuple[Stroke, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    bottom: float


def _legend(result: SweepResult, top: float) -> _Samples:
    """Place a sample per client and, from a new line on, one per outcome."""
    names = [curve.name for curve in result.curves]
    clients, bottom = _flow(names, 30, top)
    strokes = tuple(
        Stroke(f"{at.x - 28:.1f},{at.y - 4:.1f} {at.x - 5:.1f},{at.y - 4:.1f}", DASHES[place % len(DASHES)])
        for place, at in enumerate(clients)
    )
    seen = {one.outcome: one for curve in result.curves for step in curve.steps for one in step.seen}
    ordered = [seen[outcome] for outcome in DRAWN if outcome in seen]
    words, bottom = _flow([OUTCOMES[one.outcome].label for one in ordered], 14, bottom + LINE)
    marks = tuple(
        Mark(at.x - 9, at.y - 4, DRAWN[one.outcome], mark_style(one), "")
        for one, at in zip(ordered, words, strict=True)
    )
    return _Samples(strokes, marks, (*clients, *words), bottom)


def _flow(words: Sequence[str], lead: float, top: float) -> tuple[tuple[Label, ...], float]:
    """Place words with `lead` before each, line by line; return them and the last line's y coordinate."""
    found, x, y = [], 8.0, top
    for text in words:
        width = lead + len(text) * LETTER + 12
        if x > 8 and x + width > WIDTH:
            x, y = 8.0, y + LINE
        found.append(Label(x + lead, y, text))
        x += width
    return tuple(found), y
