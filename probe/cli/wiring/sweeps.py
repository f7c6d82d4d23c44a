"""Stored sweeps: what a run's trials say, and all sweeps of a results folder for the site."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from probe.cells.sweeps import CSV_COLUMNS, SweepResult, csv_rows, sweep_results
from probe.cli.console.streams import say
from probe.errors import NothingJudgedError, ProbeError, reason_of
from probe.files.atomic_writes import write_file
from probe.model.results import ResultsError
from probe.store import trials as stored_trials
from probe.store.sweeps import sweep_runs


def sweeps_of(results: str, run_id: str) -> list[SweepResult]:
    """Return what a run measured. NothingJudgedError if it has no trial of a sweep, ResultsError without the run."""
    found = sweep_results(stored_trials(results, run_id))
    if not found:
        raise NothingJudgedError(f"run {run_id} has no trial of a sweep; `probe sweep --over ...` makes one")
    return found


def stored_sweeps(results: str) -> list[SweepResult]:
    """Return the sweeps of a results folder; a run that cannot be read is named and left out."""
    return [one for run_id in sweep_runs(results) for one in _readable(results, run_id)]


def _readable(results: str, run_id: str) -> Iterator[SweepResult]:
    try:
        yield from sweep_results(stored_trials(results, run_id, say))
    except ResultsError as error:
        say(str(error))


def write_csv(results: Sequence[SweepResult], path: Path) -> None:
    """Write sweeps as one CSV file. ProbeError if it cannot be written."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(row for result in results for row in csv_rows(result))
    _write(path, text.getvalue())


def write_svg(results: Sequence[SweepResult], path: Path) -> None:
    """Write a picture per sweep, with a number from the second on. ProbeError if a file cannot be written."""
    from probe.site.render.sweep_file import sweep_file  # noqa: PLC0415  # loads the templates

    for number, result in enumerate(results, start=1):
        _write(path if number == 1 else path.with_stem(f"{path.stem}-{number}"), sweep_file(result))


def _write(path: Path, text: str) -> None:
    try:
        write_file(path, text.encode())
    except OSError as error:
        raise ProbeError(f"{path} cannot be written: {reason_of(error)}; free the place or name another") from error
