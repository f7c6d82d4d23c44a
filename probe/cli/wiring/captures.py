"""Captured traffic of trials: stored when a trial ends, written out by `probe show --pcap`."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from probe.cli.console.streams import say
from probe.errors import ProbeError
from probe.model import Cell
from probe.model.results import ResultsError
from probe.ports import Pcapng
from probe.runner.tools import Keep
from probe.store import TrialRow, read_capture, write_capture
from probe.store.captures import capture_name, captured_names


def keeper(results: str, run_id: str) -> Keep:
    """Return a function that stores captures in a run; a failure is reported and does not affect the trial."""

    def keep(cell: Cell, trial: int, capture: Pcapng) -> None:
        try:
            write_capture(results, run_id, cell, trial, capture(f"{cell}, trial {trial} of run {run_id}"))
        except (ResultsError, OSError) as error:
            say(f"the capture of {cell} is lost: {error}")

    return keep


class Captures:
    """Finds the captures of these results by run, cell and trial; the captures of each run are listed once.

    It is a class because render workers receive it pickled, which a nested function does not allow.
    """

    def __init__(self, results: str) -> None:
        """Read from this results folder."""
        self._results = results
        self._names: dict[str, Container[str]] = {}

    def __call__(self, run_id: str, cell: Cell, trial: int) -> bytes | None:
        """Return the pcapng file of a trial; None if there is none."""
        if not run_id:
            return None
        if run_id not in self._names:
            self._names[run_id] = captured_names(self._results, run_id)
        if capture_name(cell, trial) not in self._names[run_id]:
            return None
        return read_capture(self._results, run_id, cell, trial)


def take_out(results: str, row: TrialRow, file: Path) -> None:
    """Write a trial's capture to a file. ProbeError if there is none, or the file cannot be written."""
    data = read_capture(results, row.run_id, row.cell, row.trial)
    if data is None:
        raise ProbeError(f"trial {row.trial} of {row.cell} in run {row.run_id} was not captured; run it with --capture")
    try:
        file.write_bytes(data)
    except OSError as error:
        raise ProbeError(f"{file} cannot be written: {error.strerror or error}; name another file") from None
