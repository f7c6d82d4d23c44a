"""The fixes that `benchmarks/fixes.py` draws from change logs, and the places where they should show."""

from __future__ import annotations

from pathlib import Path

from benchmarks.fixes import Case, cases, drawn, expected, fixes, report
from benchmarks.history_table import Row, Table
from probe.catalogue.files import data_file
from probe.catalogue.known_results import expected as expected_of
from probe.catalogue.known_results import read_known
from probe.catalogue.releases import releases_of
from probe.cells.cell_names import cell_name
from probe.cells.comparison import Answer
from probe.cells.comparison_steps import expectation
from probe.model.versions import version_key


def test_each_entry_lies_between_two_neighbours_that_the_registry_serves() -> None:
    for one in fixes():
        served = [row.version for row in releases_of(one.family).releases if not row.withdrawn]
        between = [version for version in served if version_key(one.before) < version_key(version)]
        assert one.before in served, one.name
        assert min(between, key=version_key) == one.fixed, one.name
    assert len({one.name for one in fixes()}) == len(fixes())


def test_no_entry_is_the_source_of_a_known_result_of_these_releases() -> None:
    known = {
        (word.strip("(),;:."), expected_of(entry).cell.family)
        for entry in read_known(data_file("known_results.toml"))
        for word in entry.source.split()
    }
    alike = {one.name for one in fixes() if (one.entry, one.family) in known}
    assert alike == set()


def test_the_file_of_the_draw_has_the_entries_that_the_seed_draws() -> None:
    assert [one.name for one in drawn(fixes())] == list(expected())
    assert [one.name for one in drawn(fixes(), count=10)] == list(expected())[:10]


def test_each_place_is_a_cell_that_requires_something_or_says_why_there_is_none() -> None:
    places = expected()
    for case in cases(drawn(fixes()), places):
        play = expectation(case.build)
        assert play is not None, case.name
        assert play.conforms, case.name
    assert all(one.predicted in ({"better", "same"} if one.scenario else {""}) for one in places.values())
    assert all(one.why for one in places.values())


def test_the_table_has_a_row_for_each_drawn_entry(tmp_path: Path) -> None:
    rows, places, table = drawn(fixes()), expected(), Table(tmp_path, "fixes.tsv")
    case: Case = cases(rows, places)[0]
    build, cell = str(case.build.client), cell_name(case.build)
    table.add(Row(case.name, Answer.BETTER, build, case.fix.before, cell, "better", "stuck:4", "rides:4", "4", ""))
    said = list(report(rows, places, table))
    assert len(said) == len(rows) + 3
    assert [line for line in said if "better: stuck:4 -> rides:4 |  |" in line]
    assert said[-1].startswith("1 right, 0 wrong, 0 missed, ")
