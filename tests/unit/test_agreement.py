"""Agreement of the two engines on the same cells: what counts, what is left out, and how it is printed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from probe.cells.aggregate import settle
from probe.cells.agreement import Agreement, Shared, by_scenario, pair, percent
from probe.cli.console import agreement
from probe.model import Cell, Engine, Outcome
from probe.model.conditions import current
from probe.store import trials
from tests.support.synthetic_rows import CELL, fill, random_rows, write

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

REAL = replace(CELL, engine=Engine.KAFKA)
SET = replace(CELL, profile="isolated+election=250,40")


def shared(cell: Cell, embedded: Outcome, kafka: Outcome, profile: str = "isolated") -> Shared:
    return Shared(
        cell=cell,
        embedded_profile=profile,
        embedded=embedded,
        kafka=kafka,
        embedded_conditions=current(Engine.EMBEDDED),
        kafka_conditions=current(Engine.KAFKA),
    )


def played(results: Path, *items: tuple[Cell, Outcome]) -> list[Shared]:
    for cell, outcome in items:
        fill(results, (cell, 1, outcome))
    return agreement.of_run(str(results), [items[-1][0]])


def test_only_judged_cells_count_per_scenario() -> None:
    other = replace(REAL, scenario="leader/elected")
    found = by_scenario(
        [
            shared(REAL, Outcome.STUCK, Outcome.STUCK),
            shared(replace(REAL, version="1.0"), wrong := Outcome.LATE, Outcome.STUCK),
            shared(replace(REAL, version="2.0"), Outcome.BROKEN, Outcome.STUCK),
            shared(replace(REAL, version="3.0"), Outcome.STUCK, Outcome.FLAKY),
            shared(other, Outcome.NOT_PROVOKED, Outcome.NOT_PROVOKED),
        ]
    )
    assert found == [
        Agreement(
            scenario=REAL.scenario,
            judged=2,
            equal=1,
            silent=2,
            differing=(shared(replace(REAL, version="1.0"), wrong, Outcome.STUCK),),
        ),
        Agreement(scenario="leader/elected", judged=0, equal=0, silent=1, differing=()),
    ]
    assert [percent(one.judged, one.equal) for one in found] == ["50.0 %", ""]


def test_a_cell_with_a_set_election_takes_precedence() -> None:
    theirs = shared(REAL, Outcome.STUCK, Outcome.STUCK, SET.profile)
    own = shared(REAL, Outcome.LATE, Outcome.STUCK)
    for order in ([theirs, own], [own, theirs]):
        (line,) = by_scenario(order)
        assert (line.judged, line.equal) == (1, 1)


@pytest.mark.parametrize("last", [REAL, SET])
def test_the_other_engine_is_found_whichever_ran_last(tmp_path: Path, last: Cell) -> None:
    first = SET if last is REAL else REAL
    elsewhere = replace(REAL, broker="2.6")
    found = played(tmp_path, (elsewhere, Outcome.CLEAN), (first, Outcome.STUCK), (last, Outcome.STUCK))
    assert found == [shared(REAL, Outcome.STUCK, Outcome.STUCK, SET.profile)]


def test_cells_of_different_profiles_are_not_paired(tmp_path: Path) -> None:
    assert played(tmp_path, (CELL, Outcome.STUCK), (replace(REAL, profile="zstd"), Outcome.STUCK)) == []


def test_without_shared_cells_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    agreement.show_agreement([])
    assert capsys.readouterr().out == ""


def test_the_table_names_every_cell_that_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[object] = []
    monkeypatch.setattr(agreement.OUT, "print", lambda item, **_: printed.append(item))
    agreement.show_agreement(
        [
            shared(REAL, Outcome.REFRESHES, Outcome.STUCK, SET.profile),
            shared(replace(REAL, scenario="net/reset"), Outcome.RIDES, Outcome.RIDES),
        ]
    )
    table, line = printed
    assert isinstance(table, agreement.Table)
    assert [list(column.cells) for column in table.columns[:4]] == [
        ["disk/storage-error", "net/reset", "all"],
        ["1", "1", "2"],
        ["0", "1", "1"],
        ["0.0 %", "100.0 %", "50.0 %"],
    ]
    assert line == (
        "differs  disk/storage-error sarama@1.43.3 producer isolated 3.9: "
        "embedded refreshes (isolated+election=250,40), kafka stuck"
    )


@pytest.mark.spark
def test_a_matrix_and_its_runs_pair_the_same_cells(spark: SparkSession, tmp_path: Path) -> None:
    from spark.job import build_matrix  # noqa: PLC0415  # only this test needs Spark

    write(tmp_path, random_rows(5, 300))
    build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    of_matrix = agreement.of_matrix(str(tmp_path / "out"))
    of_trials = pair(settle(trials(str(tmp_path))))
    assert of_matrix
    assert set(of_matrix) == set(of_trials)
