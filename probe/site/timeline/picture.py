"""A trial as a picture: brokers and application on a time axis that starts at the fault (pure)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter

from probe.model import Header, History, Symptom, Verdict
from probe.site.timeline import shapes
from probe.site.timeline.folding import clip, fold
from probe.site.timeline.history_moments import moments
from probe.site.timeline.moments import Moment, MomentKind

WIDTH = 1000
LEFT = 120
"""Width of the area with the names of the lanes."""
RIGHT = 14
WIDE = WIDTH - LEFT - RIGHT
"""Width of the time axis."""
ROW = 17
"""Height of a row of marks."""
MARKS = 320
"""Greatest number of marks in a picture; denser moments are folded into longer runs."""
ZOOM_US = 3_000_000
LEAD_US = 400_000
"""Time before the fault that is shown."""

WIRE_ROWS: tuple[tuple[MomentKind, ...], ...] = (
    (MomentKind.ASK, MomentKind.ASK_STALE, MomentKind.OPENED, MomentKind.CLOSED, MomentKind.CUT),
    (MomentKind.WORK, MomentKind.ERROR, MomentKind.SILENT),
    (MomentKind.FUTILE,),
)
APP_ROWS: tuple[tuple[MomentKind, ...], ...] = (
    (MomentKind.BEGUN,),
    (MomentKind.DONE, MomentKind.GAP),
    (MomentKind.FAILED, MomentKind.STATE),
)
WIDER = {MomentKind.ERROR: 5.0, MomentKind.FAILED: 5.0, MomentKind.FUTILE: 5.0}
"""Factors of the gap at which repeats are folded, so that their labels have room."""
WIDER_WHOLE = WIDER | {MomentKind.WORK: 3.0, MomentKind.BEGUN: 3.0, MomentKind.DONE: 3.0}
"""Factors for a whole trial, in which regular work is a bar and its gaps are visible."""
TOGETHER = 5
"""Stages at most this many pixels apart share a line and a label."""
_AT = attrgetter("at")


@dataclass(frozen=True, slots=True)
class Lane:
    """A horizontal band: a broker, or a partition of the application."""

    name: str
    title: str
    note: str
    rows: tuple[tuple[MomentKind, ...], ...]

    @property
    def height(self) -> int:
        """The height in units of the picture."""
        return len(self.rows) * ROW + 10


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from microseconds to pixels."""

    start: int
    end: int

    def x(self, at: int) -> float:
        """Return the x coordinate of a time."""
        share = (at - self.start) / max(1, self.end - self.start)
        return LEFT + share * WIDE

    @property
    def us_per_px(self) -> float:
        """The microseconds per pixel."""
        return (self.end - self.start) / WIDE


@dataclass(slots=True)
class _Taken:
    """The occupied parts of a row; a label that would overlap is left out (marks have titles)."""

    spans: list[tuple[float, float]] = field(default_factory=list)

    def free(self, left: float, right: float) -> bool:
        if right > WIDTH:
            return False
        for a, b in self.spans:  # noqa: SIM110  # `any` takes three times as long
            if left < b and right > a:
                return False
        return True

    def take(self, left: float, right: float) -> None:
        self.spans.append((left, right))


def timeline_svg(
    history: History,
    verdict: Verdict,
    *,
    whole: bool = True,
    name: str = "t",
    found: Sequence[Moment] | None = None,
) -> str:
    """Return a trial as SVG: the whole of it, or the first 3 s after the fault.

    `name` makes ids unique within a page; `found` are the moments of the trial if they are known already.
    """
    everything = moments(history) if found is None else found
    span = "the whole trial" if whole else "the first seconds after the fault"
    title = f"{history.header.cell}, trial {history.header.trial}: {verdict.outcome}"
    desc = f"Wire and application events of {span}; the event table below lists the same events. {verdict.reason}"
    return picture_svg(_lanes(history.header, everything), everything, name=name, title=title, desc=desc, whole=whole)


def picture_svg(
    lanes: Sequence[Lane], everything: Sequence[Moment], *, name: str, title: str, desc: str, whole: bool
) -> str:
    """Return moments in lanes as SVG: all of them, or the first 3 s."""
    scale = _scale(everything, whole=whole)
    runs = _runs(clip(everything, scale.start, scale.end), scale, WIDER_WHOLE if whole else WIDER)
    height = shapes.TOP + sum(lane.height for lane in lanes) + shapes.BOTTOM
    body = "".join(_body(lanes, runs, scale, height))
    return shapes.svg(name, WIDTH, height, title=title, desc=desc, body=body)


def shows_more(everything: Sequence[Moment]) -> bool:
    """Return whether the trial is much longer than the first seconds and needs a picture of its own."""
    return _scale(everything, whole=True).end > ZOOM_US * 1.3


