"""Reports of a run for pipelines and monitoring: JUnit XML, a Markdown summary, metrics, a gate."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from probe.cells.aggregate import SettledCell, settle
from probe.cli.console.streams import say
from probe.errors import GateError, ProbeError
from probe.files.atomic_writes import write_file
from probe.model import Cell
from probe.model.results import ResultsError
from probe.reports.gates import NO_GATE, Gate, stopped
from probe.reports.junit import junit
from probe.reports.markdown import summary
from probe.reports.metrics import metrics
from probe.reports.run_report import Report, run_cells
from probe.store import TrialRow, run_info, runs
from probe.store import trials as stored_trials

METRICS = "metrics.prom"
"""The metrics file in the results folder; a URL gets none."""


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports and the gate of a run."""

    gate: Gate = NO_GATE
    junit: Path | None = None
    summary: Path | None = None

    def prepare(self) -> None:
        """Check before a long run that the files can be written. ProbeError with the first that cannot."""
        for path in (self.junit, self.summary):
            if path is not None:
                _check(path)

    def make(self, results: str, run_id: str, planned: Collection[Cell] = ()) -> Report:
        """Read a stored run, write its reports, and return it. ProbeError if a file cannot be written.

        The report has the number of `planned` cells that were not run.
        """
        found = read_report(results, run_id, before=self.gate.worse or self.summary is not None)
        report = replace(found, left=sum(1 for cell in planned if cell not in found.cells))
        if self.gate.worse and (apart := report.not_comparable()):
            say(f"{apart} of {len(report.cells)} cells are not compared: their earlier results have other conditions")
        if self.junit is not None:
            write(self.junit, junit(report))
        if self.summary is not None:
            write(self.summary, summary(report, self.gate))
        if "://" not in results:
            write(Path(results) / METRICS, metrics(report))
        return report

    def make_partial(self, results: str, run_id: str, planned: Collection[Cell]) -> None:
        """Write the reports of an interrupted run; errors are only printed."""
        try:
            self.make(results, run_id, planned)
        except ProbeError as error:
            say(str(error))

    def check(self, report: Report) -> None:
        """Raise GateError if the gate fails."""
        if failed := stopped(self.gate, report.cells, report.before):
            raise GateError(gate_text(self.gate, failed, len(report.cells)))


NO_REPORTS = Reports()


def gate_text(gate: Gate, failed: list[SettledCell], count: int) -> str:
    """Return the message of a failed gate: the number of cells and the first of them."""
    first = failed[0]
    return (
        f"--fail-on {str(gate).replace(', ', ',')}: {len(failed)} of {count} cells, the first is {first.cell} "
        f"({first.tally}); `probe show` has their timelines"
    )


def read_report(results: str, run_id: str, *, before: bool = True) -> Report:
    """Read a stored run; with `before`, also all earlier results of its cells. ResultsError if it does not exist."""
    about = run_info(results, run_id)
    ends = [str(shard.get("finished") or "") for shard in about.shards]
    return Report(
        run_id=run_id,
        results=results,
        cells=(cells := run_cells(stored_trials(results, run_id))),
        before=_known(results, run_id, cells) if before else None,
        started=about.started,
        seconds=_seconds(about.started, max(ends, default="")),
    )


def _known(results: str, run_id: str, cells: Mapping[Cell, SettledCell]) -> dict[Cell, SettledCell]:
    earlier = [one.run_id for one in runs(results) if one.run_id < run_id]
    rows = (row for one in earlier for row in _readable(results, one) if row.cell in cells)
    return settle(rows)


def _readable(results: str, run_id: str) -> list[TrialRow]:
    try:
        return list(stored_trials(results, run_id))
    except ResultsError as error:
        say(str(error))
        return []


def _seconds(started: str, finished: str) -> float:
    if not (started and finished):
        return 0.0
    return max(0.0, (datetime.fromisoformat(finished) - datetime.fromisoformat(started)).total_seconds())


def _check(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ProbeError(f"{path} cannot be written: it is a folder, or its folder is not writable; name another file")


def write(path: Path, text: str) -> None:
    """Write a file atomically. ProbeError if it cannot be written."""
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # /dev/stdout, a pipe
            return
        write_file(path, text)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ProbeError:
    return ProbeError(f"{path} cannot be written: {error.strerror or error}; free space or name another file")
