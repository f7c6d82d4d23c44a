"""Command `bisect`: the version in which a client changed, on synthetic results and once with real clients."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from probe.catalogue.families import CatalogueError
from probe.cells.aggregate import SettledCell
from probe.cells.bisect import ChangePoint, NextRuns, NoChange, changes, is_shown, next_step, sentence, unsure
from probe.cli.app import app
from probe.cli.wiring import bisect_run, execution
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.resumption import as_before, names_nothing, selected
from probe.cli.wiring.run_selection import RunSelection
from probe.cli.wiring.settled_cells import write_settled
from probe.errors import ProbeError
from probe.model import Cell, Election, Outcome, Role
from probe.model.versions import version_key
from probe.store import trials
from probe.verdict import RULES_VERSION
from tests.support.synthetic_rows import CELL, create, history, verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STUCK, REFRESHES, HINTED, LATE = Outcome.STUCK, Outcome.REFRESHES, Outcome.HINTED, Outcome.LATE
BROKEN, SURFACES = Outcome.BROKEN, Outcome.SURFACES
SARAMA = sorted((item.version for item in families()["sarama"].versions), key=version_key)
FIXED = "1.43.3"


def settled(version: str, *outcomes: Outcome) -> SettledCell:
    cell = replace(CELL, version=version)
    return SettledCell(cell=cell, run_id="r", trial=0, verdicts=tuple(verdict(item) for item in outcomes))


def play(
    truth: Mapping[str, Outcome], known: Mapping[str, Outcome] | None = None
) -> tuple[ChangePoint | NoChange, list[str]]:
    """Bisect a synthetic series of outcomes; return the result and the versions that were run, in order."""
    versions = list(truth)
    found = {name: settled(name, outcome) for name, outcome in (known or {}).items()}
    ran: list[str] = []
    for _ in range(len(versions) + 1):
        step = next_step(versions, found)
        if not isinstance(step, NextRuns):
            return step, ran
        assert not set(step.versions) & set(found)
        ran += step.versions
        found |= {name: settled(name, truth[name]) for name in step.versions}
    pytest.fail("the search does not end")


def numbered(*outcomes: Outcome) -> dict[str, Outcome]:
    return {f"1.{number}": outcome for number, outcome in enumerate(outcomes)}


@given(count=st.integers(2, 60), data=st.data())
def test_a_change_is_found_in_logarithmic_runs(count: int, data: st.DataObject) -> None:
    edge = data.draw(st.integers(1, count - 1))
    truth = numbered(*[STUCK] * edge, *[REFRESHES] * (count - edge))
    found, ran = play(truth)
    assert found == ChangePoint(f"1.{edge - 1}", f"1.{edge}", ())
    assert len(ran) <= 2 + math.ceil(math.log2(max(count - 1, 1)))


@given(outcomes=st.lists(st.sampled_from([STUCK, REFRESHES, HINTED, SURFACES, BROKEN]), min_size=2, max_size=30))
def test_both_versions_at_a_change_were_run(outcomes: list[Outcome]) -> None:
    truth = numbered(*outcomes)
    found, ran = play(truth)
    if isinstance(found, NoChange):
        return
    names = list(truth)
    inside = names[names.index(found.before) + 1 : names.index(found.since)]
    assert {found.before, found.since} <= set(ran)
    assert found.passed == tuple(inside)
    assert all(truth[name] is BROKEN for name in inside)
    assert truth[found.before] is not truth[found.since]


def test_conforming_outcomes_are_equal_if_others_fail() -> None:
    found, _ = play(numbered(STUCK, STUCK, REFRESHES, HINTED, REFRESHES, HINTED))
    assert found == ChangePoint("1.1", "1.2", ())


def test_outcomes_are_compared_if_all_conform() -> None:
    found, _ = play(numbered(REFRESHES, REFRESHES, REFRESHES, HINTED, HINTED))
    assert found == ChangePoint("1.2", "1.3", ())


def test_a_version_without_a_verdict_is_skipped_and_named() -> None:
    found, ran = play(numbered(BROKEN, STUCK, STUCK, BROKEN, REFRESHES, REFRESHES, BROKEN))
    assert found == ChangePoint("1.2", "1.4", ("1.3",))
    assert {"1.0", "1.6"} <= set(ran)


def test_an_unavailable_version_is_skipped() -> None:
    known = {"1.0": settled("1.0", STUCK), "1.2": settled("1.2", REFRESHES)}
    assert next_step(["1.0", "1.1", "1.2"], known, {"1.1"}) == ChangePoint("1.0", "1.2", ("1.1",))


def test_equal_ends_end_the_search() -> None:
    found, ran = play(numbered(STUCK, REFRESHES, STUCK))
    assert found == NoChange(("1.0", "1.2"))
    assert ran == ["1.0", "1.2"]


def test_without_verdicts_no_change_is_reported() -> None:
    assert play(numbered(BROKEN, BROKEN)) == (NoChange(()), ["1.0", "1.1"])


def test_a_stored_result_between_equal_ends_shows_the_change() -> None:
    truth = numbered(STUCK, STUCK, REFRESHES, REFRESHES, STUCK, STUCK)
    found, ran = play(truth, {"1.2": REFRESHES})
    assert found == ChangePoint("1.3", "1.4", ())
    known = {name: settled(name, truth[name]) for name in [*ran, "1.2"]}
    assert list(changes(sorted(known), known))[-1] == ("1.3", "1.4")


def test_a_stored_result_is_not_run_again() -> None:
    truth = numbered(*[STUCK] * 9, *[REFRESHES] * 9)
    assert play(truth, truth) == (ChangePoint("1.8", "1.9", ()), [])


def test_a_flaky_version_does_not_conform() -> None:
    known = {"1.0": settled("1.0", STUCK), "1.1": settled("1.1", REFRESHES, STUCK), "1.2": settled("1.2", REFRESHES)}
    found = next_step(["1.0", "1.1", "1.2"], known)
    assert found == ChangePoint("1.1", "1.2", ())
    assert "1.1 is flaky: stuck in 1 of 2, refreshes in 1" in sentence(found, known)
    assert unsure(found, known, 2) == (["1.2"], 2)
    assert unsure(found, known) == (("1.1", "1.2"), 13)


@pytest.mark.parametrize(
    ("before", "since", "shown", "more"),
    [
        ([STUCK], [REFRESHES], False, 5),
        ([STUCK] * 4, [REFRESHES] * 4, False, 5),
        ([STUCK] * 5, [REFRESHES] * 5, True, 0),
        ([STUCK] * 5, [REFRESHES] * 4 + [STUCK], False, 13),
        ([STUCK] * 13, [REFRESHES] * 12 + [STUCK], True, 0),
        ([STUCK, REFRESHES] * 6 + [STUCK], [REFRESHES] * 13, False, 0),
        ([REFRESHES] * 5, [HINTED] * 5, True, 0),
    ],
)
def test_a_change_is_shown_by_the_trials_after_those_that_found_it(
    before: list[Outcome], since: list[Outcome], shown: bool, more: int
) -> None:
    known = {"1.1": settled("1.1", *before), "1.2": settled("1.2", *since)}
    edge = ChangePoint("1.1", "1.2", ())
    assert is_shown(edge, known) is shown
    names, count = unsure(edge, known)
    assert (count if names else 0) == more
    apart = {**known, "1.2": replace(known["1.2"], run_id="another")}
    assert not is_shown(edge, apart)


def test_the_result_is_a_sentence() -> None:
    known = {"1.43.2": settled("1.43.2", STUCK), FIXED: settled(FIXED, REFRESHES)}
    expected = "sarama 1.43.3 is the first version that refreshes (producer, isolated, 3.9); 1.43.2 is stuck"
    expected += "; harm: stops silently -> none"
    assert sentence(ChangePoint("1.43.2", FIXED, ()), known) == expected


def store(results: Path, truth: Mapping[str, Outcome], count: int = 1, cell: Cell = CELL) -> None:
    """Store the trials that a matrix run of these versions stores."""
    with create(results) as runs:
        for version, outcome in truth.items():
            for trial in range(count):
                runs.add(history(replace(cell, version=version), trial), verdict(outcome, rules=RULES_VERSION))


def bisect(results: Path, *arguments: str, family: str = "sarama") -> Result:
    return CliRunner().invoke(app, ["bisect", family, "disk/storage-error", "--results", str(results), *arguments])


def fate(version: str) -> Outcome:
    return REFRESHES if version_key(version) >= version_key(FIXED) else STUCK


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if a trial is run or a registry is queried."""

    def never(*_: Any) -> None:
        raise AssertionError("it must not be needed")

    monkeypatch.setattr(bisect_run, "releases", never)
    monkeypatch.setattr(execution, "prepare_run", never)


