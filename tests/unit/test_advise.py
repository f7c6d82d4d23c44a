"""Command `advise`: changes between runs, versions and release lines, on synthetic rows."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from probe.cells.aggregate import SettledCell, settle
from probe.cells.cli_hints import run_command, show_command
from probe.cells.comparison import PLAIN
from probe.cells.upgrades import advise_upgrade, drift
from probe.cli.app import app
from probe.cli.wiring.compared_arguments import understand
from probe.cli.wiring.comparisons import Change, Filter, compared
from probe.errors import ProbeError
from probe.model import Cell, Outcome, Role, Verdict
from probe.model.conditions import FIRST
from probe.model.grades import Grade, Trend, trend
from probe.model.outcomes import ORDER
from probe.store import trials
from tests.support.synthetic_rows import CELL, fill, random_rows, verdict, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEADY = replace(CELL, scenario="steady")


@dataclass(frozen=True)
class Row:
    """A stored trial with the fields that `settle` reads."""

    run_id: str
    cell: Cell
    trial: int
    verdict: Verdict
    shortened: bool = False
    sweep: str = ""
    conditions: int = FIRST


def row(outcome: Outcome, run_id: str = "r1", trial: int = 0, cell: Cell = CELL, **more: bool) -> Row:
    return Row(run_id, cell, trial, verdict(outcome), **more)


def one(outcome: Outcome, cell: Cell = CELL, conforms: bool | None = None) -> SettledCell:
    found = verdict(outcome) if conforms is None else replace(verdict(outcome), conforms=conforms)
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=(found,))


@pytest.mark.parametrize(
    ("rows", "outcome", "conforms", "run_id"),
    [
        ([row(Outcome.REFRESHES)], "refreshes", True, "r1"),
        ([row(Outcome.STUCK), row(Outcome.REFRESHES, "r2")], "refreshes", True, "r2"),
        ([row(Outcome.REFRESHES, "r2"), row(Outcome.STUCK)], "refreshes", True, "r2"),
        ([row(Outcome.STUCK), row(Outcome.BROKEN, "r2")], "stuck", False, "r1"),
        ([row(Outcome.STUCK), row(Outcome.WAITING, "r2")], "stuck", False, "r1"),
        ([row(Outcome.BROKEN, trial=1000), row(Outcome.STUCK)], "stuck", False, "r1"),
        ([row(Outcome.STUCK), row(Outcome.REFRESHES, trial=1)], "flaky", False, "r1"),
        ([row(Outcome.REFRESHES), row(Outcome.STUCK, "r2", shortened=True)], "refreshes", True, "r1"),
        ([row(Outcome.BROKEN)], "broken", None, "r1"),
    ],
)
def test_a_cell_takes_the_latest_run_that_settles_it(
    rows: list[Row], outcome: str, conforms: bool | None, run_id: str
) -> None:
    (found,) = settle(rows).values()
    assert (found.outcome, found.conforms, found.run_id) == (outcome, conforms, run_id)


@pytest.mark.parametrize(
    ("answers", "worst", "conforms", "severity"),
    [
        ([(Outcome.REFRESHES, True)] * 17 + [(Outcome.STORMS, False)] * 3, Outcome.STORMS, False, 3),
        ([(Outcome.STUCK, False), (Outcome.FATAL, False), (Outcome.LATE, False)], Outcome.FATAL, False, 5),
        ([(Outcome.FATAL, False), (Outcome.VIOLATES, False)], Outcome.FATAL, False, 5),
        ([(Outcome.SURFACES, True), (Outcome.CLEAN, False)], Outcome.CLEAN, False, 1),
        ([(Outcome.CLEAN, False), (Outcome.SURFACES, False)], Outcome.SURFACES, False, 1),
        ([(Outcome.REFRESHES, True), (Outcome.HINTED, True)], Outcome.HINTED, True, 0),
        ([(Outcome.NOT_PROVOKED, None), (Outcome.REFRESHES, True)], Outcome.REFRESHES, True, 0),
        ([(Outcome.STUCK, None), (Outcome.LATE, None)], Outcome.STUCK, None, None),
        ([(Outcome.NOT_PROVOKED, None)], Outcome.NOT_PROVOKED, None, None),
    ],
)
def test_the_worst_trial_decides(
    answers: list[tuple[Outcome, bool | None]], worst: Outcome, conforms: bool | None, severity: int | None
) -> None:
    verdicts = tuple(replace(verdict(outcome), conforms=says) for outcome, says in answers)
    for ordered in (verdicts, verdicts[::-1]):
        cell = SettledCell(cell=CELL, run_id="r1", trial=0, verdicts=ordered)
        assert (cell.worst, cell.conforms, cell.grade) == (worst, conforms, Grade(worst, severity))
        assert cell.reason == f"it {worst}"


def test_a_trial_that_does_not_conform_ranks_above_each_that_does() -> None:
    assert len(ORDER) == len(set(ORDER)) == 3 * len(Outcome)
    failing = [place for place, (_, conforms) in enumerate(ORDER) if conforms is False]
    assert failing == list(range(len(ORDER) - len(Outcome), len(ORDER)))


def test_disagreement_is_reported_with_counts() -> None:
    rows = [row(Outcome.STUCK), row(Outcome.REFRESHES, trial=1), row(Outcome.STUCK, trial=2)]
    assert settle(rows)[CELL].tally == "flaky: stuck in 2 of 3, refreshes in 1"


@pytest.mark.spark
def test_cells_settle_as_in_the_matrix(spark: SparkSession, tmp_path: Path) -> None:
    from spark.job import build_matrix  # noqa: PLC0415  # only this test needs Spark

    write(tmp_path, random_rows(11, cells=120))
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    from probe.site.data.matrix_rows import read_matrix  # noqa: PLC0415  # only this test needs it

    matrix = {
        item.cell: (item.outcome, item.conforms, item.run_id, item.worst, item.values["outcomes"])
        for item in read_matrix(Path(built.csv))
        if item.outcome is not Outcome.NOT_RUN
    }
    ours = settle(trials(str(tmp_path)))
    found = {
        cell: (one.outcome, one.conforms, one.run_id, one.worst, one.outcomes)
        for cell, one in ours.items()
        if one.outcome is not Outcome.NOT_RUN
    }
    assert found == matrix


def change(before: SettledCell, after: SettledCell) -> Trend:
    return trend(before.grade, after.grade)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (Outcome.STUCK, Outcome.REFRESHES, Trend.BETTER),
        (Outcome.REFRESHES, Outcome.STUCK, Trend.WORSE),
        (Outcome.STUCK, Outcome.SURFACES, Trend.BETTER),
        (Outcome.LATE, Outcome.STORMS, Trend.WORSE),
        (Outcome.STORMS, Outcome.FATAL, Trend.WORSE),
        (Outcome.SURFACES, Outcome.SURFACES, Trend.BAD),
        (Outcome.VIOLATES, Outcome.FATAL, Trend.BAD),
        (Outcome.REFRESHES, Outcome.HINTED, Trend.GOOD),
        (Outcome.REFRESHES, Outcome.BROKEN, Trend.UNCLEAR),
        (Outcome.UNSUPPORTED, Outcome.REFRESHES, Trend.UNCLEAR),
        (Outcome.NOT_PROVOKED, Outcome.STUCK, Trend.UNCLEAR),
    ],
)
def test_the_trend_follows_the_outcomes(before: Outcome, after: Outcome, expected: Trend) -> None:
    assert change(one(before), one(after)) is expected


def test_a_stalled_bystander_makes_a_recovery_worse() -> None:
    assert change(one(Outcome.REFRESHES), one(Outcome.REFRESHES, conforms=False)) is Trend.WORSE


def test_without_an_expectation_no_outcome_is_worse() -> None:
    informative = [replace(one(item), verdicts=(replace(verdict(item), conforms=None),)) for item in Outcome][-4:]
    assert change(informative[0], informative[0]) is Trend.SAME
    assert change(informative[0], informative[1]) is Trend.DIFFERS


def test_the_worst_of_disagreeing_trials_counts() -> None:
    flaky = replace(one(Outcome.STUCK), verdicts=(verdict(Outcome.REFRESHES), verdict(Outcome.STUCK)))
    assert change(one(Outcome.REFRESHES), flaky) is Trend.WORSE
    assert change(flaky, one(Outcome.REFRESHES)) is Trend.BETTER
    assert change(flaky, one(Outcome.STUCK)) is Trend.BAD


def test_only_cells_with_the_same_question_are_compared() -> None:
    newer = replace(CELL, version="1.61.1")
    before = [one(Outcome.STUCK), one(Outcome.STUCK, replace(CELL, role=Role.CONSUMER))]
    after = [one(Outcome.REFRESHES, newer), one(Outcome.CLEAN, replace(newer, scenario="steady"))]
    wanted = Filter(roles=(), profiles=(CELL.profile,), scenarios=(), engine=CELL.engine, line=CELL.broker)
    stored = {item.cell: item for item in [*before, *after]}
    steps, alone = compared(stored, Change("version", CELL.version, newer.version, ()), wanted)
    assert [(step.before.cell, step.after.cell) for step in steps] == [(CELL, newer)]
    assert {item.cell for item in alone} == {replace(CELL, role=Role.CONSUMER), replace(newer, scenario="steady")}


def versions(**outcomes: Outcome) -> list[SettledCell]:
    return [one(outcome, replace(CELL, version=name[1:].replace("_", "."))) for name, outcome in outcomes.items()]


def test_the_smallest_upgrade_follows_version_order() -> None:
    stored = versions(
        v1_9=Outcome.STUCK, v1_10=Outcome.LATE, v1_11=Outcome.REFRESHES, v1_12=Outcome.HINTED, v2_0=Outcome.CLEAN
    )
    found = advise_upgrade(stored[0], "1.12", stored)
    assert found.upgrade is not None
    assert (found.upgrade.cell.version, found.last_bad) == ("1.11", "1.10")
    assert advise_upgrade(stored[0], "1.10", stored).upgrade is None


def test_profiles_of_the_same_version_that_conform_are_named() -> None:
    stored = [
        one(Outcome.SURFACES),
        one(Outcome.REFRESHES, replace(CELL, profile="isolated+retries=10")),
        one(Outcome.STUCK, replace(CELL, profile="refresh-1s")),
        one(Outcome.REFRESHES, replace(CELL, profile="idempotent", broker="2.6")),
    ]
    assert [item.cell.profile for item in advise_upgrade(stored[0], "9", stored).profiles] == ["isolated+retries=10"]


def test_drift_lists_changed_removed_and_added_settings() -> None:
    assert drift({"acks": "1", "retries": "0", "gone": "x"}, {"acks": "all", "retries": "0", "new": "y"}) == [
        ("acks", "1", "all"),
        ("gone", "x", "-"),
        ("new", "-", "y"),
    ]


def test_suggested_commands_are_quoted_for_the_shell() -> None:
    cell = replace(CELL, profile="isolated+client.id=a b+election=1000,40")
    assert "--profile 'isolated+client.id=a b+election=1000,40'" in show_command(one(Outcome.STUCK, cell), "r")
    assert "--profile isolated --property 'client.id=a b' --election 1000,40" in run_command([cell, cell], "r")


@pytest.mark.parametrize(
    ("what", "broker", "column", "clients"),
    [
        (["sarama", "1.43.2", "1.43.3"], None, "version", ("sarama",)),
        (["sarama", "1.43.2", "1.43.3"], "2.6", "version", ("sarama",)),
        (["3.9"], "2.6", "broker", ()),
        (["3.9", "sarama", "java@4.4.0"], "2.6.2", "broker", ("sarama", "java@4.4.0")),
    ],
)
def test_versions_and_brokers_are_both_accepted(
    what: list[str], broker: str | None, column: str, clients: tuple[str, ...]
) -> None:
    found = understand(what, broker)
    assert (found.column, found.clients) == (column, clients)


@pytest.mark.parametrize("what", [["sarma"], ["sarama", "1.43.2"], ["1", "2"], ["sarama@1", "1", "2"], ["a", "b", "1"]])
def test_invalid_arguments_are_reported_with_the_usage(what: list[str]) -> None:
    with pytest.raises(ProbeError, match="FAMILY FROM TO"):
        understand(what, None)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["sarma", "1.0", "1.1"], "did you mean sarama"),
        (["sarama", "1.0", "1.0"], "itself"),
        (["sarama", "1.0", "1.1", "--profile", "isolted"], "did you mean isolated"),
        (["sarama", "1.0", "1.1", "--scenario", "disk/nothing*"], "disk/nothing"),
        (["--broker", "2.6", "3.14"], "3.14"),
    ],
)
def test_an_unknown_name_is_reported(tmp_path: Path, more: list[str], says: str) -> None:
    done = CliRunner().invoke(app, ["advise", *more, "--results", str(tmp_path)])
    assert says in str(done.exception)


def test_an_upgrade_is_reported_with_evidence_and_exit_code(tmp_path: Path) -> None:
    newer = replace(CELL, version="1.61.1")
    run_id = fill(
        tmp_path,
        *((CELL, number, Outcome.STUCK) for number in range(PLAIN)),
        *((newer, number, Outcome.REFRESHES) for number in range(PLAIN)),
        (STEADY, 0, Outcome.CLEAN),
        (replace(newer, scenario="steady"), 0, Outcome.CLEAN),
    )
    line = ["advise", "sarama", "1.43.3", "1.61.1", "--evidence", "own", "--results", str(tmp_path)]
    better = CliRunner().invoke(app, [*line, "--all"])
    assert better.exit_code == 0, better.output
    assert better.output.splitlines()[1:3] == [
        "level      producer: reacts in 0 of 1, 14 not measured -> reacts in 1 of 1, 14 not measured",
        "better: 2 cells: 1 better, 1 no difference seen (1 trial each)",
    ]
    assert "producer disk/storage-error: stops silently -> none; stuck -> refreshes (4 trials each)" in better.output
    assert f"--run {run_id} --client sarama@1.61.1" in better.output
    assert "smallest stored upgrade that conforms: 1.61.1 (1.43.3 does not)" in better.output
    assert "the same effective settings" in better.output
    line[2:4] = "1.61.1", "1.43.3"
    worse = CliRunner().invoke(app, line)
    assert "1 of 2 cells gets worse" in str(worse.exception)
    assert getattr(worse.exception, "exit_code", 0) == 1


def test_one_trial_a_side_is_undecided_and_says_what_decides(tmp_path: Path) -> None:
    newer = replace(CELL, version="1.61.1")
    fill(tmp_path, (CELL, 0, Outcome.REFRESHES), (newer, 0, Outcome.STUCK))
    line = ["advise", "sarama", "1.43.3", "1.61.1", "--evidence", "own", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    assert "1 cell: 1 undecided" in done.output
    assert "1 cell on too few trials, 1 may be worse; 8 to 24 trials, about " in done.output
    assert f"probe advise sarama 1.43.3 1.61.1 --evidence own --results {tmp_path} --run" in done.output


@pytest.mark.parametrize(("storms", "code"), [(3, 0), (9, 1)])
def test_an_upgrade_that_storms_sometimes_is_worse_only_beyond_chance(tmp_path: Path, storms: int, code: int) -> None:
    newer = replace(CELL, version="1.61.1")
    some = [(newer, number, Outcome.STORMS if number < storms else Outcome.REFRESHES) for number in range(20)]
    fill(tmp_path, *((CELL, number, Outcome.REFRESHES) for number in range(20)), *some)
    line = ["advise", "sarama", "1.43.3", "1.61.1", "--evidence", "own", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, [*line, "--all"])
    assert (
        f"none -> burdens in {storms} of 20; refreshes -> flaky: storms in {storms} of 20, refreshes in {20 - storms}"
        in done.output
    )
    assert "after:  it storms; own results of " in done.output
    assert ("may be worse: errors or burdens; 20 trials each" in done.output) is (code == 0)
    assert getattr(done.exception, "exit_code", 0) == code


def test_brokers_are_compared_per_client(tmp_path: Path) -> None:
    old = replace(CELL, broker="2.6")
    sides = ((CELL, Outcome.STUCK), (old, Outcome.REFRESHES))
    fill(tmp_path, *((cell, number, outcome) for number in range(PLAIN) for cell, outcome in sides))
    line = ["advise", "--broker", "2.6", "3.9", "--evidence", "own", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, line)
    harms = "none -> stops silently; refreshes -> stuck"
    assert f"worse      sarama@1.43.3 producer disk/storage-error: {harms} (4 trials each)" in done.output
    assert getattr(done.exception, "exit_code", 0) == 1


def test_no_line_of_a_broker_upgrade_is_endless(tmp_path: Path) -> None:
    old = replace(CELL, broker="2.6")
    alone = [(replace(old, version=f"1.{number}.0"), 0, Outcome.STUCK) for number in range(60)]
    fill(tmp_path, (CELL, 0, Outcome.STUCK), (old, 0, Outcome.STUCK), *alone)
    line = ["advise", "--broker", "2.6", "3.9", "--evidence", "own", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, line)
    assert "60 cells stored for one side only; for the other run probe advise 3.9 --broker 2.6" in done.stderr
    assert max(map(len, done.stderr.splitlines())) < 400


def test_missing_trials_are_reported_with_the_command_to_run(tmp_path: Path) -> None:
    fill(tmp_path, (CELL, 0, Outcome.STUCK))
    done = CliRunner().invoke(app, ["advise", "sarama", "1.43.3", "1.61.1", "--results", str(tmp_path)])
    assert "probe run --client sarama@1.61.1 --scenario disk/storage-error" in str(done.exception)
    assert getattr(done.exception, "exit_code", 0) == 2


def test_settling_does_not_depend_on_the_order_of_runs() -> None:
    rng = random.Random(5)
    rows = [row(rng.choice(list(Outcome)), f"r{n % 4}", n, replace(CELL, broker=f"3.{n % 3}")) for n in range(60)]
    shuffled = rng.sample(rows, len(rows))
    assert settle(rows) == settle(shuffled)
