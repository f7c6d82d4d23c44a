"""Render the pages of cells: in this process, or in several processes for a large matrix."""

from __future__ import annotations

import contextlib
import gc
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeAlias

from probe.model.results import ResultsError
from probe.site.data.matrix_rows import MatrixRow, SiteError
from probe.site.data.source import Key, Source, TrialRow
from probe.site.pages.all_pages import Pages
from probe.site.render.captures import with_captures
from probe.site.timeline.trial_view import TrialView, view

BATCH = 100
"""Number of trials per batch; twice as many if they are in the same file."""
MIN_PARALLEL_PAGES = 400
"""For fewer trials, starting processes takes longer than it saves."""
STUCK_S = 300.0
"""A batch takes some seconds; a worker that does not answer in this time counts as lost."""
Line: TypeAlias = "Connection[Any, Any]"
"""A connection: batches go to a worker, and it returns an exception or None."""


@dataclass(frozen=True, slots=True)
class RenderJob:
    """A cell whose page is rendered, and the trials of its run by number."""

    row: MatrixRow
    key: str
    """Digest of the inputs of the page."""
    stored: tuple[TrialRow, ...]

    @property
    def name(self) -> str:
        """The path of the page in the site."""
        return page_name(self.row)


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders pages into a folder."""

    pages: Pages
    results: Source
    fresh: Path
    """The folder of the new site."""

    def render(self, sheets: Sequence[RenderJob]) -> None:
        """Write the pages of cells of one run; trials whose histories cannot be read have no pictures."""
        stored = {(one.cell, one.trial): one for sheet in sheets for one in sheet.stored}
        views: dict[Key, TrialView] = {}
        with contextlib.suppress(ResultsError):
            parts = {one.part for one in stored.values()}
            for history in self.results.histories(sheets[0].row.run_id, stored.keys(), parts) if stored else ():
                key = (history.header.cell, history.header.trial)
                views[key] = view(stored[key], history)
        for sheet in sheets:
            shown = [views.get((one.cell, one.trial)) or view(one) for one in sheet.stored]
            whole = with_captures(sheet.row, shown, self.results, self.fresh)
            (self.fresh / sheet.name).write_text(self.pages.cell(sheet.row, whole), encoding="utf-8")


def page_name(row: MatrixRow) -> str:
    """Return the path of a cell's page in the site."""
    return f"cell/{row.slug}.html"


def render_all(desk: Renderer, sheets: Sequence[RenderJob], processes: int) -> None:
    """Render all sheets, in `processes` processes if that is faster. SiteError if a process is lost."""
    batches = _batches(sheets)
    if processes < 2 or sum(len(sheet.stored) for sheet in sheets) < MIN_PARALLEL_PAGES:
        for batch in batches:
            desk.render(batch)
        return
    with contextlib.ExitStack() as stack:
        busy = {stack.enter_context(_rendering(desk)) for _ in range(processes)}
        while busy:
            for line in _ready(busy, desk):
                following = next(batches, None)
                if following is None:
                    busy.discard(line)
                else:
                    with _error_if_lost(desk):
                        line.send(following)


def _ready(busy: Collection[Line], desk: Renderer) -> Iterator[Line]:
    """Yield connections of workers that are ready for a batch; raise the error of a worker."""
    ready = [line for line in wait(list(busy), STUCK_S) if isinstance(line, Connection)]
    if not ready:
        raise _lost(desk, f"did not answer for {STUCK_S:.0f} s")
    for line in ready:
        with _error_if_lost(desk):
            failure = line.recv()
        if failure is not None:
            raise failure
        yield line


@contextlib.contextmanager
def _error_if_lost(desk: Renderer) -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError):
        raise _lost(desk, "has ended") from None


def _lost(desk: Renderer, what: str) -> SiteError:
    return SiteError(f"{desk.fresh}: a process that rendered pages {what} (memory may be full); repeat the command")


@contextlib.contextmanager
def _rendering(desk: Renderer) -> Iterator[Line]:
    """Start a worker and yield the connection to it. The worker ends with the block and with this process."""
    context = multiprocessing.get_context("spawn")
    line, theirs = context.Pipe()
    with contextlib.closing(line), contextlib.closing(theirs):
        process = context.Process(target=_serve, args=(theirs, desk), daemon=True)
        # the worker inherits the mask: only the parent handles SIGINT
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()  # the worker has a copy; ours would keep the connection open after the worker's end
        try:
            yield line
        finally:
            process.kill()  # safe: its pages are complete, or the folder is removed
            process.join()


def _serve(line: Line, desk: Renderer) -> None:
    """Render the batches from the connection until it is closed. Runs in a worker."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    gc.disable()  # nearly all objects of a batch are without cycles; collection takes a large part of the time
    line.send(None)
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            line.send(_rendered(desk, line.recv()))
            gc.collect()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _rendered(desk: Renderer, sheets: Sequence[RenderJob]) -> Exception | None:
    try:
        desk.render(sheets)
    except Exception as error:  # noqa: BLE001  # the parent raises it
        return error
    return None


def _batches(sheets: Sequence[RenderJob]) -> Iterator[Sequence[RenderJob]]:
    """Split the sheets of every run into batches of BATCH trials or more; few files are read for two batches."""
    ordered = sorted(sheets, key=_files)
    for _, of_run in itertools.groupby(ordered, key=lambda one: one.row.run_id):
        batch: list[RenderJob] = []
        trials = 0
        for _, together in itertools.groupby(of_run, key=_files):
            for sheet in together:
                batch.append(sheet)
                trials += max(1, len(sheet.stored))
                if trials >= 2 * BATCH:
                    yield batch
                    batch, trials = [], 0
            if trials >= BATCH:
                yield batch
                batch, trials = [], 0
        if batch:
            yield batch


def _files(sheet: RenderJob) -> tuple[str, str]:
    """Return the run of a cell, and the name of the files with its first trial."""
    return sheet.row.run_id, sheet.stored[0].part if sheet.stored else ""
