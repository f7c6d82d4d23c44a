"""The site compares cells under comparable conditions only, and says which cells are older."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probe.model import Engine, conditions
from probe.model.conditions import ConditionsChange
from probe.site import build
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow, read_matrix
from probe.site.pages import scenarios, upgrade
from probe.site.pages.clients import steps
from tests.support import site_data


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = tuple(ConditionsChange(number=2, engine=engine, text="all") for engine in Engine)
    monkeypatch.setattr(conditions, "CHANGES", changes)
    monkeypatch.setattr(conditions, "CURRENT", dict.fromkeys(Engine, 2))


@pytest.fixture
def rows(tmp_path: Path) -> list[MatrixRow]:
    """Sarama 1.43.2 and 1.43.3 under number 1, all others under number 2."""
    return read_matrix(site_data.write_matrix(tmp_path / "matrix.csv", stored()))


def stored() -> list[dict[str, str]]:
    return [row | {"conditions": "1" if row["version"] in {"1.43.2", "1.43.3"} else "2"} for row in site_data.matrix()]


def test_versions_are_compared_under_comparable_conditions(rows: list[MatrixRow]) -> None:
    answers = CellIndex(rows)
    for row in rows:
        assert {one.since for one in answers.versions(row)} == {row.since}
        assert all(one is None or one.since == row.since for one in (*answers.neighbours(row), answers.improved(row)))
        assert {one.since for one in answers.rivals(row)} <= {row.since}
    compared = {client.version for client in steps(answers) if client.family == "sarama"}
    assert {"1.43.3", "1.46.1"} <= compared
    assert "1.43.2" not in compared  # no older version under its conditions


def test_an_upgrade_pairs_comparable_cells(rows: list[MatrixRow]) -> None:
    data = json.loads(str(upgrade.data(CellIndex(rows))))
    family = data["families"]["sarama"]
    asked = {version: set() for version in family["versions"]}
    for number, question, *_ in family["cells"]:
        asked[family["versions"][number]].add(question)
    assert asked["1.43.2"] & asked["1.43.3"]
    assert not asked["1.27.0"] & asked["1.43.3"]
    assert asked["1.27.0"] & asked["1.46.1"]


def test_a_scenario_describes_each_conditions_apart(rows: list[MatrixRow]) -> None:
    mine = [row for row in rows if row.cell.scenario == "disk/storage-error"]
    families = [
        family
        for part in scenarios.parts(mine)
        for group in part.groups
        for family in group.families
        if family.family == "sarama"
    ]
    for family in families:
        versions = {row.cell.version for span in family.spans for row in span.rows}
        assert versions <= {"1.43.2", "1.43.3"} or not versions & {"1.43.2", "1.43.3"}
        assert ("Measured under older conditions." in family.words) is (versions <= {"1.43.2", "1.43.3"})
    assert {family.words.endswith("older conditions.") for family in families} == {True, False}


def test_pages_say_what_is_older(tmp_path: Path) -> None:
    matrix = site_data.write_matrix(tmp_path / "matrix.csv", stored())
    site_data.write_past(tmp_path)
    site = build(matrix, site_data.BARE, tmp_path).parent
    older = sum(row["conditions"] == "1" for row in stored())
    assert f"{older} were measured under older conditions only" in (site / "index.html").read_text()
    assert f"{older} cells were measured under older conditions only" in (site / "changes.html").read_text()
    pages = {page.name: page.read_text() for page in (site / "cell").glob("sarama-1.4*.html")}
    for name, text in pages.items():
        assert ("<dd>1 (older than today's 2, and not comparable)</dd>" in text) is ("-1.43." in name)
    assert "-1.46." in "".join(pages)
