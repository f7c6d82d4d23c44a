"""Draws the pages of cells: here, or those of a whole matrix in several processes."""

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

from probe.model.grades import worst
from probe.model.results import ResultsError
from probe.site.data.matrix_rows import MatrixRow, SiteError
from probe.site.data.source import Key, Source, TrialRow
from probe.site.pages.all_pages import Pages
from probe.site.render.captures import with_captures
from probe.site.timeline.trial_view import TrialView, view

BATCH = 100
"""Trials that are drawn in one go: a dozen files of a run, and some 20 MB of pictures."""
MIN_PARALLEL_PAGES = 400
"""For fewer trials processes would take longer to start than they save."""
STUCK_S = 300.0
"""A batch takes some seconds; whoever draws it is gone if it is not there after so long."""
Line: TypeAlias = "Connection[Any, Any]"
"""Batches go one way, and what went wrong with them, mostly nothing, the other."""


@dataclass(frozen=True, slots=True)
class RenderJob:
    """A cell whose page is to be drawn, and the trials of its run by number."""

    row: MatrixRow
    key: str
    """Digest of all that the page is made of."""
    stored: tuple[TrialRow, ...]

    @property
    def name(self) -> str:
        """Return the page's place in the site."""
        return page_name(self.row)

    def worst(self) -> int | None:
        """Return the severity of the worst trial that entered the matrix; None where nothing is asked."""
        entered = (one.verdict for one in self.stored if not one.shortened)
        return worst(entered)


@dataclass(frozen=True, slots=True)
class Renderer:
    """Where pages are drawn."""

    pages: Pages
    results: Source
    fresh: Path
    """The new site's folder."""

    def render(self, sheets: Sequence[RenderJob]) -> None:
        """Write the pages of cells of one run; of what cannot be read, without pictures."""
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
    """Return the place of a cell's page in the site."""
    return f"cell/{row.slug}.html"


def render_all(desk: Renderer, sheets: Sequence[RenderJob], processes: int) -> None:
    """Write the pages of all sheets; in so many processes where that pays. SiteError if one of them is lost."""
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
                    with _told_if_lost(desk):
                        line.send(following)


def _ready(busy: Collection[Line], desk: Renderer) -> Iterator[Line]:
    """Yield the lines of who has drawn its batch, or has just begun; raise what went wrong there."""
    ready = [line for line in wait(list(busy), STUCK_S) if isinstance(line, Connection)]
    if not ready:
        raise _lost(desk, f"said nothing for {STUCK_S:.0f} s")
    for line in ready:
        with _told_if_lost(desk):
            failure = line.recv()
        if failure is not None:
            raise failure
        yield line


@contextlib.contextmanager
def _told_if_lost(desk: Renderer) -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError):
        raise _lost(desk, "has ended") from None


def _lost(desk: Renderer, what: str) -> SiteError:
    return SiteError(f"{desk.fresh}: a process that drew pages {what}, as where memory is full; repeat the command")


@contextlib.contextmanager
def _rendering(desk: Renderer) -> Iterator[Line]:
    """Start a process that draws; give the line to it. It is gone after the block, and if we are killed."""
    context = multiprocessing.get_context("spawn")
    line, theirs = context.Pipe()
    with contextlib.closing(line), contextlib.closing(theirs):
        process = context.Process(target=_serve, args=(theirs, desk), daemon=True)
        # it inherits the mask: ^C is its parent's affair
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()  # it has its own: ours would keep the line open when it ends
        try:
            yield line
        finally:
            process.kill()  # its pages go with the folder, or are written whole
            process.join()


def _serve(line: Line, desk: Renderer) -> None:
    """In a process of its own: draw what comes, until the line is closed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    gc.disable()  # a batch is a million objects, nearly all without cycles; looking for them was a fifth of the reading
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
    except Exception as error:  # noqa: BLE001  # it is raised where the site is built
        return error
    return None


def _batches(sheets: Sequence[RenderJob]) -> Iterator[Sequence[RenderJob]]:
    """Cut the sheets of each run, in the order in which their trials lie in files, into batches of BATCH trials."""
    ordered = sorted(sheets, key=lambda one: (one.row.run_id, one.stored[0].part if one.stored else ""))
    for _, of_run in itertools.groupby(ordered, key=lambda one: one.row.run_id):
        batch: list[RenderJob] = []
        for sheet in of_run:
            batch.append(sheet)
            if sum(max(1, len(one.stored)) for one in batch) >= BATCH:
                yield batch
                batch = []
        if batch:
            yield batch