def test_a_stored_matrix_answers_without_a_run(tmp_path: Path, offline: None) -> None:
    store(tmp_path, {version: fate(version) for version in SARAMA}, count=5)
    done = bisect(tmp_path, "--listed-only")
    assert done.exit_code == 0, done.output
    assert "sarama 1.43.3 is the first version that refreshes (producer, isolated, 3.9); 1.43.2 is stuck" in done.output
    assert re.search(r"probe show .*--client sarama@1\.43\.2 .*--scenario disk/storage-error", done.output)
    assert "0 versions run" in done.output
    assert "shown by 5 trials of each in one run" in done.output


def test_stored_single_trials_are_undecided_and_say_what_decides(tmp_path: Path, offline: None) -> None:
    store(tmp_path, {version: fate(version) for version in SARAMA})
    write_settled(str(tmp_path))
    done = bisect(tmp_path, "--no-run")
    assert done.exit_code == 0, done.output
    assert "undecided: chance may have made the difference (1 trial of each); probe bisect sarama" in done.output
    assert f"--from 1.43.2 --to 1.43.3 --results {tmp_path} decides" in done.output


def test_results_of_another_role_are_not_used(tmp_path: Path, offline: None) -> None:
    store(tmp_path, dict.fromkeys(SARAMA, STUCK), count=5, cell=replace(CELL, role=Role.CONSUMER))
    with pytest.raises(AssertionError, match="must not be needed"):
        CliRunner().invoke(
            app,
            ["bisect", "sarama", "disk/storage-error", "--results", str(tmp_path)],
            catch_exceptions=False,
        )


