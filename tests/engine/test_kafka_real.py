"""A real cluster: one broker's disk fails, and only the newer client finds the new leader."""

from __future__ import annotations

import asyncio
import subprocess

import pytest

from probe import verdict
from probe.cli.wiring.composition import get_clients, live_tools
from probe.cli.wiring.kafka_engine import exact_versions, kafka_engine
from probe.cli.wiring.run_selection import RunSelection
from probe.engines.kafka.engine import Kafka
from probe.errors import ExhaustedError
from probe.model import Cell, Engine, EngineEvent, EngineKind, Outcome, Role
from probe.model.history import History
from probe.model.verdicts import Verdict
from probe.planning.plan import Plan
from probe.ports import CohortLoad
from probe.runner import Options, run_plan
from probe.runner.schedule.cohorts import drain_in_cohorts
from probe.toolchain.tools import ToolError

pytestmark = pytest.mark.real

OLD, NEW = "sarama@1.43.2", "sarama@1.43.3"


class Kept:
    """A run store in memory."""

    exhausted: ExhaustedError | None = None

    def __init__(self) -> None:
        self.trials: dict[Cell, tuple[History, Verdict]] = {}

    def add(self, history: History, verdict: Verdict) -> None:
        self.trials[history.header.cell] = (history, verdict)

    def has(self, cell: Cell, trial: int) -> bool:
        return cell in self.trials and self.trials[cell][0].header.trial == trial

    def add_cohort(self, load: CohortLoad) -> None:
        pass

    def flush(self) -> None:
        pass


def played(plan: Plan, engine: Kafka) -> dict[Cell, tuple[History, Verdict]]:
    bound, absent = get_clients([item.chosen for item in plan.cells], lambda _: None)
    assert not absent
    store = Kept()

    async def go() -> None:
        async with live_tools(engine, bound) as tools:
            await run_plan(plan, tools, Options(seed=1), store, report=lambda _: None, drain=drain_in_cohorts(engine))

    asyncio.run(go())
    return store.trials


def test_only_the_newer_client_survives_a_real_disk_error() -> None:
    plan, _ = RunSelection(
        clients=[OLD, NEW], scenarios=["disk/storage-error"], roles=[Role.PRODUCER], engine=Engine.KAFKA, seed=1
    ).whole()
    try:
        engine = kafka_engine(exact_versions(plan), lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    trials = played(plan, engine)
    found = {(str(cell.client), cell.scenario): judged.outcome for cell, (_, judged) in trials.items()}
    assert found == {
        (OLD, "steady"): Outcome.CLEAN,
        (NEW, "steady"): Outcome.CLEAN,
        (OLD, "disk/storage-error"): Outcome.STUCK,
        (NEW, "disk/storage-error"): Outcome.REFRESHES,
    }
    broken = [history for cell, (history, _) in trials.items() if cell.scenario != "steady"]
    assert all(56 in verdict.judge(history).facts.fault_codes for history in broken)
    assert {history.header.subject.old for history in broken} == {broken[0].header.subject.old}, "one cohort"
    for history in broken:
        engine_events = [event for event in history.events if isinstance(event, EngineEvent)]
        assert {EngineKind.FAULT_ON, EngineKind.MOVED, EngineKind.ANNOUNCED, EngineKind.HEALED} <= {
            event.kind for event in engine_events
        }
        assert any("Stopping serving logs" in event.text for event in engine_events), "the broker's log reports it"
    assert nothing_left()


def nothing_left() -> bool:
    """Report whether no server process is left without its parent."""
    listed = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=True).stdout
    orphans = [line for line in listed.splitlines() if "kafka.Kafka" in line and line.split()[0] == "1"]
    return not orphans
