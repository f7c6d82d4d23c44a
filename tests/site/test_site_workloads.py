"""Workloads on the site: pages of their own, links between them, and old addresses that stay."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from probe.model import Cell, Engine, Role, Workload
from probe.model.columns import NAMES
from probe.site import build
from probe.site.data.cell_index import CellIndex, setting
from probe.site.data.matrix_rows import read_matrix
from probe.site.data.page_names import slug
from probe.site.data.wording import command, summary
from probe.site.pages.filters import filters
from probe.site.pages.grid import grid
from probe.site.pages.upgrade import data
from tests.support import site_data

CELL = Cell("sarama", "1.43.2", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")
PIPELINED = replace(CELL, workload=Workload.PIPELINED)


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a matrix with one more row: that of a cell, with another workload."""
    rows = site_data.matrix()
    (own,) = (row for row in rows if Cell.of(row) == CELL)
    folder = tmp_path_factory.mktemp("workloads")
    return site_data.write_matrix(folder / "matrix.csv", [*rows, {**own, "workload": "pipelined"}])


@pytest.fixture(scope="module")
def pages(matrix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(matrix, site_data.BARE, tmp_path_factory.mktemp("site")).parent


def test_each_workload_has_a_page_and_they_link_to_each_other(pages: Path) -> None:
    for cell, other in ((CELL, PIPELINED), (PIPELINED, CELL)):
        text = (pages / "cell" / f"{slug(cell)}.html").read_text()
        assert f'<a href="{slug(other)}.html" data-carry>{other.workload}</a>' in text
        assert f"<dt>workload</dt><dd>{cell.workload}</dd>" in text
    assert "with bursts of many records" in (pages / "cell" / f"{slug(PIPELINED)}.html").read_text()


def test_a_continuous_page_keeps_its_address() -> None:
    assert re.fullmatch(r"sarama-1.43.2-producer-isolated-disk-storage-error-embedded-3.9-[0-9a-f]{10}", slug(CELL))
    assert slug(CELL) != slug(PIPELINED)


def test_the_matrix_groups_and_filters_by_workload(matrix: Path, pages: Path) -> None:
    rows = read_matrix(matrix)
    (workloads,) = (one for one in filters(rows) if one.name == "workload")
    assert [(one.value, one.count) for one in workloads.choices] == [("continuous", len(rows) - 1), ("pipelined", 1)]
    (group,) = (one for one in grid(rows).groups if one.setting.workload == "pipelined")
    assert [line.scenario for line in group.lines] == [PIPELINED.scenario]
    text = (pages / "index.html").read_text()
    assert 'data-broker="3.9" data-workload="pipelined"' in text
    assert "profile isolated · embedded engine · broker 3.9 · pipelined workload" in text
    assert "profile isolated · embedded engine · broker 3.9</span>" in text


def test_a_question_is_asked_per_workload(matrix: Path) -> None:
    answers = CellIndex(read_matrix(matrix))
    row = next(row for row in answers.rows if row.cell == PIPELINED)
    assert [one.cell for one in answers.versions(row)] == [PIPELINED]
    assert [one.cell for one in answers.workloads(row)] == [CELL]
    assert answers.rivals(row) == []
    assert '"embedded","3.9","pipelined",' in data(answers)
    assert str(setting(CELL)) == "profile isolated · embedded engine · broker 3.9"


def test_words_and_commands_name_a_workload_that_is_not_usual(matrix: Path) -> None:
    row = next(row for row in read_matrix(matrix) if row.cell == PIPELINED)
    assert summary(row).startswith("sarama 1.43.2, as a producer with bursts of many records, ")
    assert command(PIPELINED).endswith(" --broker 3.9 --workload pipelined")
    assert "--workload" not in command(CELL)


def test_a_matrix_of_an_older_program_has_to_be_built_again(tmp_path: Path) -> None:
    path = site_data.write_matrix(tmp_path / "matrix.csv", site_data.matrix())
    lines = [line.rsplit(",", 1)[0] for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(Exception, match=f"column {NAMES[-1]} is missing; build it again with `probe matrix`"):
        read_matrix(path)
