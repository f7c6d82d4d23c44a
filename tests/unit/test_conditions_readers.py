"""Readers of stored trials compare only trials under comparable conditions, and say what is older."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from probe.cells.aggregate import SettledCell, settle
from probe.cells.agreement import pair
from probe.cells.audit import Fault, Finding, Upgrade
from probe.cells.audit_upgrades import first_good, upgrade
from probe.cells.comparison import Answer
from probe.cells.comparison_steps import of_two_runs
from probe.cells.diff import differences
from probe.cli.app import app
from probe.cli.commands import verify
from probe.cli.wiring import execution, missing_cells, time_budget
from probe.cli.wiring.comparable_trials import known_outcomes
from probe.cli.wiring.execution import RunResult, run_planned
from probe.cli.wiring.reports import Reports, read_report
from probe.cli.wiring.request_versions import _stored as stored_versions
from probe.cli.wiring.settled_cells import write_settled
from probe.cli.wiring.single_cells import plan_cell
from probe.errors import ProbeError
from probe.model import CONTROL, Cell, Engine, Outcome, Role, conditions
from probe.model.conditions import ConditionsChange
from probe.planning.plan import Plan, Planned
from probe.planning.priority import PriorRun
from probe.reports.gates import read_gate, stopped
from probe.reports.markdown import summary
from probe.runner import Options
from probe.site.data.run_history import read_run_history
from probe.site.pages.feeds import feed
from probe.store import run_info, trials
from probe.store.pruning import choose
from probe.verdict import RULES_VERSION
from tests.support.known_results import PLAIN
from tests.support.synthetic_rows import CELL, create, history, verdict

OLDER = replace(CELL, version="1.43.2")
READERS = frozenset({Role.CONSUMER, Role.GROUP})
READER = replace(CELL, role=Role.CONSUMER)
TABLE = (
    *(ConditionsChange(number=2, engine=engine, text="all") for engine in Engine),
    ConditionsChange(number=3, engine=Engine.EMBEDDED, text="readers", roles=READERS),
)


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "CHANGES", TABLE)
    monkeypatch.setattr(conditions, "CURRENT", {engine: conditions.newest(TABLE, engine) for engine in Engine})


@pytest.fixture(autouse=True)
def in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Order runs of the same second by their start."""
    numbers = itertools.count()
    monkeypatch.setattr("probe.store.run_description.secrets.token_hex", lambda _: f"{next(numbers):04x}")


def store(results: Path, number: int, *rows: tuple[Cell, Outcome], **facts: Any) -> str:
    """Store a run under the conditions of a number."""
    with create(results) as run:
        for nth, (cell, outcome) in enumerate(rows):
            run.add(history(cell, nth, conditions=number), verdict(outcome, rules=RULES_VERSION, **facts))
    write_settled(str(results))
    return run.run_id


def settled(outcome: Outcome, number: int, cell: Cell = CELL) -> SettledCell:
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=(verdict(outcome),), conditions=number)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


GOOD, BAD = Outcome.REFRESHES, Outcome.STUCK


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


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """Store the right results for cells that a command runs; return these cells."""
    asked: list[Cell] = []

    def play(cells: Iterable[Cell], _options: object, results: str, _trials: object = None) -> RunResult:
        mine = list(cells)
        asked.extend(mine)
        right = [(cell, BAD if cell == OLDER else GOOD) for cell in mine]
        return RunResult(store(Path(results), conditions.current(Engine.EMBEDDED), *right), {}, {})

    for module in (missing_cells, verify):
        monkeypatch.setattr(module, "run_cells", play)
    return asked


def test_verify_runs_cells_again_that_are_not_comparable_with_today(tmp_path: Path, played: list[Cell]) -> None:
    (tmp_path / "known.toml").write_text(PLAIN)
    results = tmp_path / "results"
    command = ["verify", "--results", str(results), "--known", str(tmp_path / "known.toml"), "--contrast"]
    store(results, 1, (OLDER, BAD), (CELL, BAD))  # the contrast would fail
    store(results, 2, (OLDER, BAD))
    done = run(*command)
    assert (done.exit_code, played) == (0, [CELL])
    assert "1 cell was measured under older conditions only: they are run again" in done.stderr


ADVISE = ("advise", "sarama", "1.43.2", "1.43.3", "--role", "producer", "--scenario", "disk/storage-error")


