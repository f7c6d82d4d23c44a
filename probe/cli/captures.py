"""Captures of trials: stored as they end, taken out by `probe show --pcap`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from probe.cli.console import say
from probe.errors import ProbeError
from probe.model import Cell
from probe.model.results import ResultsError
from probe.ports import Pcapng
from probe.runner.tools import Keep
from probe.store import TrialRow, read_capture, write_capture
from probe.store.captures import capture_name, captured_names


def keeper(results: str, run_id: str) -> Keep:
    """Return what stores captures in a run; one that cannot be stored is told of, and costs no trial."""

    def keep(cell: Cell, trial: int, capture: Pcapng) -> None:
        try:
            write_capture(results, run_id, cell, trial, capture(f"{cell}, trial {trial} of run {run_id}"))
        except (ResultsError, OSError) as error:
            say(f"the capture of {cell} is lost: {error}")

    return keep


def finder(results: str) -> Callable[[str, Cell, int], bytes | None]:
    """Return what finds the captures of these results; each run's are listed once."""
    names = cache(partial(captured_names, results))

    def find(run_id: str, cell: Cell, trial: int) -> bytes | None:
        if not run_id or capture_name(cell, trial) not in names(run_id):
            return None
        return read_capture(results, run_id, cell, trial)

    return find


def take_out(results: str, row: TrialRow, file: Path) -> None:
    """Write a trial's capture to a file. ProbeError if there is none, or the file cannot be written."""
    data = read_capture(results, row.run_id, row.cell, row.trial)
    if data is None:
        raise ProbeError(f"trial {row.trial} of {row.cell} in run {row.run_id} was not captured; run it with --capture")
    try:
        file.write_bytes(data)
    except OSError as error:
        raise ProbeError(f"{file} cannot be written: {error.strerror or error}; name another file") from None
