"""The archives of OSV records beside the site: from the trials behind its rows, and the records of the site before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.cli.wiring.osv_records import ARCHIVE, FOLDER, osv_files
from probe.model import Cell, Outcome
from probe.reports.osv import read_archive
from probe.site import build
from probe.site.data.matrix_rows import MatrixRow
from tests.support import site_data
from tests.support.synthetic_rows import CELL, fill

GO = f"{FOLDER}/Go/{ARCHIVE}"
NAME = "PROBE-sarama-producer-disk-storage-error"
OLD = replace(CELL, version="1.43.2")


def row(run_id: str, cell: Cell, outcome: Outcome, *, conforms: bool) -> MatrixRow:
    return MatrixRow(cell, outcome, conforms, {"run_id": run_id})


def measured(results: Path, old: Outcome) -> list[MatrixRow]:
    """Store a trial of two versions, and return their rows."""
    run_id = fill(results, (OLD, 0, old), (CELL, 0, Outcome.REFRESHES))
    return [
        row(run_id, OLD, old, conforms=old is Outcome.REFRESHES),
        row(run_id, CELL, Outcome.REFRESHES, conforms=True),
    ]


def test_records_come_from_the_rows_and_stay_equal(tmp_path: Path) -> None:
    results = tmp_path / "results"
    rows = measured(results, Outcome.STUCK)
    first = osv_files(str(results), rows, tmp_path / "no site")
    assert [*read_archive(first[GO])] == [NAME]
    site = kept(tmp_path / "site", first[GO])
    assert osv_files(str(results), rows, site) == first


def test_a_record_of_the_site_before_is_withdrawn(tmp_path: Path) -> None:
    results = tmp_path / "results"
    site = kept(tmp_path / "site", osv_files(str(results), measured(results, Outcome.STUCK), tmp_path)[GO])
    again = osv_files(str(results), measured(results, Outcome.REFRESHES), site)
    assert "withdrawn" in read_archive(again[GO])[NAME]


def test_a_damaged_archive_is_named_and_written_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "results"
    site = kept(tmp_path / "site", b"half an arch")
    assert [*read_archive(osv_files(str(results), measured(results, Outcome.STUCK), site)[GO])] == [NAME]
    assert "it is no archive of records" in capsys.readouterr().err


def test_a_run_that_cannot_be_read_makes_no_record(tmp_path: Path) -> None:
    rows = [row("20261127T071307Z-5287", OLD, Outcome.STUCK, conforms=False)]
    assert osv_files(str(tmp_path / "results"), rows, tmp_path) == {}


def test_further_files_are_part_of_the_site_and_see_the_one_before(tmp_path: Path) -> None:
    matrix = site_data.write_matrix(tmp_path / "m.csv", site_data.matrix()[:2])
    seen: list[bool] = []

    def further(before: Path) -> dict[str, bytes]:
        seen.append((before / GO).exists())
        return {GO: b"records"}

    for _ in range(2):
        index = build(matrix, site_data.SOURCE, tmp_path, further=further)
    assert (index.parent / GO).read_bytes() == b"records"
    assert seen == [False, True]


def kept(site: Path, data: bytes) -> Path:
    (site / GO).parent.mkdir(parents=True)
    (site / GO).write_bytes(data)
    return site
