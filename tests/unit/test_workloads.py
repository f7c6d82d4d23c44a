"""The workload is part of a cell's identity, and only some roles have each one."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.catalogue.families import read_family
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen, select_profiles
from probe.model import Cell, Engine, Role, Workload, decode, encode
from probe.model.workloads import ROLES, reason_against
from probe.planning.plan import make_plan
from probe.planning.selection import Selection
from tests.unit.test_catalogue import demo

CELL = Cell("sarama", "1.43.3", Role.PRODUCER, "isolated", "net/reset", Engine.EMBEDDED, "3.9")


def with_workload(workload: Workload) -> Cell:
    return Cell(*CELL.words()[:2], CELL.role, CELL.profile, CELL.scenario, CELL.engine, CELL.broker, workload)


def test_a_cell_without_a_workload_is_continuous_and_keeps_its_name() -> None:
    assert CELL.workload is Workload.CONTINUOUS
    assert str(CELL) == "sarama@1.43.3 producer isolated net/reset embedded 3.9"
    assert str(with_workload(Workload.PIPELINED)) == f"{CELL} pipelined"


def test_cells_of_two_workloads_are_different_cells() -> None:
    assert len({with_workload(workload) for workload in Workload} | {CELL}) == len(Workload)


@pytest.mark.parametrize("workload", Workload)
def test_a_stored_cell_has_its_workload_again(workload: Workload) -> None:
    assert decode(Cell, encode(with_workload(workload))) == with_workload(workload)


def test_a_cell_stored_before_workloads_is_continuous() -> None:
    assert decode(Cell, {key: value for key, value in encode(CELL).items() if key != "workload"}) == CELL


def test_every_role_has_the_continuous_workload_and_an_admin_no_other() -> None:
    assert ROLES[Workload.CONTINUOUS] == frozenset(Role)
    assert [workload for workload in Workload if Role.ADMIN in ROLES[workload]] == [Workload.CONTINUOUS]


@pytest.mark.parametrize("role", Role)
def test_a_plan_skips_workloads_that_a_role_does_not_have(role: Role, tmp_path: Path) -> None:
    family = read_family(demo(tmp_path))
    made = make_plan(
        Selection(
            clients=[Chosen(family, family.versions[-1])],
            scenarios=select_scenarios(["steady"]),
            roles=(role,),
            profiles=select_profiles(["isolated"], [], None),
            engine=Engine.EMBEDDED,
            brokers=("3.9",),
            workloads=tuple(Workload),
        )
    )
    if made.cells:
        assert {item.cell.workload for item in made.cells} == {one for one in Workload if role in ROLES[one]}
        assert {skip.cell.workload: skip.reason for skip in made.skips} == {
            one: reason for one in Workload if (reason := reason_against(one, role))
        }
        assert all(item.steady == item.cell for item in made.cells)
