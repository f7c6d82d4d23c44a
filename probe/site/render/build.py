"""Build the published site from matrix.csv and the stored trials."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from probe.catalogue.families import Family
from probe.cells.aggregate import SettledCell
from probe.cells.sweeps import SweepResult
from probe.model import Cell, Client, Outcome
from probe.model.results import ResultsError
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow, read_matrix
from probe.site.data.outcome_signs import glyph_rules
from probe.site.data.run_history import read_run_history
from probe.site.data.source import Source, TrialRow
from probe.site.pages.all_pages import Pages, no_clients
from probe.site.pages.costs import NO_COSTS, KnownCosts
from probe.site.pages.feeds import feed
from probe.site.render.captures import take_captures
from probe.site.render.folder_replacement import replacing
from probe.site.render.render_workers import Renderer, RenderJob, page_name, render_all
from probe.site.render.reuse import Reuse, key

STATIC = Path(__file__).parents[1] / "static"
STYLE = "site.css"
FOLDERS = ("badge", "cell", "client", "scenario")


def no_files(_: Path) -> Mapping[str, bytes]:
    """Return no files; the default of `build`."""
    return {}


def build(
    matrix_csv: Path,
    results: Source,
    out: Path,
    inside: Callable[[Client], Sequence[str]] = no_clients,
    address: str = "",
    processes: int = 1,
    further: Callable[[Path], Mapping[str, bytes]] = no_files,
    listed: Sequence[Family] = (),
    sweeps: Sequence[SweepResult] = (),
    shipped: Sequence[SettledCell] = (),
    costs: KnownCosts = NO_COSTS,
) -> Path:
    """Write `<out>/site` completely, then rename it; return its index.html.

    Unchanged pages of cells are reused from the existing site. `inside` returns the applications that contain a client.
    `address` is the URL of the published site, for its feed. `processes` is the number of processes that render many
    cells. `further` returns further files of the site by path, given the site that stands. `listed` are the families of
    the catalogue, `sweeps` what is stored of sweeps, `shipped` cells of evidence for what these results lack, `costs`
    measured costs of a failover.
    Raises SiteError if matrix.csv is invalid or `<out>/site` was not made by the probe.
    """
    rows = read_matrix(matrix_csv)
    past = read_run_history(matrix_csv.parent)
    target = out / "site"
    with replacing(target) as fresh:
        for name in FOLDERS:
            (fresh / name).mkdir()
        shutil.copyfile(matrix_csv, fresh / "matrix.csv")
        (fresh / "feed.json").write_text(feed(past, address), encoding="utf-8")
        for name, data in further(target).items():
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_bytes(data)
        for path in STATIC.iterdir():
            shutil.copyfile(path, fresh / path.name)
        with (fresh / STYLE).open("a", encoding="utf-8") as style:
            style.write(glyph_rules())
        reuse = Reuse(target, fresh)
        index = CellIndex(rows)
        _write_cells(Renderer(Pages(index, past), results, fresh), reuse, processes)
        take_captures(target, reuse)
        pages = Pages(index, past, inside, listed, sweeps, shipped, costs)
        for name, text in (*pages.overviews(), *pages.badges()):
            (fresh / name).write_text(text, encoding="utf-8")
        reuse.save()
    return target / "index.html"


def _write_cells(desk: Renderer, reuse: Reuse, processes: int) -> None:
    """Write the page of every new or changed cell."""
    stale: list[tuple[MatrixRow, str]] = []
    stamp = cache(desk.results.stamp) if desk.results.stamp else None
    for row in desk.pages.answers.rows:
        made_of = key((*desk.pages.inputs(row), stamp(row.run_id) if stamp and row.run_id else ""))
        if stamp is None or not reuse.take(page_name(row), made_of):
            stale.append((row, made_of))
    sheets = _sheets(stale, desk.results)
    render_all(desk, sheets, processes)
    for one in sheets:
        reuse.note(one.name, one.key)


def _sheets(stale: Sequence[tuple[MatrixRow, str]], results: Source) -> list[RenderJob]:
    """Return render jobs with the trials of their cells. Every run is read once; unreadable runs have no trials."""
    found: dict[tuple[str, Cell], dict[int, TrialRow]] = {(row.run_id, row.cell): {} for row, _ in stale}
    for run_id in sorted({row.run_id for row, _ in stale} - {""}):
        with suppress(ResultsError):
            for stored in results.trials(run_id):
                own = found.get((run_id, stored.cell))
                if own is not None and stored.verdict.outcome is not Outcome.NOT_RUN:
                    own[stored.trial] = stored
    return [RenderJob(row, made_of, _by_number(found[row.run_id, row.cell])) for row, made_of in stale]


def _by_number(stored: dict[int, TrialRow]) -> tuple[TrialRow, ...]:
    return tuple(stored[number] for number in sorted(stored))