def test_a_second_change_is_reported(tmp_path: Path, offline: None) -> None:
    truth = {version: fate(version) for version in SARAMA} | {SARAMA[3]: REFRESHES}
    store(tmp_path, truth, count=5)
    done = bisect(tmp_path, "--listed-only")
    assert "1.43.3 is the first version" in done.output
    assert f"another change: {SARAMA[3]} refreshes, {SARAMA[4]} is stuck; --to {SARAMA[4]} finds it" in done.output


def test_no_change_is_exit_code_1_with_a_suggestion(tmp_path: Path, offline: None) -> None:
    store(tmp_path, dict.fromkeys(SARAMA, STUCK))
    done = bisect(tmp_path)
    assert done.exit_code == 1
    assert "no change: " in done.output
    assert "--from and --to" in done.output


@pytest.mark.parametrize(
    ("arguments", "family", "names"),
    [
        (["--from", "1.43.2", "--to", "1.43.2"], "sarama", ["1.43.2", "wider range"]),
        (["--from", "1.61.1", "--to", "1.19.0"], "sarama", ["1.61.1", "1.19.0"]),
        (["--profile", "isolted"], "sarama", ["isolted", "isolated"]),
        (["--broker", "3.14"], "sarama", ["3.14"]),
        ([], "sarama@1.43.3", ["without a version", "--from"]),
        ([], "sarma", ["sarma", "sarama"]),
        (["--profile", "consumer-protocol"], "sarama", ["consumer-protocol", "sarama"]),
    ],
)
def test_invalid_input_is_named(tmp_path: Path, arguments: list[str], family: str, names: list[str]) -> None:
    done = bisect(tmp_path, *arguments, family=family)
    assert isinstance(done.exception, ProbeError | CatalogueError), done.output
    assert all(name in str(done.exception) for name in names), done.exception


