"""The archives of OSV records beside the site: from settled cells, and the records of the site before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.cells.aggregate import SettledCell
from probe.cli.wiring.osv_records import ARCHIVE, FOLDER, osv_files
from probe.cli.wiring.site_files import site_files
from probe.model import Outcome
from probe.reports.osv import read_archive
from probe.site import build
from tests.support import site_data
from tests.support.synthetic_rows import CELL, fill, settled_cell

GO = f"{FOLDER}/Go/{ARCHIVE}"
NAME = "PROBE-sarama-producer-disk-storage-error"
OLD = replace(CELL, version="1.43.2")


def measured(old: Outcome) -> list[SettledCell]:
    """Return the settled cells of two versions."""
    return [settled_cell(OLD, old), settled_cell(CELL, Outcome.REFRESHES)]


def test_records_come_from_settled_cells_and_stay_equal(tmp_path: Path) -> None:
    first = osv_files(measured(Outcome.STUCK), tmp_path / "no site")
    assert [*read_archive(first[GO])] == [NAME]
    site = kept(tmp_path / "site", first[GO])
    assert osv_files(measured(Outcome.STUCK), site) == first


def test_a_site_has_the_records_of_its_results(tmp_path: Path) -> None:
    results = str(tmp_path / "results")
    fill(Path(results), (OLD, 0, Outcome.STUCK), (CELL, 0, Outcome.REFRESHES))
    assert [*read_archive(site_files(results, tmp_path / "no site")[GO])] == [NAME]


def test_a_record_of_the_site_before_is_withdrawn(tmp_path: Path) -> None:
    site = kept(tmp_path / "site", osv_files(measured(Outcome.STUCK), tmp_path)[GO])
    again = osv_files(measured(Outcome.REFRESHES), site)
    assert "withdrawn" in read_archive(again[GO])[NAME]


def test_a_damaged_archive_is_named_and_written_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = kept(tmp_path / "site", b"half an arch")
    assert [*read_archive(osv_files(measured(Outcome.STUCK), site)[GO])] == [NAME]
    assert "it is no archive of records" in capsys.readouterr().err


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
