"""Clients that do not bear the harmless election have none in trials that an open run gets later, either."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import probe.verdict
from probe.cli.wiring.run_selection import RunSelection
from probe.cli.wiring.young_controls import young_controls
from probe.model import Cell, History, Mark, MarkKind, Outcome, Role
from probe.planning.plan import Plan, Planned
from probe.runner.schedule import attempts, pool
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.tools import Options
from tests.support import virtual_time
from tests.support.fake_cohorts import Kept
from tests.support.synthetic_rows import create, verdict
from tests.support.synthetic_rows import history as synthetic
from tests.unit.test_repeats_run import trial

ELECTED = Mark(at=5, kind=MarkKind.ELECTED)


def planned(role: Role) -> tuple[Plan, Cell, Cell]:
    """Return a plan, its control cell and its other cell."""
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=["net/reset"], roles=[role], seed=1)
    plan, _ = asked.whole()
    control, other = sorted((item.cell for item in plan.cells), key=lambda cell: cell.scenario != "steady")
    return plan, control, other


@pytest.mark.parametrize(
    ("events", "outcome", "role", "is_young"),
    [
        ((), Outcome.CLEAN, Role.PRODUCER, True),
        ((ELECTED,), Outcome.CLEAN, Role.PRODUCER, False),
        ((), Outcome.BROKEN, Role.PRODUCER, False),
        ((), Outcome.CLEAN, Role.ADMIN, False),
    ],
    ids=["no election", "election", "says nothing", "never has one"],
)
def test_a_control_cell_that_was_clean_without_its_election_shows_it(
    tmp_path: Path, events: tuple[Mark, ...], outcome: Outcome, role: Role, is_young: bool
) -> None:
    scenario = "net/reset" if role is Role.PRODUCER else "controller/moved"
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=[scenario], roles=[role], seed=1)
    plan, _ = asked.whole()
    (control,) = (item.cell for item in plan.cells if item.is_control)
    with create(tmp_path) as store:
        store.add(synthetic(control, 0, events), verdict(outcome))
        store.flush()
        found = young_controls(plan, {(control, 0): verdict(outcome)}, str(tmp_path), store.run_id)
    assert found == ({control} if is_young else set())


@pytest.mark.parametrize("knows", [True, False])
def test_later_trials_of_such_a_client_have_no_election(monkeypatch: pytest.MonkeyPatch, knows: bool) -> None:
    plan, control, other = planned(Role.PRODUCER)
    seen: list[tuple[Cell, bool]] = []

    async def noted(item: Planned, number: int, *more: Any, young: bool, **others: Any) -> History:
        seen.append((item.cell, young))
        return await trial(item, number, *more, young=young, **others)

    monkeypatch.setattr(probe.verdict, "judge", lambda _: verdict())
    monkeypatch.setattr(attempts, "run_trial", noted)
    tools: Any = SimpleNamespace(
        finish=lambda _: None, lag=SimpleNamespace(machine=no_machine), artifacts={}, engine=None
    )
    done = {(control, 0): verdict(Outcome.CLEAN)}
    young = {control} if knows else set()
    options = Options(repeat_budget_s=0)
    virtual_time.run(pool.run_plan(plan, tools, options, Kept(), report=lambda _: None, finished=done, young=young))
    assert seen == [(other, knows)]
