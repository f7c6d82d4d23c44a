"""Builds the published site from matrix.csv and the stored trials behind it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from probe.model import Cell, Client, Outcome
from probe.model.grades import badness
from probe.model.results import ResultsError
from probe.site.answers import Answers
from probe.site.captured import take_captures, with_captures
from probe.site.feeds import feed
from probe.site.pages import Pages
from probe.site.past import read_past
from probe.site.publish import replacing
from probe.site.reuse import Reuse, key
from probe.site.rows import MatrixRow, read_matrix
from probe.site.source import Source, TrialRow
from probe.site.trials import TrialView, view

STATIC = Path(__file__).parent / "static"
FOLDERS = ("cell", "client", "scenario")


@dataclass(slots=True)
class _Pending:
    """A cell whose trials are being read; its page is written once all are there."""

    row: MatrixRow
    key: str
    stored: dict[int, TrialRow] = field(default_factory=dict)
    views: dict[int, TrialView] = field(default_factory=dict)

    def trials(self) -> list[TrialView]:
        return [self.views.get(number) or view(self.stored[number]) for number in sorted(self.stored)]

    def worst(self) -> int | None:
        """Return the badness of the worst trial that entered the matrix; None where nothing is asked."""
        entered = (one.verdict for one in self.stored.values() if not one.shortened)
        return max((bad for one in entered if (bad := badness(one.outcome, one.conforms)) is not None), default=None)


def nobody(_: Client) -> Sequence[str]:
    """Know of no application."""
    return ()


def build(
    matrix_csv: Path,
    results: Source,
    out: Path,
    inside: Callable[[Client], Sequence[str]] = nobody,
    address: str = "",
) -> Path:
    """Write `<out>/site` as a whole (a reader never sees half of it) and return its index.html.

    Pages of cells that come out the same are taken over from the site that stands. `inside` names the applications that
    have a client inside; `address` is where the site is published, for its feed. Raises SiteError where matrix.csv
    does not fit or `<out>/site` holds something that the probe did not make.
    """
    rows = read_matrix(matrix_csv)
    past = read_past(matrix_csv.parent)
    target = out / "site"
    with replacing(target) as fresh:
        for name in FOLDERS:
            (fresh / name).mkdir()
        shutil.copyfile(matrix_csv, fresh / "matrix.csv")
        (fresh / "feed.json").write_text(feed(past, address), encoding="utf-8")
        for path in STATIC.iterdir():
            shutil.copyfile(path, fresh / path.name)
        reuse = Reuse(target, fresh)
        worst = _write_cells(Pages(Answers(rows), past), results, reuse, fresh)
        take_captures(target, reuse)
        for name, text in Pages(Answers(rows, worst), past, inside).overviews():
            (fresh / name).write_text(text, encoding="utf-8")
        reuse.save()
    return target / "index.html"


def _write_cells(pages: Pages, results: Source, reuse: Reuse, fresh: Path) -> dict[Cell, int | None]:
    """Write the page of every cell that is new or changed; return the worst trial of those whose trials disagree."""
    worst: dict[Cell, int | None] = {}
    stale: list[_Pending] = []
    stamp = cache(results.stamp) if results.stamp else None
    for row in pages.answers.rows:
        made_of = key((*pages.inputs(row), stamp(row.run_id) if stamp and row.run_id else ""))
        if stamp is None or not reuse.take(_name(row), made_of):
            stale.append(_Pending(row, made_of))
        elif row.outcome is Outcome.FLAKY:
            worst[row.cell] = reuse.worst(_name(row))
    for one in _read_cells(stale, results):
        views = with_captures(one.row, one.trials(), results, fresh)
        (fresh / _name(one.row)).write_text(pages.cell(one.row, views), encoding="utf-8")
        flaky = one.row.outcome is Outcome.FLAKY
        if flaky and one.stored:
            worst[one.row.cell] = one.worst()
        if one.stored or not flaky:
            reuse.note(_name(one.row), one.key, one.worst())
    return worst


def _name(row: MatrixRow) -> str:
    return f"cell/{row.slug}.html"


def _read_cells(stale: Sequence[_Pending], results: Source) -> Iterator[_Pending]:
    """Read each run once, and hand out a cell as soon as its last trial was met."""
    by_run: dict[str, dict[Cell, _Pending]] = {}
    for one in stale:
        by_run.setdefault(one.row.run_id, {})[one.row.cell] = one
    for run_id, pending in by_run.items():
        if run_id:
            yield from _read(run_id, pending, results)
        yield from pending.values()


def _read(run_id: str, pending: dict[Cell, _Pending], results: Source) -> Iterator[_Pending]:
    """Hand out the cells whose every trial could be read, and take them from `pending`; a lost run leaves all there."""
    with suppress(ResultsError):
        for stored in results.trials(run_id):
            if stored.cell in pending and stored.verdict.outcome is not Outcome.NOT_RUN:
                pending[stored.cell].stored[stored.trial] = stored
        wanted = {(cell, number) for cell, one in pending.items() for number in one.stored}
        for history in results.histories(run_id, wanted):
            cell, number = history.header.cell, history.header.trial
            one = pending.get(cell)
            if one is None or number not in one.stored:
                continue
            one.views[number] = view(one.stored[number], history)
            if len(one.views) == len(one.stored):
                del pending[cell]
                yield one
