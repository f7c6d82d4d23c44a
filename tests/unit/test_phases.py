"""Phases: which moment of a client's interval the fault waits for, and which one a history shows."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from probe.cli.wiring.run_selection import RunSelection
from probe.model import AppKind, Cell, Engine, Event, History, MarkKind, PhaseClock, Role, Target
from probe.model.clock import now_us
from probe.model.rows import event_json, header_json, history_of, kind_of, source_of
from probe.planning.phases import phase_of, waits_for_phase
from probe.planning.plan import Planned
from probe.recorder import Recorder
from probe.runner.tools import Options
from probe.runner.trial.phases import NEAR, await_phase, phase_in_s
from probe.runner.trial.setup import make_header
from probe.runner.trial.state import TrialState
from probe.verdict import judge
from tests.support.histories import history
from tests.support.real_cells import planned
from tests.support.transcript import COMMIT, COORDINATOR, HEARTBEAT, KILL, METADATA, OLD, STEADY, ZERO
from tests.support.transcript_steps import Step, app, at, call, fault_on, fetch_answer, mark, row, watch

CELL = Cell("sarama", "1.43.3", Role.PRODUCER, "refresh-1s", "disk/storage-error", Engine.EMBEDDED, "3.9")
SECOND = {"refresh_ms": "1000"}
MEMBER: dict[str, Any] = {"role": Role.GROUP, "play": COORDINATOR, "settings": {"heartbeat_ms": "3000"}}
COMMITS = replace(COORDINATOR, apis=(COMMIT,))


def asked(ms: float, api: int = METADATA) -> tuple[Step, ...]:
    """Return a request at a time before the fault, in milliseconds after it."""
    return at(ms), call(api, OLD, row(), answer=())


def seen(*warm_up: Step, **more: Any) -> tuple[PhaseClock, float | None]:
    """Return the facts about the phase of a trial with these requests before the fault."""
    facts = judge(history(fault_on(), watch(10_000), warm_up=warm_up, beat_ms=100, **more)).facts
    return facts.phase_clock, facts.phase


def test_the_phase_follows_from_cell_and_number_in_every_process() -> None:
    load = "from probe.planning.phases import phase_of; from probe.model import Cell"
    code = f"{load}; print(phase_of(Cell.of({CELL.columns()}), 3))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {str(phase_of(CELL, 3))}


@pytest.mark.parametrize("count", [2, 3, 5, 8, 13, 20])
def test_phases_of_a_cell_are_spread_evenly(count: int) -> None:
    found = sorted(phase_of(CELL, trial) for trial in range(count))
    assert all(0 <= one < 1 for one in found)
    gaps = [(later - sooner) % 1 for sooner, later in zip(found, [*found[1:], found[0]], strict=True)]
    assert min(gaps) >= 0.38 / count  # chance alone leaves gaps of a tenth of that
    assert max(gaps) <= 2 / count


def test_cells_begin_at_different_phases() -> None:
    first = {phase_of(replace(CELL, scenario=f"net/{number}"), 0) for number in range(50)}
    assert len(first) > 40
    assert max(first) - min(first) > 0.8


@pytest.mark.parametrize("other", [{"version": "1.43.2"}, {"profile": "defaults"}, {"broker": "2.6"}])
def test_both_sides_of_a_comparison_have_the_same_phases(other: dict[str, str]) -> None:
    beside = replace(CELL, **other)
    assert [phase_of(beside, trial) for trial in range(12)] == [phase_of(CELL, trial) for trial in range(12)]


def test_two_runs_with_different_seeds_have_the_same_phases() -> None:
    item = planned("sarama@1.43.3", "disk/storage-error")
    tools: Any = type("Tools", (), {"artifacts": {}})()
    phases = [[make_header(item, trial, tools, Options(seed=seed)).phase for trial in range(4)] for seed in (1, 2)]
    assert phases[0] == phases[1]
    assert phases[0] == [phase_of(item.cell, trial) for trial in range(4)]


def cells() -> dict[str, Planned]:
    names = ["disk/storage-error", "*-during/disk/storage-error"]
    plan, _ = RunSelection(clients=["sarama@1.43.3"], scenarios=names, roles=[Role.PRODUCER], seed=1).whole()
    return {item.cell.scenario: item for item in plan.cells}


def test_only_the_fault_of_a_client_that_works_on_its_own_brokers_waits() -> None:
    found = cells()
    assert len(found) > 3
    assert {name for name, item in found.items() if waits_for_phase(item)} == {
        "disk/storage-error",
        "close-during/disk/storage-error",
    }
    real = replace(found["disk/storage-error"], cell=replace(CELL, engine=Engine.KAFKA))
    assert not waits_for_phase(real)


def test_a_frequent_refresh_is_the_clock() -> None:
    assert seen(*asked(-1750), *asked(-750), settings=SECOND) == (PhaseClock.REFRESH, 0.75)


@pytest.mark.parametrize(
    "settings",
    [
        {"refresh_ms": "600000"},
        {"refresh_ms": "-1"},
        {"refresh_ms": "1000", "refresh_least_ms": "10"},  # every wait is random
        {"refresh_ms": "200"},  # it has missed its ticks
        {},
    ],
)
def test_operations_are_the_clock_of_a_client_that_does_nothing_else_often(settings: dict[str, str]) -> None:
    clock, phase = seen(*asked(-750), settings=settings)
    assert clock is PhaseClock.OPERATION
    assert phase is not None
    assert 0 <= phase < 1


def test_the_interval_of_operations_is_the_one_at_the_fault() -> None:
    steps = (at(-400), mark(MarkKind.PACED, "400"), at(-100), app_sent())
    assert seen(*steps) == (PhaseClock.OPERATION, 0.25)


def app_sent() -> Step:
    return app(AppKind.SENT, partition=0, sequence=900)


def test_a_member_whose_coordinator_fails_has_its_heartbeat_as_clock() -> None:
    clock, phase = seen(*asked(-1500, HEARTBEAT), **MEMBER)
    assert (clock, phase) == (PhaseClock.HEARTBEAT, 0.5)


def test_a_member_whose_commit_fails_has_its_commit_as_clock() -> None:
    member = MEMBER | {"play": COMMITS}
    commits = [step for ms in (-1900, -1400, -900, -400) for step in asked(ms, COMMIT)]
    assert seen(*asked(-1950, HEARTBEAT), *commits, **member) == (PhaseClock.COMMIT, 0.8)
    assert seen(*asked(-1950, HEARTBEAT), *commits[:4], **member)[0] is PhaseClock.HEARTBEAT  # too few of them


def test_a_member_whose_connections_end_has_its_heartbeat_as_clock_unless_it_refreshes_often() -> None:
    both = (*asked(-1500, HEARTBEAT), *asked(-750))
    cut = MEMBER | {"play": KILL}
    assert seen(*both, **cut)[0] is PhaseClock.HEARTBEAT
    assert seen(*both, **(cut | {"settings": {"heartbeat_ms": "3000"} | SECOND})) == (PhaseClock.REFRESH, 0.75)


def test_heartbeats_are_no_clock_where_only_an_answer_about_the_partition_fails() -> None:
    play = history().header.play
    assert play.target is Target.LEADER
    assert seen(*asked(-1500, HEARTBEAT), **(MEMBER | {"play": play}))[0] is not PhaseClock.HEARTBEAT


def test_without_a_fault_there_is_no_phase() -> None:
    assert seen(*asked(-750), settings=SECOND, play=STEADY) == (PhaseClock.NONE, None)
    facts = judge(history(fetch_answer(), watch(10_000), settings=SECOND)).facts
    assert (facts.phase_clock, facts.phase) == (PhaseClock.NONE, None)


def test_a_stored_trial_keeps_its_phase_when_it_is_judged_again() -> None:
    found = history(fault_on(), watch(10_000), warm_up=asked(-750), settings=SECOND, phase=0.7)
    rows = [(source_of(event), kind_of(event), event_json(event)) for event in found.events]
    again = history_of(header_json(found.header), *zip(*rows, strict=True))
    assert again.header.phase == 0.7
    assert judge(again).facts.phase == judge(found).facts.phase == 0.75


def waiting(phase: float | None, *warm_up: Step) -> TrialState:
    """Return a trial before its fault, with these requests."""
    found = history(at(-10), warm_up=warm_up, settings=SECOND, phase=phase, running=True)
    return state_of(found, found.events)


def state_of(found: History, events: tuple[Event, ...]) -> TrialState:
    state = TrialState(planned("sarama@1.43.3", "disk/storage-error"), found.header, Recorder())
    for event in events:
        state.recorder.add(event)
    return state


@pytest.mark.parametrize(
    ("phase", "since_ms", "expected_s"),
    [(0.8, 300, 0.5), (0.1, 300, 0.8), (0.3, 300, 0.0), (0.3, 300 + 1000 * NEAR / 2, 0.0), (None, 300, 0.0)],
)
def test_the_fault_waits_until_the_interval_has_reached_its_phase(
    phase: float | None, since_ms: float, expected_s: float
) -> None:
    state = waiting(phase, *asked(-900))
    assert phase_in_s(state, ZERO - 900_000 + int(since_ms * 1000)) == pytest.approx(expected_s, abs=0.002)


def test_a_tick_that_comes_while_the_fault_waits_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second tick is 200 ms late; the fault waits for the phase of that one."""
    found = history(at(-10), warm_up=asked(-900), settings=SECOND, phase=0.5, running=True)
    shift = now_us() - ZERO
    state = state_of(found, tuple(replace(event, at=event.at + shift) for event in found.events))
    now, slept = [shift + ZERO - 100_000], list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 2))
        if len(slept) == 1:
            last = next(event for event in found.events if getattr(event, "api", None) == METADATA)
            state.recorder.add(replace(last, at=now[0] + 400_000))
        now[0] += round(seconds * 1e6)

    monkeypatch.setattr("probe.runner.trial.phases.now_us", lambda: now[0])
    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(await_phase(state))
    assert slept == [0.7, 0.2]
