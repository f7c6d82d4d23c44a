"""The archives of OSV records beside a site, in the folders in which osv-scanner looks for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from probe.cells.aggregate import SettledCell, settle
from probe.cells.trends import question
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import packages
from probe.model.results import ResultsError
from probe.reports.osv import Record, archives, is_recorded, newest, read_archive, records, withdraw
from probe.site.data.matrix_rows import MatrixRow
from probe.store import TrialRow, trials

FOLDER = "osv-scalibr"
"""Folder of a site, named as osv-scanner reads it: `osv-scalibr/<ecosystem>/all.zip`."""
ARCHIVE = "all.zip"


def osv_files(results: str, rows: Sequence[MatrixRow], existing: Path) -> Mapping[str, bytes]:
    """Return the archives of a site by path, from the trials behind its rows and the records of the existing site."""
    made = records(_cells(results, rows), packages())
    found = withdraw(_earlier(existing), made, newest(row.run_id for row in rows))
    return {f"{FOLDER}/{ecosystem}/{ARCHIVE}": data for ecosystem, data in archives(found).items()}


def _cells(results: str, rows: Sequence[MatrixRow]) -> list[SettledCell]:
    """Settle the cells of questions that a version fails; the others make no records."""
    bad = {question(row.cell, "version") for row in rows if row.conforms is False and is_recorded(row.cell)}
    wanted = {row.cell: row.run_id for row in rows if row.run_id and question(row.cell, "version") in bad}
    stored = (one for run_id in sorted(set(wanted.values())) for one in _trials(results, run_id))
    return list(settle(one for one in stored if wanted.get(one.cell) == one.run_id).values())


def _trials(results: str, run_id: str) -> Iterable[TrialRow]:
    try:
        yield from trials(results, run_id)
    except ResultsError as error:
        say(str(error))


def _earlier(site: Path) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for path in sorted((site / FOLDER).glob(f"*/{ARCHIVE}")):
        try:
            found |= read_archive(path.read_bytes())
        except (OSError, ValueError) as error:
            say(f"{path}: {error}; its records are written anew, and none of them is withdrawn")
    return found
