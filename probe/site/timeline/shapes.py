"""The marks of a timeline as SVG text. Every sort has its own shape; the style sheet has the colours.

The words are escaped here. `Markup.format` would take most of the time of a page.
"""

from __future__ import annotations

from functools import lru_cache

from markupsafe import escape

from probe.site.timeline.moments import Moment, MomentKind

TOP = 60
"""Height of the area with the names of the stages."""
BOTTOM = 22
"""Height of the axis."""
LEVEL = 14
"""Distance of two staggered names."""
LEVELS = 4

PATHS = {
    MomentKind.ASK: (0.0, -4.5, " l5.5,9 h-11 z"),
    MomentKind.ASK_STALE: (0.0, -4.5, " l5.5,9 h-11 z"),
    MomentKind.WORK: (0.0, -4.5, " v10"),
    MomentKind.BEGUN: (0.0, -4.5, " v10"),
    MomentKind.DONE: (0.0, -4.5, " v10"),
    MomentKind.ERROR: (-4.0, -4.5, " l8,9 m0,-9 l-8,9"),
    MomentKind.FAILED: (-4.0, -4.5, " l8,9 m0,-9 l-8,9"),
    MomentKind.CUT: (0.0, -4.5, " v10 m-3,-10 l6,10"),
    MomentKind.FUTILE: (-4.0, -4.5, " h8 v8 h-8 z"),
    MomentKind.SILENT: (-4.0, 0.0, " a4,4 0 1 0 8,0 a4,4 0 1 0 -8,0"),
    MomentKind.OPENED: (-4.0, 0.0, " h8 m-4,-4 v8"),
    MomentKind.CLOSED: (-4.0, 0.0, " h8"),
    MomentKind.STATE: (0.0, -4.5, " l4.5,4.5 l-4.5,4.5 l-4.5,-4.5 z"),
}
"""Path of a moment: where it begins, relative to the middle of the mark, and the rest. A gap is its bar alone."""
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


@lru_cache(4096)
def escaped(words: str) -> str:
    """Return words as HTML; a page repeats most of them."""
    return str(escape(words))


def svg(name: str, width: int, height: int, title: str, desc: str, body: str) -> str:
    """Return a picture; `name` makes its ids unique within a page, `body` is SVG."""
    name = escaped(name)
    return (
        f'<svg class="timeline" role="img" viewBox="0 0 {width} {height}" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(desc)}</desc>{body}</svg>'
    )


def mark(one: Moment, left: float, right: float, y: float) -> str:
    """Return a moment as a mark, or a run of moments as a bar with marks at both ends."""
    path = ""
    if shape := PATHS.get(one.sort):
        aside, above, rest = shape
        path = f"M{left + aside:.1f},{y + above:.1f}{rest}"
        if one.count > 1 and right != left:
            path += f"M{right + aside:.1f},{y + above:.1f}{rest}"
    if right - left > 1:
        path += f" M{left:.1f},{y:.1f} H{right:.1f}"
    return f'<g class="mark {one.sort.value}"><title>{_title(one)}</title><path d="{path}"></path></g>'


def label(one: Moment) -> str:
    """Return the label of a mark: the problem, and the count."""
    times = _times(one)
    if one.sort not in LABELLED:
        return times
    words = "futile" if one.sort is MomentKind.FUTILE else one.text.split(": ")[-1]
    return f"{words} {times}".strip()


def _title(one: Moment) -> str:
    """Return the title of a mark as HTML."""
    at, _, lane, text, until, count = one
    when = f"{at / 1000:+.0f} ms"
    if until is not None and until > at:
        when += f" to {until / 1000:+.0f} ms"
    words = f"{when}, {escaped(lane)}: {escaped(text)}"
    return f"{words} {_times(one)}" if count > 1 else words.rstrip()


def _times(one: Moment) -> str:
    return f"\N{MULTIPLICATION SIGN}{one.count}" if one.count > 1 else ""


def text_width(words: str) -> float:
    """Return the estimated width of a label in units of the picture."""
    return len(words) * 6.1


def text(x: float, y: float, words: str, *, on_bar: bool = False) -> str:
    """Return a label as SVG; one on a bar has a halo."""
    kind = "label halo" if on_bar else "label"
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escaped(words)}</text>'


def band(y: float, height: float, name: str, note: str, width: int) -> str:
    """Return the background of a lane with its name."""
    return (
        f'<g class="lane"><rect x="0" y="{y + 1}" width="{width}" height="{height - 2}"></rect>'
        f'<text x="8" y="{y + 21}" class="lane-name">{escaped(name)}</text>'
        f'<text x="8" y="{y + 36}" class="lane-note">{escaped(note)}</text></g>'
    )


def tick(x: float, top: float, bottom: float, words: str) -> str:
    """Return a line of the time axis."""
    return (
        f'<g class="tick"><line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"></line>'
        f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{escaped(words)}</text></g>'
    )


def stage(one: Moment, x: float, level: int, bottom: float, *, to_right: bool) -> str:
    """Return a line through all lanes for a change of the brokers."""
    y = 2 + LEVEL * level
    text_x, anchor = (x + 4, "start") if to_right else (x - 4, "end")
    return (
        f'<g class="stage"><title>{_title(one)}</title><line x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{bottom}"></line>'
        f'<text x="{text_x:.1f}" y="{y + 10}" text-anchor="{anchor}">{escaped(one.text)}</text></g>'
    )