def _scale(everything: Sequence[Moment], *, whole: bool) -> Scale:
    if not whole:
        return Scale(-LEAD_US, ZOOM_US)
    last = max([at if until is None else until for at, _, _, _, until, _ in everything], default=ZOOM_US)
    first = everything[0].at if everything else 0
    return Scale(min(max(first, -max(LEAD_US, last // 10)), 0), max(last, ZOOM_US))


def _lanes(header: Header, everything: Sequence[Moment]) -> list[Lane]:
    subject = header.subject
    failing = "" if header.play.kind is Symptom.NONE else f"broker {subject.old}"
    lanes = broker_lanes(everything, failing)
    lanes.append(Lane("affected", "application", f"partition {subject.affected}", APP_ROWS))
    if any(one.lane == "bystander" for one in everything):
        lanes.append(Lane("bystander", "bystander", f"partition {subject.bystander}", APP_ROWS[1:]))
    return lanes


def broker_lanes(everything: Sequence[Moment], failing: str) -> list[Lane]:
    """Return the lanes of the brokers that moments name."""
    seen = {one.lane for one in everything}
    brokers = sorted((name for name in seen if name.startswith("broker ")), key=lambda name: int(name.split()[1]))
    return [Lane(name, name, "fails" if name == failing else "", WIRE_ROWS) for name in brokers]


def _runs(shown: Sequence[Moment], scale: Scale, wider: Mapping[MomentKind, float]) -> list[Moment]:
    """Fold moments that are closer than the width of a mark, and further while there are too many marks."""
    pixels = 8.0
    while True:
        runs = fold(shown, int(pixels * scale.us_per_px), wider)
        if len(runs) <= MARKS or pixels > WIDTH:
            return runs
        pixels *= 1.6


def _body(lanes: Sequence[Lane], runs: Sequence[Moment], scale: Scale, height: int) -> list[str]:
    grounds, marks = [], []
    by_row: dict[tuple[str, MomentKind], list[Moment]] = {}
    for one in runs:
        by_row.setdefault((one.lane, one.sort), []).append(one)
    top = shapes.TOP
    for lane in lanes:
        grounds.append(shapes.band(top, lane.height, lane.title, lane.note, WIDTH))
        for index, sorts in enumerate(lane.rows):
            chosen = chain.from_iterable(by_row.get((lane.name, sort), ()) for sort in sorts)
            marks += _row(sorted(chosen, key=_AT), scale, top + 5 + ROW * index + ROW / 2)
        top += lane.height
    stages = _together([one for one in runs if one.sort is MomentKind.STAGE], scale)
    return [*grounds, *_axis(scale, height), *_stages(stages, scale, height), *marks]


def _row(runs: Sequence[Moment], scale: Scale, y: float) -> list[str]:
    """Return the marks of a row, then their labels if there is room: on a bar, or else after it."""
    if not runs:
        return []
    start, span = scale.start, max(1, scale.end - scale.start)  # as `Scale.x`, without two calls per mark
    places = []
    for one in runs:
        left = LEFT + (one.at - start) / span * WIDE
        until = one.until
        places.append((one, left, left if until is None else LEFT + (until - start) / span * WIDE))
    parts = [shapes.mark(one, left, right, y) for one, left, right in places]
    taken = _Taken([(left - 6, right + 6) for _, left, right in places])
    for one, left, right in places:
        words = shapes.label(one)
        if not words:
            continue
        width = shapes.text_width(words)
        if right - left > width + 30:
            parts.append(shapes.text((left + right - width) / 2, y + 3.5, words, on_bar=True))
        elif taken.free(right + 6, right + 9 + width):
            taken.take(right + 6, right + 9 + width)
            parts.append(shapes.text(right + 9, y + 3.5, words))
    return parts


def _axis(scale: Scale, height: int) -> list[str]:
    step = _step((scale.end - scale.start) / 1e6)
    first = math.ceil(scale.start / 1e6 / step)
    ticks = [index * step for index in range(first, int(scale.end / 1e6 / step) + 1)]
    bottom = height - shapes.BOTTOM
    return [shapes.tick(scale.x(int(tick * 1e6)), shapes.TOP, bottom, f"{tick:g} s") for tick in ticks]


def _step(seconds: float) -> float:
    """Return a distance of ticks that is 1, 2 or 5 times a power of ten and gives at most ten ticks."""
    power = 10.0 ** math.floor(math.log10(max(seconds, 0.01) / 10))
    return next(step for factor in (1, 2, 5, 10) if seconds / (step := factor * power) <= 10)


def _together(stages: Sequence[Moment], scale: Scale) -> list[Moment]:
    joined: list[Moment] = []
    for one in stages:
        if joined and scale.x(one.at) - scale.x(joined[-1].at) < TOGETHER:
            joined[-1] = joined[-1]._replace(text=f"{joined[-1].text} · {one.text}")
        else:
            joined.append(one)
    return joined


def _stages(stages: Sequence[Moment], scale: Scale, height: int) -> list[str]:
    """Return the stages as lines through all lanes, with their names staggered at the top."""
    levels = [_Taken() for _ in range(shapes.LEVELS)]
    parts = []
    for one in stages:
        x = scale.x(one.at)
        width = shapes.text_width(one.text) + 8
        to_right = x + width <= WIDTH
        span = (x, x + width) if to_right else (x - width, x)
        level = next((index for index, row in enumerate(levels) if row.free(*span)), len(levels) - 1)
        levels[level].take(*span)
        parts.append(shapes.stage(one, x, level, height - shapes.BOTTOM, to_right=to_right))
    return parts
