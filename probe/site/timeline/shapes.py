"""The marks of a timeline as SVG. Every sort has its own shape; the style sheet has the colours."""

from __future__ import annotations

from markupsafe import Markup, escape

from probe.site.timeline.moments import Moment, MomentKind

TOP = 60
"""Height of the area with the names of the stages."""
BOTTOM = 22
"""Height of the axis."""
LEVEL = 14
"""Distance of two staggered names."""
LEVELS = 4

SVG = Markup(
    '<svg class="timeline" role="img" viewBox="0 0 {width} {height}" aria-labelledby="{name}-title {name}-desc">'
    '<title id="{name}-title">{title}</title><desc id="{name}-desc">{desc}</desc>{body}</svg>'
)
BAND = Markup(
    '<g class="lane"><rect x="0" y="{y}" width="{width}" height="{height}"></rect>'
    '<text x="8" y="{name_y}" class="lane-name">{name}</text>'
    '<text x="8" y="{note_y}" class="lane-note">{note}</text></g>'
)
TICK = Markup(
    '<g class="tick"><line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"></line>'
    '<text x="{x}" y="{text_y}" text-anchor="middle">{label}</text></g>'
)
STAGE = Markup(
    '<g class="stage"><title>{title}</title><line x1="{x}" x2="{x}" y1="{y}" y2="{bottom}"></line>'
    '<text x="{text_x}" y="{text_y}" text-anchor="{anchor}">{label}</text></g>'
)

PATHS = {
    MomentKind.ASK: "M%(x).1f,%(a).1f l5.5,9 h-11 z",
    MomentKind.ASK_STALE: "M%(x).1f,%(a).1f l5.5,9 h-11 z",
    MomentKind.WORK: "M%(x).1f,%(a).1f v10",
    MomentKind.BEGUN: "M%(x).1f,%(a).1f v10",
    MomentKind.DONE: "M%(x).1f,%(a).1f v10",
    MomentKind.ERROR: "M%(l).1f,%(a).1f l8,9 m0,-9 l-8,9",
    MomentKind.FAILED: "M%(l).1f,%(a).1f l8,9 m0,-9 l-8,9",
    MomentKind.CUT: "M%(x).1f,%(a).1f v10 m-3,-10 l6,10",
    MomentKind.FUTILE: "M%(l).1f,%(a).1f h8 v8 h-8 z",
    MomentKind.SILENT: "M%(l).1f,%(y).1f a4,4 0 1 0 8,0 a4,4 0 1 0 -8,0",
    MomentKind.OPENED: "M%(l).1f,%(y).1f h8 m-4,-4 v8",
    MomentKind.CLOSED: "M%(l).1f,%(y).1f h8",
    MomentKind.GAP: "",
    MomentKind.STATE: "M%(x).1f,%(a).1f l4.5,4.5 l-4.5,4.5 l-4.5,-4.5 z",
}
"""Path of a moment; x is its middle, l its left edge, a its top, y the middle of the row."""
LABELLED = frozenset(
    {
        MomentKind.GAP,
        MomentKind.ERROR,
        MomentKind.FAILED,
        MomentKind.ASK_STALE,
        MomentKind.FUTILE,
        MomentKind.SILENT,
        MomentKind.STATE,
    }
)
"""Sorts with a label in addition to their mark."""


def mark(one: Moment, left: float, right: float, y: float) -> Markup:
    """Return a moment as a mark, or a run of moments as a bar with marks at both ends."""
    ends = {left, right} if one.count > 1 else {left}
    path = "".join([_path(one.sort, x, y) for x in sorted(ends)])
    if right - left > 1:
        path += f" M{left:.1f},{y:.1f} H{right:.1f}"
    # formatted here and below, since `Markup.format` is slow for hundreds of marks
    html = f'<g class="mark {one.sort}"><title>{escape(_title(one))}</title><path d="{path}"></path></g>'
    return Markup(html)  # noqa: S704 - the words are escaped, the rest are numbers


def _path(sort: MomentKind, x: float, y: float) -> str:
    return PATHS[sort] % {"x": x, "l": x - 4, "a": y - 4.5, "y": y}


def label(one: Moment) -> str:
    """Return the label of a mark: the problem, and the count."""
    times = _times(one)
    if one.sort not in LABELLED:
        return times
    words = "futile" if one.sort is MomentKind.FUTILE else one.text.split(": ")[-1]
    return f"{words} {times}".strip()


def _title(one: Moment) -> str:
    when = f"{one.at / 1000:+.0f} ms"
    if one.end > one.at:
        when += f" to {one.end / 1000:+.0f} ms"
    return f"{when}, {one.lane}: {one.text} {_times(one)}".rstrip()


def _times(one: Moment) -> str:
    return f"\N{MULTIPLICATION SIGN}{one.count}" if one.count > 1 else ""


def text_width(words: str) -> float:
    """Return the estimated width of a label in units of the picture."""
    return len(words) * 6.1


def text(x: float, y: float, words: str, *, on_bar: bool = False) -> Markup:
    """Return a label as SVG; one on a bar has a halo."""
    kind = "label halo" if on_bar else "label"
    return Markup(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(words)}</text>')  # noqa: S704 - escaped


def band(y: float, height: float, name: str, note: str, width: int) -> Markup:
    """Return the background of a lane with its name."""
    return BAND.format(y=y + 1, width=width, height=height - 2, name=name, note=note, name_y=y + 21, note_y=y + 36)


def tick(x: float, top: float, bottom: float, words: str) -> Markup:
    """Return a line of the time axis."""
    return TICK.format(x=f"{x:.1f}", top=top, bottom=bottom, text_y=bottom + 16, label=words)


def stage(one: Moment, x: float, level: int, bottom: float, *, to_right: bool) -> Markup:
    """Return a line through all lanes for a change of the brokers."""
    y = 2 + LEVEL * level
    return STAGE.format(
        title=_title(one),
        x=f"{x:.1f}",
        y=y,
        bottom=bottom,
        text_x=f"{x + (4 if to_right else -4):.1f}",
        text_y=y + 10,
        anchor="start" if to_right else "end",
        label=one.text,
    )
