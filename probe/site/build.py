"""Builds the published site from matrix.csv and the stored trials behind it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from probe.model import Cell, Outcome
from probe.model.results import ResultsError
from probe.site.pages import Pages
from probe.site.publish import replacing
from probe.site.rows import MatrixRow, read_matrix
from probe.site.source import Source, TrialRow
from probe.site.trials import TrialView, view

STATIC = Path(__file__).parent / "static"


@dataclass(slots=True)
class _Pending:
    """A cell whose trials are being read; its page is written once all are there."""

    row: MatrixRow
    stored: dict[int, TrialRow] = field(default_factory=dict)
    views: dict[int, TrialView] = field(default_factory=dict)

    def trials(self) -> list[TrialView]:
        return [self.views.get(number) or view(self.stored[number]) for number in sorted(self.stored)]


def build(matrix_csv: Path, results: Source, out: Path) -> Path:
    """Write `<out>/site` as a whole (a reader never sees half of it) and return its index.html.

    Raises SiteError where matrix.csv does not fit or `<out>/site` holds something that the probe did not make.
    """
    rows = read_matrix(matrix_csv)
    target = out / "site"
    with replacing(target) as fresh:
        (fresh / "cell").mkdir()
        shutil.copyfile(matrix_csv, fresh / "matrix.csv")
        for name in ("site.css", "site.js"):
            shutil.copyfile(STATIC / name, fresh / name)
        pages = Pages(rows)
        (fresh / "index.html").write_text(pages.index(), encoding="utf-8")
        for row, trials in _cells(rows, results):
            (fresh / "cell" / f"{row.slug}.html").write_text(pages.cell(row, trials), encoding="utf-8")
    return target / "index.html"


def _cells(rows: Sequence[MatrixRow], results: Source) -> Iterator[tuple[MatrixRow, list[TrialView]]]:
    """Read each run once, and hand out a cell as soon as its last trial was met."""
    by_run: dict[str, dict[Cell, MatrixRow]] = {}
    for row in rows:
        by_run.setdefault(row.run_id, {})[row.cell] = row
    for run_id, cells in by_run.items():
        pending = {cell: _Pending(row) for cell, row in cells.items()}
        if run_id:
            yield from _read(run_id, pending, results)
        for one in pending.values():
            yield one.row, one.trials()


def _read(run_id: str, pending: dict[Cell, _Pending], results: Source) -> Iterator[tuple[MatrixRow, list[TrialView]]]:
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
                yield one.row, one.trials()
