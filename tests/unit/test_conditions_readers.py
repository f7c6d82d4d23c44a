"""Readers of stored trials compare only trials under comparable conditions, and say what is older."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probe.cells.aggregate import settle
from probe.cells.agreement import pair
from probe.cells.audit import Fault, Finding, Upgrade
from probe.cells.audit_upgrades import first_good, upgrade
from probe.cells.comparison import Answer
from probe.cells.comparison_steps import of_two_runs
from probe.cells.diff import differences
from probe.cli.wiring import time_budget
from probe.cli.wiring.comparable_trials import known_outcomes
from probe.cli.wiring.execution import run_planned
from probe.cli.wiring.reports import Reports, read_report
from probe.cli.wiring.request_versions import _stored as stored_versions
from probe.cli.wiring.single_cells import plan_cell
from probe.errors import ProbeError
from probe.model import CONTROL, Cell, Engine, Outcome
from probe.planning.plan import Plan, Planned
from probe.planning.priority import PriorRun
from probe.reports.gates import read_gate, stopped
from probe.reports.markdown import summary
from probe.runner import Options
from probe.site.data.run_history import read_run_history
from probe.site.pages.feeds import feed
from probe.store import run_info, trials
from probe.store.pruning import choose
from tests.support.older_conditions import (
    BAD,
    GOOD,
    OLDER,
    READER,
    in_turn,  # noqa: F401  # a fixture of every test
    run,
    settled,
    store,
    table,  # noqa: F401  # another one
)
from tests.support.synthetic_rows import CELL


def test_each_trial_and_the_description_of_its_run_have_the_number(tmp_path: Path) -> None:
    run_id = store(tmp_path, 2, (CELL, GOOD))
    (row,) = trials(str(tmp_path))
    assert row.conditions == 2
    assert run_info(str(tmp_path), run_id).shards[0]["conditions"] == {"embedded": 3, "kafka": 2}


def test_older_files_read_as_the_first_number(tmp_path: Path) -> None:
    store(tmp_path, 2, (CELL, GOOD))
    (path,) = tmp_path.glob("run_id=*/trials/*.parquet")
    pq.write_table(pq.read_table(path).drop_columns(["conditions"]), path)
    (row,) = trials(str(tmp_path))
    assert row.conditions == 1


@pytest.mark.parametrize(("cell", "answer"), [(CELL, Answer.WORSE), (READER, Answer.UNCLEAR)])
def test_only_comparable_results_are_worse(cell: Cell, answer: Answer) -> None:
    before, after = (replace(one, verdicts=one.verdicts * 4) for one in (settled(GOOD, 2, cell), settled(BAD, 3, cell)))
    (found,) = of_two_runs({cell: before}, {cell: after})
    assert found.answer is answer
    assert bool(differences({cell: before}, {cell: after})) is (answer is Answer.WORSE)
    assert bool(stopped(read_gate("worse"), {cell: after}, {cell: before})) is (answer is Answer.WORSE)
    assert stopped(read_gate("stuck"), {cell: after}, {cell: before})


def test_diff_counts_what_is_not_comparable(tmp_path: Path) -> None:
    first = store(tmp_path, 1, (CELL, GOOD), (OLDER, GOOD))
    second = store(tmp_path, 2, (CELL, BAD), (OLDER, GOOD))
    done = run("diff", first, second, "--results", str(tmp_path), "--fail-on", "worse")
    assert done.exit_code == 0
    counts, names = done.stdout.splitlines()
    assert counts == "0 added, 0 removed, 0 changed, 0 the same, 2 not comparable (measured under other conditions)"
    cells = ", ".join(f"sarama@{version} producer disk/storage-error" for version in ("1.43.2", "1.43.3"))
    assert names.startswith(f"they are not compared ({cells}); measured anew by: probe run --client sarama@1.43.2 ")
    data = json.loads(run("diff", first, second, "--results", str(tmp_path), "--json").stdout)
    assert (data["changed"], data["same"], data["not_comparable"]) == ([], 0, 2)


def test_a_report_compares_with_comparable_results_only(tmp_path: Path) -> None:
    store(tmp_path, 1, (CELL, GOOD))
    store(tmp_path, 2, (OLDER, GOOD))
    found = read_report(str(tmp_path), store(tmp_path, 3, (CELL, BAD), (OLDER, BAD)))
    assert [one.step.after.cell for one in found.changes()] == [OLDER]
    assert found.not_comparable() == 1
    assert "Not compared, since measured under other conditions before: 1 cell." in summary(found)
    alone = read_report(str(tmp_path), store(tmp_path, 3, (READER, BAD)))
    assert alone.before == {}


def test_the_gate_says_how_many_cells_it_does_not_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(tmp_path, 1, (CELL, GOOD))
    reports = Reports(read_gate("worse"))
    reports.check(reports.make(str(tmp_path), store(tmp_path, 3, (CELL, BAD), (OLDER, BAD))))
    assert "1 of 2 cells are not compared: their earlier results have other conditions" in capsys.readouterr().err


def test_a_report_says_if_no_result_is_comparable(tmp_path: Path) -> None:
    store(tmp_path, 1, (CELL, GOOD))
    assert "### No earlier result is comparable" in summary(read_report(str(tmp_path), store(tmp_path, 3, (CELL, BAD))))


def test_extra_trials_are_decided_by_comparable_results(tmp_path: Path) -> None:
    store(tmp_path, 2, (CELL, GOOD), (READER, GOOD))
    assert known_outcomes(str(tmp_path)) == {CELL: {GOOD}}
    store(tmp_path, 1, (CELL, BAD))
    assert known_outcomes(str(tmp_path)) == {CELL: {GOOD}}


def test_request_versions_come_from_comparable_trials(tmp_path: Path) -> None:
    store(tmp_path, 1, (CELL, GOOD), api_versions=(("Produce", 9),))
    store(tmp_path, 2, (CELL, GOOD), api_versions=(("Produce", 3),))
    assert stored_versions(str(tmp_path)) == {replace(CELL, scenario=CONTROL): {"Produce": 3}}


def test_cells_measured_under_older_conditions_count_as_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, 2, (CELL, GOOD), (READER, GOOD))
    known: list[Cell] = []

    def order(cells: Sequence[Planned], seen: Iterable[PriorRun]) -> Sequence[Planned]:
        known.extend(row.cell for row in seen)
        return cells

    monkeypatch.setattr(time_budget, "by_information", order)
    plan, selection = plan_cell(CELL)
    time_budget.most_informative(plan, selection, Options(stop_at=1e12), str(tmp_path))
    assert known == [CELL]


def test_a_run_under_other_conditions_is_not_resumed(tmp_path: Path) -> None:
    old, same = store(tmp_path, 2, (READER, GOOD)), store(tmp_path, 2, (CELL, GOOD))
    _, selection = plan_cell(CELL)
    before = run_info(str(tmp_path), old)
    with pytest.raises(ProbeError, match=rf"--resume {old}: its trials ran under conditions 2 of the embedded engine"):
        run_planned(Plan((), ()), replace(selection, clients=()), Options(), str(tmp_path), old)
    assert run_info(str(tmp_path), old) == before
    run_planned(Plan((), ()), replace(selection, clients=()), Options(), str(tmp_path), same)
    (resumed,) = run_info(str(tmp_path), same).shards[0]["resumed"]
    assert resumed["conditions"] == {"embedded": 3, "kafka": 2}


def test_the_run_under_the_newest_conditions_is_kept(tmp_path: Path) -> None:
    newer = store(tmp_path, 3, (READER, GOOD))
    older = store(tmp_path, 2, (READER, GOOD))
    store(tmp_path, 3, (CELL, GOOD))
    found = choose(str(tmp_path), keep=1)
    assert (newer not in found.gone, found.gone) == (True, (older,))


def test_a_run_that_gives_a_cell_its_result_is_kept_if_a_later_one_only_waited(tmp_path: Path) -> None:
    store(tmp_path, 3, (CELL, GOOD))
    waited = store(tmp_path, 3, (CELL, Outcome.WAITING))
    store(tmp_path, 3, (OLDER, GOOD))
    assert choose(str(tmp_path), keep=1).gone == (waited,)


def test_engines_are_paired_under_comparable_conditions() -> None:
    real = replace(READER, engine=Engine.KAFKA)

    def agrees(embedded: int, kafka: int) -> bool | None:
        cells = [settled(GOOD, embedded, READER), settled(GOOD, kafka, real)]
        (found,) = pair({one.cell: one for one in cells})
        return found.agrees

    assert [agrees(1, 1), agrees(2, 2), agrees(3, 2)] == [True] * 3
    assert [agrees(1, 2), agrees(2, 1), agrees(3, 1)] == [None] * 3


def test_an_audit_advises_comparable_upgrades_only() -> None:
    bad = settled(BAD, 2, OLDER)
    fault = Fault(OLDER, Finding.FAILS, bad)
    for number, found in ((1, None), (2, Upgrade("1.43.3", "1.43.2", exact=True, family="sarama"))):
        stored = {one.cell: one for one in (bad, settled(GOOD, number))}
        assert upgrade([fault], stored) == found
        released = first_good([fault], [("app 2", [CELL])], stored)
        assert (released is None) is (found is None)


def test_feed_names_changes_under_comparable_conditions_only(tmp_path: Path) -> None:
    said = [
        ("r1", GOOD, "yes", 1),
        ("r2", BAD, "no", 2),
        ("r3", GOOD, "yes", 1),
        ("r4", BAD, "no", 2),
        ("r5", GOOD, "yes", 2),
    ]
    rows = [
        CELL.columns()
        | {"first_run": name, "last_run": name, "runs": 1, "trials": 1, "agreeing": 1}
        | {"outcome": str(outcome), "worst": str(outcome), "conforms": conforms, "conditions": number}
        for name, outcome, conforms, number in said
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "history.parquet")
    (item,) = json.loads(feed(read_run_history(tmp_path)))["items"]
    assert item["_probe"]["run_id"] == "r5"
    assert item["_probe"]["before"]["run_id"] == "r4"


def test_settled_cells_know_whether_they_are_of_today(tmp_path: Path) -> None:
    store(tmp_path, 2, (CELL, GOOD), (READER, GOOD))
    assert {cell: one.is_current for cell, one in settle(trials(str(tmp_path))).items()} == {CELL: True, READER: False}
