"""The settled cells of a results folder, kept in `settled.sqlite` so that look-ups need not read the runs."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from probe.cells.aggregate import SettledCell, settle
from probe.cli.console.streams import say
from probe.errors import NothingJudgedError, ProbeError
from probe.evidence.access import opened
from probe.evidence.places import SETTLED
from probe.evidence.reader import EvidenceFile
from probe.evidence.schema import EvidenceError, Run
from probe.evidence.writer import Contents, extended, whole
from probe.model import CONTROL, Cell
from probe.model.handshake import Handshake
from probe.model.results import RUN_PREFIX, TRIALS, VERDICTS, ResultsError
from probe.model.run_ids import began, iso
from probe.store import trials as stored_trials
from probe.store.files import Place
from probe.store.handshakes import handshakes
from probe.store.lock import locked
from probe.store.reader import TrialRow

SETTLING = "settling"
WAIT_S = 60.0
"""Longest wait for another process that writes the file, in seconds."""


def keep_settled(results: str) -> None:
    """Write the settled cells after a run; a failure is one line, since the runs themselves are stored."""
    try:
        write_settled(results)
    except ProbeError as error:
        say(f"{SETTLED} is not up to date: {error}")


def write_settled(results: str) -> None:
    """Bring `settled.sqlite` up to date with the runs of a folder; it reads only what is new.

    ResultsError if nothing can be read or the file cannot be written.
    """
    with locked(results, SETTLING, wait_s=WAIT_S, say=say):
        place = Place(results)
        stamps = {run_id: _stamp(place, run_id) for run_id in place.run_ids()}
        if not stamps:
            return
        with _held(place) as held:
            data = _up_to_date(results, stamps, held)
        if data is not None:
            place.write_bytes(SETTLED, data)


def _up_to_date(results: str, stamps: Mapping[str, str], held: EvidenceFile | None) -> bytes | None:
    """Return the file for these runs; None if the one that is there has them."""
    known = {} if held is None else {run.run_id: run.stamp for run in held.runs}
    if held is None or any(stamps.get(run_id) != stamp for run_id, stamp in known.items()):
        return whole(read_runs(results, stamps))  # a run was judged again, continued or removed
    fresh = {run_id: stamp for run_id, stamp in stamps.items() if run_id not in known}
    return extended(held, read_runs(results, fresh)) if fresh else None


@contextmanager
def own_file(results: str) -> Iterator[EvidenceFile]:
    """Open the settled cells of a results folder. NothingJudgedError if there is no file."""
    with _held(Place(results)) as held:
        if held is None:
            raise NothingJudgedError(f"{results} has no {SETTLED}; `probe run` makes trials, `probe matrix` the file")
        yield held


def read_runs(results: str, stamps: Mapping[str, str]) -> Contents:
    """Settle the trials of some runs."""
    cells = settle(_rows(results, stamps))
    runs = [
        Run(run_id=run_id, started=iso(start) if (start := began(run_id)) else "", stamp=stamp)
        for run_id, stamp in stamps.items()
    ]
    return Contents(cells=cells, runs=runs, handshakes=_handshakes(results, cells.values()))


def _rows(results: str, runs: Iterable[str]) -> Iterator[TrialRow]:
    for run_id in runs:
        try:
            yield from stored_trials(results, run_id, say)
        except ResultsError as error:
            say(str(error))


def _handshakes(results: str, cells: Collection[SettledCell]) -> dict[Cell, tuple[Handshake, ...]]:
    """Return the handshakes of the control cells, one trial each."""
    by_run: dict[str, set[tuple[Cell, int]]] = defaultdict(set)
    for item in cells:
        if item.cell.scenario == CONTROL:
            by_run[item.run_id].add((item.cell, item.trial))
    found: dict[Cell, tuple[Handshake, ...]] = {}
    for run_id, wanted in by_run.items():
        found.update(handshakes(results, run_id, wanted, say))
    return found


def _stamp(place: Place, run_id: str) -> str:
    """Return a digest of the names of a run's files; files are only added."""
    paths = [path for kind in (TRIALS, VERDICTS) for path in place.files(f"{RUN_PREFIX}{run_id}/{kind}")]
    return hashlib.sha256("\n".join(paths).encode()).hexdigest()[:16]


@contextmanager
def _held(place: Place) -> Iterator[EvidenceFile | None]:
    """Open the file that is there; None if there is none, or none that this program can read."""
    with ExitStack() as stack:
        found = None
        if place.exists(SETTLED):
            try:
                found = stack.enter_context(opened(place.read_bytes(SETTLED), f"{place.name}/{SETTLED}"))
                _ = found.runs
            except EvidenceError as error:
                say(f"{error}; it is made again")
        yield found
