"""A trial as a picture: brokers and application on one time axis that starts at the fault (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from probe.model import History, Verdict
from probe.site import shapes
from probe.site.moments import Moment, Sort, moments
from probe.site.runs import clip, fold

WIDTH = 1000
LEFT = 150
"""Room for the names of the lanes."""
RIGHT = 14
ROW = 17
"""Height of one row of marks."""
MARKS = 320
"""At most so many marks in one picture; denser moments are folded into longer runs."""
ZOOM_US = 3_000_000
LEAD_US = 400_000
"""How much before the fault is shown."""

WIRE_ROWS: tuple[tuple[Sort, ...], ...] = (
    (Sort.ASK, Sort.ASK_STALE, Sort.OPENED, Sort.CLOSED, Sort.CUT),
    (Sort.WORK, Sort.ERROR, Sort.SILENT),
    (Sort.FUTILE,),
)
APP_ROWS: tuple[tuple[Sort, ...], ...] = ((Sort.BEGUN,), (Sort.DONE,), (Sort.FAILED, Sort.STATE))


@dataclass(frozen=True, slots=True)
class Lane:
    """A horizontal band: a broker, or one side of the application."""

    name: str
    title: str
    note: str
    rows: tuple[tuple[Sort, ...], ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """Microseconds to pixels."""

    start: int
    end: int

    def x(self, at: int) -> float:
        """Return the x of a time, within the drawing."""
        share = (at - self.start) / max(1, self.end - self.start)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    @property
    def us_per_px(self) -> float:
        """Return how many microseconds one pixel spans."""
        return (self.end - self.start) / (WIDTH - LEFT - RIGHT)


@dataclass(slots=True)
class _Labels:
    """Where labels stand already, per row: a label that would overlap is left out (its mark has a title)."""

    taken: dict[float, list[tuple[float, float]]] = field(default_factory=dict)

    def fits(self, y: float, left: float, right: float) -> bool:
        row = self.taken.setdefault(y, [])
        if right > WIDTH or any(left < b and right > a for a, b in row):
            return False
        row.append((left, right))
        return True


def timeline_svg(history: History, verdict: Verdict, *, whole: bool = True, name: str = "t") -> str:
    """Draw a trial: the whole of it, or the first 3 s after the fault. `name` makes ids unique within a page."""
    everything = moments(history)
    scale = _scale(everything, whole=whole)
    lanes = _lanes(history, everything)
    runs = _runs(clip(everything, scale.start, scale.end), scale)
    height = shapes.TOP + sum(_height(lane) for lane in lanes) + shapes.BOTTOM
    title = f"{history.header.cell}, trial {history.header.trial}: {verdict.outcome}"
    span = "the whole trial" if whole else "the first seconds after the fault"
    return shapes.SVG.format(
        name=name,
        width=WIDTH,
        height=height,
        title=title,
        desc=f"Wire and application events of {span}; the event table below tells the same in words. {verdict.reason}",
        body=Markup().join(_body(lanes, runs, scale, height)),
    )


def shows_more(history: History) -> bool:
    """Say whether the whole trial is so much longer than the first seconds that it needs a picture of its own."""
    everything = moments(history)
    return _scale(everything, whole=True).end > ZOOM_US * 1.3


def _scale(everything: Sequence[Moment], *, whole: bool) -> Scale:
    last = max((one.end for one in everything), default=ZOOM_US)
    if not whole:
        return Scale(-LEAD_US, ZOOM_US)
    first = min((one.at for one in everything), default=0)
    lead = max(first, -max(LEAD_US, last // 10))
    return Scale(min(lead, 0) - 1000, max(last, ZOOM_US))


def _lanes(history: History, everything: Sequence[Moment]) -> list[Lane]:
    subject = history.header.subject
    seen = {one.lane for one in everything}
    brokers = sorted(name for name in seen if name.startswith("broker "))
    lanes = [Lane(name, name, "fails" if name == f"broker {subject.old}" else "", WIRE_ROWS) for name in brokers]
    lanes.append(Lane("affected", "application", f"partition {subject.affected}", APP_ROWS))
    if "bystander" in seen:
        lanes.append(Lane("bystander", "bystander", f"partition {subject.bystander}", APP_ROWS[1:]))
    return lanes


def _height(lane: Lane) -> int:
    return len(lane.rows) * ROW + 10


def _runs(shown: Sequence[Moment], scale: Scale) -> list[Moment]:
    """Fold what lies closer than a mark is wide, and further if there are still too many marks."""
    pixels = 8.0
    while True:
        runs = fold(shown, int(pixels * scale.us_per_px))
        if len(runs) <= MARKS or pixels > WIDTH:
            return runs
        pixels *= 1.6


def _body(lanes: Sequence[Lane], runs: Sequence[Moment], scale: Scale, height: int) -> list[Markup]:
    parts = _axis(scale, height)
    labels = _Labels()
    top = shapes.TOP
    for lane in lanes:
        parts.append(shapes.band(top, _height(lane), lane.title, lane.note, WIDTH, LEFT))
        for index, sorts in enumerate(lane.rows):
            middle = top + 5 + ROW * index + ROW / 2
            chosen = [one for one in runs if one.lane == lane.name and one.sort in sorts]
            parts.extend(_mark(one, scale, middle, labels) for one in chosen)
        top += _height(lane)
    stages = [one for one in runs if one.sort is Sort.STAGE]
    return parts + _stages(stages, scale, height)


def _mark(one: Moment, scale: Scale, y: float, labels: _Labels) -> Markup:
    left, right = scale.x(one.at), scale.x(one.end)
    parts = [shapes.mark(one, left, right, y)]
    if text := shapes.label(one):
        start = (left if one.count == 1 else right) + 8
        if labels.fits(y, left - 5, start + shapes.text_width(text)):
            parts.append(shapes.text(start, y + 3.5, text, f"label {one.sort}"))
    else:
        labels.fits(y, left - 5, right + 5)
    return Markup().join(parts)


def _axis(scale: Scale, height: int) -> list[Markup]:
    step = _step((scale.end - scale.start) / 1e6)
    first = math.ceil(scale.start / 1e6 / step)
    ticks = [index * step for index in range(first, int(scale.end / 1e6 / step) + 1)]
    bottom = height - shapes.BOTTOM
    return [shapes.tick(scale.x(int(tick * 1e6)), shapes.TOP, bottom, f"{tick:g} s") for tick in ticks]


def _step(seconds: float) -> float:
    """Choose a tick distance of 1, 2 or 5 times a power of ten that gives at most ten ticks."""
    power = 10 ** math.floor(math.log10(max(seconds, 0.01) / 10))
    return next(step for factor in (1, 2, 5, 10) if seconds / (step := factor * power) <= 10)


def _stages(stages: Sequence[Moment], scale: Scale, height: int) -> list[Markup]:
    """Draw what was done to the brokers as lines through all lanes, their names staggered at the top."""
    labels = _Labels()
    parts = []
    for one in stages:
        x = scale.x(one.at)
        width = shapes.text_width(one.text) + 6
        right = x + width <= WIDTH
        level = next((n for n in range(3) if labels.fits(n, *((x, x + width) if right else (x - width, x)))), 2)
        parts.append(shapes.stage(one, x, level, height - shapes.BOTTOM, right=right))
    return parts