def test_advise_pairs_comparable_cells_only(tmp_path: Path, played: list[Cell]) -> None:
    store(tmp_path, 1, (OLDER, GOOD))
    store(tmp_path, 2, (CELL, BAD))
    done = run(*ADVISE, "--results", str(tmp_path))
    assert isinstance(done.exception, ProbeError)
    assert "no cell is stored for both 1.43.2 and 1.43.3; run probe run --client sarama@1.43.2" in str(done.exception)
    said = (
        "1 cell was measured under older conditions only: they are not compared (sarama@1.43.2 producer disk/storage-"
    )
    assert said in done.stderr
    assert "measured anew by: probe run --client sarama@1.43.2 " in done.stderr
    done = run(*ADVISE, "--results", str(tmp_path), "--run")
    assert (done.exit_code, played) == (0, [OLDER])
    assert "1 cell conforms on neither side" in done.stdout


def test_a_family_names_the_cells_of_neighbours_that_are_not_compared(tmp_path: Path) -> None:
    """An interrupted run of today's conditions lies beside older results."""
    both = replace(OLDER, scenario="broker/kill"), replace(CELL, scenario="broker/kill")
    store(tmp_path, 1, (OLDER, GOOD))
    store(tmp_path, 2, (CELL, BAD), *((cell, GOOD) for cell in both))
    done = run("advise", "sarama", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "1.43.2 -> 1.43.3  " in done.stdout
    assert "; 1 cell not comparable" in done.stdout
    assert (
        "they are not compared (sarama@1.43.2 producer disk/storage-error); measured anew by: probe run" in done.stderr
    )


def test_advise_compares_results_of_one_older_number(tmp_path: Path, played: list[Cell]) -> None:
    store(tmp_path, 1, *[(OLDER, BAD), (CELL, GOOD)] * 4)
    done = run(*ADVISE, "--results", str(tmp_path))
    assert done.exit_code == 0
    assert "better     producer disk/storage-error: stops silently -> none; stuck -> refreshes" in done.stdout


def test_advise_runs_both_sides_again_if_both_are_old(tmp_path: Path, played: list[Cell]) -> None:
    old, new = replace(OLDER, role=Role.CONSUMER), READER
    store(tmp_path, 1, (old, GOOD))
    store(tmp_path, 2, (new, BAD))
    arguments = [*ADVISE[:5], "consumer", *ADVISE[6:], "--results", str(tmp_path), "--run"]
    assert (run(*arguments).exit_code, sorted(played)) == (0, [old, new])


def test_advise_names_comparable_upgrades_only(tmp_path: Path) -> None:
    later = replace(CELL, version="1.44.0")
    store(tmp_path, 2, (OLDER, BAD), (later, BAD))
    store(tmp_path, 1, (CELL, GOOD), (replace(OLDER, profile="idempotent"), GOOD))
    arguments = [word if word != "1.43.3" else "1.44.0" for word in ADVISE]
    text = run(*arguments, "--all", "--results", str(tmp_path)).stdout
    assert "no stored version up to 1.44.0 conforms" in text
    assert "conforms with profile" not in text


def test_bisect_reads_results_comparable_with_today_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("it must not be needed")

    monkeypatch.setattr(execution, "prepare_run", never)
    store(tmp_path, 1, (OLDER, BAD), (CELL, BAD))
    store(tmp_path, 2, *[(OLDER, BAD)] * 5, *[(CELL, GOOD)] * 5)
    arguments = ["bisect", "sarama", "disk/storage-error", "--results", str(tmp_path), "--listed-only"]
    done = run(*arguments, "--from", "1.43.2", "--to", "1.43.3")
    assert done.exit_code == 0, done.output
    assert "sarama 1.43.3 is the first version that refreshes" in done.stdout
    consumer = [*arguments, "--role", "consumer", "--from", "1.43.2", "--to", "1.43.3"]
    store(tmp_path, 2, *((replace(cell, role=Role.CONSUMER), BAD) for cell in (OLDER, CELL)))
    done = run(*consumer)
    assert isinstance(done.exception, AssertionError)
    assert "2 cells were measured under older conditions only: they are not compared" in done.stderr


def test_bisect_answers_from_older_conditions_where_nothing_may_be_run(tmp_path: Path) -> None:
    """Of two times, the one of which more versions are known; it says so."""
    later = replace(CELL, version="1.44.0")
    store(tmp_path, 2, *((replace(cell, role=Role.CONSUMER), BAD) for cell in (OLDER, CELL)))
    store(tmp_path, 2, (replace(later, role=Role.CONSUMER), GOOD))
    store(tmp_path, 3, (replace(later, role=Role.CONSUMER), BAD))
    arguments = ["bisect", "sarama", "disk/storage-error", "--role", "consumer", "--no-run", "--results", str(tmp_path)]
    done = run(*arguments)
    assert done.exit_code in {0, 1}, done.output
    assert "measured under older conditions only: they are compared with each other only" in done.stderr


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
