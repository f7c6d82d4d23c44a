"""The paces of operations per role and engine."""

from __future__ import annotations

from probe.catalogue.scenarios import default_scenarios
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Engine, Role, Target
from probe.model.paces import OWN, SELDOM, SHARED, TRANSACTION_INTERVAL_MS, TRANSACTIONS
from probe.planning.paces import usual_pace
from probe.planning.plan import Planned
from probe.scenarios.steps.real_brokers import DumpLogs, Supervise


def cells(engine: Engine, *scenarios: str) -> tuple[Planned, ...]:
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=scenarios, roles=list(Role), engine=engine)
    return asked.whole()[0].cells


def test_brokers_of_its_own_have_one_pace_and_shared_ones_that_of_the_role() -> None:
    assert {usual_pace(Engine.EMBEDDED, role) for role in Role} == {OWN}
    others = {Role.TRANSACTIONAL: TRANSACTIONS, Role.ADMIN: SELDOM}
    assert {role: usual_pace(Engine.KAFKA, role) for role in Role} == dict.fromkeys(Role, SHARED) | others


def test_writers_and_readers_on_real_brokers_work_at_least_every_100_ms_around_the_fault() -> None:
    """Groups whose coordinator fails are left out: their commits decide."""
    found = [
        item
        for item in cells(Engine.KAFKA, "*", "incident/*")
        if item.cell.role in {Role.PRODUCER, Role.CONSUMER, Role.GROUP}
        and not (item.cell.role is Role.GROUP and item.expectation.target is Target.COORDINATOR)
    ]
    assert len({item.cell.scenario for item in found}) > 20
    assert all(max(item.pace.work_ms, item.pace.wait_ms, item.pace.late_ms) <= 100 for item in found)


def test_transactions_on_real_brokers_keep_their_long_interval() -> None:
    found = [item for item in cells(Engine.KAFKA, "*") if item.cell.role is Role.TRANSACTIONAL]
    assert found
    assert all(item.pace.work_ms == min(TRANSACTION_INTERVAL_MS, item.expectation.prompt_ms // 2) for item in found)


def test_a_client_that_may_meet_the_fault_at_once_starts_at_the_interval_around_it() -> None:
    found = cells(Engine.KAFKA, "*", "start-during/*")
    early = [item for item in found if item.variant.at_start or item.variant.second_instance]
    assert early
    assert all(item.start_ms == item.pace.work_ms for item in early)
    assert any(item.start_ms > item.pace.work_ms for item in found)


def test_scenarios_that_look_for_lost_records_work_at_the_short_interval_throughout() -> None:
    """Each later restart may lose records; a client that has recovered from the first one would write few."""
    found = {
        (one.name, variant.busy)
        for one in default_scenarios().values()
        for variant in one.variants
        if any(isinstance(step, DumpLogs | Supervise) for step in variant.steps)
    }
    assert len(found) >= 10
    assert all(busy for _, busy in found)
