"""The workload is part of a cell's identity: which roles have it, which scenarios, and what a selection makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.families import CatalogueError, read_family
from probe.catalogue.files import data_file
from probe.catalogue.scenarios import default_scenarios, select_scenarios
from probe.catalogue.selectors import Chosen, select_profiles
from probe.catalogue.workloads import listed_workloads, read_listed, select_workloads
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.resumption import as_before, selected
from probe.cli.wiring.run_selection import RunSelection
from probe.cli.wiring.single_cells import plan_cell
from probe.errors import ProbeError
from probe.model import CONTROL, Cell, Engine, Role, Workload, decode, encode
from probe.model.workloads import HAVING, reason_against
from probe.planning.cohorts import TrialTask, into_cohorts
from probe.planning.plan import make_plan
from probe.planning.selection import Selection
from tests.support.plans import planned
from tests.support.synthetic_rows import create
from tests.unit.test_catalogue import demo

CELL = Cell("sarama", "1.43.3", Role.PRODUCER, "isolated", "net/reset", Engine.EMBEDDED, "3.9")
PIPELINED = replace(CELL, workload=Workload.PIPELINED)
CONTINUOUS = (Workload.CONTINUOUS,)


def test_a_cell_without_a_workload_is_continuous_and_keeps_its_name() -> None:
    assert CELL.workload is Workload.CONTINUOUS
    assert str(CELL) == "sarama@1.43.3 producer isolated net/reset embedded 3.9"
    assert CELL.words() == ("sarama", "1.43.3", "producer", "isolated", "net/reset", "embedded", "3.9")
    assert str(PIPELINED) == f"{CELL} pipelined"


def test_cells_of_two_workloads_are_different_cells() -> None:
    assert len({replace(CELL, workload=workload) for workload in Workload} | {CELL}) == len(Workload)


@pytest.mark.parametrize("workload", Workload)
def test_a_stored_cell_has_its_workload_again(workload: Workload) -> None:
    cell = replace(CELL, workload=workload)
    assert decode(Cell, encode(cell)) == Cell.of(cell.columns()) == cell


@pytest.mark.parametrize("lacking", [{}, {"workload": None}, {"workload": ""}])
def test_a_cell_stored_before_workloads_is_continuous(lacking: dict[str, str]) -> None:
    columns = {name: text for name, text in CELL.columns().items() if name != "workload"}
    assert Cell.of(columns | lacking) == CELL
    assert "workload" not in encode(CELL)
    assert decode(Cell, columns) == CELL


def test_an_unknown_workload_of_a_newer_program_is_refused() -> None:
    with pytest.raises(ValueError, match="bursty"):
        Cell.of(CELL.columns() | {"workload": "bursty"})


def test_every_role_has_the_continuous_workload_and_an_admin_no_other() -> None:
    assert HAVING[Workload.CONTINUOUS] == frozenset(Role)
    assert [workload for workload in Workload if Role.ADMIN in HAVING[workload]] == [Workload.CONTINUOUS]


def selection(tmp_path: Path, *scenarios: str, **more: object) -> Selection:
    family = read_family(demo(tmp_path))
    return Selection(
        clients=[Chosen(family, family.versions[-1])],
        scenarios=select_scenarios(scenarios),
        roles=(Role.PRODUCER, Role.CONSUMER, Role.ADMIN),
        profiles=select_profiles(["isolated"], [], None),
        engine=Engine.EMBEDDED,
        brokers=("3.9",),
        **more,  # type: ignore[arg-type]  # fields of Selection by name
    )


def test_a_plan_skips_workloads_that_a_role_does_not_have(tmp_path: Path) -> None:
    made = make_plan(selection(tmp_path, "steady", workloads=tuple(Workload)))
    pairs = {(item.cell.role, item.cell.workload) for item in made.cells}
    assert pairs == {(role, one) for one in Workload for role in (Role.PRODUCER, Role.CONSUMER) if role in HAVING[one]}
    assert all(item.steady == item.cell for item in made.cells)
    (skip,) = (one for one in made.skips if one.cell.role is Role.CONSUMER)
    assert skip.cell.workload is Workload.KEYED
    assert skip.reason == reason_against(Workload.KEYED, Role.CONSUMER)
    assert skip.reason == "workload keyed does not apply to role consumer; its roles are producer, transactional"


def test_the_control_cell_of_a_workload_is_steady_with_it(tmp_path: Path) -> None:
    made = make_plan(selection(tmp_path, "steady", "net/reset", workloads=(Workload.PIPELINED,)))
    assert {item.cell.workload for item in made.cells} == {Workload.PIPELINED}
    fault = next(item for item in made.cells if not item.is_control)
    assert fault.steady == replace(fault.cell, scenario=CONTROL)
    assert fault.steady in {item.cell for item in made.cells}


def test_an_application_decides_by_itself_how_it_sends(tmp_path: Path) -> None:
    family = next(one for one in families().values() if one.judged_by)
    asked = replace(selection(tmp_path, "steady"), clients=[Chosen(family, family.newest)], workloads=tuple(Workload))
    made = make_plan(asked)
    assert {item.cell.workload for item in made.cells} == {*CONTINUOUS}
    assert f"{family.family} is an application, which decides by itself how it sends records" in {
        skip.reason for skip in made.skips
    }


# ---- what is in the default catalogue


def test_every_listed_pair_is_of_a_scenario_in_the_default_catalogue_that_has_the_role() -> None:
    for entry in read_listed(data_file("workloads.toml")):
        for name in entry.scenarios:
            scenario = default_scenarios()[name]
            roles = {role for role in entry.roles if scenario.variant(role) is not None}
            assert all(roles & HAVING[workload] for workload in entry.workloads), name
        assert Workload.CONTINUOUS not in entry.workloads
        assert entry.reason.strip()


def test_no_scenario_is_listed_twice() -> None:
    names = [name for entry in read_listed(data_file("workloads.toml")) for name in entry.scenarios]
    assert len(names) == len(set(names))


def test_the_incident_and_leader_moves_run_with_every_workload() -> None:
    for name in ("disk/storage-error", "leader/elected", "leader/reassigned"):
        assert listed_workloads(name, Role.PRODUCER) == (Workload.PIPELINED, Workload.KEYED)
        assert listed_workloads(name, Role.GROUP) == (Workload.PIPELINED,)
        assert listed_workloads(name, Role.ADMIN) == ()


def test_listed_workloads_come_with_their_control_cells_alone(tmp_path: Path) -> None:
    scenarios = ("steady", "leader/elected", "topic/absent", "net/reset")
    made = make_plan(selection(tmp_path, *scenarios, own_workloads=scenarios))
    found: dict[tuple[str, Role], set[Workload]] = {}
    for item in made.cells:
        found.setdefault((item.cell.scenario, item.cell.role), set()).add(item.cell.workload)
    assert found["topic/absent", Role.PRODUCER] == {*CONTINUOUS}
    assert found["leader/elected", Role.PRODUCER] == found[CONTROL, Role.PRODUCER] == {*Workload}
    assert found["net/reset", Role.PRODUCER] == {Workload.CONTINUOUS, Workload.PIPELINED}
    assert found["net/reset", Role.CONSUMER] == {*CONTINUOUS}
    assert found[CONTROL, Role.CONSUMER] == {Workload.CONTINUOUS, Workload.PIPELINED}
    assert not [skip for skip in made.skips if "workload" in skip.reason]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, {*Workload}),
        ({"scenarios": ["leader/*"]}, {*Workload}),
        ({"scenarios": ["leader/elected"]}, {*CONTINUOUS}),
        ({"scenarios": ["leader/elected"], "workloads": ["keyed", "pipelined"]}, {Workload.KEYED, Workload.PIPELINED}),
        ({"scenarios": ["leader/elected"], "workloads": ["all"]}, {*Workload}),
        ({"workloads": ["continuous"]}, {*CONTINUOUS}),
    ],
)
def test_a_scenario_that_is_named_in_full_is_continuous_unless_a_workload_is_named(
    asked: dict[str, list[str]], found: set[Workload]
) -> None:
    plan, _ = RunSelection(clients=["sarama@1.43.3"], roles=[Role.PRODUCER], seed=1, **asked).whole()  # type: ignore[arg-type]  # by name
    assert {item.cell.workload for item in plan.cells if item.cell.scenario == "leader/elected"} == found


def test_an_unknown_workload_is_one_line_with_the_nearest_name() -> None:
    with pytest.raises(CatalogueError, match="--workload pipelind: there is no such workload; did you mean pipelined"):
        select_workloads(["pipelind"])
    with pytest.raises(CatalogueError, match="known are continuous, pipelined, keyed, all"):
        select_workloads(["x"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[listed]]\nscenarios = []\nworkloads = ['keyed']\nreason = 'x'", "[[listed]] 1 scenarios"),
        ("[[listed]]\nscenarios = ['a']\nworkloads = ['bursty']\nreason = 'x'", "[[listed]] 1 workloads.0"),
        ("[[listed]]\nscenarios = ['a']\nworkloads = ['keyed']", "[[listed]] 1 reason"),
        ("[[liste]]\nscenarios = ['a']", "'liste' is no entry; begin each entry with [[listed]]"),
        ("listed = 3", "'listed' is no entry"),
        ("[[listed", "correct the file"),
    ],
)
def test_a_broken_list_is_one_line_with_the_entry(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "workloads.toml"
    path.write_text(text)
    with pytest.raises(CatalogueError) as caught:
        read_listed(path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- runs


def test_a_single_cell_is_planned_with_its_workload_and_its_control_cell() -> None:
    plan, _ = plan_cell(PIPELINED)
    assert {item.cell for item in plan.cells} == {PIPELINED, replace(PIPELINED, scenario=CONTROL)}
    with pytest.raises(ProbeError, match="workload keyed does not apply to role group"):
        plan_cell(replace(CELL, role=Role.GROUP, workload=Workload.KEYED))


def test_cohorts_on_real_brokers_have_one_workload() -> None:
    plain = [TrialTask(item, 0) for item in planned("disk/storage-error").cells]
    other = [
        replace(one, item=replace(one.item, cell=replace(one.item.cell, workload=Workload.PIPELINED))) for one in plain
    ]
    cohorts = into_cohorts([*plain, *other], 64)
    assert {len({one.item.cell.workload for one in cohort}) for cohort in cohorts} == {1}
    assert len(cohorts) == 2 * len(into_cohorts(plain, 64))


def test_a_resumed_run_has_its_workloads_and_an_older_one_continuous(tmp_path: Path) -> None:
    asked = RunSelection(clients=["sarama@1.43.3"], workloads=["pipelined"])
    with create(tmp_path, selectors=selected(asked, None)) as begun:
        pass
    assert as_before(str(tmp_path), begun.run_id, RunSelection())[0].workloads == ("pipelined",)
    older = {name: value for name, value in selected(asked, None).items() if name != "workloads"}
    with create(tmp_path, selectors=older) as begun:
        pass
    assert as_before(str(tmp_path), begun.run_id, RunSelection())[0].workloads == ("continuous",)