@pytest.mark.parametrize(
    ("scenario", "role", "names"),
    [
        ("disk/*", "producer", ["disk/*", "full name of one"]),
        ("topic/grown", "admin", ["topic/grown", "admin", "producer, group"]),
        ("disk/storage-eror", "producer", ["disk/storage-eror", "did you mean"]),
    ],
)
def test_bisect_needs_one_scenario_of_the_role(tmp_path: Path, scenario: str, role: str, names: list[str]) -> None:
    done = CliRunner().invoke(app, ["bisect", "sarama", scenario, "--role", role, "--results", str(tmp_path)])
    assert isinstance(done.exception, ProbeError | CatalogueError), done.output
    assert all(name in str(done.exception) for name in names), done.exception


def test_a_resumed_run_has_the_same_selection(tmp_path: Path) -> None:
    asked = RunSelection(
        clients=["sarama@1.43.3"],
        scenarios=["disk/*"],
        roles=[Role.GROUP],
        profiles=["isolated"],
        properties=["a=b"],
        brokers=["2.6"],
        trials=3,
        election=Election(1000),
        seed=5,
    )
    with create(tmp_path, selectors=selected(asked, 2500)) as begun:
        pass
    found, watch_ms = as_before(str(tmp_path), begun.run_id, RunSelection(shard="1/1"))
    assert selected(found, watch_ms) == selected(asked, 2500)
    assert names_nothing(RunSelection(seed=5, shard="1/2"))
    assert not names_nothing(RunSelection(trials=2))


def test_a_run_without_stored_selectors_is_reported(tmp_path: Path) -> None:
    with create(tmp_path) as begun:
        pass
    with pytest.raises(ProbeError, match=f"{begun.run_id} .*give them again"):
        as_before(str(tmp_path), begun.run_id, RunSelection())


@pytest.mark.real
def test_real_clients_show_the_change_and_leave_evidence(tmp_path: Path) -> None:
    done = bisect(tmp_path, "--from", "1.43.2", "--to", "1.43.3", "--trials", "1", "--listed-only")
    assert done.exit_code == 0, done.output
    assert "sarama 1.43.3 is the first version that refreshes (producer, isolated, 3.9); 1.43.2 is stuck" in done.output
    assert "2 versions run, 2 trials" in done.output
    found = {(row.cell.version, row.cell.scenario): row.verdict.outcome for row in trials(str(tmp_path))}
    assert found["1.43.2", "disk/storage-error"] is STUCK
    assert found["1.43.2", "steady"] is Outcome.CLEAN
    again = bisect(tmp_path, "--from", "1.43.2", "--to", "1.43.3", "--trials", "1", "--listed-only")
    assert "0 versions run" in again.output


@pytest.mark.spark
def test_the_matrix_lists_unmeasured_versions_at_a_change(spark: SparkSession) -> None:
    from spark.versions import version_stretches  # noqa: PLC0415  # only this test needs Spark

    other = replace(CELL, role=Role.CONSUMER)
    stored = {"1.9.0": STUCK, "1.30.0": BROKEN, "1.43.3": REFRESHES, "1.44.0": REFRESHES, "1.50.3": STUCK}
    cells = [(replace(CELL, version=name), outcome) for name, outcome in stored.items()]
    cells.append((replace(other, version="1.10.0"), STUCK))
    rows = [
        {**cell.columns(), "outcome": str(outcome), "conforms": "no", "released": "", "conditions": 1}
        for cell, outcome in cells
    ]
    found = [row.asDict() for row in spark.createDataFrame(rows).transform(version_stretches).collect()]
    ours = sorted((row["nth"], row["first_version"], row["unmeasured"]) for row in found if row["role"] == CELL.role)
    assert ours == [(1, "1.9.0", None), (2, "1.43.3", "1.10.0;1.30.0"), (3, "1.50.3", None)]
