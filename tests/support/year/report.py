"""Rounds of a year as a table and as a picture: what grows once retention holds. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from scipy import stats

from probe.site.pages.cost_picture import COLOURS

LINES: Mapping[str, tuple[str, str]] = {
    "kept_runs": ("stored runs", ""),
    "runs_mb": ("stored runs", "MB"),
    "runs_files": ("files of stored runs", ""),
    "settled_mb": ("settled cells", "MB"),
    "site_mb": ("site", "MB"),
    "cache_mb": ("cache", "MB"),
    "temporary_files": ("temporary files", ""),
    "run_cpu_s": ("run: processor", "s"),
    "run_peak_mb": ("run: largest process", "MB"),
    "publish_cpu_s": ("run that publishes: processor", "s"),
    "publish_peak_mb": ("run that publishes: largest process", "MB"),
    "prune_cpu_s": ("prune: processor", "s"),
    "run_wall_s": ("run: time", "s"),
    "publish_wall_s": ("run that publishes: time", "s"),
}
"""Columns of a row: what they are, and their unit."""
SMALL = 0.02
"""A line that grows by up to this share of the mean, over all rounds that count, is flat."""
SURE = 2.0
"""Standard errors that a growth may be off by."""
FEWEST = 8
"""Rounds below which a slope says nothing."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, COLUMNS = 380, 150, 52, 14, 30, 26, 2
"""Pixels of a plot with its margins, and the number of plots beside each other."""

Rows = Sequence[Mapping[str, str]]
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Trend:
    """A straight line through rounds by least squares."""

    mean: float
    slope: float
    """Growth per round."""
    error: float
    """Standard error of the slope."""
    rounds: float
    """Rounds between the first and the last."""

    @property
    def growth(self) -> float:
        """The growth over all rounds, as a share of the mean."""
        return self.slope * self.rounds / self.mean if self.mean else 0.0

    @property
    def word(self) -> str:
        """The answer: whether the growth is below or above what counts as flat, with its error on either side."""
        doubt = SURE * self.error * self.rounds / self.mean if self.mean else 0.0
        if self.growth + doubt <= SMALL:
            return "flat"
        return "grows" if self.growth - doubt > SMALL else "undecided"


def points(rows: Rows, column: str) -> Points:
    """Return round and value where a column has one."""
    return [(float(row["round"]), float(row[column])) for row in rows if row[column]]


def trend(found: Points) -> Trend | None:
    """Fit a line; None for too few points."""
    if len(found) < FEWEST:
        return None
    places, values = zip(*found, strict=True)
    mean = sum(values) / len(values)
    if min(values) == max(values):
        return Trend(mean, 0.0, 0.0, places[-1] - places[0])
    line = stats.linregress(places, values)
    return Trend(mean, float(line.slope), float(line.stderr), places[-1] - places[0])


def table(rows: Rows, settled_from: int) -> Iterator[str]:
    """Yield the lines of a table: each column, its first and last value, and its trend from a round on."""
    yield f"| from round {settled_from} on | first | last | per 100 rounds, with its standard error | in all | |"
    yield "|---|---|---|---|---|---|"
    settled = [row for row in rows if float(row["round"]) >= settled_from]
    for column in LINES:
        found = points(settled, column)
        line = trend(found)
        values = ("", "", "too few rounds", "", "") if line is None else _told(found, line)
        yield f"| {' | '.join([_label(column), *values])} |"


def _told(found: Points, line: Trend) -> tuple[str, ...]:
    slope = f"{100 * line.slope:+.4g} ± {100 * line.error:.2g}"
    ends = (f"{value:.4g}" for _, value in (found[0], found[-1]))
    return (*ends, slope, f"{line.growth:+.1%}", line.word)


def _label(column: str) -> str:
    label, unit = LINES[column]
    return f"{label}, {unit}" if unit else label


def picture(rows: Rows, settled_from: int) -> str:
    """Return all columns as plots of one SVG, rounds from left to right; a dashed line is the trend that counts."""
    lines = -(-len(LINES) // COLUMNS)
    title = "A schedule's year: what each round takes and leaves"
    plots = [
        f'<g transform="translate({nth % COLUMNS * WIDTH} {40 + nth // COLUMNS * HEIGHT})">{plot}</g>'
        for nth, plot in enumerate(
            _plot(rows, column, settled_from, COLOURS[nth % len(COLOURS)]) for nth, column in enumerate(LINES)
        )
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {50 + lines * HEIGHT}" '
            'font-family="sans-serif" font-size="11" role="img">',
            f"<title>{title}</title>",
            f'<rect width="{COLUMNS * WIDTH}" height="{50 + lines * HEIGHT}" fill="#ffffff"/>',
            f'<text x="{LEFT}" y="22" font-size="14">{title}</text>',
            *plots,
            "</svg>\n",
        ]
    )


def _plot(rows: Rows, column: str, settled_from: int, colour: str) -> str:
    found = points(rows, column)
    last = max([float(row["round"]) for row in rows], default=1.0) or 1.0
    top = max([value for _, value in found], default=1.0) * 1.1 or 1.0
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(number: float, value: float) -> str:
        return f"{LEFT + number / last * wide:.1f},{TOP + high - value / top * high:.1f}"

    parts = [
        f'<text x="{LEFT}" y="{TOP - 8}" font-weight="600">{escape(_label(column))}</text>',
        f'<path d="M{place(0, top)} L{place(0, 0)} L{place(last, 0)}" fill="none" stroke="#888888"/>',
        *(
            f'<text x="{LEFT - 6}" y="{TOP + high - share * high + 4:.1f}" text-anchor="end">{share * top:.3g}</text>'
            for share in (0, 0.5, 1)
        ),
        *(
            f'<text x="{LEFT + share * wide:.1f}" y="{HEIGHT - 10}" text-anchor="middle">{share * last:.0f}</text>'
            for share in (0, 0.5, 1)
        ),
        f'<polyline points="{" ".join(place(*one) for one in found)}" fill="none" stroke="{colour}"/>',
    ]
    if last > settled_from:
        parts.append(f'<path d="M{place(settled_from, 0)} L{place(settled_from, top)}" stroke="#bbbbbb"/>')
    line = trend([one for one in found if one[0] >= settled_from])
    if line is not None:
        middle = sum(number for number, _ in found if number >= settled_from) / sum(
            one[0] >= settled_from for one in found
        )
        ends = [
            (number, line.mean + line.slope * (number - middle)) for number in (max(settled_from, found[0][0]), last)
        ]
        parts.append(
            f'<path d="M{place(*ends[0])} L{place(*ends[1])}" stroke="#000000" stroke-dasharray="5 3" fill="none"/>'
        )
    return "".join(parts)
